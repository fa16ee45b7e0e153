"""The description of baskets, against counting by hand."""

from collections import Counter
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.describe import describe
from tests.making.transaction_strategies import records


@given(records(1, 30, "abcd"), st.integers(1, 6), st.integers(0, 5))
def test_every_number_is_what_counting_by_hand_says(rows, k, top):
    seen = describe(Transactions.from_records(rows), k=k, top=top)
    supports = Counter(item for row in rows for item in row)
    lengths = [len(row) for row in rows]
    assert (seen.records, seen.items, seen.occurrences) == (len(rows), len(supports), sum(lengths))
    assert (seen.shortest, seen.longest) == (min(lengths), max(lengths))
    assert seen.mean_length == pytest.approx(mean(lengths))
    assert seen.median_length == median(lengths)
    assert seen.unique_records == sum(count == 1 for count in Counter(rows).values())
    assert seen.rare_items == sum(count < k for count in supports.values())
    assert list(seen.top_items) == sorted(supports.items(), key=lambda pair: (-pair[1], pair[0]))[:top]
    assert all(type(value) in (int, float, tuple) for value in vars(seen).values())


def test_what_was_merged_and_dropped_on_reading_is_told():
    seen = describe(Transactions.from_records([["a", "a", "b"], [], ["b"]]))
    assert (seen.merged, seen.dropped) == (1, 1)


def test_nothing_can_be_described_too():
    assert describe(Transactions.from_records([])).records == 0


def test_numbers_out_of_range_are_refused():
    with pytest.raises(InputError, match="k is 0"):
        describe(Transactions.from_records([["a"]]), k=0)
