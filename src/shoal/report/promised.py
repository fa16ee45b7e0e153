"""What a release promises, and whether it keeps it: the first questions of a reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.audit.residual import Residual
from shoal.audit.verdict import Verdict
from shoal.release import Release
from shoal.report.page import Block, Grid, Key, Listed, Section, Words


def promise_section(release: Release, *, marked: bool) -> Section:
    """The promise in its own words, and what it does not cover; ``marked``: it must not be published."""
    return Section("promise", "What is promised, and what is not", tuple(_promise(release, marked)))


def _promise(release: Release, marked: bool) -> Iterator[Block]:
    if marked:
        yield Words(
            "Do not publish this: it is one of several releases of the same people, which undo each other.", "bad"
        )
    if getattr(release, "reproducible", False):
        yield Words(
            "Do not publish this: random choices were made with a seed. Anyone who has it can undo the randomization.",
            "bad",
        )
    for promise in release.promises:
        yield Words(promise.words)
    yield Words("Limits of the promise:")
    yield Listed(tuple(dict.fromkeys(entry for promise in release.promises for entry in promise.not_promised)))


def empty_keys(verdict: Verdict) -> tuple[Key, ...]:
    """The key number that says that the release is worthless, if so."""
    short = {"total loss": "nothing is left of the data", "empty promise": "sensitive values are not protected"}
    return tuple(Key(f"{one.kind[:1].upper()}{one.kind[1:]}", short[one.kind], "bad") for one in verdict.empty)


def verdict_section(verdict: Verdict, residuals: Sequence[Residual] = ()) -> Section:
    """What was checked on the files, the outcome, and what no promise covers."""
    return Section("verdict", "Is the promise kept?", tuple(_verdict(verdict, residuals)))


def verdict_key(verdict: Verdict, residuals: Sequence[Residual] = ()) -> Key:
    """The verdict, in a few words; it is not green if a severe risk remains that the promise does not cover."""
    number = len(verdict.checks)
    if not verdict.holds:
        return Key("Verdict", f"{len(verdict.failures)} of {number} checks fail", "bad")
    if verdict.left_out:
        return Key("Verdict", f"{number} checks hold, {len(verdict.left_out)} left out")
    severe = sum(one.severe for one in residuals)
    if severe:
        risks = "a severe risk remains" if severe == 1 else f"{severe} severe risks remain"
        return Key("Verdict", f"all {number} checks hold; {risks}")
    return Key("Verdict", f"all {number} checks hold", "plain" if verdict.empty else "good")


def residual_keys(residuals: Sequence[Residual]) -> tuple[Key, ...]:
    """Key numbers for risks that the promise does not cover: the largest first, including all severe ones."""
    shown = [one for at, one in enumerate(residuals) if one.severe or at == 0]
    return tuple(
        Key(f"Not covered: {one.of} that {one.words}", one.shown, "warn" if one.severe else "plain") for one in shown
    )


def _verdict(verdict: Verdict, residuals: Sequence[Residual]) -> Iterator[Block]:
    for one in verdict.empty:
        yield Words(f"{one}.", "bad")
    head = f"{verdict.head[:1].upper()}{verdict.head[1:]}."
    clear = verdict.confirmed and not verdict.empty and not any(one.severe for one in residuals)
    yield Words(head, "good" if clear else "bad" if not verdict.holds else "plain" if verdict.confirmed else "note")
    if residuals and verdict.holds:
        yield Words("Risks that the promise does not cover, the largest share first:")
        yield Listed(tuple(f"{one}." for one in residuals))
    for check in verdict.failures:
        yield Words(f"{check.name}: {check.said}", "bad")
    rows = tuple(
        (check.name, "holds" if check.holds else "FAILS", f"{check.checked:,}", check.what) for check in verdict.checks
    )
    yield Grid("What was checked", ("check", "outcome", "how many", "condition"), rows, folded=True)
    if verdict.left_out:
        left = tuple((entry.name, entry.why) for entry in verdict.left_out)
        yield Grid("What was not checked", ("check", "why"), left)
    if verdict.figures:
        figures = tuple((figure.name, figure.column, f"{figure.value:,.4g}", figure.what) for figure in verdict.figures)
        yield Grid("Other figures, not part of the verdict", ("figure", "column", "value", "meaning"), figures)
