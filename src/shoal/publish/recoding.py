"""The result of generalizing quasi-identifiers, for all strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.node_tree import NodeTree

# Up to this many places for each key, a lookup table is faster than sorting.
_SPARSE = 8


class Recoding(NamedTuple):
    """The generalized rows of a table."""

    nodes: list[Int32]
    """One array a column: the node of each row."""
    suppressed: Bools
    """The rows that are not published."""


def renumbered(columns: Sequence[Int32], trees: Sequence[NodeTree]) -> tuple[Int64, Int64]:
    """One number for equal combinations, in the order of the nodes, and the first row of each."""
    keys = np.zeros(len(columns[0]), np.int64)
    span = 1
    for column, tree in zip(columns, trees, strict=True):
        # Only nodes in use count, and there are few of them once most are generalized.
        used = np.zeros(len(tree), bool)
        used[column] = True
        rank = np.cumsum(used) - 1
        if span * int(rank[-1] + 1) >= 2**63:
            keys, firsts = _dense(keys, span)
            span = len(firsts)
        keys *= rank[-1] + 1
        keys += rank[column]
        span *= int(rank[-1]) + 1
    return _dense(keys, span)


def _dense(keys: Int64, span: int) -> tuple[Int64, Int64]:
    """Keys below ``span`` as numbers without gaps, in their order, and the first place of each."""
    if span > _SPARSE * len(keys):
        _, firsts, numbers = np.unique(keys, return_index=True, return_inverse=True)
        return numbers.astype(np.int64), firsts
    present = np.zeros(span, bool)
    present[keys] = True
    numbers = (np.cumsum(present) - 1)[keys]
    firsts = np.empty(np.count_nonzero(present), np.int64)
    firsts[numbers[::-1]] = np.arange(len(keys) - 1, -1, -1)  # of equal ones, the last assignment counts
    return numbers, firsts
