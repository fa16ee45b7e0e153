"""Distinct numbers at random, against a list that is shuffled and thrown away."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from shoal.kernels.distinct import draw_distinct
from shoal.randomness import generator
from tests.making.disassociated_releases import offsets


def naive(width: int, chance: list[float]) -> list[int]:
    left, drawn = list(range(width)), []
    for i, number in enumerate(chance):
        j = i + int(number * (width - i))
        left[i], left[j] = left[j], left[i]
        drawn.append(left[i])
    return drawn


draws = st.integers(1, 9).flatmap(lambda width: st.tuples(st.just(width), st.integers(0, width)))


@given(st.lists(draws, max_size=6), st.integers(0, 1000))
def test_each_draw_is_a_shuffle_cut_short(wanted: list[tuple[int, int]], seed: int) -> None:
    ends = offsets(count for _, count in wanted)
    chance = generator(seed).random(int(ends[-1]))
    numbers, out = np.arange(9), np.empty(int(ends[-1]), np.int64)
    draw_distinct(np.array([width for width, _ in wanted], np.int64), ends, chance, numbers, out)
    assert numbers.tolist() == list(range(9))
    for number, (width, _) in enumerate(wanted):
        mine = slice(ends[number], ends[number + 1])
        assert out[mine].tolist() == naive(width, chance[mine].tolist())


def test_all_ordered_choices_are_equally_likely() -> None:
    n = 6000
    out = np.empty(3 * n, np.int64)
    draw_distinct(np.full(n, 4), np.arange(0, 3 * n + 1, 3), generator(1).random(3 * n), np.arange(4), out)
    seen = Counter(map(tuple, out.reshape(n, 3).tolist()))
    assert set(seen) == set(permutations(range(4), 3))
    assert chisquare(list(seen.values())).pvalue > 1e-3


def test_the_largest_chance_stays_in_range() -> None:
    out = np.empty(5, np.int64)
    draw_distinct(np.array([5]), np.array([0, 5]), np.full(5, 1 - 2**-53), np.arange(5), out)
    assert sorted(out.tolist()) == list(range(5))
