"""What an adversary can learn before and after publishing: measured, computed, or bounded by the promise.

Each shape of release hides something different, and so has its own risks.
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
"""The default group size to hide in, if the promise names no number."""


@dataclass(frozen=True)
class Line:
    """One risk: a probability, or a share of the people, from 0 to 1."""

    short: str
    """The axis label: a word or two."""
    words: str
    before: float | None
    """None if the original is not given."""
    after: float
    known: str
    """How the second number is known."""
    headline: bool = False
    """Whether it is a key number."""
    people: str = ""
    """The people whose share this is, and the confidence: needed to read a share correctly."""


@dataclass(frozen=True)
class Risks:
    """The results on the risk of one release."""

    lines: tuple[Line, ...]
    before: str = ""
    """More facts about the original, besides what every report on baskets shows."""
    side: str | None = None
    """An explanation of the short line names."""
    grids: tuple[Grid, ...] = ()
    """Blocks shown next to the lines."""


def risk_section(
    release: Release, original: Transactions | Table | None, before: BasketRisk | None, attacks: Attacks | None
) -> tuple[Section, tuple[Key, ...]]:
    """The risks of the original and of the release side by side, the results of attacks, and the key numbers."""
    found: Risks = SHAPES[release.shape].load("report_risks")(release, original, before, attacks)
    blocks = tuple(_blocks(found, found.before if before is None else str(before), attacks))
    return Section("risk", "What can an adversary learn?", blocks), _keys(found.lines)


def _keys(lines: Sequence[Line]) -> tuple[Key, ...]:
    """The risks that the promise is about: if there are several adversaries, one key number each, the worst first."""
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
        yield Words("Attacks on the release, and their results:")
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
    says = f"The largest remaining risk is {percent(worst.after)}{was}: {worst.words}."
    return lying_bars(
        "risk",
        "Risk before and after publishing" if with_before else "Risk of the release",
        says,
        records,
        {"risk": "risk", "series": "of", "value": "share or probability"},
        unit="share of people, or probability",
        series=series,
        colours=("before", "after") if with_before else ("after",),
        side=side,
    )
