"""Places in lists that lie one after the other in a flat array."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]


def steps(lengths: Int64) -> Int64:
    """0, 1, ... for each of some lengths, one after the other.

    Example:
        >>> steps(np.array([2, 0, 3])).tolist()
        [0, 1, 0, 1, 2]
    """
    starts = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
