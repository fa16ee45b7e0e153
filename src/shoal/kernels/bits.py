"""Sets of records as bit masks with 63 bits in each word, so that words are never negative."""

from __future__ import annotations

from shoal.kernels.arrays import Int32, Int64
from shoal.kernels.compiling import I4, I8, I8_OUT, INT, kernel, types

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


@kernel(types.void, I8, I4, I8, INT, INT, I8, INT, INT, I8_OUT)
def fill_masks(
    offsets: Int64, items: Int32, rows: Int64, start: int, end: int, place: Int64, n: int, words: int, masks: Int64
) -> None:
    """Masks of the records rows[start:end] that hold each of n numbered items; ``place`` has their numbers, or -1."""
    for c in range(n * words):
        masks[c] = 0
    for i in range(start, end):
        bit = i - start
        for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
            c = place[items[j]]
            if c >= 0:
                masks[c * words + bit // BITS] |= 1 << (bit % BITS)
