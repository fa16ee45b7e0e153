"""The cover problem in both forms: planted, and against every possible original of small releases."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, combinations, islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from shoal.audit.attack.disassociated import places
from shoal.audit.attack.disassociated.cover import attack_cover, certain_links
from shoal.promises import NoCertainLinks
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from tests.builders import disassociated
from tests.oracles import disassociation as oracle
from tests.strategies import Published, publications


def covering(release: Disassociated) -> set[tuple[int, str]]:
    links = certain_links(release)
    assert (np.diff(links.leaf) >= 0).all()
    return {
        (leaf, release.words[item]) for leaf, item in zip(links.leaf.tolist(), links.covering.tolist(), strict=True)
    }


def whole(release: Disassociated) -> set[tuple[int, str]]:
    links = certain_links(release)
    return {(chunk, release.words[item]) for chunk, item in zip(links.chunk.tolist(), links.item.tolist(), strict=True)}


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


def test_an_item_that_all_records_hold_covers_its_term_chunk() -> None:
    release = disassociated([(3, [["ab", "ab", "a"]], "xy"), (3, [["a", "a"]], "x"), (2, [["cd", "cd"]], "")])
    assert covering(release) == {(0, "a"), (2, "c"), (2, "d")}
    finding = attack_cover(release)[0]
    assert finding.numbers == {
        "clusters": 3,
        "clusters_with_an_item_in_all_records": 2,
        "clusters_where_it_links_term_items": 1,
        "affected_clusters_share": 1 / 3,
        "linked_pairs_of_cluster_and_term_item": 2,
        "linked_pairs_share": 2 / 3,
        "items_linked_somewhere": 2,
        "items_linked_in_every_term_chunk_that_has_them": 1,
        "items_that_all_records_of_a_cluster_hold": 3,
        "for_example": [{"cluster": 0, "in_all_records": "a", "linked_to_it": "x, y"}],
    }
    assert "1 of 3 clusters (33%)" in finding.sentence
    assert "the promise does not cover" in finding.sentence
    assert not finding.breaks_promise


def test_an_item_that_occurs_only_in_the_whole_domain() -> None:
    release = disassociated(
        [(4, [["abc", "abc", "ab", "a"], ["d", "d"]], ""), (4, [["ef", "ef", "e"], ["gh", "g", "h", "h"]], "z")]
    )
    # c: both its subrecords are abc; b has ab, a has a. f likewise, and d is alone in its chunk: nothing to learn.
    assert whole(release) == {(0, "c"), (2, "f")}
    finding = attack_cover(release)[1]
    assert finding.numbers["affected_clusters"] == 2
    assert finding.numbers["affected_chunks"] == 2
    assert finding.numbers["different_items"] == 2
    assert "attribute disclosure, which the promise does not cover" in finding.sentence


def test_a_shared_chunk_that_all_records_below_must_take_from() -> None:
    leaves = [(2, [["a", "a"]], "x"), (3, [["b", "b"]], "y")]
    joint = (leaves, [["c"] * 5, ["d"] * 4])
    assert covering(disassociated([joint])) == {(1, "a"), (1, "c"), (2, "c")}
    # The second leaf has c in a chunk of its own, so that the shared c all go to the first.
    closed = ([(2, [["a", "a"]], "x"), (3, [["c", "c"]], "y")], [["c", "c"]])
    assert covering(disassociated([closed])) == {(1, "a"), (1, "c")}
    whole_shared = (leaves, [["cd", "cd", "c"]])
    assert whole(disassociated([whole_shared])) == {(0, "d")}
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
def test_the_whole_domain_by_its_definition(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    expected = set()
    for chunk in range(release.n_chunks):
        rows = [
            frozenset(release.items[a:b].tolist())
            for a, b in zip(
                release.subrecord_offsets[release.chunk_offsets[chunk] : release.chunk_offsets[chunk + 1]],
                release.subrecord_offsets[release.chunk_offsets[chunk] + 1 : release.chunk_offsets[chunk + 1] + 1],
                strict=True,
            )
        ]
        domain = frozenset().union(*rows)
        if len(domain) > 1:
            expected |= {(chunk, release.words[i]) for i in domain if all(row == domain for row in rows if i in row)}
    assert whole(release) == expected


def test_a_release_without_term_chunks_has_nothing_linked() -> None:
    first, second = attack_cover(disassociated([(2, [["ab", "a"]], "")]))
    assert first.numbers["linked_pairs_share"] == 0.0
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
    joint = ([(2, [["a", "a"]], "x"), (2, [["b", "b"]], "y")], [["c", "c"]])
    monkeypatch.setattr(places, "MOST_ENTRIES", 5)
    with pytest.raises(places.TooManyPlaces):
        certain_links(disassociated([joint]))


def certain_by_trying(size: int, rows: list[str]) -> set[str]:
    """Items that occur with all the others only, whatever one occurrence was suppressed in one of the records."""
    domain = frozenset().union(*map(frozenset, rows))
    published = [*map(frozenset, rows), *[frozenset()] * (size - len(rows))]
    worlds = [published] + [
        [record | {item} if number == at else record for number, record in enumerate(published)]
        for at in range(size)
        for item in domain
    ]
    return {v for v in domain if all(record == domain for world in worlds for record in world if v in record)}


def test_where_items_were_suppressed_form_b_is_certain_only_if_nobody_else_can_have_lost_the_item() -> None:
    rows = ["a", "b", "c", "ab", "ac", "bc", "abc", "abc"]
    found = set()
    for size, chosen in [
        (size, list(chosen)) for n in (2, 3, 4) for chosen in combinations(rows, n) for size in (n, n + 1)
    ]:
        release = disassociated([(size, [chosen], "t")], dropped=Dropped(suppressed_instances=1))
        links = certain_links(release)
        named = {release.words[item] for item in links.item[links.certain].tolist()}
        expected = certain_by_trying(size, chosen) if len(frozenset().union(*map(frozenset, chosen))) > 1 else set()
        assert named == expected
        found.add(bool(named))
        untouched = certain_links(replace(release, dropped=Dropped()))
        assert untouched.certain.all()
        assert (untouched.chunk.tolist(), untouched.item.tolist()) == (links.chunk.tolist(), links.item.tolist())
    assert found == {False, True}


def test_form_b_in_doubt_is_counted_apart() -> None:
    node = (4, [["abc", "abc", "ab"]], "t")
    whole, suppressed = disassociated([node]), disassociated([node], dropped=Dropped(suppressed_instances=1))
    assert attack_cover(whole)[1].numbers["pairs_of_chunk_and_item"] == 1
    numbers = attack_cover(suppressed)[1].numbers
    assert numbers["pairs_of_chunk_and_item"] == 0
    assert numbers["pairs_in_doubt_because_items_were_suppressed"] == 1
    assert numbers["affected_clusters"] == 0
    assert attack_cover(suppressed)[0].numbers == attack_cover(whole)[0].numbers  # what all show, all held
