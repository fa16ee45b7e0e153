"""Parts of different lengths, one after the other in a flat array."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int64


def expand(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """All numbers from each start to its end, and the range that each belongs to.

    Example:
        >>> owner, number = expand(np.array([5, 0, 2]), np.array([7, 0, 3]))
        >>> owner.tolist(), number.tolist()
        ([0, 0, 2], [5, 6, 2])
    """
    lengths = end - start
    owner = np.repeat(np.arange(len(start)), lengths)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths - start, lengths)


def steps(lengths: Int64) -> Int64:
    """0, 1, ... for each of some lengths, one after the other.

    Example:
        >>> steps(np.array([2, 0, 3])).tolist()
        [0, 1, 0, 1, 2]
    """
    starts = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
