"""What is suppressed, against the definitions: the naive twin, and 'never or at least k times' by brute force."""

from itertools import combinations_with_replacement

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.kernels import local_suppression as kernels
from tests.making.disassociated_releases import offsets
from tests.making.transaction_strategies import records
from tests.oracles import disassociation, local_suppression


def suppressed(clusters, k, m, sensitive=()):
    """For each cluster: its records without what the kernel strikes out, and the items that it sets aside."""
    data = Transactions.from_records([record for cluster in clusters for record in cluster])
    bounds = offsets(map(len, clusters))
    fates = np.zeros(len(data.items), np.uint8)
    flags = np.array([word in sensitive for word in data.words], np.uint8)
    cut = kernels.suppress_clusters(
        data.offsets, data.items, np.arange(len(data)), bounds, data.n_items, flags, k, m, fates
    )
    found = []
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        fate = [
            [(data.words[data.items[j]], fates[j]) for j in range(*data.offsets[i : i + 2])] for i in range(start, end)
        ]
        left = [frozenset(item for item, what in row if what != kernels.STRUCK) for row in fate]
        aside = {item for row in fate for item, what in row if what == kernels.ASIDE}
        found.append((left, aside))
    return found, cut


def assert_never_or_k_times(cluster, left, aside, k, m):
    counts = {item: sum(item in record for record in cluster) for item in frozenset().union(*cluster)}
    first = frozenset(item for item, count in counts.items() if count >= k) - aside
    assert disassociation.is_km_anonymous([record & first for record in left], k, m)
    # Only items of the first chunk lose occurrences, none falls below k, and no record is emptied.
    assert all(before - after <= first for before, after in zip(cluster, left, strict=True))
    assert all(after and after <= before for before, after in zip(cluster, left, strict=True))
    assert all(sum(item in record for record in left) >= k for item in first)


@given(st.lists(records(1, 8, "abcdef"), min_size=1, max_size=2), st.integers(2, 3), st.integers(1, 4))
def test_what_is_suppressed_is_what_the_naive_twin_suppresses(clusters, k, m):
    found, cut = suppressed(clusters, k, m)
    assert cut == 0
    for cluster, (left, aside) in zip(clusters, found, strict=True):
        naive, _, naive_aside = local_suppression.eliminate(cluster, k, m)
        assert (left, aside) == (naive, set(naive_aside))
        assert_never_or_k_times(cluster, left, aside, k, m)


@pytest.mark.parametrize(("k", "m"), [(2, 2), (2, 3), (3, 2)])
def test_every_cluster_of_five_records_over_four_items(k, m):
    every = [frozenset(c) for c in ("a", "b", "ab", "ac", "abc", "bd", "acd", "abcd")]
    clusters = [list(rows) for rows in combinations_with_replacement(every, 5)]
    found, _ = suppressed(clusters, k, m)
    for cluster, (left, aside) in zip(clusters, found, strict=True):
        assert_never_or_k_times(cluster, left, aside, k, m)
    assert k > 2 or any(left != cluster for cluster, (left, _) in zip(clusters, found, strict=True))


@given(
    st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1), min_size=64, max_size=140),
    st.sampled_from([3, 9, 20]),
)
def test_clusters_of_more_records_than_a_word_has_bits(cluster, k):
    ((left, aside),), _ = suppressed([cluster], k, 2)
    assert_never_or_k_times(cluster, left, aside, k, 2)


@given(records(3, 9, "abcdef"), st.randoms())
def test_the_order_of_records_does_not_matter(cluster, random):
    shuffled = random.sample(cluster, len(cluster))
    ((one, aside),), _ = suppressed([cluster], 2, 3)
    ((two, other_aside),), _ = suppressed([shuffled], 2, 3)
    assert aside == other_aside
    assert sorted(map(sorted, one)) == sorted(map(sorted, two))


@given(records(3, 9, "abcdef"))
def test_sensitive_items_are_neither_struck_out_nor_set_aside(cluster):
    ((left, aside),), _ = suppressed([cluster], 2, 2, "ab")
    assert not aside & {"a", "b"}
    assert all(before & {"a", "b"} == after & {"a", "b"} for before, after in zip(cluster, left, strict=True))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the JIT is off: this takes hundreds of steps over many sets")
def test_more_problems_than_are_held_set_items_aside_and_are_reported():
    """Every two of 40 items occur together once or never: 780 problematic pairs, and 512 are held."""
    cluster = [frozenset({f"{i:02}"}) for i in range(40)] + [frozenset(f"{i:02}" for i in range(40))]
    ((left, aside),), cut = suppressed([cluster], 2, 2)
    assert cut == 1
    assert_never_or_k_times(cluster, left, aside, 2, 2)
