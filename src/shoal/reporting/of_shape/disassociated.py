"""The parts of a report that are specific to disassociated releases."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.attack.finding import Attacks
from shoal.data.transactions import Transactions
from shoal.measuring.risk.baskets import BasketRisk
from shoal.promises import SuppressedKm
from shoal.release.disassociated import Disassociated
from shoal.reporting.charts import histogram
from shoal.reporting.known_items import PROMISED, SIDE, candidate_lines, candidates_left
from shoal.reporting.page import Chart
from shoal.reporting.reading import Reading, items_to_ask_for
from shoal.reporting.remaining_risk import Risks

_WORDS = (
    "Records are in clusters. In a cluster, items of one subrecord of a chunk are together in a record of the "
    "original; the release does not show which subrecords of different chunks belong together. So supports have "
    "certain bounds and an expectation, and possible originals can be drawn at random."
)
_REMARK = "records with each item, from chunks alone; each term chunk with the item adds at least one record"
_SQL = """SELECT item, count(*) AS records
FROM (SELECT unnest(items) AS item FROM 'FOLDER/subrecords.parquet')
GROUP BY item ORDER BY records DESC, item LIMIT 10;"""


def reading(release: Disassociated) -> Reading:
    """How to read it: bounds, expected supports, and originals drawn at random."""
    counts = np.bincount(release.items, minlength=len(release.vocabulary))
    return Reading(
        _WORDS,
        "--limit",
        _REMARK,
        _SQL,
        items=items_to_ask_for(release.words, counts),
        commands=(
            # The only format that can hold any item name.
            ("reconstruct", "-n 1 -o possible --format parquet"),
            ("mine", "--min-support .05"),
        ),
        python=("possible = next(iter(release.reconstruct(1)))", "print(shoal.mine(possible, .05).to_arrow())"),
    )


def charts(release: Disassociated) -> Iterator[Chart]:
    """Its clusters and their term chunks."""
    yield _cluster_sizes(release)
    yield _chunks(release)


def _cluster_sizes(release: Disassociated) -> Chart:
    sizes = release.cluster_size[release.is_leaf]
    least, most = int(sizes.min()), int(sizes.max())
    says = f"{len(sizes):,} clusters of {least:,} to {most:,} records, {sizes.mean():.1f} on average."
    return histogram("cluster-sizes", "Sizes of clusters", says, sizes, x="records per cluster", y="clusters")


def _chunks(release: Disassociated) -> Chart:
    """Where items are: in subrecords with others, or in term chunks."""
    leaves = release.is_leaf
    terms = np.diff(release.term_offsets)[leaves]
    says = (
        f"A term chunk lists items, not who has them: {int(terms.sum()):,} in all, {terms.mean():.1f} per cluster on "
        "average."
    )
    return histogram("term-chunks", "Items in term chunks", says, terms, x="items per term chunk", y="clusters")


def risks(
    release: Disassociated, original: Transactions | None, before: BasketRisk | None, attacks: Attacks | None
) -> Risks:
    """How many records some known items leave: in the most favourable possible original, and in the own cluster."""
    del original  # the other arguments hold what is needed of it
    promise = release.promise
    promised = PROMISED
    if isinstance(promise, SuppressedKm):
        # Some sets of the original may be in no possible record.
        promised += " except those whose items are in no possible record, because some were suppressed"
    lines = candidate_lines(promise.k, promise.m, promised, before, attacks)
    return Risks(tuple(lines), side=SIDE, grids=tuple(candidates_left(attacks)))
