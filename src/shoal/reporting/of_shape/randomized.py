"""What a report says of randomized releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.audit.attack.finding import Attacks
from shoal.data.transactions import Transactions
from shoal.measuring.randomization.privacy import release_privacy
from shoal.measuring.risk.baskets import BasketRisk
from shoal.release.evidence import Evidence
from shoal.release.randomized import Randomized
from shoal.reporting.frontier import frontier_chart
from shoal.reporting.page import Chart, Key, Section
from shoal.reporting.reading import Reading, items_to_ask_for
from shoal.reporting.remaining_risk import Line, Risks
from shoal.reporting.size_charts import row_lengths

if TYPE_CHECKING:
    from shoal.measuring.baskets.against_original import Progress

_REMARK = "in how many rows items are as published, flips and made-up rows included"
_SQL = """SELECT name, count(*) AS number
FROM (SELECT unnest(items) AS item FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/items.parquet' USING (item)
GROUP BY name ORDER BY number DESC, name LIMIT 10;"""


def reading(release: Randomized) -> Reading:
    """How to read it: estimates, with chance undone."""
    return Reading(
        _chance(release),
        "--rows",
        _REMARK,
        _SQL,
        items=items_to_ask_for(release.vocabulary.cast("string").to_pylist(), release.supports),
        commands=(("mine", "--min-support .05"),),
        python=("print(release.mine(.05).to_arrow())",),
    )


def _chance(release: Randomized) -> str:
    """What chance did to rows, and what it left as it was."""
    flipped, mixed = release.promise.keep_prob < 1, release.promise.fakes > 0
    rows = (
        "Made-up rows were mixed in, and then items of all rows flipped by chance: which rows are somebody's, and "
        "which of their items, is not told."
        if flipped and mixed
        else "Every row is somebody's, with items flipped by chance: which of them is not told."
        if flipped
        else "Records are among the rows as they were: which rows are made up is not told."
    )
    return f"{rows} Counts are wrong, and right on average once chance is undone, with a standard error."


def charts(release: Randomized) -> Iterator[Chart]:
    """Its rows."""
    yield row_lengths(release.lengths)


def risks(
    release: Randomized, original: Transactions | None, before: BasketRisk | None, attacks: Attacks | None
) -> Risks:
    """The chances that items are guessed back, and that a row is real."""
    del before, attacks  # these chances are computed
    return Risks(tuple(_chances(release, original is not None)))


def _chances(release: Randomized, with_before: bool) -> Iterator[Line]:
    found = release_privacy(release)
    # Where nothing was flipped, an item is there for certain, and not but for an error of rounding.
    item = 1.0 if release.promise.keep_prob == 1 else found.ones
    before = 1.0 if with_before else None
    computed = "computed, with supports estimated from the release"
    yield Line(
        "an item",
        "to guess back, from a person's row, an item that the person has",
        before,
        item,
        computed,
        headline=True,
    )
    if release.promise.fakes:
        yield Line("a real row", "that a row that somebody picks is real", before, found.rows.worst, "computed")
        yield Line(
            "both",
            "that a row that somebody picks is real, and an item that it has is guessed back",
            before,
            item * found.rows.worst,
            computed,
        )


def costs(release: Randomized, evidence: Evidence, progress: Progress | None = None) -> tuple[Section, Key | None]:
    """What it lost, and which other settings could have been had."""
    from shoal.reporting.costs import OFTEN, basket_costs

    more = (frontier_chart(release),)
    return basket_costs(release, evidence, progress, to_remember=OFTEN, flattered=True, more=more)
