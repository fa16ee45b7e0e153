"""Combine parts of a file, each with its own dictionary, into one ``Transactions``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.arrays import Int32, Int64
from shoal.data.transactions import Transactions
from shoal.errors import InputError


class Assembly:
    """Collects parts of a file in reading order; a record may begin in one part and end in a later one.

    Only codes are kept for each occurrence of an item, so that text takes memory once per part and word.
    """

    def __init__(self) -> None:
        self._codes: list[npt.NDArray[Any]] = []
        self._words: list[pa.Array] = []
        self._ends: list[Int64] = [np.zeros(1, np.int64)]
        self._n_items = 0

    @property
    def n_items(self) -> int:
        """How many occurrences of items have been added."""
        return self._n_items

    def add(self, codes: npt.NDArray[Any], words: pa.Array, ends: npt.NDArray[Any]) -> None:
        """Add the next part.

        Args:
            codes: the items' codes into ``words``.
            words: text, may hold a word more than once.
            ends: after how many of the part's items a record ends, ascending.
        """
        self._ends.append(ends.astype(np.int64) + self._n_items)
        if len(codes) == 0:  # Arrow would leave out the empty dictionary, and the ones after it would move up
            return
        # A part usually has few words: narrow codes halve the memory that is held until the end.
        self._codes.append(codes.astype(np.min_scalar_type(len(words) - 1)))
        self._words.append(words)
        self._n_items += len(codes)

    def codes_and_words(self) -> tuple[Int32, pa.Array]:
        """All codes in reading order, into one dictionary without repetitions; can be called once."""
        unified = pa.chunked_array(self._words, pa.string()).dictionary_encode()
        words = unified.chunk(0).dictionary if unified.num_chunks else pa.array([], pa.string())
        codes = np.empty(self._n_items, np.int32)
        filled = 0
        # Each part is released as soon as it is copied: the codes of a large file never exist twice in full.
        self._codes.reverse()
        for chunk in unified.chunks:
            part = self._codes.pop()
            codes[filled : filled + len(part)] = chunk.indices.to_numpy()[part]
            filled += len(part)
        return codes, words

    def transactions(self, name: str) -> Transactions:
        """The whole as ``Transactions``; can be called once.

        Raises:
            InputError: there is no record, or none that holds an item.
        """
        codes, words = self.codes_and_words()
        return not_empty(Transactions.from_codes(np.concatenate(self._ends), codes, words), name)


def not_empty(transactions: Transactions, name: str) -> Transactions:
    """The same transactions, or an InputError if they hold no record."""
    if len(transactions):
        return transactions
    detail = f"all {transactions.dropped:,} of them are empty" if transactions.dropped else "it is empty"
    raise InputError(f"no records in {name}: {detail}")
