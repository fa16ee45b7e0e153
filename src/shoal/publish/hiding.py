"""Hide what groups give away: generalize sensitive cells until no association is left.

The paper on k-anonymity that hides Q-S associations, section 5; and, to compare with, item grouping by S. Oliveira and
O. Zaiane (Privacy Preserving Frequent Itemset Mining, 2002) with generalization instead of deletion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from shoal.data.node_tree import NodeTree
from shoal.data.table import Int32, Int64
from shoal.errors import InputError
from shoal.mining.group_associations import DistinctRows, Kind, Thresholds, require_room
from shoal.promises import HiddenAssociations

Hiding = Literal["greedy", "iga", "resistant"]
METHODS: tuple[Hiding, ...] = ("greedy", "iga", "resistant")
Progress = Callable[[str, int, int], None]
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
    progress: Progress | None = None,
) -> list[Int32]:
    """Generalize sensitive cells, group by group, until the promise is kept.

    * ``greedy`` is the paper's algorithm: of the longest association (of several, that with fewest rows) the column
      whose cells contribute most, a cell, to hiding all associations among the same items; and there as many of the
      rows that support it as it takes, those first that support most associations.
    * ``iga``: the item that most associations share (of several, the one that fewest rows hold) is generalized for the
      first of them, in the rows that support most associations; items are grouped again after each.
    * ``resistant`` hides what is left after each hidden cell was filled with the most frequent value below it. Then a
      cell that is hidden changes its value, to the one that is filled in: a rule loses rows that support it, or gets
      rows that speak against it. Or a column of a group is hidden whole, so that nothing is filled in.

    The last is all that helps in a column without inner nodes where a value v has n >= c N of a group's N rows (c: the
    least confidence). Let m be the value that most rows show then. The rows that show other values are at most N - n: if
    m is v, because only N - n rows have others; if not, because v is shown by no more rows than m is, and m and all
    values but v have N - n rows. So after filling at least n >= c N rows have m, whatever is hidden, unless all is.

    Args:
        nodes: for each sensitive column, the node of each row; rows by group.
        trees: for each column, its tree.
        group_offsets: where the rows of each group start, and where they all end.
        promise: what must not be left. One that resists filling needs the method ``resistant``.
        method: how to hide it.
        values: whether values that are frequent by themselves are hidden; the promise needs it.
        absence: whether rules from absence are hidden; the promise needs it. Without both, association rules alone are
            hidden, as in the paper's first experiment.
        progress: called with (stage, done, total).

    Returns:
        For each column the node of each row: the one it was, or one above it. Which of several equal rows of a group
        are generalized depends on their order, and nothing else does.

    Raises:
        InputError: the method is unknown, or is not enough for the promise.
        Infeasible: there are too many sets of values to count.

    Deviations:
        A rule is also hidden when its support falls below the least one. The paper calls the least possible confidence
        the maximum; see :class:`~shoal.promises.HiddenAssociations`.

    Example:
        >>> tree = NodeTree(("*", "flu", "gout"), np.array([-1, 0, 0], np.int32), np.array([2, 1, 1]))
        >>> promise = HiddenAssociations(("illness",), min_support=.25, min_confidence=.75)
        >>> hide([np.array([1, 1, 1, 2], np.int32)], [tree], np.array([0, 4]), promise)[0].tolist()
        [0, 1, 1, 2]
    """
    if method not in METHODS:
        raise InputError(f"method is {method!r}: it must be one of {', '.join(METHODS)}")
    if promise.resists_filling and method != "resistant":
        raise InputError(f"hiding by {method!r} does not resist filling: take 'resistant', or do not promise it")
    from shoal.kernels.compiling import announced

    report = progress or _silent
    rows = DistinctRows.of(nodes, trees, group_offsets)
    kinds: list[Kind] = ["rule", *(["value"] if values else []), *(["absence"] if absence else [])]  # type: ignore[list-item]
    thresholds = Thresholds(rows.group_sizes, promise.min_support, promise.min_confidence, kinds)
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
            # Parts of the same row stand together again, the rows of the group in the order of their nodes.
            parts = parts[np.argsort(parts[:, 0], kind="stable")]
            cells = parts[:, 2:] - rows.forest.start[:-1]
            made[rows.order[done : done + size]] = np.repeat(cells, parts[:, 1], axis=0)
            done += size
    report("hide associations", rows.n_groups, rows.n_groups)
    return [np.ascontiguousarray(column) for column in made.T]


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report to nobody."""
