"""Flips, flipped rows and random subsets, against their definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.flips import SHORT_BITS, draw_flips, draw_subsets, flip_rows
from shoal.publish.randomization.flips import _guide, _thresholds
from tests.making.disassociated_releases import offsets
from tests.oracles import drawn_rows as oracle

REST = 63 - SHORT_BITS
keeps = st.sampled_from([0.51, 0.6, 0.75, 0.9, 0.95, 0.999])


@st.composite
def drawn(draw: st.DrawFn) -> tuple[float, list[int]]:
    """A probability, and numbers of 63 bits, many of them right at a threshold."""
    keep = draw(keeps)
    bounds = _thresholds(keep).tolist()
    near = st.sampled_from(bounds).flatmap(lambda bound: st.integers(max(0, bound - 2), min(bound + 2, 2**63 - 1)))
    return keep, draw(st.lists(st.one_of(st.integers(0, 2**63 - 1), near), min_size=1, max_size=60))


@given(drawn())
def test_each_number_says_how_many_cells_stay(drawn: tuple[float, list[int]]) -> None:
    keep, numbers = drawn
    bounds = _thresholds(keep)
    n_cells = sum(min(sum(bound <= number for bound in bounds.tolist()) + 1, len(bounds)) for number in numbers)
    flips, state = np.empty(len(numbers), np.int64), np.zeros(2, np.int64)
    short = np.array([number >> REST for number in numbers], np.int32)
    # Further bits are used in the order in which numbers begin as a threshold does.
    begins = set((bounds >> REST).tolist())
    more = np.array([number for number in numbers if number >> REST in begins] + [0], np.int64)
    end = draw_flips(short, more, bounds, _guide(bounds), state, 0, n_cells, flips)
    assert flips[: state[0]].tolist() == oracle.flipped_cells([*numbers, 2**62], bounds.tolist(), n_cells)
    assert end == n_cells


def test_numbers_that_do_not_suffice_leave_off_where_more_go_on() -> None:
    bounds = _thresholds(0.9)
    rng = np.random.default_rng(1)
    short = rng.integers(0, 2**31, 4_000).astype(np.int32)
    more = rng.integers(0, 2**63, 50)
    whole, at_once = np.empty(4_000, np.int64), np.zeros(2, np.int64)
    draw_flips(short, more, bounds, _guide(bounds), at_once, 0, 30_000, whole)
    split, state = np.empty(4_000, np.int64), np.zeros(2, np.int64)
    cell = draw_flips(short[:1_000], more, bounds, _guide(bounds), state, 0, 30_000, split)
    assert 8_000 < cell < 12_000
    assert draw_flips(short[1_000:], more, bounds, _guide(bounds), state, cell, 30_000, split) == 30_000
    assert split[: state[0]].tolist() == whole[: at_once[0]].tolist()


def test_numbers_whose_further_bits_are_used_up_wait() -> None:
    bounds = _thresholds(0.9)
    short = np.full(5, bounds[3] >> REST, np.int32)
    state = np.zeros(2, np.int64)
    cell = draw_flips(
        short, np.full(2, bounds[3], np.int64), bounds, _guide(bounds), state, 0, 1_000, np.empty(5, np.int64)
    )
    assert (cell, state.tolist()) == (2 * 5, [2, 2])


def test_further_bits_decide_at_a_threshold_whose_first_bits_end_in_zeros() -> None:
    bounds = np.array([2**61 + 5], np.int64)
    for low, flips in ((4, [0]), (5, [])):
        state = np.zeros(2, np.int64)
        short, more = np.array([2 ** (61 - REST)], np.int32), np.array([low, 0], np.int64)
        found = np.empty(1, np.int64)
        draw_flips(short, more, bounds, _guide(bounds), state, 0, 1, found)
        assert found[: state[0]].tolist() == flips


@pytest.mark.parametrize("keep", [0.51, 0.6, 0.75, 0.9, 0.95, 0.999])
def test_thresholds_are_exact(keep: float) -> None:
    bounds = _thresholds(keep)[:300].tolist()
    exact = oracle.thresholds(keep, len(bounds))
    assert all(0 <= chance * 2**63 - bound < 1.001 for bound, chance in zip(bounds, exact, strict=True))
    # Whatever came before, the next cell is flipped with the stated probability.
    left = [2**63, *(2**63 - bound for bound in bounds)]
    flip = 1 - keep
    assert all(abs((before - after) / before / flip - 1) < 2**-40 for before, after in pairwise(left))


@given(st.lists(st.frozensets(st.integers(0, 6)), max_size=8), st.data())
def test_a_flipped_item_goes_where_it_was_and_comes_where_it_was_not(
    rows: list[frozenset[int]], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    flips = sorted(data.draw(st.sets(st.integers(0, 7 * max(1, last - first) - 1)))) if last > first else []
    items = np.array([item for row in rows for item in sorted(row)], np.int32)
    ends, turned = flip_rows(offsets(map(len, rows)), items, first, last, 7, np.array(flips, np.int64), len(flips))
    found = [turned[a:b].tolist() for a, b in pairwise(ends.tolist())]
    assert found == [sorted(row) for row in oracle.flipped_rows([set(row) for row in rows[first:last]], 7, flips)]


@given(
    st.lists(st.integers(0, 12).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), max_size=8), st.data()
)
def test_subsets_are_those_of_floyd_in_order(wanted: list[tuple[int, int]], data: st.DataObject) -> None:
    numbers = [data.draw(st.lists(st.integers(0, 2**63 - 1), min_size=size, max_size=size)) for size, _ in wanted]
    sizes, of = (np.array([pair[side] for pair in wanted], np.int64) for side in (0, 1))
    drawn = draw_subsets(sizes, of, np.array([number for part in numbers for number in part], np.int64)).tolist()
    expected = [sorted(oracle.subset(size, of, part)) for (size, of), part in zip(wanted, numbers, strict=True)]
    assert drawn == [member for row in expected for member in row]
