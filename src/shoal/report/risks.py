"""What somebody could find out before publishing and can find out after: measured, computed, or bounded by the promise.

Each shape of release hides something else, so that each has risks of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.audit.attack.finding import Attacks
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.measure.randomization.privacy import release_privacy
from shoal.measure.risk.baskets import BasketRisk
from shoal.measure.risk.published import published_value_chances, row_chances, value_chances
from shoal.measure.risk.share import percent
from shoal.measure.risk.tables import table_risk
from shoal.promises import SuppressedKm
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized
from shoal.report.charts import lying_bars, shortened
from shoal.report.page import Block, Chart, Grid, Key, Listed, Section, Value, Words

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


def risk_section(
    release: Release, original: Transactions | Table | None, before: BasketRisk | None, attacks: Attacks | None
) -> tuple[Section, Key | None]:
    """The risks of the original and of the release side by side, what attacks came to, and the number to remember."""
    lines = list(_lines(release, original, attacks))
    blocks = tuple(_blocks(release, original, before, attacks, lines))
    return Section("risk", "What could somebody find out?", blocks), _key(release, lines)


def _key(release: Release, lines: Sequence[Line]) -> Key | None:
    """The risk that the promise is about."""
    if not lines:
        return None
    at = 0
    if isinstance(release, Disassociated | GeneralizedBaskets):
        at = max((number for number, line in enumerate(lines) if int(line.short) <= release.promise.m), default=0)
    elif isinstance(release, Generalized | Bucketized):
        at = next(number for number, line in enumerate(lines) if line.short.endswith("average"))
    line = lines[at]
    change = percent(line.after) if line.before is None else f"{percent(line.before)} → {percent(line.after)}"
    return Key(line.words[:1].upper() + line.words[1:], change)


def _blocks(
    release: Release,
    original: Transactions | Table | None,
    before: BasketRisk | None,
    attacks: Attacks | None,
    lines: Sequence[Line],
) -> Iterator[Block]:
    if before is not None:
        yield Words(f"Before publishing: {before}")
    elif isinstance(original, Table) and (quasi := _quasi(release)):
        yield Words(f"Before publishing: {table_risk(original, _k_of(release), quasi=quasi)}")
    if lines:
        with_before = any(line.before is not None for line in lines)
        heads = ("risk", BEFORE, AFTER, "how it is known") if with_before else ("risk", AFTER, "how it is known")
        yield Grid("", heads, tuple(_row(line, with_before) for line in lines))
        if with_before or any(line.after for line in lines):
            yield _chart(lines, with_before, _side(release))
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


def _lines(release: Release, original: Transactions | Table | None, attacks: Attacks | None) -> Iterator[Line]:
    if isinstance(release, Disassociated | GeneralizedBaskets):
        yield from _candidates(release, attacks)
    elif isinstance(release, Randomized):
        yield from _randomized(release, original is not None)
    elif isinstance(release, NoisyBaskets):
        epsilon = release.promise.epsilon
        yield Line(
            "presence",
            "to tell whether one record was among the data, for one who knows all others and held both for equally "
            "likely; a coin has 50 %",
            None if original is None else 1.0,
            1 / (1 + math.exp(-epsilon)),
            "bounded by the promise",
        )
    else:
        assert original is None or isinstance(original, Table)
        yield from _rows(release, original)


def _candidates(release: Disassociated | GeneralizedBaskets, attacks: Attacks | None) -> Iterator[Line]:
    k, m = release.promise.k, release.promise.m
    drawn = _drawn(attacks)
    if not drawn:
        for known in range(1, m + 1):
            yield Line(
                f"{known}",
                _left_few(known, k),
                None,
                0.0,
                f"{_promised(release)}; verified from the files",
            )
        return
    for one in drawn:
        known, people, before = one["known_items"], one["victims"], one.get("below_k_before")
        if not people:
            continue
        scope = _promised(release) if known <= m else "not covered by the promise"
        yield Line(
            f"{known}",
            _left_few(known, k),
            None if before is None else before / people,
            one.get("below_k_after", one.get("below_k")) / people,
            f"{scope}; measured on {people:,} people drawn from the {BEFORE if before is not None else AFTER}",
        )


def _promised(release: Disassociated | GeneralizedBaskets) -> str:
    """What the promise says of them; where items were suppressed, it lets a set of the original be nowhere."""
    if isinstance(release.promise, SuppressedKm):
        return "promised: none but those whose items are in no possible record, because some were suppressed"
    return "promised: none"


def _drawn(attacks: Attacks | None) -> Sequence[Mapping[str, Any]]:
    """What came of people who were looked for, by how many of their items were known."""
    if attacks is None:
        return ()
    found = next((one for one in attacks.findings if one.name == "known items"), None)
    if found is None:
        return ()
    rows = found.numbers.get("candidates", found.numbers.get("rows_that_remain"))
    return [dict(row) for row in rows] if isinstance(rows, Sequence) and not isinstance(rows, str) else ()


def _randomized(release: Randomized, with_before: bool) -> Iterator[Line]:
    found = release_privacy(release)
    # Where nothing was flipped, an item is there for certain, and not but for an error of rounding.
    item = 1.0 if release.promise.keep_prob == 1 else found.ones
    before = 1.0 if with_before else None
    computed = "computed, with supports estimated from the release"
    yield Line("an item", "to guess back, from a person's row, an item that the person has", before, item, computed)
    if release.promise.fakes:
        yield Line("a real row", "that a row that somebody picks is real", before, found.rows.worst, "computed")
        yield Line(
            "both",
            "that a row that somebody picks is real, and an item that it has is guessed back",
            before,
            item * found.rows.worst,
            computed,
        )


def _rows(release: Bucketized | Generalized, original: Table | None) -> Iterator[Line]:
    quasi = _quasi(release)
    if isinstance(release, Generalized):
        k = release.promise.k
        before = None if original is None else table_risk(original, k, quasi=quasi).prosecutor
        after = row_chances(release, k)
        for short, words, at in (
            ("at worst", "to pick a person's row, for the smallest group", "highest"),
            ("average", "to pick a person's row, over all rows", "average"),
            (f"over 1/{k}", f"rows that are picked with a chance of more than 1/{k}", "above"),
        ):
            yield Line(
                short,
                words,
                None if before is None else getattr(before, at),
                getattr(after, at),
                "counted in the files",
            )
    for name in _sensitive(release):
        was = None if original is None else value_chances(original, quasi, name)
        now = published_value_chances(release, name)
        for where, at in (("where it is easiest", "highest"), ("over all rows", "average")):
            yield Line(
                f"{shortened(name)}, {'at worst' if at == 'highest' else 'average'}",
                f"to name the {name} of a person by the most frequent of the group, {where}",
                None if was is None else getattr(was, at),
                getattr(now, at),
                "counted in the files",
            )


def _side(release: Release) -> str | None:
    """What the names of the risks are."""
    return "known items" if isinstance(release, Disassociated | GeneralizedBaskets) else None


def _quasi(release: Release) -> list[str]:
    if isinstance(release, Generalized):
        return [column.name for column in release.quasi]
    return list(release.quasi.names) if isinstance(release, Bucketized) else []


def _sensitive(release: Bucketized | Generalized) -> list[str]:
    if isinstance(release, Bucketized):
        return [release.sensitive]
    return [column.name for column in release.sensitive]


def _k_of(release: Release) -> int:
    return release.promise.k if isinstance(release, Generalized) else USUAL_K


def _left_few(known: int, k: int) -> str:
    items = "1 known item leaves" if known == 1 else f"{known} known items leave"
    return f"people whom {items} fewer than {k} records to choose from"
