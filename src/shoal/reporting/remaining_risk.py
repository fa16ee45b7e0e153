"""What somebody could find out before publishing and can find out after: measured, computed, or bounded by the promise.

Each shape of release hides something else, so that each has risks of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shoal.audit.attack.finding import Attacks
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.measuring.risk.baskets import BasketRisk
from shoal.measuring.risk.share import percent
from shoal.release import Release
from shoal.reporting.charts import lying_bars
from shoal.reporting.page import Block, Chart, Grid, Key, Listed, Section, Value, Words
from shoal.shapes import SHAPES

BEFORE, AFTER = "original", "release"
USUAL_K = 5
"""Among how many one should be hidden, where the promise names no number."""


@dataclass(frozen=True)
class Line:
    """One risk: a chance, or a share of the people, from 0 to 1."""

    short: str
    """For an axis, which has room for a word or two."""
    words: str
    before: float | None
    """None where the original is not at hand."""
    after: float
    known: str
    """How the second number is known."""
    headline: bool = False
    """Whether it is one of those to remember."""
    people: str = ""
    """Whose shares these are, and how sure they are: what a share is misread without."""


@dataclass(frozen=True)
class Risks:
    """What there is to say of the risk of one release."""

    lines: tuple[Line, ...]
    before: str = ""
    """What else is known of the original, where that is not what every report on baskets tells."""
    side: str | None = None
    """What the short names of the lines are."""
    grids: tuple[Grid, ...] = ()
    """What is told beside the lines."""


def risk_section(
    release: Release, original: Transactions | Table | None, before: BasketRisk | None, attacks: Attacks | None
) -> tuple[Section, tuple[Key, ...]]:
    """The risks of the original and of the release side by side, what attacks came to, and the numbers to remember."""
    found: Risks = SHAPES[release.shape].load("report_risks")(release, original, before, attacks)
    blocks = tuple(_blocks(found, found.before if before is None else str(before), attacks))
    return Section("risk", "What could somebody find out?", blocks), _keys(found.lines)


def _keys(lines: Sequence[Line]) -> tuple[Key, ...]:
    """The risks that the promise is about: of several adversaries one key each, the worst first."""
    chosen = [line for line in lines if line.headline] or list(lines[:1])
    chosen.sort(key=lambda line: -(line.after if line.before is None else line.before))
    return tuple(
        Key(
            line.words[:1].upper() + line.words[1:] + (f" ({line.people})" if line.people else ""),
            percent(line.after) if line.before is None else f"{percent(line.before)} → {percent(line.after)}",
        )
        for line in chosen
    )


def _blocks(found: Risks, before: str, attacks: Attacks | None) -> Iterator[Block]:
    if before:
        yield Words(f"Before publishing: {before}")
    if lines := found.lines:
        with_before = any(line.before is not None for line in lines)
        heads = ("risk", BEFORE, AFTER, "how it is known") if with_before else ("risk", AFTER, "how it is known")
        yield Grid("", heads, tuple(_row(line, with_before) for line in lines))
        if with_before or any(line.after for line in lines):
            yield _chart(lines, with_before, found.side)
    yield from found.grids
    if attacks is not None:
        yield Words("Attacks that were mounted on the release, and what came of them:")
        yield Listed(tuple(finding.sentence for finding in attacks.findings))
        for finding in attacks.findings:
            if finding.breaks_promise:
                yield Words(f"This breaks the promise: {finding.name}.", "bad")
        if attacks.left_out:
            left = "; ".join(f"{entry.name} ({entry.why})" for entry in attacks.left_out)
            yield Words(f"Not tried: {left}.", "note")


def _row(line: Line, with_before: bool) -> tuple[str, ...]:
    first = () if not with_before else ("-" if line.before is None else percent(line.before),)
    return (line.words, *first, percent(line.after), line.known)


def _chart(lines: Sequence[Line], with_before: bool, side: str | None) -> Chart:
    series = (BEFORE, AFTER) if with_before else (AFTER,)
    records: list[dict[str, Value]] = [
        {"label": line.short, "series": name, "value": value, "risk": line.words}
        for line in lines
        for name, value in ((BEFORE, line.before), (AFTER, line.after))
        if value is not None
    ]
    worst = max(lines, key=lambda line: (line.after, line.before or 0.0))
    was = "" if worst.before is None else f", from {percent(worst.before)}"
    says = f"The largest that is left is {percent(worst.after)}{was}: {worst.words}."
    return lying_bars(
        "risk",
        "Risk before and after publishing" if with_before else "Risk of the release",
        says,
        records,
        {"risk": "risk", "series": "of", "value": "share or chance"},
        unit="share of people, or chance",
        series=series,
        colours=("before", "after") if with_before else ("after",),
        side=side,
    )
