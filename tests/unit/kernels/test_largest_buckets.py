"""Anatomy's groups: every one takes a row of each of the l largest buckets, ties at random."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.largest_buckets import draw_groups


def drawn(counts, l, seed):  # noqa: E741
    chance = np.random.default_rng(seed)
    buckets = np.argsort(-np.array(counts), kind="stable")
    left = np.array(counts, np.int64)[buckets]
    picks = draw_groups(buckets, left, l, chance.integers(0, 2**62, sum(counts)))
    return picks.reshape(-1, l).tolist(), dict(zip(buckets.tolist(), left.tolist(), strict=True))


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.integers(2, 4), st.integers(0, 99))
def test_every_group_takes_from_the_largest_buckets_and_nothing_is_lost(counts, l, seed):  # noqa: E741
    counts += [0] * (l - len(counts))
    groups, rest = drawn(counts, l, seed)
    left = list(counts)
    for group in groups:
        assert len(set(group)) == l
        smallest_taken = min(left[bucket] for bucket in group)
        assert smallest_taken > 0
        assert all(left[bucket] <= smallest_taken for bucket in range(len(left)) if bucket not in group)
        for bucket in group:
            left[bucket] -= 1
    assert rest == dict(enumerate(left))
    assert sum(count > 0 for count in left) < l


def test_ties_are_drawn_at_random():
    first = [tuple(sorted(drawn([3, 3, 3, 3], 2, seed)[0][0])) for seed in range(300)]
    assert len(set(first)) == 6
    assert min(first.count(pair) for pair in set(first)) > 20
