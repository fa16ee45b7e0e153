"""A binary max-heap of integer keys in an array."""

from __future__ import annotations

from shoal.kernels.arrays import Int64
from shoal.kernels.compiling import I8_OUT, INT, kernel, types


@kernel(types.void, I8_OUT, INT, INT)
def sift_down(heap: Int64, size: int, at: int) -> None:
    """Restore the max-heap below position ``at``."""
    if at >= size:
        return
    key = heap[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key


@kernel(types.void, I8_OUT, INT)
def heapify(heap: Int64, size: int) -> None:
    """Make a max-heap of the first ``size`` keys."""
    for at in range(size // 2 - 1, -1, -1):
        sift_down(heap, size, at)
