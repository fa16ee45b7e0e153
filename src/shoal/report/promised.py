"""What a release promises, and whether it keeps it: the first things that a reader asks."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.verdict import Verdict
from shoal.release import Release
from shoal.report.page import Block, Grid, Key, Listed, Section, Words


def promise_section(release: Release, *, marked: bool) -> Section:
    """The promise in its own words, and what it does not cover; ``marked``: it is not to be published."""
    return Section("promise", "What is promised, and what is not", tuple(_promise(release, marked)))


def _promise(release: Release, marked: bool) -> Iterator[Block]:
    if marked:
        yield Words(
            "Do not publish this: it is one of several releases of the same people, which undo each other.", "bad"
        )
    if getattr(release, "reproducible", False):
        yield Words(
            "Do not publish this: a seed stood in for chance, and whoever has it can undo what chance hid.", "bad"
        )
    for promise in release.promises:
        yield Words(promise.words)
    yield Words("Where the promise ends:")
    yield Listed(tuple(dict.fromkeys(entry for promise in release.promises for entry in promise.not_promised)))


def verdict_section(verdict: Verdict) -> Section:
    """What was checked on the files as they stand, and what came out."""
    return Section("verdict", "Is the promise kept?", tuple(_verdict(verdict)))


def verdict_key(verdict: Verdict) -> Key:
    """The verdict, in a few words."""
    number = len(verdict.checks)
    if not verdict.holds:
        return Key("Verdict", f"{len(verdict.failures)} of {number} checks fail", "bad")
    if verdict.left_out:
        return Key("Verdict", f"{number} checks hold, {len(verdict.left_out)} left out")
    return Key("Verdict", f"all {number} checks hold", "good")


def _verdict(verdict: Verdict) -> Iterator[Block]:
    head = f"{verdict.head[:1].upper()}{verdict.head[1:]}."
    yield Words(head, "good" if verdict.confirmed else "bad" if not verdict.holds else "note")
    for check in verdict.failures:
        yield Words(f"{check.name}: {check.witness}", "bad")
    rows = tuple(
        (check.name, "holds" if check.holds else "FAILS", f"{check.checked:,}", check.what) for check in verdict.checks
    )
    yield Grid("What was checked", ("check", "outcome", "how many", "condition"), rows, folded=True)
    if verdict.left_out:
        left = tuple((entry.name, entry.why) for entry in verdict.left_out)
        yield Grid("What was not checked", ("check", "why"), left)
    if verdict.figures:
        figures = tuple((figure.name, figure.column, f"{figure.value:,.4g}", figure.what) for figure in verdict.figures)
        yield Grid("Figures that decide nothing", ("figure", "column", "value", "what it says"), figures)
