"""The domain of every chunk: its items, how many of its subrecords hold each, and a small number for each item.

Terrovitis et al., VLDB 2012, section 3: T^C, the chunk domain. Numbering a chunk's items 0, 1, 2, ... keeps the keys of
itemsets short, so that they can be counted in a table instead of being sorted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.disassociated.subrecords import Bags
from shoal.data.arrays import Int32, Int64

_NUMBERED = 500_000
"""About how many items of subrecords are numbered together."""


@dataclass(frozen=True, eq=False)
class Domains:
    """One entry for each item of each chunk, by chunk and then by item."""

    chunk: Int64
    item: Int32
    support: Int64
    """In how many subrecords of the chunk the item occurs."""
    offsets: Int64
    """Where the domain of each chunk starts."""
    local: Int32
    """For each item of the bags it was built from: its number inside the chunk's domain, ascending with the code."""


def number_items(bags: Bags, n_chunks: int, n_items: int) -> Domains:
    """Find the domains of all chunks, some chunks at a time."""
    chunk, item, support = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    local = np.empty(len(bags.items), np.int32)
    start = 0
    while start < len(bags.chunk):
        # Up to the last subrecord of the chunk in which the block gets full.
        full = int(np.searchsorted(bags.offsets, bags.offsets[start] + _NUMBERED))
        full = min(max(full, start + 1), len(bags.chunk))
        end = int(np.searchsorted(bags.chunk, bags.chunk[full - 1], side="right"))
        found = _number_block(bags, start, end, n_items, local)
        chunk.append(found[0])
        item.append(found[1])
        support.append(found[2])
        start = end
    chunks = np.concatenate(chunk)
    offsets = np.zeros(n_chunks + 1, np.int64)
    np.cumsum(np.bincount(chunks, minlength=n_chunks), out=offsets[1:])
    return Domains(chunks, np.concatenate(item), np.concatenate(support), offsets, local)


def _number_block(bags: Bags, start: int, end: int, n_items: int, local: Int32) -> tuple[Int64, Int32, Int64]:
    """The domains of the chunks of subrecords start..end-1; fills their part of ``local``."""
    first, beyond = int(bags.offsets[start]), int(bags.offsets[end])
    lengths = np.diff(bags.offsets[start : end + 1])
    lowest = int(bags.chunk[start])
    keys = np.repeat((bags.chunk[start:end] - lowest) * n_items, lengths) + bags.items[first:beyond]
    order, keys = _sorted_with_order(keys, (int(bags.chunk[end - 1]) - lowest + 1) * n_items)
    new = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    entry = np.empty(len(keys), np.int64)
    entry[order] = np.cumsum(new) - 1
    distinct = keys[new]
    chunk = distinct // n_items
    item = (distinct - chunk * n_items).astype(np.int32)
    # Counts are far below 2^53: a float sum of them is exact.
    weights = np.repeat(bags.weight[start:end], lengths)
    support = np.bincount(entry, weights=weights, minlength=len(distinct)).astype(np.int64)
    start_of = np.searchsorted(chunk, bags.chunk[start:end] - lowest)
    local[first:beyond] = entry - np.repeat(start_of, lengths)
    return chunk + lowest, item, support


def _sorted_with_order(keys: Int64, bound: int) -> tuple[Int64, Int64]:
    """Sort and remember where each key was: packed into one number if it fits, since sorting numbers is faster."""
    bits = max(len(keys) - 1, 1).bit_length()
    if bound.bit_length() + bits > 62:
        order = np.argsort(keys, kind="stable")
        return order, keys[order]
    packed = (keys << bits) | np.arange(len(keys), dtype=np.int64)
    packed.sort()
    return packed & ((1 << bits) - 1), packed >> bits
