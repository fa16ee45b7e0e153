"""Fake transactions: lengths drawn from a stated distribution, items drawn uniformly.

J.-L. Lin, J. Liu: Privacy Preserving Itemset Mining through Fake Transactions, SAC 2007. They put 1 to 2w - 1 of them
after each real row, which is undefined for w < 1. Here the promise states the total number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.kernels.flips import draw_subsets
from shoal.limits import require_number, require_whole
from shoal.promises import Randomization
from shoal.promises.randomized import usual_lengths
from shoal.randomness import Numbers

FakeLength = int | tuple[int, int] | Mapping[int, float] | Literal["data"] | None
"""All of one length; uniform from one to another; each length with its share; as in the data; or the default."""


def lengths_of(wanted: FakeLength, data: Transactions, n_items: int) -> tuple[tuple[int, float], ...]:
    """The lengths of fake transactions, ascending, and their shares.

    The default is that of the paper: uniform from 1 to 2 l - 1, where l is the mean length of the real rows.
    """
    if wanted is None:
        return usual_lengths(len(data.items) / len(data), n_items)
    if wanted == "data":
        counts = np.bincount(data.lengths)
        wanted = {int(length): int(counts[length]) / len(data) for length in np.flatnonzero(counts)}
    if isinstance(wanted, tuple):
        low, high = wanted
        require_whole("the smallest length of a fake transaction", low, least=1)
        require_whole("the largest length of a fake transaction", high, least=low)
        _require_items(high, n_items)
        wanted = dict.fromkeys(range(low, high + 1), 1.0)
    if isinstance(wanted, Mapping):
        shares = dict(sorted(wanted.items()))
    else:
        require_whole("the length of a fake transaction", wanted, least=1)
        shares = {wanted: 1.0}
    for length, share in shares.items():
        require_whole("the length of a fake transaction", length, least=1)
        require_number(f"the share of fake transactions of length {length}", share, least=0, most=math.inf)
    _require_items(max(shares, default=0), n_items)
    total = math.fsum(shares.values())
    if not 0 < total < math.inf:
        raise InputError("the shares of the lengths of fake transactions must add up to more than 0")
    return tuple((length, share / total) for length, share in shares.items() if share > 0)


def _require_items(longest: int, n_items: int) -> None:
    if longest > n_items:
        raise InputError(
            f"fake transactions of {longest:,} items are requested, but there are {n_items:,} items: choose a smaller "
            "--fake-length"
        )


def draw_rows(n: int, promise: Randomization, n_items: int, seed: int | None) -> tuple[Int64, Int32]:
    """Draw a number of fake transactions."""
    lengths = np.array([length for length, _ in promise.fake_lengths], np.int64)
    bounds = np.array(_bounds([share for _, share in promise.fake_lengths]), np.int64)
    drawn = lengths[np.searchsorted(bounds, Numbers(seed, purpose="lengths").take(n), side="right")]
    return subsets(drawn, np.full(n, n_items, np.int64), Numbers(seed, purpose="fakes"))


def subsets(sizes: Int64, of: Int64, chance: Numbers) -> tuple[Int64, Int32]:
    """For each length a random set of this many items, ascending, as a ragged array."""
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return offsets, draw_subsets(sizes, of, chance.take(int(offsets[-1])))


def _bounds(shares: list[float]) -> list[int]:
    """How many of 2^63 numbers represent the first 1, 2, ... lengths; the last one takes the rest."""
    total = Fraction(0)
    bounds = []
    whole = sum(map(Fraction, shares), Fraction(0))
    for share in shares[:-1]:
        total += Fraction(share)
        bounds.append(int(total / whole * 2**63))
    return bounds
