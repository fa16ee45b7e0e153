"""Counts of sets in rows, by masks and by an index, in stretches of any length."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engine.threads import Threads
from shoal.mining import occurrences as module
from shoal.mining.index import index_rows
from shoal.mining.occurrences import IndexedRows, MaskedRows, occurrences
from shoal.run import DEFAULT_RUN, Run
from tests.oracles.itemsets import count


def flat(rows):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([item for row in rows for item in sorted(row)], np.int32)


def counted(rows, sets):
    seen = []
    counts = rows.count(sets, Run(engine=Threads(2), progress=lambda _stage, done, total: seen.append((done, total))))
    assert not seen or seen[-1][0] == seen[-1][1]
    return counts.tolist()


@pytest.mark.parametrize("words", [1, 2, 512])
@pytest.mark.parametrize("kept", [0, 1 << 20])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_counts_are_those_of_the_definition(words, kept, data):
    n_items = data.draw(st.integers(1, 6))
    copies = data.draw(st.integers(1, 40))
    rows = data.draw(st.lists(st.frozensets(st.integers(0, n_items - 1)), max_size=6)) * copies
    codes = np.array(sorted(data.draw(st.frozensets(st.integers(0, n_items - 1), min_size=1))), np.int32)
    offsets, items = flat(rows)
    masked = MaskedRows(offsets, items, n_items, codes)
    indexed = IndexedRows(index_rows(offsets, items, n_items, codes[::-1].copy()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WORDS", words)
        patch.setattr(module, "_KEPT", kept)
        for size in range(1, len(codes) + 1):
            chosen = list(combinations(codes.tolist(), size))
            sets = np.array(chosen, np.int32)
            expected = [count(rows, frozenset(items)) for items in chosen]
            assert counted(masked, sets) == counted(indexed, sets) == expected
            patterns = masked.patterns(sets, DEFAULT_RUN)
            for line, members in zip(patterns.tolist(), chosen, strict=True):
                expected = [0] * 2**size
                for row in rows:
                    expected[sum(1 << t for t, item in enumerate(members) if item in row)] += 1
                assert line == expected


def test_no_sets_and_no_rows_are_counted():
    offsets, items = flat([])
    none = np.empty((0, 2), np.int32)
    some = np.array([[0, 1]], np.int32)
    for rows in (
        MaskedRows(offsets, items, 2, np.array([0, 1], np.int32)),
        IndexedRows(index_rows(offsets, items, 2, np.array([0, 1], np.int32))),
    ):
        assert counted(rows, none) == []
        assert counted(rows, some) == [0]


def test_sparse_rows_are_indexed_and_dense_ones_become_masks():
    sparse = [frozenset({at % 200}) for at in range(400)]
    dense = [frozenset(range(0, 200, 2))] * 20
    codes = np.arange(200, dtype=np.int32)
    for rows, expected in ((sparse, IndexedRows), (dense, MaskedRows)):
        offsets, items = flat(rows)
        assert isinstance(occurrences(offsets, items, np.bincount(items, minlength=200), codes), expected)
