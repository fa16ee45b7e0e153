"""Sets of records as bit masks: 63 bits a word, so that a word is never negative and plain arithmetic counts it."""

from __future__ import annotations

from shoal.kernels.compiling import I8, INT, Int64, kernel

BITS = 63


@kernel(INT, INT)
def ones(word: int) -> int:
    """How many bits of a word are set."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    word = word + (word >> 32)
    return word & 0x7F


@kernel(INT, I8, INT, I8, INT, INT)
def common_ones(left: Int64, i: int, right: Int64, j: int, words: int) -> int:
    """How many bits mask i of ``left`` and mask j of ``right`` share, each ``words`` words long."""
    total = 0
    for w in range(words):
        total += ones(left[i * words + w] & right[j * words + w])
    return total
