"""The canonical order of rows, against Python's own order of tuples."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.rows import lay_rows, row_precedes, sort_rows, sorted_rows, take_rows
from tests.making.disassociated_releases import flat, offsets

ragged = st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=60)


@given(ragged)
def test_rows_are_sorted_like_tuples_and_equal_ones_keep_their_order(rows):
    order = sorted_rows(*flat(rows)).tolist()
    assert order == sorted(range(len(rows)), key=lambda i: tuple(rows[i]))


@given(ragged.filter(lambda rows: len(rows) >= 2))
def test_a_row_precedes_another_as_tuples_do(rows):
    start, values = flat(rows)
    assert bool(row_precedes(start, values, 0, 1)) == (tuple(rows[0]) < tuple(rows[1]))


@given(ragged, st.data())
def test_only_the_given_range_is_sorted(rows, data):
    low = data.draw(st.integers(0, len(rows)))
    high = data.draw(st.integers(low, len(rows)))
    numbers = np.arange(len(rows))
    sort_rows(*flat(rows), numbers, low, high, np.empty(len(rows), np.int64))
    inner = sorted(range(low, high), key=lambda i: tuple(rows[i]))
    assert numbers.tolist() == [*range(low), *inner, *range(high, len(rows))]


@given(ragged.filter(bool), st.data())
def test_rows_are_taken_in_the_given_order(rows, data):
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    start, values = take_rows(*flat(rows), np.array(wanted, np.int64))
    assert [values[a:b].tolist() for a, b in pairwise(start)] == [rows[i] for i in wanted]


@given(ragged, ragged)
def test_rows_laid_one_after_the_other_are_concatenated(left, right):
    n = min(len(left), len(right))
    left, right = left[:n], right[:n]
    start = offsets(len(a) + len(b) for a, b in zip(left, right, strict=True))
    out = np.empty(start[-1], np.int32)
    at = start[:-1].copy()
    lay_rows(out, at, *flat(left))
    lay_rows(out, at, *flat(right))
    assert at.tolist() == start[1:].tolist()
    assert out.tolist() == [value for a, b in zip(left, right, strict=True) for value in a + b]
