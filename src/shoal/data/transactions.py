"""Baskets as two flat arrays and a sorted vocabulary: the only representation of set-valued data in Shoal.

A record is a set of items. Repeated items of a record are merged, and empty records are dropped; both are counted.
Identical records are all kept: they are different people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.utf8 import searched
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.suggestions import did_you_mean


@dataclass(frozen=True, eq=False)
class Transactions:
    """An immutable collection of records, each a set of items.

    Record ``i`` holds the items ``vocabulary[items[offsets[i]:offsets[i + 1]]]``; inside a record the codes ascend
    strictly, no record is empty, and every word of the vocabulary is used.

    Example:
        >>> baskets = Transactions.from_records([{"tea", "milk"}, {"milk"}, set()])
        >>> len(baskets), baskets.n_items, baskets.dropped
        (2, 2, 1)
        >>> [sorted(record) for record in baskets]
        [['milk', 'tea'], ['milk']]
    """

    offsets: Int64
    """Where each record starts in ``items``; one more entry than there are records."""
    items: Int32
    """Item codes, record after record."""
    vocabulary: pa.Array
    """The names of the items, sorted: as numbers if all of them are whole numbers, otherwise as text."""
    merged: int = 0
    """How many repetitions of an item inside a record were merged on reading."""
    dropped: int = 0
    """How many empty records were dropped on reading."""

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def from_records(cls, records: Iterable[Iterable[object]]) -> Transactions:
        """Build from any iterable of sets (or lists) of items; items become text."""
        lengths: list[int] = []
        words: list[str] = []
        for number, record in enumerate(records, start=1):
            if isinstance(record, str | bytes):
                raise InputError(
                    f"record {number} is the text {shown(record)}, not a collection of items: wrap it in a list"
                )
            before = len(words)
            for item in record:
                if item is None:
                    raise InputError(f"record {number} holds None, which is not an item: leave it out")
                words.append(str(item))
            lengths.append(len(words) - before)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        encoded = pa.array(words, pa.string()).dictionary_encode()
        return cls.from_codes(offsets, encoded.indices.to_numpy(zero_copy_only=False), encoded.dictionary)

    @classmethod
    def from_codes(cls, offsets: Int64, codes: npt.NDArray[Any], words: pa.Array) -> Transactions:
        """Build from records of codes into ``words``, in any order: sorts, merges and drops, and counts these."""
        used = np.zeros(len(words), bool)
        used[codes] = True
        held = np.flatnonzero(used)  # a word that no record holds must not decide whether all are numbers
        order = held[vocabulary_order(words if len(held) == len(words) else words.take(pa.array(held)))]
        rank = np.zeros(len(words), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        items = rank[codes]
        offsets = np.ascontiguousarray(offsets, np.int64)
        items, offsets, merged = _as_sets(items, offsets, len(order))
        lengths = np.diff(offsets)
        dropped = int(np.count_nonzero(lengths == 0))
        if dropped:
            offsets = np.concatenate([[0], np.cumsum(lengths[lengths > 0])]).astype(np.int64)
        vocabulary = words.take(pa.array(order)).cast(pa.string())
        return cls(offsets, items, vocabulary, merged, dropped)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[frozenset[str]]:
        words = self.words
        for start, end in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield frozenset(words[code] for code in self.items[start:end].tolist())

    def __repr__(self) -> str:
        return f"Transactions({len(self):,} records, {self.n_items:,} items)"

    @property
    def n_items(self) -> int:
        """How many different items there are."""
        return len(self.vocabulary)

    @property
    def words(self) -> list[str]:
        """The vocabulary as a list."""
        words: list[str] = self.vocabulary.to_pylist()
        return words

    @property
    def lengths(self) -> Int64:
        """The number of items of each record."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> Int64:
        """In how many records each item occurs."""
        return np.bincount(self.items, minlength=self.n_items).astype(np.int64)

    def codes_of(self, names: Iterable[str]) -> Int32:
        """The codes of items given by name; an InputError lists all unknown names."""
        return codes_of(self.vocabulary, names, "the data")

    def keep_items(self, keep: Bools) -> Transactions:
        """The same records without the items whose flag is false; records that lose everything are dropped."""
        kept = keep[self.items]
        before = np.concatenate([[0], np.cumsum(kept)])
        offsets = before[self.offsets].astype(np.int64)
        return Transactions.from_codes(offsets, self.items[kept], self.vocabulary)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the records to any Arrow consumer, as one list column ``items``."""
        values = self.vocabulary.take(pa.array(self.items))
        column = pa.LargeListArray.from_arrays(pa.array(self.offsets), values)
        return pa.table({"items": column}).__arrow_c_stream__(requested_schema)


def codes_of(vocabulary: pa.Array, names: Iterable[str], where: str) -> Int32:
    """The codes of items given by name; an InputError lists all unknown names."""
    wanted = list(names)
    codes = pc.index_in(searched(wanted), vocabulary)
    missing = list(dict.fromkeys(name for name, code in zip(wanted, codes.to_pylist(), strict=True) if code is None))
    if missing:
        words = vocabulary.to_pylist()
        listed = ", ".join(f"{shown(name)}{did_you_mean(name, words)}" for name in missing[:3])
        listed += "".join(f", {shown(name)}" for name in missing[3:10]) + (", ..." if len(missing) > 10 else "")
        raise InputError(f"not in {where}: {listed} (of {len(vocabulary):,} items)")
    found: Int32 = codes.to_numpy(zero_copy_only=False).astype(np.int32)
    return found


def vocabulary_order(words: pa.Array) -> Int64:
    """The order of a vocabulary: by value if every word is a plain whole number, otherwise by text."""
    plain = pc.all(pc.match_substring_regex(words, r"^(0|[1-9][0-9]{0,17})$")).as_py()
    keys = pc.cast(words, pa.int64()) if plain and len(words) else words
    order: Int64 = pc.sort_indices(keys).to_numpy().astype(np.int64)
    return order


def _as_sets(items: Int32, offsets: Int64, n_items: int) -> tuple[Int32, Int64, int]:
    """Sort the items inside each record and merge repetitions; fast if they are sorted already."""
    if len(items) == 0:
        return items, offsets, 0
    starts = np.zeros(len(items), bool)
    inner = offsets[:-1]
    starts[inner[inner < len(items)]] = True
    ascending = items[1:] > items[:-1]
    ascending |= starts[1:]
    if ascending.all():
        return items, offsets, 0
    keys = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets)) * n_items
    keys += items
    keys.sort()
    first = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    merged = int(len(first) - np.count_nonzero(first))
    new_offsets = np.concatenate([[0], np.cumsum(first)])[offsets].astype(np.int64)
    return (keys[first] % n_items).astype(np.int32), new_offsets, merged
