"""Baskets as arrays: sets inside, nothing lost but repetitions and empty records, and nothing to change afterwards."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions, vocabulary_order
from shoal.errors import InputError

lists = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=30)


@given(lists)
def test_records_are_sets_and_what_was_merged_and_dropped_is_counted(rows):
    data = Transactions.from_records(rows)
    assert list(data) == [frozenset(row) for row in rows if row]
    assert data.merged == sum(len(row) - len(set(row)) for row in rows)
    assert data.dropped == sum(not row for row in rows)
    assert data.words == sorted({item for row in rows for item in row})
    assert data.supports.tolist() == [sum(word in row for row in rows) for word in data.words]
    for start, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        assert (np.diff(data.items[start:end]) > 0).all()


@given(lists.filter(any), st.sets(st.sampled_from("abcdef")))
def test_items_can_be_left_out(rows, gone):
    data = Transactions.from_records(rows)
    kept = data.keep_items(np.array([word not in gone for word in data.words]))
    assert list(kept) == [frozenset(row) - gone for row in rows if set(row) - gone]
    assert not gone & set(kept.words)


def test_whole_numbers_are_sorted_as_numbers_and_all_else_as_text():
    assert Transactions.from_records([[10, 9, 100]]).words == ["9", "10", "100"]
    assert Transactions.from_records([["10", "9", "x"]]).words == ["10", "9", "x"]
    assert Transactions.from_records([["010", "9"]]).words == ["010", "9"]
    assert vocabulary_order(pa.array([], pa.string())).tolist() == []


def test_a_word_that_no_record_holds_does_not_decide_the_order():
    numbers = Transactions.from_codes(np.array([0, 3]), np.array([0, 1, 2]), pa.array(["10", "9", "100", "x"]))
    assert numbers.words == ["9", "10", "100"]
    mixed = Transactions.from_records([["10", "9", "x"], ["100"]])
    assert mixed.keep_items(np.array([word != "x" for word in mixed.words])).words == ["9", "10", "100"]


def test_words_that_are_not_used_do_not_stay():
    offsets, codes = np.array([0, 1], np.int64), np.array([1])
    assert Transactions.from_codes(offsets, codes, pa.array(["secret", "seen"])).words == ["seen"]


def test_arrays_cannot_be_changed_and_the_callers_own_still_can():
    offsets, items = np.array([0, 1], np.int64), np.array([0], np.int32)
    data = Transactions(offsets, items, pa.array(["a"]))
    with pytest.raises(ValueError, match="read-only"):
        data.items[0] = 3
    items[0] = 0


def test_unknown_names_are_all_listed_and_a_close_one_is_offered():
    data = Transactions.from_records([["bread", "milk"]])
    assert data.codes_of(["milk"]).tolist() == [1]
    with pytest.raises(InputError, match=r"not in the data: 'bred' \(did you mean 'bread'\?\), 'x' \(of 2 items\)"):
        data.codes_of(["bred", "milk", "x", "bred"])


def test_text_and_none_are_no_records():
    with pytest.raises(InputError, match=r"record 2 is the text 'tea'.*wrap it in a list"):
        Transactions.from_records([["a"], "tea"])
    with pytest.raises(InputError, match="record 1 holds None"):
        Transactions.from_records([["a", None]])


def test_any_arrow_consumer_can_take_them():
    data = Transactions.from_records([["b", "a"], ["c"]])
    assert pa.table(data).to_pydict() == {"items": [["a", "b"], ["c"]]}
