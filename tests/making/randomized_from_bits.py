"""Randomized releases made by hand, honest or not: records as a matrix of bits, which only small tests can afford."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.transactions import Transactions, vocabulary_order
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.release.randomized import Randomized

Bits = np.ndarray[Any, np.dtype[np.bool_]]

N_ITEMS = 40
NAMES = [f"i{number:02}" for number in range(N_ITEMS)]


def make_records(n: int, seed: int, n_items: int = N_ITEMS) -> Bits:
    """Records of 1 to 8 items, the first ones far more frequent than the last."""
    chance = np.random.default_rng(seed)
    lengths = chance.integers(1, 9, n)
    # The largest of independent scores: a draw without replacement that favours the first items.
    scores = chance.random((n, n_items)) ** (1 / np.linspace(3, 0.1, n_items))
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    bits: Bits = ranks < lengths[:, None]
    return bits


def transactions_of(bits: Bits, names: list[str] | None = None) -> Transactions:
    """The same as data."""
    words = np.array(names or NAMES[: bits.shape[1]])
    return Transactions.from_records([words[row].tolist() for row in bits])


@dataclass(frozen=True)
class Chance:
    """Randomizing by hand."""

    generator: np.random.Generator

    def flip(self, bits: Bits, keep: float, keep_zeros: float | None = None) -> Bits:
        """Each bit kept with a probability of its own kind."""
        stays = np.where(bits, keep, keep if keep_zeros is None else keep_zeros)
        flipped: Bits = bits ^ (self.generator.random(bits.shape) >= stays)
        return flipped

    def make_up(
        self, n: int, lengths: tuple[tuple[int, float], ...], n_items: int = N_ITEMS, uneven: float = 1
    ) -> Bits:
        """Rows of drawn lengths, items drawn evenly unless the first half is to be more likely."""
        drawn = self.generator.choice([length for length, _ in lengths], n, p=[share for _, share in lengths])
        weights = np.where(np.arange(n_items) < n_items // 2, uneven, 1)
        scores = self.generator.random((n, n_items)) ** (1 / weights)
        made: Bits = np.argsort(np.argsort(-scores, axis=1), axis=1) < drawn[:, None]
        return made

    def cut(self, bits: Bits, most: int) -> Bits:
        """At most so many items of each record, by chance."""
        ranks = np.argsort(np.argsort(np.where(bits, self.generator.random(bits.shape), 2), axis=1), axis=1)
        kept: Bits = bits & (ranks < most)
        return kept


def release_of(
    bits: Bits,
    promise: Randomization,
    n_records: int,
    *,
    privacy: DifferentialPrivacy | None = None,
    in_order: bool = True,
    names: list[str] | None = None,
) -> Randomized:
    """A release of these rows, put into the order of what they hold."""
    rows = [np.flatnonzero(row).tolist() for row in bits]
    if in_order:
        rows.sort()
    vocabulary = pa.array(names or NAMES[: bits.shape[1]])
    assert np.array_equal(vocabulary_order(vocabulary), np.arange(len(vocabulary)))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.array([item for row in rows for item in row], np.int32)
    return Randomized(promise, vocabulary, offsets, items, n_records, privacy)
