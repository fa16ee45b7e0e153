"""The risk that someone who knows some items of a person finds the person's record, before and after publishing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.audit.attack.finding import Attacks
from shoal.audit.attack.shares import RANDOM, WORST
from shoal.measuring.risk.baskets import BasketRisk
from shoal.measuring.risk.share import percent
from shoal.reporting.page import Grid
from shoal.reporting.remaining_risk import AFTER, BEFORE, Line

SIDE = "known items"
"""The axis label of such lines."""
PROMISED = "promised: none"
"""The promise: known items leave nobody with too few records."""
_TITLE = "Remaining candidate records for an adversary who knows some items"
_HEADS = (
    "known items",
    "people",
    "original: median, smallest",
    "most favourable possible original: median, smallest",
    "own cluster: median, smallest",
    "below k in their own cluster",
)


def candidate_lines(
    k: int, m: int, promised: str, counted: BasketRisk | None, attacks: Attacks | None
) -> Iterator[Line]:
    """People for whom the known items leave fewer than k records: found by attacks, or promised for m items."""
    if not (_drawn(attacks, RANDOM) or _drawn(attacks, WORST)):
        said = f"{promised}, for random and for worst-case items; verified from the files"
        for items in range(1, m + 1):
            yield Line(f"{items}", _left_few(items, k, ""), None, 0.0, said, headline=items == m)
        return
    for kind, rows in (("worst", _drawn(attacks, WORST)), ("random", _drawn(attacks, RANDOM))):
        shown = [one for one in rows if one["people"]]
        within = max((one["known_items"] for one in shown if one["known_items"] <= m), default=None)
        for one in shown:
            items, people = one["known_items"], one["people"]
            was, source = one.get("below_k_in_original_share"), BEFORE if "below_k_in_original" in one else AFTER
            known = [promised if items <= m else "not covered by the promise"]
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


def candidates_left(attacks: Attacks | None) -> Iterator[Grid]:
    """How many records remain, by adversary: in the most favourable possible original, and in the own cluster."""
    if rows := tuple(_counts_left(attacks)):
        yield Grid(_TITLE, _HEADS, rows)


def _counts_left(attacks: Attacks | None) -> Iterator[tuple[str, ...]]:
    for kind, rows in (("worst", _drawn(attacks, WORST)), ("random", _drawn(attacks, RANDOM))):
        for one in rows:
            if one["people"]:
                counts = (
                    f"{one[f'median_in_{where}']:,}, {one[f'smallest_in_{where}']:,}"
                    for where in ("original", "most_favourable_original", "own_cluster")
                )
                few = _between(one, "own_cluster")
                yield (f"{one['known_items']} {kind}", f"{one['people']:,}", *counts, few)


def _after(one: Mapping[str, Any]) -> str:
    """Where candidates were counted in the release."""
    return "most_favourable_original" if "below_k_in_most_favourable_original" in one else "release"


def _between(one: Mapping[str, Any], where: str) -> str:
    """A sampled share, with its interval."""
    share, interval = one[f"below_k_in_{where}_share"], _interval(one, where)
    return f"{percent(share)} ({interval.removeprefix(', ')})" if interval else percent(share)


def _interval(one: Mapping[str, Any], where: str) -> str:
    """The confidence interval of a sampled share; empty if everybody was counted."""
    low, high = (one[f"{which}_in_{where}_share"] for which in ("at_least", "at_most"))
    return "" if low == high else f", 95 % interval {percent(low)} to {percent(high)}"


def _drawn(attacks: Attacks | None, adversary: str) -> Sequence[Mapping[str, Any]]:
    """The results of searching for people, for one adversary, by the number of known items."""
    if attacks is None:
        return ()
    found = next((one for one in attacks.findings if one.name == "known items"), None)
    rows = None if found is None else found.numbers.get(adversary)
    return [dict(row) for row in rows] if isinstance(rows, Sequence) and not isinstance(rows, str) else ()


def _left_few(known: int, k: int, kind: str) -> str:
    which = {"worst": f"the worst {_items(known)}", "random": f"{known} random item{'s' * (known > 1)}"}
    items = which.get(kind, f"{known} known item{'s' * (known > 1)}")
    return f"people for whom {items} leave{'s' * (known == 1)} fewer than {k} possible records"


def _items(number: int) -> str:
    return "1 item" if number == 1 else f"{number} items"
