"""Draw distinct random numbers from a range, for many draws."""

from __future__ import annotations

from shoal.kernels.arrays import Float64, Int64
from shoal.kernels.compiling import F8, I8, I8_OUT, kernel, types


@kernel(types.void, I8, I8, F8, I8_OUT, I8_OUT)
def draw_distinct(ranges: Int64, offsets: Int64, chance: Float64, numbers: Int64, out: Int64) -> None:
    """Fill out[offsets[d]:offsets[d + 1]] with distinct numbers below ranges[d], each ordered choice equally likely.

    A shuffle that stops when enough numbers are drawn, and is then undone: before and after, ``numbers`` counts up from
    0, at least to the widest range. ``chance`` holds numbers from 0 to below 1, as many as ``out``.
    """
    for d in range(len(ranges)):
        start, wanted = offsets[d], offsets[d + 1] - offsets[d]
        for i in range(wanted):
            j = i + int(chance[start + i] * (ranges[d] - i))
            out[start + i] = numbers[j]
            numbers[j] = numbers[i]
            numbers[i] = out[start + i]
        for i in range(wanted - 1, -1, -1):
            j = i + int(chance[start + i] * (ranges[d] - i))
            kept = numbers[j]
            numbers[j] = numbers[i]
            numbers[i] = kept
