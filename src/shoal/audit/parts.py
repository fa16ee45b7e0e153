"""Parts of a flat array: where each number of each part stands.

The publisher has code of its own for the same: a part that is cut off one too short must not be so on both sides.
"""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Int64


def steps(lengths: Int64) -> Int64:
    """Count each part from 0 on.

    Example:
        >>> steps(np.array([2, 0, 3])).tolist()
        [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    ones = np.ones(total + 1, np.int64)  # one place more: parts at the end may be empty
    ones[0] = 0
    # The first of a part takes back what the part before it counted.
    np.subtract.at(ones, ends[:-1], lengths[:-1])
    return np.asarray(np.cumsum(ones)[:total])


def expand(start: Int64, end: Int64) -> tuple[Int64, Int64]:
    """All places from each start to its end, and the part that each is of.

    Example:
        >>> owner, place = expand(np.array([5, 0, 2]), np.array([7, 0, 3]))
        >>> owner.tolist(), place.tolist()
        ([0, 0, 2], [5, 6, 2])
    """
    lengths = end - start
    owner = np.repeat(np.arange(len(start)), lengths)
    return owner, np.asarray(start[owner] + steps(lengths))
