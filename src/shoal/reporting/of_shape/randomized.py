"""The parts of a report that are specific to randomized releases."""

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
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    pass

_REMARK = "published rows with each item, including flips and fake transactions"
_SQL = """SELECT name, count(*) AS number
FROM (SELECT unnest(items) AS item FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/items.parquet' USING (item)
GROUP BY name ORDER BY number DESC, name LIMIT 10;"""


def reading(release: Randomized) -> Reading:
    """How to read it: estimates corrected for the randomization."""
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
    """What randomization changed in the rows, and what it left unchanged."""
    flipped, mixed = release.promise.keep_prob < 1, release.promise.fakes > 0
    rows = (
        "Fake transactions were mixed in, and then items of all rows were flipped at random: the release does not show "
        "which rows are real, and which of their items."
        if flipped and mixed
        else "Every row is real, with items flipped at random: the release does not show which."
        if flipped
        else "Records are published unchanged among fake transactions: the release does not show which rows are fake."
    )
    return f"{rows} Raw counts are biased; corrected for the randomization, they are unbiased with a standard error."


def charts(release: Randomized) -> Iterator[Chart]:
    """Its rows."""
    yield row_lengths(release.lengths)


def risks(
    release: Randomized, original: Transactions | None, before: BasketRisk | None, attacks: Attacks | None
) -> Risks:
    """The probability of reconstructing items, and of picking a real row."""
    del before, attacks  # these probabilities are computed
    return Risks(tuple(_chances(release, original is not None)))


def _chances(release: Randomized, with_before: bool) -> Iterator[Line]:
    found = release_privacy(release)
    # If nothing was flipped, an item is certain, and differs only by a rounding error.
    item = 1.0 if release.promise.keep_prob == 1 else found.ones
    before = 1.0 if with_before else None
    computed = "computed, with supports estimated from the release"
    yield Line(
        "an item",
        "to reconstruct, from a person's row, an item that the person has",
        before,
        item,
        computed,
        headline=True,
    )
    if release.promise.fakes:
        yield Line("a real row", "that a picked row is real", before, found.rows.worst, "computed")
        yield Line(
            "both",
            "that a picked row is real, and an item that it has is reconstructed",
            before,
            item * found.rows.worst,
            computed,
        )


def costs(release: Randomized, evidence: Evidence, run: Run = DEFAULT_RUN) -> tuple[Section, Key | None]:
    """Its cost, and other possible settings."""
    from shoal.reporting.costs import OFTEN, basket_costs

    more = (frontier_chart(release),)
    return basket_costs(release, evidence, run, to_remember=OFTEN, flattered=True, more=more)
