"""The table of numbers and the search for rare sets, each beside a naive twin."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.rare_sets import count_rare_sets
from shoal.kernels.set_table import EMPTY_TABLE, add_number, has_number
from shoal.kernels.vertical_index import inverted
from tests.oracles import risk as oracle

N = 7
rows_of_codes = st.lists(st.frozensets(st.integers(0, N - 1), min_size=1), min_size=1, max_size=9)


@given(st.sets(st.integers(0, 2**62 - 1), max_size=300), st.sets(st.integers(0, 2**62 - 1), max_size=20))
def test_a_table_has_what_was_put_in_and_nothing_else(numbers, others):
    table = np.zeros(EMPTY_TABLE, np.int64)
    for number in numbers:
        table = add_number(table, np.int64(number))
    assert all(has_number(table, np.int64(number)) == (number in numbers) for number in numbers | others)


def test_a_table_grows_with_runs_of_neighbours_and_finds_them_all():
    table = np.zeros(EMPTY_TABLE, np.int64)
    numbers = [first * 1_000 + second for first in range(60) for second in range(0, 900, 30)]
    for number in numbers:
        table = add_number(table, np.int64(number))
    assert len(table) > EMPTY_TABLE
    there = {number for number in range(0, 60_000, 10) if has_number(table, np.int64(number))}
    assert there == set(numbers)
    assert table[-1] == len({number // 63 for number in numbers})


class Search:
    """The kernel on plain rows, with equal ones merged."""

    def __init__(self, rows, k, m, n_marked=None, work=10**9, room=10**9, parts=1):
        weights = Counter(rows)
        self.kinds = list(weights)
        counts = Counter(item for row in rows for item in row)
        self.codes = sorted(counts, key=lambda item: (-counts[item], item))
        rank = {item: number for number, item in enumerate(self.codes)}
        records = [sorted(rank[item] for item in row) for row in self.kinds]
        n = len(self.codes)
        offsets = np.cumsum([0, *map(len, records)])
        items = np.array([item for record in records for item in record], np.int32)
        holders = inverted(offsets, items, np.arange(n, dtype=np.int32), n)
        marked = len(records) if n_marked is None else n_marked
        self.left = np.array([work])
        self.sets, self.common, self.minimal = (np.zeros(m + 1, np.int64) for _ in range(3))
        self.parts = np.zeros(n, np.int64)
        self.fewest, self.alone = (np.full(marked, 255, np.uint8) for _ in range(2))
        table = np.zeros(EMPTY_TABLE, np.int64)
        bounds = np.linspace(0, n, parts + 1).astype(int).tolist()
        for first, end in pairwise(bounds):
            table = count_rare_sets(
                offsets, items, np.array([weights[row] for row in self.kinds]), *holders, np.zeros(n, np.int64),
                first, end, marked, k, m, sum(count >= k for count in counts.values()), table, room, self.left,
                self.sets, self.common, self.minimal, self.parts, self.fewest, self.alone,
            )  # fmt: skip


@settings(max_examples=150)
@given(rows_of_codes, st.integers(2, 4), st.integers(1, 5), st.integers(1, 3))
def test_sets_are_counted_as_their_definitions_say(rows, k, m, parts):
    found = Search(rows, k, m, parts=parts)
    supports, minimal = oracle.supports(rows, m), oracle.minimal_problematic(rows, k, m)
    lengths = range(m + 1)
    assert found.sets.tolist() == [sum(len(one) == size for one in supports) for size in lengths]
    assert found.common.tolist() == [
        sum(len(one) == size and count >= k for one, count in supports.items()) for size in lengths
    ]
    assert found.minimal.tolist() == [sum(len(one) == size for one in minimal) for size in lengths]
    assert dict(zip(found.codes, found.parts.tolist(), strict=True)) == {
        item: sum(item in one for one in minimal) for item in found.codes
    }
    assert found.left[0] >= 0


@settings(max_examples=150)
@given(rows_of_codes, st.integers(2, 4), st.integers(1, 5), st.integers(1, 9))
def test_marked_records_know_how_few_items_betray_them(rows, k, m, n_marked):
    found = Search(rows, k, m, n_marked=min(n_marked, len(set(rows))))
    for below, fewest in ((k, found.fewest), (2, found.alone)):
        expected = dict(zip(rows, oracle.fewest_items(rows, below, m), strict=True))
        wanted = [255 if expected[row] is None else expected[row] for row in found.kinds]
        assert fewest.tolist() == wanted[: len(fewest)]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_set_is_minimal_if_all_that_it_leaves_without_an_item_are_frequent(n, turn):
    whole = frozenset(range(n))
    without = [whole - {item} for item in whole][::turn]
    assert Search([whole, *without], 2, 5).minimal.tolist() == [0] + [int(size == n) for size in range(1, 6)]
    assert Search([whole, *without[1:]], 2, 5).minimal[n] == 0


def test_a_marked_record_that_was_found_is_still_looked_for_with_fewer_items():
    # {0, 1, 2} comes before {0, 3}, whose rarest item is rarer.
    rows = [frozenset(row) for row in ([0, 1, 2, 3], [0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [0, 1], [0, 2], [0])]
    assert Search(rows, 2, 2, n_marked=1).alone.tolist() == [2]
    assert Search(rows[:5] + rows[6:], 2, 3, n_marked=1).alone.tolist() == [2]
    assert Search(rows, 2, 3, n_marked=1).alone.tolist() == [2]


def test_equal_records_are_no_more_work_than_one():
    rows = [frozenset(range(40))] * 9 + [frozenset([0])]
    one = Search(rows, 5, 4)
    assert one.sets.tolist() == one.common.tolist() == [0, 40, 780, 9880, 91390]
    assert 10**9 - one.left[0] < 5_000


def test_a_search_without_work_or_room_left_says_so():
    rows = [frozenset(range(6)), frozenset(range(1, 7)), frozenset(range(7))]
    assert Search(rows, 2, 3, work=5).left[0] < 0
    assert Search(rows, 2, 3, room=12).left[0] < 0
    assert Search(rows, 2, 3).left[0] >= 0
