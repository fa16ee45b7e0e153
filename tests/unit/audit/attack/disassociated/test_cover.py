"""The cover problem in both forms: planted, and against every possible original of small releases."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, combinations, islice
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from shoal.audit.attack.disassociated.cover import attack_cover, certain_links
from shoal.audit.attack.disassociated.people import leaves_of_items
from shoal.audit.disassociated import audit
from shoal.promises import NoCertainLinks
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.making.linked_clusters import joints
from tests.making.transaction_strategies import Published, publications
from tests.oracles import disassociation as oracle
from tests.oracles.certain_links import certain_links as oracle_links


def covering(release: Disassociated) -> set[tuple[int, str]]:
    links = certain_links(release)
    assert (np.diff(links.leaf) >= 0).all()
    return {
        (leaf, release.words[item]) for leaf, item in zip(links.leaf.tolist(), links.covering.tolist(), strict=True)
    }


def implied(release: Disassociated) -> set[tuple[int, str, int]]:
    """The chunk, an item, and how many others of the chunk it gives away."""
    links = certain_links(release)
    assert (np.diff(links.chunk) >= 0).all()
    found = zip(links.chunk.tolist(), links.item.tolist(), links.implied.tolist(), strict=True)
    return {(chunk, release.words[item], others) for chunk, item, others in found}


def held_by_all(node: Any) -> tuple[list[set[str]], bool]:
    """For each leaf, the items that all its records hold in some possible originals, its term items aside.

    And whether these were all of them.
    """
    leaves = oracle.leaves(node)
    ends = list(accumulate(leaf[0] for leaf in leaves))
    worlds = list(islice(oracle.worlds(node), 400))
    certain = [
        set(frozenset.intersection(*(row for world in worlds for row in world[end - leaf[0] : end]))) - set(leaf[2])
        for leaf, end in zip(leaves, ends, strict=True)
    ]
    return certain, len(worlds) < 400


def test_an_item_that_all_records_hold_is_implied_by_the_others() -> None:
    release = disassociated([(3, [["ab", "ab", "a"]], "xy"), (3, [["a", "a"]], "x"), (2, [["cd", "cd"]], "")])
    assert covering(release) == {(0, "a"), (2, "c"), (2, "d")}
    finding = attack_cover(release)[0]
    assert finding.numbers == {
        "clusters": 3,
        "clusters_with_an_item_in_all_records": 2,
        "affected_clusters": 2,
        "affected_clusters_share": 2 / 3,
        "certain_links": 5,
        "linked_pairs_of_cluster_and_term_item": 2,
        "linked_pairs_share": 2 / 3,
        "items_that_all_records_of_a_cluster_hold": 3,
        "for_example": [
            {"cluster": 0, "in_all_records": "a", "other_items_that_imply_it": 3},
            {"cluster": 2, "in_all_records": "c", "other_items_that_imply_it": 1},
            {"cluster": 2, "in_all_records": "d", "other_items_that_imply_it": 1},
        ],
    }
    assert "2 of 3 clusters (67%)" in finding.sentence
    assert "the promise does not cover" in finding.sentence
    assert not finding.breaks_promise


def test_an_item_that_occurs_only_together_with_others() -> None:
    release = disassociated(
        [(5, [["abc", "abc", "ab", "a"], ["d", "d"]], ""), (5, [["ef", "ef", "e", "i"], ["gh", "g", "h", "h"]], "z")]
    )
    # c gives away a and b, b only a; f gives away e, although it is never with i. d is alone in its chunk.
    assert implied(release) == {(0, "c", 2), (0, "b", 1), (2, "f", 1)}
    finding = attack_cover(release)[1]
    assert finding.numbers["affected_clusters"] == 2
    assert finding.numbers["affected_chunks"] == 2
    assert finding.numbers["certain_links"] == 4
    assert finding.numbers["different_items"] == 3
    worst = finding.numbers["for_example"]
    assert worst[0] == {"cluster": 0, "item": "c", "comes_only_with": "a, b"}  # type: ignore[index]
    assert "attribute disclosure, which the promise does not cover" in finding.sentence


def test_links_that_are_neither_to_term_chunks_nor_to_whole_domains() -> None:
    across = attack_cover(disassociated([(3, [["b", "b", "b"], ["a", "a"]], "")]))
    assert [finding.numbers["affected_clusters"] for finding in across] == [1, 0]
    inside = attack_cover(disassociated([(6, [["bc", "bc", "c", "e", "e"]], "d")]))
    assert [finding.numbers["affected_clusters"] for finding in inside] == [0, 1]


def test_a_shared_chunk_that_all_records_below_must_take_from() -> None:
    leaves = [(2, [["a", "a"]], "x"), (3, [["b", "b"]], "y")]
    joint = (leaves, [["c"] * 5, ["d"] * 4])
    assert covering(disassociated([joint])) == {(1, "a"), (1, "c"), (2, "c")}
    # The second leaf has c in a chunk of its own, so that the shared c all go to the first.
    closed = ([(2, [["a", "a"]], "x"), (3, [["c", "c"]], "y")], [["c", "c"]])
    assert covering(disassociated([closed])) == {(1, "a"), (1, "c")}
    whole_shared = (leaves, [["cd", "cd", "c"]])
    assert implied(disassociated([whole_shared])) == {(0, "d", 1)}
    assert attack_cover(disassociated([whole_shared]))[1].numbers["affected_clusters_share"] == 1.0


def test_nested_joints() -> None:
    inner = ([(2, [["a", "a"]], "x"), (2, [["b", "b"]], "y")], [["c", "c"]])
    outer = ([inner, (3, [["a"]], "z")], [["e"] * 7, ["c"] * 3, ["df", "df"]])
    release = disassociated([outer])
    # c: closed for the inner leaves, so that the three of the outer chunk are all in the last leaf.
    assert covering(release) == {(2, "a"), (3, "b"), (2, "e"), (3, "e"), (4, "e"), (4, "c")}
    assert attack_cover(release)[1].numbers["affected_clusters"] == 3


@given(publications())
def test_what_is_called_certain_is_so_in_every_possible_original(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    found = covering(release)
    number = 0
    for node in published.nodes:
        simple = len(node) == 3
        number += not simple
        held, every = held_by_all(node)
        for leaf, certain in zip(oracle.leaves(node), held, strict=True):
            here = {item for cluster, item in found if cluster == number}
            assert here <= certain
            if simple and leaf[2] and every:
                assert here == certain
            number += 1
    assert number == release.n_clusters


@given(publications())
def test_what_the_attack_counts_is_all_that_is_certain_in_simple_clusters(published: Published) -> None:
    """By all possible originals: a cluster is affected, across chunks or inside, exactly if a link is certain."""
    nodes = [node for node in published.nodes if len(node) == 3 and len(node[2]) < 3 and node[0] < 6]
    for node in nodes:
        release = disassociated([node], published.k, published.m)
        across, inside = (finding.numbers["affected_clusters"] for finding in attack_cover(release))
        assert bool(across or inside) == bool(oracle_links(node))


def test_a_release_without_term_chunks_has_nothing_linked() -> None:
    first, second = attack_cover(disassociated([(2, [["ab", "a"]], "")]))
    assert first.numbers["linked_pairs_share"] == 0.0
    assert first.numbers["affected_clusters"] == 1
    assert second.numbers["affected_chunks_share"] == 1.0


def test_a_release_that_promises_no_certain_links_breaks_its_promise_with_one() -> None:
    linked = disassociated([(3, [["ab", "ab", "a"], ["cd", "cd"]], "xy")])
    assert [finding.breaks_promise for finding in attack_cover(linked)] == [False, False]
    promising = attack_cover(replace(linked, links=NoCertainLinks()))
    assert [finding.breaks_promise for finding in promising] == [True, True]
    assert "which this release promises there is none of" in promising[0].sentence
    free = disassociated([(3, [["ab", "a", "b"]], "xy"), (2, [["c", "c"]], "")])
    assert [f.breaks_promise for f in attack_cover(replace(free, links=NoCertainLinks()))] == [False, False]


def test_an_index_that_would_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = ([(2, [["a", "a"]], "x"), (2, [["b", "b"]], "y")], [["ca", "ca"]])
    monkeypatch.setattr(leaves_of_items, "MOST_ENTRIES", 5)
    with pytest.raises(leaves_of_items.TooManyPlaces):
        certain_links(disassociated([joint]))


def certain_by_trying(size: int, rows: list[str]) -> dict[str, int]:
    """How many others an item gives away, whatever one occurrence was suppressed in one of the records."""
    domain = frozenset().union(*map(frozenset, rows))
    published = [*map(frozenset, rows), *[frozenset()] * (size - len(rows))]
    worlds = [published] + [
        [record | {item} if number == at else record for number, record in enumerate(published)]
        for at in range(size)
        for item in domain
    ]
    held = {v: [record for world in worlds for record in world if v in record] for v in domain}
    certain = {v: len(frozenset.intersection(*records)) - 1 for v, records in held.items()}
    return {v: others for v, others in certain.items() if others}


def test_where_items_were_suppressed_a_link_is_certain_only_if_nobody_else_can_have_lost_the_item() -> None:
    rows = ["a", "b", "c", "ab", "ac", "bc", "abc", "abc"]
    found = set()
    for size, chosen in [
        (size, list(chosen)) for n in (2, 3, 4) for chosen in combinations(rows, n) for size in (n, n + 1)
    ]:
        release = disassociated([(size, [chosen], "t")], dropped=Dropped(suppressed_instances=1))
        links = certain_links(release)
        pairs = zip(links.item.tolist(), links.certain.tolist(), strict=True)
        named = {release.words[item]: others for item, others in pairs if others}
        assert named == certain_by_trying(size, chosen)
        found.add(bool(named))
        untouched = certain_links(replace(release, dropped=Dropped()))
        assert (untouched.certain == untouched.implied).all()
        assert (untouched.chunk.tolist(), untouched.item.tolist()) == (links.chunk.tolist(), links.item.tolist())
    assert found == {False, True}


def test_links_in_doubt_are_counted_apart() -> None:
    node = (4, [["abc", "abc", "ab"]], "t")
    whole, suppressed = disassociated([node]), disassociated([node], dropped=Dropped(suppressed_instances=1))
    assert attack_cover(whole)[1].numbers["certain_links"] == 4
    numbers = attack_cover(suppressed)[1].numbers
    assert numbers["certain_links"] == 0
    assert numbers["links_in_doubt_because_items_were_suppressed"] == 4
    assert numbers["affected_clusters"] == 0
    assert attack_cover(suppressed)[0].numbers == attack_cover(whole)[0].numbers  # what all show, all held


def test_leaves_that_cannot_take_a_subrecord_are_not_affected_by_it() -> None:
    """b is closed to the second leaf, so that it takes none of {b, e}; all three go to the first, and fill it."""
    leaves = [(3, [["a", "a", "a"]], ""), (4, [["b", "b"]], "t")]
    joint = (leaves, [["be", "be", "be"]])
    links = certain_links(disassociated([joint]))
    assert covering(disassociated([joint])) == {(1, "a"), (1, "b"), (1, "e")}
    assert links.others.tolist() == [2, 2, 2]
    assert np.flatnonzero(links.inside).tolist() == [1]
    across, inside = attack_cover(disassociated([joint]))
    assert [found.numbers["affected_clusters"] for found in (across, inside)] == [1, 1]
    assert inside.numbers["for_example"][0] == {"cluster": 1, "item": "b", "comes_only_with": "e"}  # type: ignore[index]


def test_a_link_in_those_subrecords_only_that_a_leaf_can_take() -> None:
    """The first leaf has x: of {ax}, {ab}, {b} it can take {ab} and {b} only, so that a implies b there."""
    leaves = [(3, [["x", "x"]], "t"), (4, [["y", "y"]], "u")]
    release = disassociated([(leaves, [["ax", "ab", "b"]])])
    inside = attack_cover(release)[1]
    assert (0, "x", "a") not in {(leaf, *pair) for leaf, *pair in oracle_links(nodes_of(release)[0])}
    assert (0, "a", "b") in oracle_links(nodes_of(release)[0])
    assert inside.numbers["affected_clusters"] == 2  # in the second one x implies a
    examples = [(row["cluster"], row["item"], row["comes_only_with"]) for row in inside.numbers["for_example"]]  # type: ignore[index,union-attr]
    assert examples == [(1, "a", "b"), (2, "x", "a")]


@given(joints())
def test_what_the_attack_counts_in_two_leaves_is_all_that_is_certain(node: Any) -> None:
    """By all possible originals, where leaves can take all subrecords of the shared chunk or none."""
    below, chunk = oracle.leaves(node), node[1][0]
    own, shared = [oracle.chunk_items(leaf) for leaf in below], frozenset().union(*chunk)
    assume(len(set(chunk)) == 1 or not shared & frozenset().union(*own))
    release = disassociated([node], 2, 1)
    assume(audit(release).holds)
    links, certain = certain_links(release), oracle_links(node)
    numbers = np.flatnonzero(release.is_leaf).tolist()
    across, inside = set(), set()
    for leaf, item, others in zip(links.leaf.tolist(), links.covering.tolist(), links.others.tolist(), strict=True):
        number, name = numbers.index(leaf), release.words[item]
        taken = frozenset[str]() if shared & own[number] else shared
        may_hold = own[number] | below[number][2] | taken
        assert others == len(may_hold - {name})
        across |= {(number, other, name) for other in may_hold - {name}}
    for number, leaf in enumerate(below):
        parts = [*leaf[1], [] if shared & own[number] else chunk]
        domains = [frozenset().union(*part) for part in parts]
        inside |= {one for one in certain if one[0] == number and any({*one[1:]} <= domain for domain in domains)}
    assert across <= certain <= across | inside
    assert {numbers.index(leaf) for leaf in np.flatnonzero(links.inside).tolist()} == {one[0] for one in inside}
