"""Rows of several arrays laid in order, against Python's own order of tuples."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.laid_rows import lay_in_order
from tests.making.disassociated_releases import flat

ragged = st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=60)

wide = st.lists(st.lists(st.sampled_from([0, 1, 2**31 - 2]), max_size=5), max_size=20)


@given(st.lists(st.one_of(ragged, wide), min_size=1, max_size=4))
def test_rows_of_several_arrays_are_laid_in_order(parts):
    rows = [tuple(row) for part in parts for row in part]
    starts, values, order = lay_in_order([flat(part) for part in parts])
    laid = [tuple(values[a:b].tolist()) for a, b in pairwise(starts.tolist())]
    assert laid == sorted(rows)
    assert order.tolist() == sorted(range(len(rows)), key=rows.__getitem__)


def test_rows_of_equal_beginnings_change_places_though_their_lengths_differ():
    rows = [[7, 2**31 - 2, *[1] * length] for length in (4, 2, 3, 1, 0)]
    starts, values, order = lay_in_order([flat(rows[:3]), flat([[8], *rows[3:]])])
    assert [values[a:b].tolist() for a, b in pairwise(starts.tolist())] == [*sorted(rows), [8]]
    assert order.tolist() == [5, 4, 1, 2, 0, 3]
