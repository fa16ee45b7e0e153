"""What rows become when their quasi-identifiers are generalized, whatever the strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.data.node_tree import NodeTree
from shoal.data.table import Int32, Int64

Bools = npt.NDArray[np.bool_]


class Recoding(NamedTuple):
    """What the rows of a table become."""

    nodes: list[Int32]
    """One array a column: the node of each row."""
    suppressed: Bools
    """The rows that are not published."""


def renumbered(columns: Sequence[Int32], trees: Sequence[NodeTree]) -> tuple[Int64, Int64]:
    """Equal combinations as one number, in the order of the nodes, and where each is found first."""
    keys = np.zeros(len(columns[0]), np.int64)
    span = 1
    for column, tree in zip(columns, trees, strict=True):
        if span * len(tree) >= 2**63:
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        keys = keys * len(tree) + column
        span *= len(tree)
    _, firsts, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers.astype(np.int64), firsts
