"""Form groups of one row from each of the l largest buckets (Anatomy: Xiao and Tao, VLDB 2006, figure 3)."""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int64
from shoal.kernels.compiling import I8, I8_OUT, INT, kernel


@kernel(I8_OUT, I8_OUT, I8_OUT, INT, I8)
def draw_groups(buckets: Int64, left: Int64, l: int, chance: Int64) -> Int64:  # noqa: E741  (the literature's name)
    """The buckets of each group, l consecutive ones for each, until fewer than l buckets have rows.

    ``buckets`` are sorted by how many rows each has ``left``, the largest first; both are left as they are then. Ties
    are decided by ``chance``, a random number for each row.
    """
    picks = np.empty(len(chance), np.int64)
    used = 0
    while left[l - 1] > 0:
        # All buckets above the count of the l-th take part, and some of those that have as many. These last ones are
        # brought to the end of their run, so that everything is sorted again when each of them has one row less.
        count = left[l - 1]
        low, high = l - 1, l
        while low > 0 and left[low - 1] == count:
            low -= 1
        while high < len(left) and left[high] == count:
            high += 1
        for at in range(l):
            place = at
            if at >= low:
                place = high - 1 - (at - low)
                other = low + chance[used] % (place - low + 1)
                buckets[place], buckets[other] = buckets[other], buckets[place]
            left[place] -= 1
            picks[used] = buckets[place]
            used += 1
    return picks[:used]
