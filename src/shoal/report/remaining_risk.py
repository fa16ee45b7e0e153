"""What somebody could find out before publishing and can find out after: measured, computed, or bounded by the promise.

Each shape of release hides something else, so that each has risks of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.audit.attack.finding import Attacks
from shoal.audit.attack.shares import RANDOM, WORST
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.measuring.randomization.privacy import release_privacy
from shoal.measuring.risk.baskets import BasketRisk
from shoal.measuring.risk.published import published_value_chances, row_chances, value_chances
from shoal.measuring.risk.share import percent
from shoal.measuring.risk.tables import table_risk
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
    headline: bool = False
    """Whether it is one of those to remember."""
    people: str = ""
    """Whose shares these are, and how sure they are: what a share is misread without."""


def risk_section(
    release: Release, original: Transactions | Table | None, before: BasketRisk | None, attacks: Attacks | None
) -> tuple[Section, tuple[Key, ...]]:
    """The risks of the original and of the release side by side, what attacks came to, and the numbers to remember."""
    lines = list(_lines(release, original, before, attacks))
    blocks = tuple(_blocks(release, original, before, attacks, lines))
    return Section("risk", "What could somebody find out?", blocks), _keys(release, lines)


def _keys(release: Release, lines: Sequence[Line]) -> tuple[Key, ...]:
    """The risks that the promise is about: of several adversaries one key each, the worst first."""
    if not lines:
        return ()
    chosen = [line for line in lines if line.headline]
    if not chosen:
        average = isinstance(release, Generalized | Bucketized)
        chosen = [next(line for line in lines if not average or line.short.endswith("average"))]
    chosen.sort(key=lambda line: -(line.after if line.before is None else line.before))
    return tuple(
        Key(
            line.words[:1].upper() + line.words[1:] + (f" ({line.people})" if line.people else ""),
            percent(line.after) if line.before is None else f"{percent(line.before)} → {percent(line.after)}",
        )
        for line in chosen
    )


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
    if isinstance(release, Disassociated) and (rows := tuple(_candidates_left(attacks))):
        yield Grid(CANDIDATES, _CANDIDATES_HEADS, rows)
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


def _lines(
    release: Release, original: Transactions | Table | None, before: BasketRisk | None, attacks: Attacks | None
) -> Iterator[Line]:
    if isinstance(release, Disassociated | GeneralizedBaskets):
        yield from _candidates(release, before, attacks)
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


def _candidates(
    release: Disassociated | GeneralizedBaskets, counted: BasketRisk | None, attacks: Attacks | None
) -> Iterator[Line]:
    k, m = release.promise.k, release.promise.m
    if not (_drawn(attacks, RANDOM) or _drawn(attacks, WORST)):
        promised = f"{_promised(release)}, be the items random or the worst; verified from the files"
        for items in range(1, m + 1):
            yield Line(f"{items}", _left_few(items, k, ""), None, 0.0, promised, headline=items == m)
        return
    for kind, rows in (("worst", _drawn(attacks, WORST)), ("random", _drawn(attacks, RANDOM))):
        shown = [one for one in rows if one["people"]]
        within = max((one["known_items"] for one in shown if one["known_items"] <= m), default=None)
        for one in shown:
            items, people = one["known_items"], one["people"]
            was, source = one.get("below_k_in_original_share"), BEFORE if "below_k_in_original" in one else AFTER
            known = [_promised(release) if items <= m else "not covered by the promise"]
            if kind == "worst" and counted is not None and items <= len(counted.known):
                share = counted.known[items - 1].among_few
                was = share.value if share.value is not None else share.high
                known.append(f"{BEFORE}: {share.shown} of all {counted.records:,} people")
            elif was is not None:
                known.append(f"{BEFORE}: {_between(one, 'original')}")
            having = "" if kind == "worst" else f" with {_items(items)} or more"
            known.append(f"{AFTER}: {_between(one, _after(one))} of {people:,} people{having} drawn from the {source}")
            drawn = f"of {people:,} people{having} drawn"
            asked = f"{drawn}{_interval(one, _after(one))}"
            if kind == "worst" and counted is not None and items <= len(counted.known):
                asked = f"of all {counted.records:,} people → {asked}"
            elif was is not None:
                asked = f"{drawn}{_interval(one, 'original')} →{_interval(one, _after(one)).removeprefix(',')}"
            yield Line(
                f"{items} {kind}",
                _left_few(items, k, kind),
                was,
                one[f"below_k_in_{_after(one)}_share"],
                "; ".join(known),
                headline=items == within,
                people=asked,
            )


def _after(one: Mapping[str, Any]) -> str:
    """Where candidates were counted in the release."""
    return "most_favourable_original" if "below_k_in_most_favourable_original" in one else "release"


def _between(one: Mapping[str, Any], where: str) -> str:
    """A share that was drawn, with its interval."""
    share, interval = one[f"below_k_in_{where}_share"], _interval(one, where)
    return f"{percent(share)} ({interval.removeprefix(', ')})" if interval else percent(share)


def _interval(one: Mapping[str, Any], where: str) -> str:
    """How sure a share is that was drawn; nothing where everybody was counted."""
    low, high = (one[f"{which}_in_{where}_share"] for which in ("at_least", "at_most"))
    return "" if low == high else f", 95 % interval {percent(low)} to {percent(high)}"


CANDIDATES = "Candidates that remain to somebody who knows some items"
_CANDIDATES_HEADS = (
    "known items",
    "people",
    "original: median, smallest",
    "most favourable possible original: median, smallest",
    "own cluster: median, smallest",
    "below k in their own cluster",
)


def _candidates_left(attacks: Attacks | None) -> Iterator[tuple[str, ...]]:
    """How many records remain, by adversary: in the most favourable possible original, and in the own cluster."""
    for kind, rows in (("worst", _drawn(attacks, WORST)), ("random", _drawn(attacks, RANDOM))):
        for one in rows:
            if one["people"]:
                counts = (
                    f"{one[f'median_in_{where}']:,}, {one[f'smallest_in_{where}']:,}"
                    for where in ("original", "most_favourable_original", "own_cluster")
                )
                few = _between(one, "own_cluster")
                yield (f"{one['known_items']} {kind}", f"{one['people']:,}", *counts, few)


def _promised(release: Disassociated | GeneralizedBaskets) -> str:
    """What the promise says of them; where items were suppressed, it lets a set of the original be nowhere."""
    if isinstance(release.promise, SuppressedKm):
        return "promised: none but those whose items are in no possible record, because some were suppressed"
    return "promised: none"


def _drawn(attacks: Attacks | None, adversary: str) -> Sequence[Mapping[str, Any]]:
    """What came of people who were looked for by one adversary, by how many of their items were known."""
    if attacks is None:
        return ()
    found = next((one for one in attacks.findings if one.name == "known items"), None)
    rows = None if found is None else found.numbers.get(adversary)
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


def _left_few(known: int, k: int, kind: str) -> str:
    which = {"worst": f"the worst {_items(known)}", "random": f"{known} random item{'s' * (known > 1)}"}
    items = which.get(kind, f"{known} known item{'s' * (known > 1)}")
    return f"people whom {items} leave{'s' * (known == 1)} fewer than {k} records to choose from"


def _items(number: int) -> str:
    return "1 item" if number == 1 else f"{number} items"
