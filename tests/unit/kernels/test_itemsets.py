"""Records by item, masks of them, and the kernel that counts sets, each beside a naive twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.itemsets import ALL, CLOSED, MAXIMAL, mine_prefixes
from shoal.kernels.set_counts import count_sets
from shoal.kernels.vertical_index import inverted
from tests.oracles import itemsets as oracle

rows_of_codes = st.lists(st.frozensets(st.integers(0, 6), max_size=7), min_size=1, max_size=10)


def ragged(rows):
    offsets = np.cumsum([0, *map(len, rows)])
    return offsets, np.array([value for row in rows for value in sorted(row)], np.int32)


@given(rows_of_codes, st.permutations(range(7)), st.integers(0, 7))
def test_inverted_lists_the_rows_of_each_label(rows, order, kept):
    label = np.array([place if place < kept else -1 for place in order], np.int32)
    offsets, holders = inverted(*ragged(rows), label, kept)
    for place in range(kept):
        value = order.index(place)
        expected = [number for number, row in enumerate(rows) if value in row]
        assert holders[offsets[place] : offsets[place + 1]].tolist() == expected
    assert len(holders) == offsets[-1]


def indexed(rows):
    offsets, items = ragged(rows)
    return offsets, items, *inverted(offsets, items, np.arange(7, dtype=np.int32), 7)


@settings(max_examples=50)
@given(rows_of_codes, st.integers(1, 4), st.integers(1, 7))
def test_sets_with_a_last_item_are_found_once(rows, least, length):
    kinds = {ALL: oracle.frequent, CLOSED: oracle.closed, MAXIMAL: oracle.maximal}
    for kind, definition in kinds.items():
        found = {}
        for item in range(7):
            numbers = mine_prefixes(
                *indexed(rows), item, item + 1, 7, least, kind, length, np.array([99]), 10**6, np.zeros(1, np.int64)
            ).tolist()
            for number in numbers:
                if number < 0:
                    members, count = set(), -number
                    found[id(members)] = (members, count, item)
                else:
                    members.add(number)
        made = {frozenset(members): count for members, count, _ in found.values()}
        assert len(made) == len(found)
        assert all(max(members) == item for members, _, item in found.values())
        assert made == {one: n for one, n in definition(rows, least).items() if len(one) <= length}


def test_the_search_stops_when_told_or_when_it_has_no_room():
    rows = [range(7)] * 3
    for stop, room, perfect, expected in ((1, 10**6, 99, 0), (0, 10, 99, 1), (0, 10**6, 3, 1), (0, 10**6, 99, 127)):
        flag = np.array([stop])
        numbers = mine_prefixes(*indexed(rows), 0, 7, 7, 1, ALL, 7, np.array([perfect]), room, flag)
        sets = int((numbers < 0).sum())
        assert sets == expected if expected != 1 else 0 < sets < 127
        assert flag[0] == (stop or expected == 1)


@settings(max_examples=50)
@given(rows_of_codes, st.lists(st.frozensets(st.integers(0, 6), min_size=1), max_size=9))
def test_given_sets_are_counted(rows, sets):
    offsets, items, holder_offsets, holders = indexed(rows)
    set_offsets, set_items = ragged(sets)
    order = np.array(sorted(range(len(sets)), key=lambda number: max(sets[number])), np.int64)
    counts = np.full(len(sets), -1, np.int64)
    wide = holders.astype(np.int64)
    count_sets(offsets, items, holder_offsets, wide, set_offsets, set_items, order, 0, len(order), counts)
    assert counts.tolist() == [oracle.count(rows, one) for one in sets]
