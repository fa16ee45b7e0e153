"""Items published together were together in the original: pairs, and whole subrecords.

Terrovitis et al., VLDB 2012, section 3: a subrecord is the projection of one original record, and no record gives an
item to two chunks. So a set of items is published together at most as often as it occurs in the original.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.audit.disassociated.against_original import Matched
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import item_name, itemset
from shoal.data.arrays import Float64, Int32, Int64, UInt64
from shoal.release.disassociated import Disassociated

PAIR_TERMS = 2_000_000_000
"""The most terms of the products that count pairs."""
PAIR_CELLS = 2_000_000
"""How many counted pairs are held together."""
SUBRECORD_BYTES = 8_000_000_000
"""How many bytes of bit sets may be read to look for subrecords."""
FLAG_CELLS = 8_000_000
"""How many flags (item, record) are unpacked together."""


def check_pairs(release: Disassociated, sets: Bags, matched: Matched) -> Check:
    """No pair of items is published together more often than it occurs in the original.

    ``sets``: the distinct subrecords of two or more items, all chunks together.
    """
    import scipy.sparse as sp

    n_items = len(release.vocabulary)
    published = sp.csr_matrix(
        (np.repeat(sets.weight, sets.lengths), sets.items, sets.offsets), shape=(len(sets.weight), n_items)
    )
    original = sp.csr_matrix(_known(matched), shape=(len(matched.offsets) - 1, n_items))
    columns = np.unique(published.indices)
    terms = _terms(original, columns) + _terms(published, columns)
    order = np.argsort(terms, kind="stable")
    affordable = order[np.cumsum(terms[order]) <= PAIR_TERMS]
    taken = np.sort(affordable)
    what = "no two items are together in subrecords more often than in original records"
    if len(taken) < len(columns):
        what += f" (compared for the pairs with one of the {len(taken):,} least costly of {len(columns):,} items)"
    checked, witness = 0, None
    by_item, original_by_item = _indicator(published).T.tocsr(), original.T.tocsr()
    cells = np.cumsum(np.minimum(terms[taken], n_items)) // PAIR_CELLS
    for block in np.split(columns[taken], np.flatnonzero(np.diff(cells)) + 1) if len(taken) else []:
        shown = by_item[block] @ published
        checked += int(shown.nnz)
        excess = (shown - original_by_item[block] @ original).tocsr()
        more = np.flatnonzero(excess.data > 0)
        if len(more):
            row = int(np.searchsorted(excess.indptr, more[0], side="right")) - 1
            one, two = int(block[row]), int(excess.indices[more[0]])
            count = int(shown[row, two])
            names = itemset(release.vocabulary, sorted({one, two}))
            witness = f"{names} is published {count:,} times, but only " + _holding(
                count - int(excess.data[more[0]]), "hold"
            )
            break
    return decided("pairs in the original", what, checked, witness)


def check_subrecords(release: Disassociated, sets: Bags, matched: Matched) -> Check:
    """No subrecord of three or more items is published more often than original records contain it."""
    n_records = len(matched.offsets) - 1
    cost = sets.lengths * (n_records / 8)
    longer = np.flatnonzero(sets.lengths > 2)
    order = longer[np.argsort(-sets.weight[longer], kind="stable")]
    chosen = order[np.cumsum(cost[order]) <= SUBRECORD_BYTES]
    what = "every subrecord of three or more items is contained in at least as many original records as publish it"
    if len(chosen) < len(longer):
        what += f" (compared for the {len(chosen):,} most published of {len(longer):,})"
    lacking, count = _find_lacking(sets, chosen, matched)
    witness = None
    if lacking is not None:
        codes = sets.items[sets.offsets[lacking] : sets.offsets[lacking + 1]].tolist()
        names = ", ".join(item_name(release.vocabulary, code) for code in codes[:12])
        witness = (
            f"the subrecord {{{names}{', ...' if len(codes) > 12 else ''}}} is published "
            f"{int(sets.weight[lacking]):,} times, but only {_holding(count, 'contain')}"
        )
    return decided("subrecords in the original", what, len(chosen), witness)


def _holding(count: int, verb: str) -> str:
    return f"{count:,} original record{f' {verb}s' if count == 1 else f's {verb}'} it"


def _known(matched: Matched) -> tuple[Int32, Int32, Int64]:
    """The original's records over the items of the release, as the parts of a sparse matrix."""
    known = matched.items >= 0
    items = matched.items[known]
    offsets = np.concatenate([[0], np.cumsum(known)])[matched.offsets].astype(np.int64)
    return np.ones(len(items), np.int32), items, offsets


