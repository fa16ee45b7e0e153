"""The forest of joint clusters as a line, so that 'everything below this joint' is one interval.

Terrovitis et al., VLDB 2012, section 3 (joint clusters are nested to any depth). Everything here doubles pointers
instead of walking down: a chain of a hundred thousand joints costs seventeen array operations and no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Int64


@dataclass(frozen=True, eq=False)
class Forest:
    """Positions in depth-first order: what lies below cluster ``p`` is ``position[p] + 1 : position[p] + below[p]``."""

    position: Int64
    below: Int64
    """How many clusters the subtree holds, its root included."""
    leaf_records: Int64
    """How many records the leaves of the subtree hold."""


def endless(parent: Int64) -> Int64:
    """The clusters from which the parent links never reach a root."""
    count = len(parent)
    above = np.append(np.where(parent < 0, count, parent), count)
    for _ in range(_rounds(count)):
        if (above == count).all():
            break
        above = above[above]
    return np.flatnonzero(above[:count] != count).astype(np.int64)


def lay_out(parent: Int64, size: Int64, leaf: Bools) -> Forest:
    """Depth-first positions and sums; the parent links must not be endless."""
    count = len(parent)
    if (parent < 0).all():
        return Forest(np.arange(count, dtype=np.int64), np.ones(count, np.int64), np.where(leaf, size, 0))
    below, leaf_records = _subtree_sums(parent, np.ones(count, np.int64), np.where(leaf, size, 0))
    # Elder siblings come first: a cluster's position is that of its parent, plus one, plus everything below them.
    order = np.argsort(parent, kind="stable")
    before = np.cumsum(below[order]) - below[order]
    first = np.searchsorted(parent[order], parent[order])
    step = np.empty(count, np.int64)
    step[order] = before - before[first]
    return Forest(_path_sums(parent, step + (parent >= 0)), below, leaf_records)


def _rounds(count: int) -> int:
    return max(count, 1).bit_length() + 1


def _subtree_sums(parent: Int64, *values: Int64) -> list[Int64]:
    """Sums over each subtree: in round t, the ancestor 2^t levels above a cluster adds the cluster's sum so far."""
    count = len(parent)
    above = np.append(np.where(parent < 0, count, parent), count)
    sums = [np.append(value, 0) for value in values]
    while (above != count).any():
        for total in sums:
            gathered = np.zeros_like(total)
            np.add.at(gathered, above[:count], total[:count])
            total += gathered
            total[count] = 0
        above = above[above]
    return [total[:count] for total in sums]


def _path_sums(parent: Int64, value: Int64) -> Int64:
    """Sums along the path from each cluster up to its root."""
    count = len(parent)
    above = np.append(np.where(parent < 0, count, parent), count)
    total = np.append(value, 0)
    while (above != count).any():
        total = total + total[above]
        above = above[above]
    return total[:count]
