"""Integer keys in ascending order."""

from __future__ import annotations

from shoal.kernels.arrays import Int64
from shoal.kernels.compiling import I8_OUT, INT, kernel, types


@kernel(types.void, I8_OUT, INT)
def sort_keys(keys: Int64, size: int) -> None:
    """Sort the first ``size`` keys in place (Shell sort: there are usually dozens, and at most thousands)."""
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, size):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3
