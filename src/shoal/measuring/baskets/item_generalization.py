"""NCP of generalized baskets: how much less is known of an item once it is a node of the hierarchy.

M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008, section 3.3, after J. Xu et al., KDD 2006: an item that is published
as it is loses nothing; one that became a node above v of all I items of the hierarchy loses v / I.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.transactions import Transactions
from shoal.measuring.baskets.against_original import nodes_in
from shoal.measuring.metric import Metric
from shoal.release.generalized_baskets import GeneralizedBaskets

NCP_MEANING = (
    "the mean over occurrences of items of v / I, where an item became a node that stands for v of the I items of the "
    "hierarchy, and of 0 where it is published as it is"
)
NCP_EDGES = "nothing: there are no records, or nothing was generalized"


def ncp(original: Transactions, release: GeneralizedBaskets, hierarchy: Hierarchy | None = None) -> Metric:
    """NCP over the occurrences of items in the original.

    Args:
        original: the records that the release was made of.
        release: the release.
        hierarchy: what it was made with; not needed where the release discloses it, or where publishing made it of
            the items' names.

    Raises:
        InputError: the hierarchy is missing, or is not that of the release, or these are not the records.

    Example:
        >>> import shoal
        >>> baskets = shoal.Transactions.from_records([["beer"], ["beer"], ["beer"], ["wine"], ["milk"], ["milk"]])
        >>> kinds = [("beer", "alcohol", "*"), ("wine", "alcohol", "*"), ("milk", "food", "*")]
        >>> drinks = shoal.Hierarchy.from_rows(kinds)
        >>> ncp(baskets, shoal.km_generalization(baskets, k=2, m=1, hierarchy=drinks), drinks)
        Metric(NCP = 0.4444, 0 to 1, lower is better)
    """
    return ncp_of_nodes(original, release, nodes_in(original, release, hierarchy))


def ncp_of_nodes(original: Transactions, release: GeneralizedBaskets, nodes: Int32) -> Metric:
    """The same, given the node that stands for each item of the original."""
    counts = np.bincount(nodes, original.supports, minlength=len(release.tree)).astype(np.int64)
    return _penalty(release.tree, counts, "")


def published_ncp(release: GeneralizedBaskets) -> Metric:
    """NCP over the published items of rows: from the release alone; items of a record that became one count once."""
    return _penalty(release.tree, release.supports, "published items")


def _penalty(tree: NodeTree, counts: Int64, part: str) -> Metric:
    """The mean penalty of nodes that occur so often."""
    every, total = int(tree.leaves[0]), int(counts.sum())
    raised = [(int(n), int(v)) for n, v in zip(counts, tree.leaves, strict=True) if n and v > 1]
    # Python's numbers: occurrences times items may be more than 64 bits hold.
    lost = Fraction(sum(n * v for n, v in raised), every)
    return Metric(
        "NCP",
        float(lost / total) if total else None,
        "lower is better",
        (0.0, 1.0),
        NCP_MEANING if not part else NCP_MEANING.replace("occurrences of items", "published items of rows"),
        NCP_EDGES,
        part=part,
        details={"generalized": sum(n for n, _ in raised), "of": total, "items_of_the_hierarchy": every},
    )
