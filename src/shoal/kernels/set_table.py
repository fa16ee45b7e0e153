"""Sets of numbers for kernels: 63 neighbouring numbers share a slot of a hash table, one bit each.

One array: a power of two of slots, each the neighbourhood plus 1 (0: free) and its bits, and a last cell that counts
the slots in use. Neighbours are looked up together, as a rule, and often belong to the set together.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Int64
from shoal.kernels.bits import BITS
from shoal.kernels.compiling import I8, I8_OUT, INT, kernel, types

EMPTY_TABLE = 2 * 512 + 1
"""The number of cells of an empty table; all are 0."""


@kernel(INT, I8, INT)
def _slot(table: Int64, near: int) -> int:
    """The slot of a neighbourhood, or the free slot that it would get."""
    mask = (len(table) - 1) // 2 - 1
    # Multiplied and folded twice, because they come in long runs. No product of 31 and 32 bits is longer than 63, so
    # that all of this is the same with the JIT off.
    mixed = (near & 0x7FFFFFFF) * 0x9E3779B1
    mixed ^= (mixed >> 31) ^ ((near >> 31) * 0x85EBCA6B & 0x7FFFFFFF)
    mixed = (mixed & 0x7FFFFFFF) * 0xC2B2AE35
    at = (mixed ^ (mixed >> 29)) & mask
    while table[2 * at] != 0 and table[2 * at] != near + 1:
        at = (at + 1) & mask
    return 2 * at


@kernel(types.boolean, I8, INT)
def has_number(table: Int64, number: int) -> bool:
    """Whether a number, from 0 to below 2^62, is there."""
    return bool(table[_slot(table, number // BITS) + 1] >> (number % BITS) & 1)


@kernel(I8_OUT, I8_OUT, INT)
def add_number(table: Int64, number: int) -> Int64:
    """Add a number; returns the array, or a longer one once half of the slots are used."""
    slots = (len(table) - 1) // 2
    if 2 * table[2 * slots] >= slots:
        grown = np.zeros(4 * slots + 1, np.int64)
        for at in range(0, 2 * slots, 2):
            if table[at] != 0:
                to = _slot(grown, table[at] - 1)
                grown[to], grown[to + 1] = table[at], table[at + 1]
        grown[4 * slots] = table[2 * slots]
        table = grown
    at = _slot(table, number // BITS)
    if table[at] == 0:
        table[at] = number // BITS + 1
        table[len(table) - 1] += 1
    table[at + 1] |= 1 << (number % BITS)
    return table
