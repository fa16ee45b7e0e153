"""Without certain links: what is promised then, from the release, from its possible originals, and of the records."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Infeasible, Transactions, disassociate, quest, read_release
from shoal.audit.disassociated import audit
from tests.builders import nodes_of
from tests.oracles import disassociation as oracle
from tests.stages import publish_given
from tests.strategies import records

numbers = st.tuples(st.integers(2, 3), st.integers(1, 3))
baskets = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=10, max_size=40)


def certain_links(node):
    """By the possible originals: (leaf number, item) such that every record of the leaf holds the item in all."""
    leaves = oracle.leaves(node)
    starts = [sum(leaf[0] for leaf in leaves[:at]) for at in range(len(leaves))]
    certain = None
    for world in worlds_without_terms(node):
        found = {
            (at, item)
            for at, (leaf, start) in enumerate(zip(leaves, starts, strict=True))
            for item in frozenset.intersection(*world[start : start + leaf[0]])
        }
        certain = found if certain is None else certain & found
    return {(at, item) for at, item in certain or () if leaves[at][2]}


def worlds_without_terms(node):
    """Term items need not be anywhere in particular; a marker keeps records that hold nothing else from being empty."""

    def marked(part):
        if len(part) == 3:
            return part[0], part[1], {"?"} if part[2] else set()
        return [marked(child) for child in part[0]], part[1]

    for world in oracle.worlds(marked(node)):
        yield [record - {"?"} for record in world]


def covered_items(node):
    """Items of a chunk with several that occur only with all the others."""
    chunks = list(node[1])
    found = set()
    for chunk in chunks:
        domain = frozenset().union(*chunk)
        if len(domain) > 1:
            found |= {item for item in domain if all(row == domain for row in chunk if item in row)}
    below = [] if len(node) == 3 else node[0]
    return found.union(*(covered_items(child) for child in below))


# One cluster, or two small ones that may be joined: possible originals are enumerated.
few = st.one_of(
    records(4, 6, "abcde").map(lambda part: [part]), st.lists(records(3, 3, "abcd"), min_size=2, max_size=2)
)


@given(few, numbers)
def test_no_link_is_certain_by_the_possible_originals(parts, km):
    k, m = 2 if len(parts) > 1 else km[0], km[1]
    release = publish_given(parts, k, m, cover_safe=True)
    verdict = audit(release)
    assert verdict.holds, str(verdict)
    for node in nodes_of(release):
        assert not certain_links(node)
        assert not covered_items(node)


def test_the_same_clusters_have_certain_links_without_the_option():
    parts = [[frozenset("ab"), frozenset("ab"), frozenset("ab"), frozenset("ac")]]
    (plain,) = nodes_of(publish_given(parts, 3, 2))
    assert certain_links(plain) == {(0, "a")}
    assert covered_items(plain) == {"b"}
    release = publish_given(parts, 3, 2, cover_safe=True)
    assert release.dropped.linking_instances == 1
    assert release.dropped.linking_pairs == 3
    (safe,) = nodes_of(release)
    assert (certain_links(safe), covered_items(safe)) == (set(), set())


@given(few, numbers)
def test_every_set_of_an_original_record_still_has_k_candidates(parts, km):
    k, m = 2 if len(parts) > 1 else km[0], km[1]
    nodes = nodes_of(publish_given(parts, k, m, cover_safe=True))
    possible = [oracle.largest_supports(node, m) for node in nodes]
    for record in (record for part in parts for record in part):
        for size in range(1, min(m, len(record)) + 1):
            for known in map(frozenset, combinations(sorted(record), size)):
                assert sum(supports[known] for supports in possible) >= k
    assert all(oracle.keeps_promise([node], k, m) for node in nodes)


@given(baskets, numbers, st.integers(0, 20))
def test_what_is_made_of_any_baskets_verifies_against_them(rows, km, rounds):
    k, m = km
    data = Transactions.from_records(rows)
    release = disassociate(data, k, m, cover_safe=True, refine_rounds=rounds)
    verdict = audit(release, original=data)
    assert verdict.holds, str(verdict)
    assert verdict["links to term chunks"].holds
    supports = sum(data.supports.tolist())
    hidden = sum(int(data.supports[data.codes_of([release.words[i]])[0]]) for i in set(release.term_items.tolist()))
    assert supports - len(release.items) <= hidden + release.dropped.linking_instances


@given(baskets, st.integers(2, 3), st.integers(1, 3))
def test_sensitive_items_stay_forced_on_nobody(rows, l, m):  # noqa: E741
    data = Transactions.from_records([*(row | {"z"} for row in rows), *({"z", "y"} for _ in range(10))])
    named = [word for word in data.words if word in "ab"]
    release = disassociate(data, 2, m, cover_safe=True, sensitive=named, l=l if named else None)
    verdict = audit(release, original=data)
    assert verdict.holds, str(verdict)


# Found by trying many: in each, an item that all records of a cluster hold must join a term chunk of sensitive items,
# below a joint cluster that shares it.
@pytest.mark.parametrize(
    ("records", "items", "seed", "k", "m", "options"),
    [
        (400, 30, 1, 3, 2, {"vertical": "dls", "sensitive": ["bananas"], "l": 3}),
        (200, 30, 369, 5, 1, {"vertical": "greedy", "sensitive": ["olive-oil"], "l": 4, "drop_rare": True}),
    ],
)
def test_what_must_join_a_term_chunk_is_not_shared_above_it(records, items, seed, k, m, options):
    data = quest(records, n_items=items, seed=seed)
    release = disassociate(data, k, m, cover_safe=True, **options)
    verdict = audit(release, original=data)
    assert verdict.holds, str(verdict)
    assert release.counts["joint_clusters"]


def test_the_order_of_the_input_does_not_matter_and_the_folder_says_what_it_cost(tmp_path):
    rows = [{"a", "b", f"x{i % 7}"} for i in range(40)]
    one = disassociate(Transactions.from_records(rows), 3, 2, cover_safe=True)
    two = disassociate(Transactions.from_records(rows[::-1]), 3, 2, cover_safe=True)
    assert nodes_of(one) == nodes_of(two)
    one.write(tmp_path / "release")
    back = read_release(tmp_path / "release")
    assert back.links is not None
    assert back.dropped == one.dropped
    assert back.dropped.linking_instances > 0
    assert "struck out" in back.links.not_promised[1]


def test_k_records_are_too_few():
    with pytest.raises(Infeasible, match="3 records cannot hide one among 4"):
        disassociate(Transactions.from_records([{"a"}] * 3), 3, 2, cover_safe=True)
