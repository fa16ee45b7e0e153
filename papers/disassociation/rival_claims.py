"""The statements of section 7 of the disassociation paper on figure 11: Apriori and DiffPart against disassociation."""

from __future__ import annotations

from collections.abc import Iterator

from papers.claim import Claim, listed, nothing, outcome_of
from papers.disassociation.figures import DIFFPART, DISASSOCIATION, GENERALIZATION, Figure

LOST, LOST_BY_DIFFPART, WORST_ERROR, USELESS, ITEMS_LEFT = 0.05, 0.75, 0.18, 1.0, 100 / 1657
"""The numbers of the text."""


def _best(figure: Figure, method: str) -> dict[str, float]:
    """The lowest value of each data set, over the runs of a method."""
    (metric,) = figure.panel.metrics
    found = {
        source: figure.values(metric, [point for point in figure.of(source) if point.job.method == method])
        for source in figure.sources
    }
    return {source: min(values) for source, values in found.items() if values}


def _beside(figure: Figure, *methods: str) -> tuple[list[dict[str, float]], str]:
    best = [_best(figure, method) for method in (DISASSOCIATION, *methods)]
    both = [source for source in best[0] if all(source in one for one in best)]
    kept = [{source: one[source] for source in both} for one in best]
    return kept, ", ".join(f"{name}: {' / '.join(f'{one[name]:.3g}' for one in kept)}" for name in both)


def beside_diffpart(figure: Figure) -> Iterator[Claim]:
    """Figure 11a: top itemsets lost."""
    says = "DiffPart loses 75 % of the top itemsets in the best case, disassociation 5 % in the same experiment"
    criterion = (
        f"DiffPart's best tKd is at least {LOST_BY_DIFFPART:g} for all data sets, and disassociation's at most "
        f"{LOST:g} where it is lowest; partly: disassociation's is lower for all of them"
    )
    (ours, noisy), measured = _beside(figure, DIFFPART)
    if not ours:
        yield nothing("11a", says, criterion)
        return
    best = min(noisy, key=lambda name: noisy[name])
    yes = noisy[best] >= LOST_BY_DIFFPART and ours[best] <= LOST
    partly = all(ours[name] < noisy[name] for name in ours)
    yield Claim("11a", says, criterion, f"disassociation / DiffPart: {measured}", outcome_of(yes, partly))


def beside_generalization(figure: Figure) -> Iterator[Claim]:
    """Figure 11b: top itemsets of all levels lost."""
    (ours, general), measured = _beside(figure, GENERALIZATION)
    measured = f"disassociation / Apriori: {measured}"
    says = "disassociation loses significantly fewer itemsets of all levels than Apriori"
    criterion = "at most half as many for all data sets; partly: fewer for some"
    if not ours:
        yield nothing("11b", says, criterion)
        return
    half = all(ours[name] <= general[name] / 2 for name in ours)
    yield Claim("11b", says, criterion, measured, outcome_of(half, any(ours[name] < general[name] for name in ours)))
    says = "especially for the largest data set"
    criterion = "the difference is largest there; partly: it is not, but Apriori loses more there"
    if len(ours) < 2:
        yield nothing("11b", says, criterion)
        return
    largest = str(max(figure.points, key=lambda point: point.records).job.source)
    gaps = {name: general[name] - ours[name] for name in ours}
    yes = gaps[largest] == max(gaps.values()) and gaps[largest] > 0
    yield Claim("11b", says, criterion, f"differences: {listed(gaps.items())}", outcome_of(yes, gaps[largest] > 0))


def nothing_original(figure: Figure) -> Iterator[Claim]:
    """Why figure 11b looks at levels: what generalization leaves of the original's itemsets."""
    says = "no original frequent itemset appears in what Apriori publishes"
    criterion = f"Apriori's tKd is 1 for all data sets; partly: at least {LOST_BY_DIFFPART:g} for some"
    points = [point for point in figure.points if point.job.method == GENERALIZATION]
    found = [(point.job.source, value) for point in points if (value := point.values.get("tKd")) is not None]
    if not found:
        yield nothing("11b", says, criterion)
        return
    none, few = (all(value == 1 for _, value in found), any(value >= LOST_BY_DIFFPART for _, value in found))
    yield Claim("11b", says, criterion, f"tKd: {listed(found)}", outcome_of(none, few))


def useless_supports(figure: Figure) -> Iterator[Claim]:
    """Figure 11c: errors of pairs of the most frequent items."""
    (ours, general, noisy), measured = _beside(figure, GENERALIZATION, DIFFPART)
    measured = f"disassociation / Apriori / DiffPart: {measured}"
    says = "re of the 20 most frequent items is over 1 for DiffPart and for Apriori"
    criterion = "both, for all data sets, at the best budget; partly: one of them, for some"
    if not ours:
        yield nothing("11c", says, criterion)
    else:
        over = [value > USELESS for value in (*general.values(), *noisy.values())]
        yield Claim("11c", says, criterion, measured, outcome_of(all(over), any(over)))
    says = "disassociation has .18 in the worst case"
    criterion = f"at most {WORST_ERROR:g} for all data sets; partly: for some"
    alone = _best(figure, DISASSOCIATION)
    low = sum(value <= WORST_ERROR for value in alone.values())
    yield Claim("11c", says, criterion, listed(alone.items()), outcome_of(low == len(alone), low > 0))


def few_items_left(figure: Figure) -> Iterator[Claim]:
    """Why figure 11c looks at the most frequent items: what noise leaves of them."""
    says = "DiffPart leaves fewer than 100 of the 1,657 items of the largest data set"
    criterion = f"fewer than {ITEMS_LEFT:.1%} of its items at every budget; partly: at some"
    largest = max(figure.points, key=lambda point: point.records)
    points = [point for point in figure.of(str(largest.job.source)) if point.job.method == DIFFPART]
    found = [(point.job.epsilon, left) for point in points if (left := point.values.get("items named")) is not None]
    if not found:
        yield nothing("11c", says, criterion)
        return
    few = sum(left < ITEMS_LEFT * largest.items for _, left in found)
    shown = ", ".join(f"{left:,.0f} at {budget:g}" for budget, left in found)
    measured = f"of {largest.items:,} items {shown}"
    yield Claim("11c", says, criterion, measured, outcome_of(few == len(found), few > 0))
