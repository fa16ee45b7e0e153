"""The statements of section 7 of the disassociation paper on its figures, and whether they hold: yes, partly, or no.

The text says "similar", "slightly", "significantly" without a number: each claim has a criterion in numbers, which is
ours and is printed with it. Claims about POS are taken as claims about the data set with most records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from papers.claim import Claim, exponent, listed, nothing, order_of, outcome_of, slope, span
from papers.disassociation import rival_claims
from papers.disassociation.figures import Figure

SLIGHT = 0.05
"""By how much a metric may differ and still be "similar", "slightly affected", "not significantly", or "close to 0"."""
NEGLIGIBLE = 0.01
LOW_RATE = 0.01
"""How much re may grow with each step of 1 in k."""
STRAIGHT = 0.95
"""The least share of the variance that a straight line explains."""
SAME_TIME = 1.5
"""How many times the shortest time the longest may take."""
LINEAR = (0.85, 1.15)
"""Exponents of the number of records or items that count as linear."""


def claims(figures: Mapping[str, Figure]) -> list[Claim]:
    """Everything that the text says of these figures."""
    found: list[Claim] = []
    for name, judges in _JUDGES.items():
        if name in figures:
            for judge in judges:
                found += judge(figures[name])
    return found


# Figure 7a: data sets


def _similar_certain_itemsets(figure: Figure) -> Iterator[Claim]:
    says = "tKd-a is similar for all data sets"
    criterion = f"the values differ by at most {SLIGHT:g}; partly: by at most {2 * SLIGHT:g}"
    series = figure.series("tKd-a")
    if len(series) < 2:
        yield nothing("7a", says, criterion)
        return
    apart = span([value for _, value in series])
    yield Claim("7a", says, criterion, listed(series), outcome_of(apart <= SLIGHT, apart <= 2 * SLIGHT))


def _only_the_largest_gains(figure: Figure) -> Iterator[Claim]:
    says = "tKd is significantly better than tKd-a only for the largest data set"
    criterion = "tKd is at most half of tKd-a for that data set only; partly: for others, too"
    gains = {
        str(point.job.source): (tkd, certain)
        for point in figure.points
        if (tkd := point.values["tKd"]) is not None and (certain := point.values["tKd-a"])
    }
    if len(gains) < 2:
        yield nothing("7a", says, criterion)
        return
    largest = str(max(figure.points, key=lambda point: point.records).job.source)
    gaining = [name for name, (tkd, certain) in gains.items() if tkd <= certain / 2]
    measured = "tKd / tKd-a: " + listed((name, tkd / certain) for name, (tkd, certain) in gains.items())
    yield Claim("7a", says, criterion, measured, outcome_of(gaining == [largest], largest in gaining))


def _by_ratio(figure: Figure) -> Iterator[Claim]:
    """What the number of records for each item is said to decide."""
    points = [point for point in figure.points if point.values["re 200-220"] is not None]
    ratios = [point.records / point.items for point in points]
    errors = figure.values("re 200-220", points) if points else []
    gains = [certain - error for certain, error in zip(figure.values("re-a 200-220", points), errors, strict=True)]
    lost = [point.values["tlost"] or 0.0 for point in points]
    shown = ", ".join(f"{point.job.source} ({ratio:,.0f}): {{}}" for point, ratio in zip(points, ratios, strict=True))
    behind = "; in brackets, records per item"
    for says, criterion, values, sign, extra in (
        (
            "re is lower for data with more records per item",
            "re falls as that ratio grows; partly: for most pairs of data sets",
            errors,
            -1,
            True,
        ),
        (
            "re is better than re-a where that ratio is high",
            "the gain grows with that ratio; partly: for most pairs of data sets",
            gains,
            1,
            True,
        ),
        (
            "the same ratio affects tlost, to a lesser degree",
            "tlost falls as that ratio grows, and varies less than re; partly: for most pairs of data, or not less",
            lost,
            -1,
            len(points) > 1 and span(lost) < span(errors),
        ),
    ):
        if len(points) < 3:
            yield nothing("7a", says, criterion)
            continue
        order = sign * order_of(list(zip(ratios, values, strict=True)))
        measured = shown.format(*(f"{value:.3g}" for value in values)) + behind
        yield Claim("7a", says, criterion, measured, outcome_of(order == 1 and extra, order > 0))


def _no_system_in_sizes(figure: Figure) -> Iterator[Claim]:
    says = "itemsets of up to m items are preserved better than larger ones in some data sets, and worse in others"
    criterion = "both occur"
    small, large = "tKd at most 2 items", "tKd more than 2 items"
    both = [
        (str(point.job.source), least, most)
        for point in figure.points
        if (least := point.values.get(small)) is not None and (most := point.values.get(large)) is not None
    ]
    if len(both) < 2:
        yield nothing("7a", says, criterion)
        return
    measured = ", ".join(f"{name}: {least:.3g} and {most:.3g}" for name, least, most in both)
    signs = {least < most for _, least, most in both if least != most}
    yield Claim("7a", says, criterion, f"tKd of both: {measured}", outcome_of(len(signs) == 2, False))


# Figures 7b, 7c, 7d and m: the promise, and what is looked at


def _slightly_affected(figure: Figure) -> Iterator[Claim]:
    says = "tKd, tKd-a and tlost are only slightly affected by k"
    criterion = f"each varies by at most {SLIGHT:g} over all k; partly: two of them"
    if len(figure.points) < 2:
        yield nothing("7b", says, criterion)
        return
    spans = {metric: span(figure.values(metric)) for metric in figure.panel.metrics}
    slight = sum(apart <= SLIGHT for apart in spans.values())
    measured = "largest minus smallest: " + listed(spans.items())
    yield Claim("7b", says, criterion, measured, outcome_of(slight == 3, slight == 2))


def _linear_in_k(figure: Figure) -> Iterator[Claim]:
    says = "re grows linearly with k, at a low rate"
    criterion = (
        f"a straight line explains {STRAIGHT:.0%} of its variance, and rises by at most {LOW_RATE:g} per step of k; "
        "partly: it rises, and one of the two holds"
    )
    series = figure.series("re 200-220")
    if len(series) < 3:
        yield nothing("7c", says, criterion)
        return
    rate, straight = slope([float(k) for k, _ in series], [value for _, value in series])
    held = (straight >= STRAIGHT) + (rate <= LOW_RATE)
    measured = f"{listed(series)}; {rate:.4f} per step, {straight:.1%} of the variance explained"
    yield Claim("7c", says, criterion, measured, outcome_of(rate > 0 and held == 2, rate > 0 and held == 1))


def _m_is_negligible(figure: Figure) -> Iterator[Claim]:
    says = "the effect of m above 2 is negligible"
    criterion = (
        f"no metric of any data set differs from that at m = 2 by more than {NEGLIGIBLE:g}; partly: {SLIGHT:g} (re in "
        "closed form, because a single reconstruction differs by chance)"
    )
    differences: list[tuple[str, float]] = []
    for source in figure.sources:
        points = {point.job.m: point for point in figure.of(source)}
        if 2 not in points:
            continue
        differences += [
            (f"{source}, m = {m}, {metric}", abs(value - usual))
            for m, point in points.items()
            if m > 2
            for metric in figure.panel.metrics
            if metric != "re 200-220"
            and (value := point.values[metric]) is not None
            and (usual := points[2].values[metric]) is not None
        ]
    if not differences:
        yield nothing("m", says, criterion)
        return
    where, most = max(differences, key=lambda one: one[1])
    beyond = sum(difference > NEGLIGIBLE for _, difference in differences)
    measured = f"at most {most:.3g} ({where}); {beyond} of {len(differences)} differ by more than {NEGLIGIBLE:g}"
    yield Claim("m", says, criterion, measured, outcome_of(most <= NEGLIGIBLE, most <= SLIGHT))


def _averaging(figure: Figure) -> Iterator[Claim]:
    (point,) = figure.points
    once = {label.removeprefix("re "): value for label, value in point.values.items() if label.startswith("re ")}
    numbers = [int(label.split()[0].removeprefix("re-r")) for label in point.values if label.startswith("re-r")]
    most = max(numbers, default=1)
    means = {part: point.values.get(f"re-r{most} {part}") for part in once}
    changes = {part: (one, mean) for part, one in once.items() if one is not None and (mean := means[part]) is not None}
    shown = {part: f"{one:.3g} to {mean:.3g}" for part, (one, mean) in changes.items()}
    says = "frequent items: averaging over reconstructions does not help"
    criterion = f"re of ranks 0-20 falls by at most {NEGLIGIBLE:g}; partly: by at most {SLIGHT:g}"
    if "0-20" not in changes:
        yield nothing("7d", says, criterion)
    else:
        one, mean = changes["0-20"]
        measured = f"{shown['0-20']} with {most} reconstructions"
        yield Claim("7d", says, criterion, measured, outcome_of(one - mean <= NEGLIGIBLE, one - mean <= SLIGHT))
    says = "less frequent items: averaging over reconstructions gives more accurate supports"
    criterion = "re is lower with all reconstructions than with one at all further ranks; partly: at some"
    further = [change for part, change in changes.items() if part != "0-20"]
    if not further:
        yield nothing("7d", says, criterion)
        return
    lower = sum(mean < one for one, mean in further)
    measured = ", ".join(f"{part}: {text}" for part, text in shown.items() if part != "0-20")
    yield Claim("7d", says, criterion, measured, outcome_of(lower == len(further), lower > 0))


def _close_to_zero(figure: Figure) -> Iterator[Claim]:
    says = "tKd is close to 0 for the largest data set"
    criterion = f"at most {SLIGHT:g}; partly: at most {2 * SLIGHT:g}"
    (point,) = figure.points
    value = point.values["tKd"]
    if value is None:
        yield nothing("7d", says, criterion)
    else:
        yield Claim("7d", says, criterion, f"{value:.3g}", outcome_of(value <= SLIGHT, value <= 2 * SLIGHT))


# Figure 8: generated data


def _unaffected(says: str, *metrics: str) -> Callable[[Figure], Iterator[Claim]]:
    def judge(figure: Figure) -> Iterator[Claim]:
        criterion = f"each varies by at most {SLIGHT:g}" + ("; partly: some do" if len(metrics) > 1 else "")
        if len(figure.points) < 2:
            yield nothing(figure.name, says, criterion)
            return
        spans = {metric: span(figure.values(metric)) for metric in metrics}
        slight = sum(apart <= SLIGHT for apart in spans.values())
        measured = "largest minus smallest: " + listed(spans.items())
        yield Claim(figure.name, says, criterion, measured, outcome_of(slight == len(metrics), slight > 0))

    return judge


def _moving(says: str, metric: str, sign: int, most: float = math.inf) -> Callable[[Figure], Iterator[Claim]]:
    """That a metric rises (1) or falls (-1), by no more than so much."""

    def judge(figure: Figure) -> Iterator[Claim]:
        bound = f", by at most {most:g} in all" if most < math.inf else ""
        criterion = f"it {'rises' if sign > 0 else 'falls'} at every step{bound}; partly: from first to last"
        series = figure.series(metric)
        if len(series) < 2:
            yield nothing(figure.name, says, criterion)
            return
        values = [value for _, value in series]
        every = all(sign * (after - before) > 0 for before, after in pairwise(values))
        change = sign * (values[-1] - values[0])
        yield Claim(figure.name, says, criterion, listed(series), outcome_of(every and change <= most, change > 0))

    return judge


def _always_close_to_zero(figure: Figure) -> Iterator[Claim]:
    says = "tKd stays close to 0 for all lengths"
    criterion = f"at most {SLIGHT:g} for all; partly: for some"
    series = figure.series("tKd")
    low = sum(value <= SLIGHT for _, value in series)
    yield Claim("8d", says, criterion, listed(series), outcome_of(low == len(series), low > 0))


# Figures 9 and 10: time


def _same_time(figure: Figure) -> Iterator[Claim]:
    says = "the time is not significantly affected by k"
    criterion = f"the longest is at most {SAME_TIME:g} times the shortest; partly: {2 * SAME_TIME:g} times"
    series = figure.series("seconds")
    if len(series) < 2:
        yield nothing("9", says, criterion)
        return
    seconds = [value for _, value in series]
    times = max(seconds) / min(seconds)
    measured = f"{listed(series)} s; ratio {times:.2f}"
    yield Claim("9", says, criterion, measured, outcome_of(times <= SAME_TIME, times <= 2 * SAME_TIME))


def _linear_time(figure: Figure) -> Iterator[Claim]:
    what = {"records": "the number of records", "domain": "the domain size"}[figure.panel.axis]
    says = f"the time is linear in {what}"
    low, high = LINEAR
    criterion = f"the exponent of its growth is {low:g} to {high:g}; partly: it is smaller"
    series = figure.series("seconds")
    if len(series) < 2:
        yield nothing(figure.name, says, criterion)
        return
    power = exponent([float(place) for place, _ in series], [value for _, value in series])
    measured = f"{listed(series)} s; exponent {power:.2f}"
    yield Claim(figure.name, says, criterion, measured, outcome_of(low <= power <= high, power < low))


_JUDGES: dict[str, Sequence[Callable[[Figure], Iterator[Claim]]]] = {
    "7a": (_similar_certain_itemsets, _only_the_largest_gains, _by_ratio, _no_system_in_sizes),
    "7b": (_slightly_affected,),
    "7c": (_linear_in_k,),
    "m": (_m_is_negligible,),
    "7d": (_averaging, _close_to_zero),
    "8a": (_unaffected("the number of records does not affect tKd, tKd-a and tlost", "tKd", "tKd-a", "tlost"),),
    "8b": (
        _moving("re gets better with more records", "re 200-220", -1),
        _moving("re-a gets better with more records", "re-a 200-220", -1),
    ),
    "8c": (
        _unaffected("the domain size does not affect tKd", "tKd"),
        _moving("re gets slightly worse with a larger domain", "re 200-220", 1, 0.2),
    ),
    "8d": (
        _moving("tKd-a rises with longer records", "tKd-a", 1),
        _moving("tlost rises with longer records", "tlost", 1),
        _moving("re gets better with longer records", "re 200-220", -1),
        _always_close_to_zero,
    ),
    "9": (_same_time,),
    "10a": (_linear_time,),
    "10b": (_linear_time,),
    "11a": (rival_claims.beside_diffpart,),
    "11b": (rival_claims.nothing_original, rival_claims.beside_generalization),
    "11c": (rival_claims.useless_supports, rival_claims.few_items_left),
}
