"""k^m-anonymity by generalization: replace items by nodes of a hierarchy until no small set of them is rare.

M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving Anonymization of Set-valued Data, VLDB 2008, sections 4.2 and
4.4: apriori-based anonymization. Sets of one item are made frequent first, then sets of two, and so on up to m. Each
set that is still rare is generalized along the hierarchy in the cheapest way. The recoding is global: if an item is
replaced by a node, it is so in all records, and so is everything below that node.

Generalizing nodes never makes another set rare. Each set of nodes in a record afterwards results from a set that was
there before; it has no more nodes than that set, and every record that held that set holds it. So one pass over the
sets of each size is enough: sets that were not rare at the beginning, or were generalized, do not become rare.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import neighbours
from shoal.data.kinds import require_baskets
from shoal.data.node_tree import NodeTree
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.kernels.compiling import announced
from shoal.promises import KmGeneralized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import DEFAULT_RUN, Progress, Run

_PARTS = 64
"""How many times progress is reported for each size of sets."""
_NUMBERS = 2**62
"""Sets are stored as numbers below this one, or not at all."""


def km_generalization(
    data: Transactions,
    k: int,
    m: int,
    *,
    hierarchy: Hierarchy | None = None,
    publish_hierarchy: bool = False,
    run: Run = DEFAULT_RUN,
) -> GeneralizedBaskets:
    """Replace items by nodes of a hierarchy until every set of up to m nodes that occurs in a record occurs in k.

    Args:
        data: the records.
        k: how many records must hold a set of published items that occurs; at least 2.
        m: how many items of a record an adversary may know; at least 1.
        hierarchy: what items may be replaced by. It may have items that no record holds. By default neighbours in the
            order of the items are joined, ten at a time (``shoal.data.item_hierarchies.neighbours``); a group is
            named after its first and its last item, so these names are published even if the items are rare.
        publish_hierarchy: publish the hierarchy whole, with all items below the nodes that records hold.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The release; ``release.write(folder)`` verifies and publishes it.

    Raises:
        InputError: a number is out of range, or an item has no place in the hierarchy (all of them are listed).
        Infeasible: there are fewer than k records.

    Reference:
        M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008: algorithm AA, with the direct anonymization of algorithm DA
        for the sets of each size, and NCP (section 3.3) as what a generalization costs.

    Deviations:
        There is no count tree: sets are found by a search through the records that hold them, in the order of the
        tree's nodes (the paper does not give its order of items), and only sets of the nodes published so far. The cost
        of nodes for a rare set counts everything below them, by how often records hold it; ties go to the first nodes
        in the order of the hierarchy.

    Example:
        >>> import shoal
        >>> baskets = shoal.Transactions.from_records([["beer", "milk"], ["wine", "milk"], ["beer"], ["wine"]])
        >>> drinks = shoal.Hierarchy.from_rows(
        ...     [("beer", "alcohol", "*"), ("wine", "alcohol", "*"), ("milk", "food", "*"), ("bread", "food", "*")]
        ... )
        >>> release = km_generalization(baskets, k=2, m=2, hierarchy=drinks)
        >>> [release.tree.labels[node] for node in release.nodes]
        ['alcohol', 'alcohol', 'alcohol', 'milk', 'alcohol', 'milk']
    """
    require_baskets(data)
    promise = KmGeneralized(k, m)
    if len(data) < k:
        raise Infeasible(f"{len(data):,} records cannot hide one among {k:,}: k must be at most the number of records")
    hierarchy = neighbours(data.words) if hierarchy is None else hierarchy
    tree = NodeTree.from_hierarchy(hierarchy)
    leaves = tree.leaves_of(data.words, hierarchy)
    report = run.report
    with announced(lambda: report("compile", 0, 1)):
        from shoal.kernels.laid_rows import lay_in_order

        rows = _marked(data, leaves, len(tree))
        rows = _without_rare_sets(
            rows, tree, np.bincount(leaves, data.supports, len(tree)).astype(np.int64), k, m, report
        )
        report("sort rows", 0, 1)
        offsets, nodes = _unmarked(rows, len(tree))
        offsets, nodes, _ = lay_in_order([(offsets, nodes)])
        report("sort rows", 1, 1)
    if not publish_hierarchy:
        tree, place = tree.cut(np.bincount(nodes, minlength=len(tree)) > 0)
        nodes = place[nodes]
    return GeneralizedBaskets(promise, tree, offsets, nodes, publish_hierarchy)


def _without_rare_sets(rows: Int32, tree: NodeTree, occurrences: Int64, k: int, m: int, report: Progress) -> Int32:
    """Generalize nodes of the rows until no set of up to m of them is rare."""
    from shoal.kernels.rare_node_sets import node_places, raise_rare_sets, raised_rows
    from shoal.kernels.set_table import EMPTY_TABLE

    mark = len(tree)
    ends, parents = tree.ends, tree.parents
    before = np.concatenate([[0], np.cumsum(occurrences)])
    # The sum of the NCP times the number of all items: occurrences of items times the items that they may now be.
    weights = np.where(tree.leaves > 1, tree.leaves, 0) * (before[ends] - before[:-1])
    losses = np.zeros(mark, np.int64)
    now = np.arange(mark, dtype=np.int32)
    longest = int(np.diff(np.flatnonzero(rows == mark)).max()) - 1
    parts = np.unique(np.linspace(0, mark, _PARTS + 1).astype(np.int64)).tolist()
    for size in range(1, min(m, longest) + 1):
        stage = f"sets of {size}"
        starts, places = node_places(rows, mark)
        radix, frequent = mark if mark**size < _NUMBERS else 0, np.zeros(EMPTY_TABLE, np.int64)
        for first, end in pairwise(parts):
            report(stage, first, mark)
            frequent = raise_rare_sets(
                rows, starts, places, parents, ends, weights, losses, size, k, mark, first, end, radix, now, frequent
            )
        rows = raised_rows(rows, now, mark)
        report(stage, mark, mark)
    return rows


def _marked(data: Transactions, nodes: Int32, mark: int) -> Int32:
    """The records as rows of ascending nodes, with a mark before, between and after them."""
    held = nodes[data.items]
    if np.any(np.diff(nodes) < 0):
        record = np.repeat(np.arange(len(data)), data.lengths) * mark
        held = (np.sort(record + held) - record).astype(np.int32)
    return np.append(np.insert(held, data.offsets[:-1], mark), mark).astype(np.int32)


def _unmarked(rows: Int32, mark: int) -> tuple[Int64, Int32]:
    """Rows without the marks, and where each begins."""
    marks = np.flatnonzero(rows == mark)
    return marks - np.arange(len(marks)), rows[rows < mark]
