"""Without certain links: what is promised then, from the release, from its possible originals, and of the records."""

import json
from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Transactions, disassociate, read_release
from shoal.audit.disassociated import audit
from shoal.errors import Infeasible
from shoal.promises import NoCertainLinks
from shoal.publish.disassociation import refine
from tests.making.all_small_clusters import publish_groups, small_clusters
from tests.making.disassociated_releases import nodes_of
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records
from tests.oracles import disassociation as oracle
from tests.oracles.certain_links import certain_links
from tests.oracles.fewest_pairs import fewest_pairs_lost, pairs_in
from tests.running.commands import shoal

numbers = st.tuples(st.integers(2, 3), st.integers(1, 3))
baskets = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=10, max_size=40)


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


@pytest.mark.parametrize(
    ("records", "links"),
    [
        (["ab", "ab", "b"], {(0, "a", "b")}),
        (["bc", "bc", "e", "cd", "e"], {(0, "b", "c")}),
    ],
)
def test_links_that_are_neither_to_term_chunks_nor_to_whole_domains(records, links):
    """Three {b} and two {a} say that a implies b; {bc}{bc}{c}{e}{e}, that b implies c."""
    (plain,) = nodes_of(publish_given([[frozenset(row) for row in records]], 2, 2))
    assert links <= certain_links(plain)
    (safe,) = nodes_of(publish_given([[frozenset(row) for row in records]], 2, 2, cover_safe=True))
    assert not certain_links(safe)


def test_the_same_clusters_have_certain_links_without_the_option():
    parts = [[frozenset("ab"), frozenset("ab"), frozenset("ab"), frozenset("ac")]]
    (plain,) = nodes_of(publish_given(parts, 3, 2))
    assert certain_links(plain) == {(0, "b", "a"), (0, "c", "a")}
    release = publish_given(parts, 3, 2, cover_safe=True)
    (safe,) = nodes_of(release)
    assert not certain_links(safe)
    # One a out of four records; its pairs with b go, since three are needed of each.
    assert (release.dropped.linking_instances, release.dropped.linking_pairs) == (1, 3)


@pytest.mark.parametrize(("k", "m"), [(2, 1), (2, 2), (2, 3), (3, 2)])
def test_no_link_is_certain_in_any_small_cluster(k, m):
    release = publish_groups([[bag] for bag in small_clusters(3, k + 1, 5)], 3, k, m, links=NoCertainLinks())
    assert audit(release).holds
    assert not [node for node in nodes_of(release) if certain_links(node)]
    plain = publish_groups([[bag] for bag in small_clusters(3, k + 1, 4)], 3, k, m)
    assert sum(bool(certain_links(node)) for node in nodes_of(plain)) > 10


@pytest.mark.parametrize("m", [1, 2])
def test_no_link_is_certain_in_any_small_joint(m, monkeypatch):
    monkeypatch.setattr(refine, "SHORTEST_RUN", 10**9)  # no pair is parted at the end of a run
    pairs = list(combinations_with_replacement(small_clusters(3, 3, 3), 2))
    release = publish_groups(pairs, 3, 2, m, links=NoCertainLinks())
    assert (~release.is_leaf).sum() > 100
    assert audit(release).holds
    assert not [node for node in nodes_of(release) if certain_links(node)]


@pytest.mark.parametrize("m", [1, 2])
def test_undoing_links_costs_small_clusters_the_fewest_pairs(m):
    """Of all ways to strike out, to set apart, and to move to the term chunk."""
    bags = small_clusters(3, 3, 4)[::4]
    plain, safe = (
        by_group(publish_groups([[bag] for bag in bags], 3, 2, m, links=links)) for links in (None, NoCertainLinks())
    )
    lost = {group: pairs_in(node[1]) - pairs_in(safe[group][1]) for group, node in plain.items()}
    assert sum(pairs > 0 for pairs in lost.values()) > 25
    for group, pairs in lost.items():
        if pairs:
            assert pairs == fewest_pairs_lost(plain[group], 2, m), plain[group]


def test_an_item_in_all_records_keeps_its_support_where_it_can():
    """No pair of a can spare one; a chunk of its own tells how often a occurs, and the term chunk would not."""
    (node,) = nodes_of(publish_given([[frozenset(row) for row in ("ab", "abt", "ac", "ac")]], 2, 2, cover_safe=True))
    assert [frozenset("a")] * 3 in node[1]
    assert node[2] == frozenset("t")


