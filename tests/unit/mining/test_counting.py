"""Counts of given sets: those of the definition, in any order, with the empty set; what is no set is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError
from shoal.mining import count_itemsets
from tests.making.transaction_strategies import transactions
from tests.oracles import itemsets as oracle


def ragged(sets: list[list[int]]) -> tuple[Any, Any]:
    return np.cumsum([0, *map(len, sets)]), np.array([code for codes in sets for code in codes], np.int64)


@settings(max_examples=60)
@given(data=transactions(), sets=st.data())
def test_counts_are_those_of_the_definition(data: Any, sets: st.DataObject) -> None:
    codes = st.lists(st.integers(0, data.n_items - 1), unique=True, max_size=5)
    wanted = sets.draw(st.lists(codes, max_size=12))
    words, rows = data.words, list(data)
    expected = [oracle.count(rows, frozenset(words[code] for code in one)) for one in wanted]
    assert count_itemsets(data, ragged(wanted)).tolist() == expected


def test_long_lists_of_records_are_counted() -> None:
    data = shoal.read([["a", "b"]] * 100 + [["a", "c"]] * 70 + [["a", "b", "c"]] * 65)
    assert count_itemsets(data, ragged([[0], [2, 0], [1, 2, 0], [], [1]])).tolist() == [235, 135, 65, 235, 165]


@pytest.mark.parametrize(
    ("offsets", "codes", "message"),
    [
        ([0, 1], [2], "2 is no code of the vocabulary, which has 2 items"),
        ([0, 1], [-1], "-1 is no code"),
        ([0, 2], [0], "must ascend from 0 to the number of codes, which is 1"),
        ([1, 1], [0], "must ascend from 0"),
        ([0, 2, 1], [0], "must ascend from 0"),
        ([], [], "whole numbers"),
        ([0, 1, 3], [0, 1, 1], "itemset 1 names an item twice"),
        ([0, 1], [0.5], "two flat arrays of whole numbers"),
    ],
)
def test_what_is_no_set_is_refused(offsets: list[int], codes: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        count_itemsets(shoal.read([["a", "b"]]), (np.array(offsets), np.array(codes)))