def _indicator(matrix: Any) -> Any:
    flags = matrix.copy()
    flags.data = np.ones(len(flags.data), np.int64)
    return flags


def _terms(matrix: Any, columns: Int32) -> Float64:
    """How many terms the product of each column with the whole matrix has."""
    lengths = np.diff(matrix.indptr)
    per_item = np.bincount(matrix.indices, weights=np.repeat(lengths, lengths), minlength=matrix.shape[1])
    return per_item[columns].astype(np.float64)


def _find_lacking(sets: Bags, chosen: Int64, matched: Matched) -> tuple[int | None, int]:
    """Count the original records that contain each set, in blocks of records; return the first with too few."""
    if len(chosen) == 0:
        return None, 0
    lengths = sets.lengths
    used = np.unique(sets.items)
    number = np.full(int(max(used.max(), matched.items.max(initial=0))) + 1, -1, np.int64)
    number[used] = np.arange(len(used))
    groups = [
        (rows, number[sets.items[sets.offsets[rows][:, None] + np.arange(length)]])
        for length in np.flatnonzero(np.bincount(lengths[chosen])).tolist()
        for rows in [chosen[lengths[chosen] == length]]
    ]
    counts = np.zeros(len(sets.weight), np.int64)
    n_records = len(matched.offsets) - 1
    step = max(64, FLAG_CELLS // len(used) // 64 * 64)
    for first in range(0, n_records, step):
        bits = _bit_sets(matched, number, len(used), first, min(first + step, n_records), step)
        left = []
        for rows, members in groups:
            _add_containing(counts, rows, members, bits)
            # A set that was seen often enough needs no further search.
            short = counts[rows] < sets.weight[rows]
            left.append((rows[short], members[short]))
        groups = [group for group in left if len(group[0])]
        if not groups:
            return None, 0
    worst = min(int(rows[0]) for rows, _ in groups)
    return worst, int(counts[worst])


def _bit_sets(matched: Matched, number: Int64, n_used: int, first: int, end: int, width: int) -> UInt64:
    """For each item, which of the records first..end-1 hold it, 64 records a word."""
    start, stop = int(matched.offsets[first]), int(matched.offsets[end])
    record = np.repeat(np.arange(end - first), np.diff(matched.offsets[first : end + 1]))
    items = matched.items[start:stop]
    known = (items >= 0) & (number[items] >= 0)
    flags = np.zeros((n_used, width), bool)
    flags[number[items[known]], record[known]] = True
    words: UInt64 = np.packbits(flags, axis=1).view(np.uint64)
    return words


def _add_containing(counts: Int64, rows: Int64, members: Int64, bits: UInt64) -> None:
    step = max(1, 131_072 // bits.shape[1])
    for first in range(0, len(rows), step):
        some = members[first : first + step]
        common = bits[some[:, 0]]
        for place in range(1, some.shape[1]):
            common &= bits[some[:, place]]
        counts[rows[first : first + step]] += _ones(common)


def _ones(words: UInt64) -> Int64:
    """How many bits are set in each row."""
    if hasattr(np, "bitwise_count"):
        ones: Int64 = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
        return ones
    table = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1).astype(np.uint8)
    counted: Int64 = table[words.view(np.uint8)].sum(axis=1, dtype=np.int64)
    return counted
