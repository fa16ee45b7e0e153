"""All small clusters and all small pairs of clusters, through our publisher and the exact adversary: no violation.

Thousands of clusters are published in one run. Each group of clusters has items of its own, so that what comes out of a
group is what would come out of it alone.
"""

from itertools import combinations_with_replacement, product

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from shoal import Transactions, disassociate
from shoal.audit.attack.disassociated.possible_originals.enumerated import Enumerator
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.audit.disassociated import audit
from shoal.engine.threads import Threads
from shoal.promises import NoCertainLinks
from shoal.publish.disassociation import refine
from shoal.run import Run
from tests.making.all_small_clusters import publish_groups, small_clusters
from tests.making.disassociated_releases import nodes_of
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records
from tests.oracles import disassociation as oracle
from tests.oracles import refinement

NUMBERS = list(product((2, 3), (1, 2, 3)))


def smallest_supports(release, most_known):
    """For every tree, what the set that fares worst reaches in the possible originals; every tree is enumerated."""
    trees = Trees.of(release)
    enumerator = Enumerator(most_known, budget=10_000_000)
    found = [enumerator.exact(trees.one(number)) for number in range(trees.n_trees)]
    assert all(exact is not None and exact.worlds >= 1 for exact in found)
    return [exact.smallest for exact in found]


@pytest.mark.parametrize(("k", "m"), NUMBERS)
@pytest.mark.parametrize("links", [None, NoCertainLinks()], ids=["", "cover-safe"])
def test_all_clusters_of_up_to_four_items_and_five_records(k, m, links):
    clusters = small_clusters(4, k + (links is not None), 5)
    assert len(clusters) > 15_000 - 3_000 * k
    release = publish_groups([[cluster] for cluster in clusters], 4, k, m, links=links)
    assert audit(release).holds
    assert min(smallest_supports(release, m)) >= k


@pytest.mark.parametrize(("k", "m"), NUMBERS)
def test_all_pairs_of_clusters_of_up_to_three_items_and_four_records(k, m, monkeypatch):
    monkeypatch.setattr(refine, "SHORTEST_RUN", 10**9)  # no pair is parted at the end of a run
    clusters = small_clusters(3, k, 4)
    pairs = list(combinations_with_replacement(clusters, 2))
    assert len(pairs) > 43_000
    release = publish_groups(pairs, 3, k, m)
    assert (~release.is_leaf).sum() > 1_000
    assert audit(release).holds
    assert min(smallest_supports(release, m)) >= k


def test_the_printed_rule_fails_on_many_of_them():
    """Of the pairs over two items that REFINE as printed joins, with k = 2 and m = 2, it breaks every third."""
    broken = joined = 0
    for pair in combinations_with_replacement(small_clusters(2, 2, 4), 2):
        leaves = []
        for bag in pair:
            records = [frozenset(row) for row in bag]
            _, chunks, terms = oracle.repaired(records, oracle.verpart_literal(records, 2, 2), 2, 2)
            leaves.append(refinement.Leaf(records, chunks, set(terms)))
        roots = refinement.refine(leaves, 2, 2, 10, printed=True)
        if len(roots) == 1:
            joined += 1
            broken += not oracle.guarantee1(roots[0].node, 2, 2)
    assert (joined, broken) == (63, 22)


@pytest.mark.parametrize(("k", "m"), NUMBERS)
def test_all_small_data_sets_by_the_whole_publisher(k, m):
    """Clustering included, up to the names of items: data sets of up to five records over three items."""
    enumerator = Enumerator(m, budget=10_000_000)
    seen = 0
    for bag in small_clusters(3, k, 5):
        if tuple(sorted(bag)) != min(renamed(bag)):
            continue
        seen += 1
        data = Transactions.from_records([{"abc"[item] for item in row} for row in bag])
        release = disassociate(data, k, m, run=Run(engine=Threads(1)))
        trees = Trees.of(release)
        for number in range(trees.n_trees):
            assert enumerator.exact(trees.one(number)).smallest >= k, nodes_of(release)
    assert seen > 150


@settings(max_examples=150)
@given(st.lists(records(3, 3, "abcdef"), min_size=3, max_size=5), st.sampled_from(NUMBERS))
def test_nested_joints_withstand_the_exact_adversary(parts, km):
    """Three clusters and more, joined again and again; the few that are too much to enumerate are left to the bound."""
    k, m = km
    release = publish_given(parts, k, m, rounds=99)
    assert audit(release).holds
    trees = Trees.of(release)
    event(f"{max(len(trees.one(number).sizes) for number in range(trees.n_trees))} clusters in a tree")
    for number in range(trees.n_trees):
        exact = Enumerator(m, budget=100_000).exact(trees.one(number))
        assert exact is None or exact.smallest >= k, nodes_of(release)


def renamed(bag):
    """The same bag under every renaming of three items."""
    for names in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        yield tuple(sorted(tuple(sorted(names[item] for item in row)) for row in bag))
