"""Hide associations of groups: generalize sensitive cells until no association is left.

The paper on k-anonymity that hides Q-S associations, section 5; and, for comparison, item grouping by S. Oliveira and
O. Zaiane (Privacy Preserving Frequent Itemset Mining, 2002) with generalization instead of deletion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.node_tree import NodeTree
from shoal.errors import InputError
from shoal.mining.group_associations import (
    DistinctRows,
    GroupAssociations,
    Kind,
    Thresholds,
    find_associations,
    is_value,
    require_room,
)
from shoal.promises import HiddenAssociations
from shoal.quoting import shown
from shoal.release.generalized import Residual
from shoal.run import DEFAULT_RUN, Run

Hiding = Literal["greedy", "iga", "resistant"]
METHODS: tuple[Hiding, ...] = ("greedy", "iga", "resistant")
_GROUPS_A_STEP = 16


def hide(
    nodes: Sequence[Int32],
    trees: Sequence[NodeTree],
    group_offsets: Int64,
    promise: HiddenAssociations,
    *,
    method: Hiding = "greedy",
    values: bool = True,
    absence: bool = True,
    run: Run = DEFAULT_RUN,
) -> list[Int32]:
    """Generalize sensitive cells, group by group, until the promise is kept.

    * ``greedy`` is the paper's algorithm. It takes the longest association (of several, the one with the fewest rows)
      and its item whose cells each contribute most to hiding all associations of the group that contain it. It
      generalizes that item in as many of the supporting rows as needed, first those that weaken all associations most.
    * ``iga``: the item that most associations share (of several, the one that fewest rows hold) is generalized for the
      first of them, in the rows that support most associations; items are grouped again after each step.
    * ``resistant`` hides the associations that remain after each hidden cell was filled with the most frequent value
      below it. Hiding a cell then changes its value to the one that is filled in: a rule loses supporting rows, or gets
      contradicting rows. Or it hides a whole column of a group, so that nothing can be filled in.

    Only the last helps in a column without inner nodes in which n >= c N of a group's N rows have a value v (c: the
    least confidence). Let m be the value that most rows show after some cells were hidden. At most N - n rows show
    other values: if m is v, because no more rows have others; if not, because no more rows show v than m, and the
    values other than v have N - n rows together. All other rows have m after filling, which are at least n >= c N.

    Args:
        nodes: for each sensitive column, the node of each row; rows by group.
        trees: for each column, its tree.
        group_offsets: where the rows of each group start, and where they all end.
        promise: the associations that must not remain. A promise that resists filling needs the method ``resistant``.
        method: how to hide them.
        values: whether values that are frequent by themselves are hidden; the promise needs it.
        absence: whether rules from absence are hidden; the promise needs it. Without both, association rules alone are
            hidden, as in the paper's first experiment.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        For each column the node of each row: the original one, or one above it. Only the choice between equal rows of a
        group depends on their order.

    Raises:
        InputError: the method is unknown, or is not enough for the promise.
        Infeasible: there are too many sets of values to count.

    Deviations:
        A rule is also hidden when its support falls below the least one. The paper sums contributions over the
        associations among the items of the longest one only; those of the whole group hide fewer cells on Adult. The
        paper's measure, definite(A, B) / possible(A), is not the least possible confidence, which counts here; see
        :class:`~shoal.promises.HiddenAssociations`.

    Example:
        >>> tree = NodeTree(("*", "flu", "gout"), np.array([-1, 0, 0], np.int32), np.array([2, 1, 1]))
        >>> promise = HiddenAssociations(("illness",), min_support=.25, min_confidence=.75)
        >>> hide([np.array([1, 1, 1, 2], np.int32)], [tree], np.array([0, 4]), promise)[0].tolist()
        [1, 1, 0, 2]
    """
    if method not in METHODS:
        raise InputError(f"method is {shown(method)}: it must be one of {', '.join(METHODS)}")
    if promise.resists_filling and method != "resistant":
        raise InputError(f"hiding by {shown(method)} does not resist filling: use 'resistant', or do not promise it")
    from shoal.kernels.compiling import announced

    report = run.report
    rows = DistinctRows.of(nodes, trees, group_offsets)
    asked: dict[Kind, bool] = {"value": values, "rule": True, "absence": absence}
    thresholds = Thresholds(
        rows.group_sizes, promise.min_support, promise.min_confidence, [kind for kind in asked if asked[kind]]
    )
    made = np.empty((len(rows.order), len(trees)), np.int32)
    with announced(lambda: report("compile", 0, 1)):
        from shoal.kernels.hiding import hide_in_group

        done = 0
        for group, size in enumerate(rows.group_sizes.tolist()):
            if group % _GROUPS_A_STEP == 0:
                report("hide associations", group, rows.n_groups)
            part = rows.part(group)
            parts = hide_in_group(
                rows.forest, rows.nodes[part].ravel(), rows.counts[part], thresholds.of(group), thresholds.needed,
                float(promise.min_confidence), METHODS.index(method),
            ).reshape(-1, 2 + len(trees))  # fmt: skip
            require_room(len(parts) - 1 if size else 0, group)
            # Parts of the same row are together again; the rows of the group are in the order of their nodes.
            parts = parts[np.argsort(parts[:, 0], kind="stable")]
            cells = parts[:, 2:] - rows.forest.start[:-1]
            made[rows.order[done : done + size]] = np.repeat(cells, parts[:, 1], axis=0)
            done += size
    report("hide associations", rows.n_groups, rows.n_groups)
    return [np.ascontiguousarray(column) for column in made.T]


def residual_of(
    before: Sequence[Int32],
    after: Sequence[Int32],
    trees: Sequence[NodeTree],
    group_offsets: Int64,
    promise: HiddenAssociations,
) -> Residual:
    """The associations that an adversary recovers by filling hidden cells with the most frequent value of their group.

    Args:
        before: for each sensitive column, the node of each row before hiding.
        after: and after it.
        trees: for each column, its tree.
        group_offsets: where the rows of each group start, and where they all end.
        promise: what counts as an association.
    """
    filled = fill(after, trees, group_offsets)
    hidden = [~is_value(tree)[cells] for tree, cells in zip(trees, after, strict=True)]
    right = [f[h] == b[h] for f, b, h in zip(filled, before, hidden, strict=True)]
    shares = (promise.min_support, promise.min_confidence)
    had = _keys(find_associations(before, trees, group_offsets, *shares))
    has = _keys(find_associations(filled, trees, group_offsets, *shares, filled=True))
    return Residual(
        hidden_cells=sum(int(np.count_nonzero(cells)) for cells in hidden),
        filled_right=sum(int(np.count_nonzero(cells)) for cells in right),
        associations=len(had),
        associations_back=len(had & has),
    )


def fill(nodes: Sequence[Int32], trees: Sequence[NodeTree], group_offsets: Int64) -> list[Int32]:
    """Replace each hidden cell by the value below it that most rows of its group show; if none is shown, keep it."""
    group = np.repeat(np.arange(len(group_offsets) - 1), np.diff(group_offsets))
    made = []
    for column, tree in zip(nodes, trees, strict=True):
        filled = np.array(column, np.int32)
        shown = is_value(tree)[column]
        keys, counts = np.unique(group[shown] * len(tree) + column[shown], return_counts=True)
        groups, values = np.divmod(keys, len(tree))
        for node in np.unique(column[~shown]).tolist():
            below = np.flatnonzero((values > node) & (values < tree.ends[node]))
            # Sort by group, then by falling count, then by value; take the first of each group.
            order = below[np.lexsort((values[below], -counts[below], groups[below]))]
            firsts = order[np.flatnonzero(np.diff(groups[order], prepend=-1))]
            best = np.full(len(group_offsets) - 1, node, np.int32)
            best[groups[firsts]] = values[firsts]
            cells = column == node
            filled[cells] = best[group[cells]]
        made.append(filled)
    return made


def _keys(found: GroupAssociations) -> set[bytes]:
    """The key of each association."""
    keys = np.column_stack([found.groups, found.kinds, found.antecedents, found.consequents]).astype(np.int64)
    return {key.tobytes() for key in keys}