def by_group(release):
    """The clusters of ``publish_groups``, of one cluster each, by the names of their groups."""
    groups = {}
    for size, chunks, terms in nodes_of(release):
        rows = [[frozenset(item[-1] for item in row) for row in part] for part in chunks]
        name = next(item for row in [*(row for part in chunks for row in part), terms] for item in row)
        groups[name[:-1]] = size, rows, frozenset(item[-1] for item in terms)
    return groups


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
    assert verdict["links to common items"].holds
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


def test_a_cluster_with_an_item_in_all_records_keeps_a_term_item_that_is_not_sensitive(monkeypatch):
    """The first two clusters share t, and could share u. If both went, v could not be struck out: it had to join z.

    Only clusters that had nothing to share move an item to the term chunk, so that no joint cluster shares it.
    """
    monkeypatch.setattr(refine, "SHORTEST_RUN", 10**9)
    parts = [["vtuz", "v", "v"], ["btu", "bv", "b"], ["cv", "cq", "c"]]
    release = publish_given([[frozenset(row) for row in part] for part in parts], 2, 1, cover_safe=True, sensitive="z")
    assert audit(release).holds
    (joint,) = [node for node in nodes_of(release) if len(node) == 2]
    assert (3, [[frozenset("v")] * 2], frozenset("uz")) in joint[0]


def test_sensitive_term_items_fill_no_record():
    """Lemma 2 needs three subrecords of v: struck out of one it would leave a record to the sensitive item alone."""
    release = publish_given([[frozenset(row) for row in ("vz", "v", "v")]], 2, 1, cover_safe=True, sensitive="z")
    assert audit(release).holds
    assert nodes_of(release) == [(3, [], frozenset("vz"))]


def test_a_shared_chunk_of_copies_of_one_subrecord_stays_one():
    """Property 1: a is also in the record chunk of the first cluster, so that copies must not become unlike."""
    parts = [
        ["a", "a", "a", "a", "w", "z"],
        ["ax", "ax", "ax", "ax", "x", "wz"],
        ["e", "e", "e", "e", "axz", "w", "axz"],
        ["e", "e", "e", "axz", "ax", "wz"],
    ]
    given_parts = [[frozenset(row) for row in part] for part in parts]
    plain, safe = (publish_given(given_parts, 3, 1, cover_safe=links) for links in (False, True))
    assert [frozenset("ax")] * 4 in [chunk for node in nodes_of(plain) if len(node) == 2 for chunk in node[1]]
    assert audit(safe).holds
    chunks = [chunk for node in nodes_of(safe) if len(node) == 2 for chunk in node[1]]
    assert {len(set(chunk)) for chunk in chunks} == {1}
    assert {frozenset("a"), frozenset("x")} <= {chunk[0] for chunk in chunks}


def test_the_manifest_promises_it_of_every_item_and_the_command_says_what_it_cost(capfd, tmp_path):
    file = tmp_path / "baskets.dat"
    file.write_text("a b\na b\na b\na c\n")
    folder = tmp_path / "release"
    code, said, _ = shoal(capfd, "publish", "disassociate", file, "-k", 3, "-m", 2, "--cover-safe", "-o", folder)
    assert code == 0
    assert "to remove certain links, suppressed 1 occurrence of items and separated 3 pairs" in " ".join(said.split())
    manifest = json.loads((folder / "manifest.json").read_text())
    (promise,) = [one for one in manifest["promises"] if one["kind"] == "NoCertainLinks"]
    assert promise["words"] == (
        "No item implies another: for any two items that records of a cluster may hold, there is a possible original, "
        "consistent with this release, in which a record of that cluster holds the first without the second."
    )
    assert (manifest["left_out"]["linking_instances"], manifest["left_out"]["linking_pairs"]) == (1, 3)


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
    assert "struck out" in back.links.not_promised[-1]


def test_k_records_are_too_few():
    with pytest.raises(Infeasible, match="3 records cannot hide one among 4"):
        disassociate(Transactions.from_records([{"a"}] * 3), 3, 2, cover_safe=True)
