"""What publishing cost: the release compared with its original, as charts and as metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.common_utility import utility_of_view
from shoal.measuring.baskets.errors_by_rank import RankError, errors_by_rank
from shoal.measuring.baskets.item_supports import supports_beside
from shoal.measuring.baskets.pairs_by_frequency import PairsOfFrequency, pairs_by_frequency
from shoal.measuring.baskets.pairs_kept import PairsTold, pairs_told
from shoal.measuring.baskets.views import View, view_of
from shoal.measuring.metric import Metric
from shoal.measuring.metrics import Metrics
from shoal.measuring.tables.utility import table_utility
from shoal.release import BasketRelease, TableRelease
from shoal.release.evidence import Evidence
from shoal.reporting.charts import curves, grouped_bars
from shoal.reporting.page import Block, Chart, Grid, Key, Section, Value, Words
from shoal.reporting.top_items import TOP, supports_chart
from shoal.run import DEFAULT_RUN, Run

_NAME, _TITLE = "cost", "What did publishing cost?"
PAIRS_KEPT, OFTEN = "pairs kept", "re 0-20"
"""Labels of metrics that may become key numbers."""
_KEYS = {OFTEN: "relative error of pairs of the 20 most frequent items"}
"""Key numbers whose names need an explanation."""
_REPEATED = "the same, for this one"
SEED = 0
"""Charts use a fixed seed, so that equal inputs make equal reports."""


def basket_costs(
    release: BasketRelease,
    evidence: Evidence,
    run: Run = DEFAULT_RUN,
    *,
    to_remember: str = PAIRS_KEPT,
    flattered: bool = False,
    more: tuple[Chart, ...] = (),
) -> tuple[Section, Key | None]:
    """What a release of baskets has lost, compared with the original in the evidence.

    Args:
        release: the release.
        evidence: the original, and a hierarchy of items, if one is used for measuring.
        run: threads, progress and chance (:class:`shoal.Run`).
        to_remember: the label of the metric that becomes a key number.
        flattered: whether pairs kept flatters the release: estimates above the truth count in full, others in part.
        more: charts of this shape alone.

    Returns:
        The section, and the key number.
    """
    original, hierarchy = evidence.baskets, evidence.hierarchy
    assert original is not None
    view = view_of(original, release, hierarchy=hierarchy, run=run.drawing(SEED))
    told = pairs_told(original, view, run)
    found = utility_of_view(original, release, view, told, hierarchy=hierarchy, run=run)
    charts = _baskets(original, release, view, told, hierarchy, run, flattered=flattered)
    return cost_section(found, to_remember, *charts, *more)


def _baskets(
    original: Transactions,
    release: BasketRelease,
    view: View,
    pairs: PairsTold,
    hierarchy: Hierarchy | None,
    run: Run,
    *,
    flattered: bool,
) -> Iterator[Block]:
    yield Words(f"The release was read as an analyst would read it: {view.reading}.")
    top = np.lexsort((np.arange(original.n_items), -original.supports))[:TOP]
    told = supports_beside(original, release, hierarchy=hierarchy).take(top)
    yield supports_chart(told, original.supports[top])
    if found := pairs_by_frequency(view, pairs):
        yield _pairs(found, flattered=flattered)
    if ranks := errors_by_rank(original, view, run):
        yield _ranks(ranks)


def table_costs(
    release: TableRelease, evidence: Evidence, run: Run = DEFAULT_RUN, *, quasi: Sequence[str], sensitive: str
) -> tuple[Section, Key | None]:
    """What a release of a table has lost, for one of its sensitive columns, and the key number."""
    original = evidence.table
    assert original is not None
    found = table_utility(
        original,
        release,
        quasi=quasi,
        sensitive=sensitive,
        hierarchies=evidence.hierarchies or {},
        run=run.drawing(SEED),
    )
    return cost_section(found, "query error")


def cost_section(found: Metrics, to_remember: str, *blocks: Block) -> tuple[Section, Key | None]:
    """The metrics, below other blocks, and the metric of this label as the key number."""
    return Section(_NAME, _TITLE, (*blocks, *_metrics(found))), _key(found, to_remember)


def _key(found: Metrics, name: str) -> Key | None:
    """The metric of this label as a key number, if it was measured."""
    metric = next((metric for metric in found if metric.label == name and metric.value is not None), None)
    if metric is None:
        return None
    return Key(f"{_KEYS.get(name, name)}: {metric.direction}, {_range(metric)}", metric.shown)


def _metrics(found: Metrics) -> Iterator[Block]:
    measured = [metric for metric in found if metric.value is not None]
    said = [None, *(metric.meaning for metric in measured)]
    rows = tuple(
        (
            metric.label,
            metric.shown,
            _range(metric),
            metric.direction,
            _REPEATED if metric.meaning == above else metric.meaning,
        )
        for metric, above in zip(measured, said, strict=False)
    )
    yield Grid(f"Metrics: {found.head.splitlines()[0]}", ("metric", "value", "range", "better", "meaning"), rows)
    others = [f"{metric.label} ({_why_nothing(metric)})" for metric in found if metric.value is None]
    if others:
        yield Words(f"Not measured: {'; '.join(others)}.", "note")


def _why_nothing(metric: Metric) -> str:
    """The reason, or the part of its notes that gives one."""
    return metric.reason or metric.edges.rpartition("nothing: ")[2]


def _range(metric: Metric) -> str:
    low, high = metric.range
    return f"{low:g} to {'any' if high == np.inf else f'{high:g}'}"


def _pairs(found: tuple[PairsOfFrequency, ...], *, flattered: bool) -> Chart:
    """The chart; ``flattered``: by estimates with errors in both directions, counted in full if above the truth."""
    sure = found[0].certain is not None
    told = "expected" if sure else "told"
    records: list[dict[str, Value]] = []
    for one in found:
        group = f"{one.least:,}" if one.least == one.most else f"{one.least:,}-{one.most:,}"
        beside: dict[str, Value] = {"group": group, "pairs": one.pairs, "occurrences": one.occurrences}
        records.append({**beside, "series": told, "value": one.kept})
        if sure:
            records.append({**beside, "series": "certain", "value": one.certain})
    rare, often = found[0], found[-1]
    first = f"{_by(rare)} keep {rare.kept:.0%} of their occurrences, {_by(often)} {often.kept:.0%}"
    more = ""
    if rare.certain is not None and often.certain is not None:
        more = f"; certain, inside chunks, are {rare.certain:.0%} and {often.certain:.0%}"
    beware = " An estimate above the truth counts as fully kept: the next chart shows the errors." if flattered else ""
    return grouped_bars(
        "pairs-kept",
        "Share of pairs kept, by how frequent they are",
        f"{first[:1].upper()}{first[1:]}{more}.{beware}",
        records,
        {"group": "records of the original", "pairs": "pairs", "series": "kept", "value": "share of occurrences"},
        x="records of the original with both items",
        y="share of occurrences kept",
        series=(told, "certain") if sure else (told,),
        slanted=True,
    )


def _by(one: PairsOfFrequency) -> str:
    if one.least == one.most == 1:
        return "pairs of one record"
    return f"pairs in {one.least:,} to {one.most:,} records"


def _ranks(found: tuple[RankError, ...]) -> Chart:
    sure = found[0].certain is not None
    told = "expected" if sure else "told"
    records: list[dict[str, Value]] = []
    for one in found:
        group = f"{one.start:,}"
        beside: dict[str, Value] = {"group": group, "items": one.items}
        records.append({**beside, "series": told, "value": one.told})
        if sure:
            records.append({**beside, "series": "certain only", "value": one.certain})
    first, last = found[0], found[-1]
    says = (
        f"From {first.told:.2f} among the most frequent items to {last.told:.2f} from rank {last.start:,} on; 2 is the "
        "maximum. A pair that occurs in neither data set has no error."
    )
    return curves(
        "error-by-rank",
        "Relative error of supports of pairs, by rank of the items",
        says,
        records,
        {"group": "from rank", "items": "items", "series": "by what is", "value": "re"},
        x="rank of the first of twenty items, by frequency",
        y="mean relative error (re, 0 to 2)",
        series=(told, "certain only") if sure else (told,),
        y_domain=(0.0, 2.0),
    )
