"""The parts of a report that are specific to generalized baskets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.audit.attack.adversary import Adversary
from shoal.audit.attack.finding import Attacks
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import neighbours
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.risk.baskets import BasketRisk
from shoal.release.evidence import Evidence
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.reporting.charts import histogram
from shoal.reporting.known_items import PROMISED, SIDE, candidate_lines
from shoal.reporting.page import Chart
from shoal.reporting.reading import Reading, items_to_ask_for
from shoal.reporting.remaining_risk import Risks
from shoal.reporting.size_charts import row_lengths

_WORDS = (
    "An item is published unchanged, or as a group of items that replaces it. Counts of published names are exact; "
    "counts of items inside a group have bounds."
)
_REMARK = "number of records with each published name"
_SQL = """SELECT name, count(*) AS records
FROM (SELECT unnest(items) AS item FROM 'FOLDER/rows.parquet') JOIN 'FOLDER/hierarchy.parquet' USING (item)
GROUP BY name ORDER BY records DESC, name LIMIT 10;"""


def reading(release: GeneralizedBaskets) -> Reading:
    """How to read it: as baskets of published names."""
    return Reading(
        _WORDS,
        "--rows",
        _REMARK,
        _SQL,
        items=items_to_ask_for(release.tree.labels, release.supports),
        commands=(("mine", "--min-support .05"),),
        python=("print(release.mine(.05).to_arrow())",),
    )


def charts(release: GeneralizedBaskets) -> Iterator[Chart]:
    """Its rows, and how many items its names represent."""
    yield row_lengths(release.lengths)
    yield _item_groups(release)


def _item_groups(release: GeneralizedBaskets) -> Chart:
    sizes = release.tree.leaves[release.is_held]
    single = int(np.count_nonzero(sizes == 1))
    says = (
        f"{single:,} of {len(sizes):,} published names are original items; the largest group represents "
        f"{int(sizes.max()):,}."
    )
    return histogram("item-groups", "Items per published name", says, sizes, x="items", y="published names")


def risks(
    release: GeneralizedBaskets, original: Transactions | None, before: BasketRisk | None, attacks: Attacks | None
) -> Risks:
    """How many records some known items leave."""
    del original  # the other arguments hold what is needed of it
    lines = candidate_lines(release.promise.k, release.promise.m, PROMISED, before, attacks)
    return Risks(tuple(lines), side=SIDE)


def attacked_with(release: GeneralizedBaskets, evidence: Evidence, adversary: Adversary) -> tuple[Evidence, Adversary]:
    """The original can only be used together with the hierarchy that generalizes its items."""
    del release  # it is the same for all of them
    return evidence if evidence.hierarchy is not None else replace(evidence, original=None), adversary


def usual_hierarchy(release: GeneralizedBaskets, original: Transactions) -> Hierarchy | None:
    """The hierarchy that publishing builds if none is given, if the release was made with it."""
    from shoal.analyse.node_rows.item_nodes import item_nodes

    tree = neighbours(original.words)
    try:
        item_nodes(release, tree)
    except InputError:
        return None
    return tree
