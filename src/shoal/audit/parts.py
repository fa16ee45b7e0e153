"""Parts of a flat array: the places of the numbers in each part.

The publisher has its own code for this: an off-by-one error must not be on both sides.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int64


def steps(lengths: Int64) -> Int64:
    """Number the entries of each part from 0 on.

    Example:
        >>> steps(np.array([2, 0, 3])).tolist()
        [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    ones = np.ones(total + 1, np.int64)  # one more place: parts at the end may be empty
    ones[0] = 0
    # The first of a part subtracts the count of the previous part.
    np.subtract.at(ones, ends[:-1], lengths[:-1])
    return np.asarray(np.cumsum(ones)[:total])


def expand(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """All places from each start to its end, and the part of each.

    Example:
        >>> owner, place = expand(np.array([5, 0, 2]), np.array([7, 0, 3]))
        >>> owner.tolist(), place.tolist()
        ([0, 0, 2], [5, 6, 2])
    """
    lengths = end - start
    owner = np.repeat(np.arange(len(start)), lengths)
    return owner, np.asarray(start[owner] + steps(lengths))
