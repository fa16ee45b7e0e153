"""Which items of a chunk occur only together with which others.

A subrecord is a mask over the domain of its chunk, in words of 64 bits; the items common to all subrecords that hold an
item are the intersection of their masks. Chunks are processed in batches, so wide ones need bounded memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.subrecords import Bags
from shoal.data.arrays import Bools, Int64, UInt64

_WORDS = 4_000_000
"""About how many words of masks are intersected together."""
MOST_WORDS = 1_000_000_000
"""How many are intersected in total; more are refused."""


class TooWide(Exception):  # noqa: N818  (a refusal, as OutOfBudget)
    """Chunks are too wide, and their subrecords too long, to intersect them all."""


@dataclass(frozen=True, eq=False)
class Implied:
    """For each entry of the domains, the other items that all its subrecords hold."""

    others: Int64
    """How many other items of the chunk."""
    first: Int64
    """The first of these by its entry, or -1."""


def implied_items(bags: Bags, domains: Domains, counted: Bools | None = None) -> Implied:
    """Intersect the subrecords of every entry.

    ``counted``: for each occurrence (item of a subrecord) whether that subrecord counts for that item; if none does,
    all the chunk's other items count as implied.

    Raises:
        TooWide: this would take too long.
    """
    implied = Implied(np.zeros(len(domains.item), np.int64), np.full(len(domains.item), -1, np.int64))
    words = (np.diff(domains.offsets) + 63) // 64
    occurrences = np.diff(bags.offsets[np.searchsorted(bags.chunk, np.arange(len(words) + 1))])
    if float((occurrences * words.astype(np.float64)).sum()) > MOST_WORDS:
        raise TooWide
    # A chunk of one item implies nothing. Chunks with equally long masks are processed together.
    several = np.flatnonzero(np.diff(domains.offsets) > 1)
    for length in np.unique(words[several]).tolist():
        alike = several[words[several] == length]
        block = np.cumsum(occurrences[alike] * length) // _WORDS
        for chunks in np.split(alike, np.flatnonzero(np.diff(block)) + 1):
            _intersect(bags, domains, chunks, length, counted, implied)
    return implied


def _intersect(
    bags: Bags, domains: Domains, chunks: Int64, words: int, counted: Bools | None, implied: Implied
) -> None:
    """Fill in the entries of some chunks with domains of so many words."""
    bag = _ranges(np.searchsorted(bags.chunk, chunks), np.searchsorted(bags.chunk, chunks, side="right"))
    place = _ranges(bags.offsets[bag], bags.offsets[bag + 1])
    row = np.repeat(np.arange(len(bag)), bags.lengths[bag])
    local = domains.local[place].astype(np.int64)
    masks = np.zeros((len(bag), words), np.uint64)
    np.bitwise_or.at(masks, (row, local // 64), _bit(local))
    entry = domains.offsets[bags.chunk[bag]][row] + local
    order = np.argsort(entry, kind="stable")
    begins = np.flatnonzero(np.diff(entry[order], prepend=-1))
    # One wide chunk may still be too large: process its entries in batches.
    step = begins * words // _WORDS
    for some in np.split(np.arange(len(begins)), np.flatnonzero(np.diff(step)) + 1):
        end = begins[some[-1] + 1] if some[-1] + 1 < len(begins) else len(order)
        taken = order[begins[some[0]] : end]
        held = masks[row[taken]]
        if counted is not None:
            held[~counted[place[taken]]] = ~np.uint64(0)
        common = np.bitwise_and.reduceat(held, begins[some] - begins[some[0]], axis=0)
        _note(common, entry[order[begins[some]]], domains, implied)


def _note(common: UInt64, entry: Int64, domains: Domains, implied: Implied) -> None:
    """Count the items in intersections other than the entry itself, and find the first of them."""
    start, end = domains.offsets[domains.chunk[entry]], domains.offsets[domains.chunk[entry] + 1]
    own = entry - start
    common[np.arange(len(entry)), own // 64] &= ~_bit(own)
    # If no subrecord counted, bits beyond the domain are set.
    common[:, -1] &= ~np.uint64(0) >> ((start - end) % 64).astype(np.uint64)
    implied.others[entry] = _SET_BITS[common.view(np.uint8)].sum(axis=1, dtype=np.int64)
    word = (common != 0).argmax(axis=1)
    lowest = common[np.arange(len(entry)), word]
    some = lowest != 0
    # The lowest bit alone is a power of two, which a double holds exactly.
    bit = np.log2((lowest & (~lowest + np.uint64(1)))[some].astype(np.float64)).astype(np.int64)
    implied.first[entry[some]] = start[some] + 64 * word[some] + bit


_SET_BITS = np.array([number.bit_count() for number in range(256)], np.uint8)


def _bit(number: Int64) -> UInt64:
    """The bit of a number inside its word."""
    return np.uint64(1) << (number % 64).astype(np.uint64)


def _ranges(starts: Int64, ends: Int64) -> Int64:
    """All numbers of some ranges, one after the other."""
    lengths = ends - starts
    numbers: Int64 = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return numbers
