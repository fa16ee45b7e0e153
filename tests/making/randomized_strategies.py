"""Randomized releases for tests: made by hand, drawn by Hypothesis, and as plain rows for the oracles."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal.promises import Randomization
from shoal.release.randomized import Randomized

Rows = list[frozenset[int]]


def randomized(
    rows: Sequence[frozenset[int]],
    n_items: int,
    *,
    keep: float = 1.0,
    n_fakes: int = 0,
    lengths: tuple[tuple[int, float], ...] = (),
) -> Randomized:
    """A release with these rows, of which so many are made up; items are called by their numbers."""
    n_records = len(rows) - n_fakes
    promise = Randomization(keep, n_fakes / n_records, lengths if n_fakes else ())
    ordered = sorted(sorted(row) for row in rows)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in ordered])]).astype(np.int64)
    items = np.array([item for row in ordered for item in row], np.int32)
    return Randomized(promise, pa.array([str(item) for item in range(n_items)]), offsets, items, n_records)


def rows_of(release: Randomized) -> Rows:
    """The rows as sets of codes."""
    bounds = zip(release.offsets[:-1].tolist(), release.offsets[1:].tolist(), strict=True)
    return [frozenset(release.items[start:end].tolist()) for start, end in bounds]


def all_itemsets(n_items: int) -> list[tuple[int, ...]]:
    """Every set of items but the empty one, as codes."""
    return [items for size in range(1, n_items + 1) for items in combinations(range(n_items), size)]


def keep_of(release: Randomized) -> Fraction:
    """The chance that an item is kept, as the decimal fraction that it was given as."""
    return Fraction(str(release.promise.keep_prob))


def lengths_of(release: Randomized) -> list[tuple[int, Fraction]]:
    """The lengths of made-up rows and their shares, as exact fractions."""
    return [(length, Fraction(str(share))) for length, share in release.promise.fake_lengths]


@st.composite
def releases(draw: st.DrawFn, *, most_items: int = 4, most_rows: int = 12, flipped: bool | None = None) -> Randomized:
    """Any release: masked, with fakes, or both; with empty rows, and items that are in no row."""
    flipped = draw(st.booleans()) if flipped is None else flipped
    n_items = draw(st.integers(1, most_items))
    fewest = 0 if flipped else 1
    rows = draw(st.lists(st.frozensets(st.integers(0, n_items - 1)), min_size=1 + fewest, max_size=most_rows))
    n_fakes = draw(st.integers(fewest, len(rows) - 1))
    keep = draw(st.sampled_from([0.95, 0.9, 0.8, 0.6])) if flipped else 1.0
    length = draw(st.integers(1, n_items))
    lengths = ((length, 1.0),) if length == 1 else ((1, 0.25), (length, 0.75))
    return randomized(rows, n_items, keep=keep, n_fakes=n_fakes, lengths=lengths)
