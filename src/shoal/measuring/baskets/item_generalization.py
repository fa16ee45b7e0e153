"""NCP of generalized baskets: the loss of information when items are replaced by nodes of the hierarchy.

M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008, section 3.3, after J. Xu et al., KDD 2006: an item that is published
unchanged loses nothing; one that became a node above v of all I items of the hierarchy loses v / I.
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
    "the mean over occurrences of items of v / I, where an item became a node that represents v of the I items of the "
    "hierarchy, and of 0 where it is published unchanged"
)
NCP_EDGES = "nothing: there are no records, or nothing was generalized"


def ncp(original: Transactions, release: GeneralizedBaskets, hierarchy: Hierarchy | None = None) -> Metric:
    """NCP over the occurrences of items in the original.

    Args:
        original: the records that were published.
        release: the release.
        hierarchy: what it was made with; not needed if the release discloses it, or if publishing built it from
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
    """The same, given the node that replaces each item of the original."""
    counts = np.bincount(nodes, original.supports, minlength=len(release.tree)).astype(np.int64)
    return _penalty(release.tree, counts, "")


def published_ncp(release: GeneralizedBaskets) -> Metric:
    """NCP over the published items of rows: from the release alone; items of a record that became one count once."""
    return _penalty(release.tree, release.supports, "published items")


def _penalty(tree: NodeTree, counts: Int64, part: str) -> Metric:
    """The mean penalty of nodes, given how often each occurs."""
    every, total = int(tree.leaves[0]), int(counts.sum())
    raised = [(int(n), int(v)) for n, v in zip(counts, tree.leaves, strict=True) if n and v > 1]
    # Python integers: occurrences times items may exceed 64 bits.
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
