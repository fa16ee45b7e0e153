"""Large randomized releases are audited in a moment, in memory that grows with what is published."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from shoal.audit.attack.randomized.likelihood_filter import length_models, log_odds, removed_shares, row_scores
from shoal.audit.randomized import audit
from shoal.audit.randomized.original_baskets import match_baskets
from shoal.data.transactions import Transactions
from shoal.promises import Randomization
from shoal.release.randomized import Randomized

N, ITEMS = 100_000, 800
LENGTHS = tuple((length, 0.1) for length in range(1, 11))


def ragged(lengths: np.ndarray, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sets of so many items, from any of them on in steps that never meet: each item as likely as any other."""
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    first, step = chance.integers(0, ITEMS, len(lengths)), chance.integers(1, ITEMS // 10, len(lengths))
    place = np.arange(offsets[-1]) - offsets[rows]
    return offsets, (np.sort(rows * ITEMS + (first[rows] + place * step[rows]) % ITEMS) % ITEMS).astype(np.int32)


@pytest.fixture(scope="module")
def made() -> tuple[Randomized, Transactions]:
    """600,000 rows without flips, and the 100,000 records among them."""
    chance = np.random.default_rng(4)
    offsets, items = ragged(chance.integers(1, 11, 6 * N), chance)
    order = np.lexsort([first_items(offsets, items, place) for place in range(9, -1, -1)])
    lengths = np.diff(offsets)[order]
    starts = np.repeat(offsets[:-1][order] - (np.cumsum(lengths) - lengths), lengths)
    shown = items[starts + np.arange(len(items))]
    release = Randomized(
        Randomization(1, 5, LENGTHS),
        pa.array([f"{number:03}" for number in range(ITEMS)]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        shown,
        N,
    )
    data = Transactions.from_codes(offsets[: N + 1], items[: offsets[N]], release.vocabulary)
    return release, data


def first_items(offsets: np.ndarray, items: np.ndarray, place: int) -> np.ndarray:
    there = np.diff(offsets) > place
    out = np.full(len(there), -1)
    out[there] = items[offsets[:-1][there] + place]
    return out


@pytest.mark.parametrize(("with_original", "seconds", "megabytes"), [(False, 1.5, 100), (True, 6, 600)])
def test_600_000_rows(
    made: tuple[Randomized, Transactions], with_original: bool, seconds: float, megabytes: float
) -> None:
    release, data = made
    original = data if with_original else None
    start = time.process_time()
    verdict = audit(release, original=original)
    assert time.process_time() - start < seconds
    tracemalloc.start()
    try:
        audit(release, original=original)
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()
    assert verdict.holds, str(verdict)
    assert verdict.confirmed is with_original


def test_scores_of_600_000_rows(made: tuple[Randomized, Transactions]) -> None:
    release, data = made
    start = time.process_time()
    baskets = match_baskets(release, data)
    scores = row_scores(release, log_odds(release, baskets), *length_models(release, baskets))
    assert len(removed_shares(scores, (np.arange(release.n_rows) < N).astype(float))) == 4
    assert time.process_time() - start < 5
