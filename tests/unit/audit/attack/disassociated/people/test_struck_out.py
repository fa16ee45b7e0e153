"""Taking known people out of a release: small cases by hand, and what must hold for any release of its records."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, chain, combinations, islice
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.people.known_items import count_after, people_in
from shoal.audit.attack.disassociated.people.leaves_of_items import Places
from shoal.audit.attack.disassociated.people.struck_out import Struck, attack_known_people, strike
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.attack.people import draw_victims
from shoal.audit.disassociated import audit
from shoal.data.transactions import Transactions
from shoal.publish.disassociation import disassociate
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import disassociated, offsets
from tests.making.transaction_strategies import Published, publications
from tests.oracles import disassociation as oracle


def coded(release: Disassociated, rows: Iterable[Iterable[str]]) -> tuple[Any, Any]:
    lists = [sorted(release.words.index(item) for item in row) for row in rows]
    return offsets(map(len, lists)), np.array([item for row in lists for item in row], np.int64)


def take_out(release: Disassociated, rows: Iterable[Iterable[str]]) -> Struck:
    return strike(release, *coded(release, rows))


def content(release: Disassociated | None) -> list[Any]:
    """Clusters as (size, parent, chunks, terms), for comparison."""
    if release is None:
        return []
    words = release.words
    rows = [
        "".join(words[item] for item in release.items[a:b].tolist())
        for a, b in zip(release.subrecord_offsets[:-1], release.subrecord_offsets[1:], strict=True)
    ]
    chunks: list[list[list[str]]] = [[] for _ in range(release.n_clusters)]
    for chunk, owner in enumerate(release.chunk_owner.tolist()):
        chunks[owner].append(rows[release.chunk_offsets[chunk] : release.chunk_offsets[chunk + 1]])
    terms = [
        "".join(words[item] for item in release.term_items[a:b].tolist())
        for a, b in zip(release.term_offsets[:-1], release.term_offsets[1:], strict=True)
    ]
    return list(zip(release.cluster_size.tolist(), release.cluster_parent.tolist(), chunks, terms, strict=True))


def test_a_record_that_fits_one_leaf_is_taken_out() -> None:
    release = disassociated([(3, [["ab", "a", "a"], ["c"]], "x"), (3, [["d", "d", "d"]], "x")])
    struck = take_out(release, ["abcx"])
    assert (struck.placed, struck.ambiguous, struck.nowhere) == (1, 0, 0)
    assert content(struck.release) == [(2, -1, [["a", "a"]], "x"), (3, -1, [["d", "d", "d"]], "x")]


def test_what_does_not_fit() -> None:
    release = disassociated([(3, [["ab", "a", "a"], ["c"]], "x"), (3, [["ab", "a", "a"]], "x"), (2, [["d"]], "yz")])
    # abx and ax may be of two leaves; bx lacks a, bd and yx are of different leaves, b is not published alone.
    struck = take_out(release, ["abx", "ax", "bx", "bd", "yx"])
    assert (struck.placed, struck.ambiguous, struck.nowhere) == (0, 2, 3)
    assert content(struck.release) == content(release)
    # A record of the third leaf may hold nothing of its chunk, since that has fewer subrecords than records.
    assert take_out(release, ["y"]).placed == 1
    assert take_out(release, ["y", "z"]).nowhere == 1


def test_one_that_is_placed_may_settle_another() -> None:
    # After acx, the second leaf's c is gone: c can only be of the first.
    release = disassociated([(2, [["c", "c"]], "y"), (2, [["c"], ["ab"]], "x")])
    struck = take_out(release, ["abcx", "c"])
    assert (struck.placed, struck.ambiguous, struck.nowhere) == (2, 0, 0)
    assert content(struck.release) == [(1, -1, [["c"]], "y"), (1, -1, [], "x")]
    assert take_out(release, ["c"]).ambiguous == 1


def test_shared_chunks_and_closed_items() -> None:
    joint = ([(2, [["a", "a"]], "x"), (3, [["b", "b"]], "y")], [["cd", "cd", "c"], ["a", "a"]])
    release = disassociated([joint])
    assert take_out(release, ["acd"]).ambiguous == 1  # the first leaf's a, or the second's from the shared chunk
    struck = take_out(release, ["acdx"])
    assert content(struck.release) == [
        (4, -1, [["c", "cd"], ["a", "a"]], ""),
        (1, 0, [["a"]], "x"),
        (3, 0, [["b", "b"]], "y"),
    ]
    assert take_out(release, ["abc"]).placed == 1
    assert take_out(release, ["ad"]).nowhere == 1  # d is published with c only
    assert content(take_out(release, ["acdx", "ax", "abcd", "aby", "cy"]).release) == []


def test_more_copies_than_the_release_has_are_not_placed() -> None:
    release = disassociated([(3, [["ab", "a", "a"]], "x"), (2, [["d", "d"]], "")])
    struck = take_out(release, ["ab", "ab", "ab", "a"])
    assert (struck.placed, struck.ambiguous, struck.nowhere) == (2, 0, 2)
    assert content(struck.release) == [(1, -1, [["a"]], "x"), (2, -1, [["d", "d"]], "")]


def test_a_cluster_that_nobody_is_left_in_disappears() -> None:
    joint = ([(1, [["a"]], ""), (2, [["b", "b"]], "")], [["c", "c"]])
    struck = take_out(disassociated([joint, (2, [["d", "d"]], "")]), ["ac", "bc", "b"])
    assert content(struck.release) == [(2, -1, [["d", "d"]], "")]


@given(publications(), st.randoms(use_true_random=False))
def test_everybody_fits_somewhere_before_and_after(published: Published, chance: Any) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    known = [row for row in published.records if chance.random() < 0.4]
    struck = take_out(release, known)
    assert struck.nowhere == 0
    assert struck.placed + struck.ambiguous == len(known)
    assert (0 if struck.release is None else struck.release.n_records) == len(published.records) - struck.placed
    if struck.release is not None and struck.ambiguous == 0:
        left = list(published.records)
        for row in known:
            left.remove(row)
        structure = {check.name: check for check in audit(struck.release).checks}
        for name in ("sizes", "joint clusters", "owners", "subrecords fit", "canonical order", "disjoint domains"):
            assert structure[name].holds, structure[name]
        again = Fitting(struck.release).fits(*coded(struck.release, left))
        assert set(again.record.tolist()) == set(range(len(left)))


@given(publications(joints=True))
def test_the_leaves_that_a_record_fits(published: Published) -> None:
    """All that some possible original has a place for; with a term chunk in a simple cluster, no others."""
    release = disassociated(published.nodes, published.k, published.m)
    everything = [frozenset(c) for size in (1, 2, 3) for c in combinations(sorted(release.words), size)]
    fitting = Fitting(release)
    fits = fitting.fits(*coded(release, everything))
    found = set(zip(fits.record.tolist(), fitting.places.leaves[fits.leaf].tolist(), strict=True))
    number = 0
    for node in published.nodes:
        leaves = oracle.leaves(node)
        number += len(node) == 2
        ends = list(accumulate(leaf[0] for leaf in leaves))
        parts: list[set[frozenset[str]]] = [set() for _ in leaves]
        worlds = list(islice(oracle.worlds(node), 400))
        for world in worlds:
            for place, (leaf, end) in enumerate(zip(leaves, ends, strict=True)):
                parts[place] |= {row - frozenset(leaf[2]) for row in world[end - leaf[0] : end]}
        for leaf, possible in zip(leaves, parts, strict=True):
            holds = {part | extra for part in possible for extra in subsets(leaf[2])}
            expected = {row for row, items in enumerate(everything) if items in holds}
            here = {row for row, cluster in found if cluster == number}
            assert expected <= here
            if len(node) == 3 and leaf[2] and len(worlds) < 400:
                assert expected == here
            number += 1


def subsets(items: Iterable[str]) -> list[frozenset[str]]:
    listed = sorted(items)
    return [frozenset(c) for c in chain.from_iterable(combinations(listed, n) for n in range(len(listed) + 1))]


def test_places_are_the_lowest_ones() -> None:
    inner = ([(2, [["a", "a"]], "x"), (2, [["b", "b"]], "y")], [["c", "c"]])
    release = disassociated([([inner, (3, [["d"]], "x")], [["ac", "c"]])])
    fitting = Fitting(release)
    places: Places = fitting.places
    leaf = places.keys % len(places.leaves)
    named = {
        (release.words[item], int(places.leaves[where])): int(chunk)
        for item, where, chunk in zip(
            (places.keys // len(places.leaves)).tolist(), leaf.tolist(), places.chunk, strict=True
        )
    }
    # Chunks by owner: 0 outer shared, 1 inner shared, then a, b and d of the leaves 2, 3 and 4.
    assert named == {
        ("a", 2): 2, ("a", 3): 0, ("a", 4): 0, ("b", 3): 3, ("c", 2): 1, ("c", 3): 1, ("c", 4): 0, ("d", 4): 4,
        ("x", 2): -1, ("x", 4): -1, ("y", 3): -1,
    }  # fmt: skip


def test_known_people_on_a_release_of_our_own() -> None:
    generator = np.random.default_rng(7)
    weights = np.linspace(3, 0.1, 40)
    rows = [
        set(generator.choice(40, size=generator.integers(1, 7), replace=False, p=weights / weights.sum()).tolist())
        for _ in range(600)
    ]
    data = Transactions.from_records(rows)
    release = disassociate(data, 5, 2, refine_rounds=0)  # of simple clusters counts are exact
    people = people_in(release, data)
    known = np.sort(generator.choice(600, size=200, replace=False)).astype(np.int64)
    struck = strike(release, *people.take(known))
    assert struck.nowhere == 0
    assert struck.placed > 50
    assert struck.release is not None
    victims = draw_victims(people, 200, 3, generator, spared=known)
    before = count_after(Candidates.of(release), victims.asked(3))
    after = count_after(Candidates.of(struck.release), victims.asked(3))
    finding = attack_known_people(release, struck, len(known), before, after)
    assert all(0 <= b <= a for one, two in zip(before, after, strict=True) for a, b in zip(one, two, strict=True))
    columns = finding.numbers["candidates"]
    assert isinstance(columns, list)
    fallen = sum(
        b < 5 <= a for one, two in zip(before[:2], after[:2], strict=True) for a, b in zip(one, two, strict=True)
    )
    assert f"then {fallen:,} of " in finding.sentence
    assert finding.numbers["placed_and_taken_out"] == struck.placed
    assert not finding.breaks_promise
    assert "does not cover" in finding.sentence


def test_who_is_left_alone_is_told() -> None:
    release = disassociated([(4, [["ab", "ab", "c", "c"]], "x"), (2, [["d", "d"]], "")], k=2, m=2)
    people = people_in(release, Transactions.from_records(map(set, ["ab", "abx", "c", "c", "d", "d"])))
    struck = strike(release, *people.take(np.array([1])))
    victims = draw_victims(people, 9, 2, np.random.default_rng(1), spared=np.array([1]))
    assert struck.release is not None
    before = count_after(Candidates.of(release), victims.asked(2))
    after = count_after(Candidates.of(struck.release), victims.asked(2))
    assert (before, after) == ([[2, 2, 2, 2, 2], [2]], [[1, 2, 2, 2, 2], [1]])
    finding = attack_known_people(release, struck, 1, before, after)
    assert "then 2 of 6 sets of up to m = 2 known items of other people fall below k = 2" in finding.sentence
    assert finding.residual is not None
    assert finding.residual.share == 2 / 6
    assert finding.numbers["clusters_left_with_fewer_than_k_records"] == 0
    assert finding.numbers["clusters_left_without_lemma_2"] == 0
    assert not finding.breaks_promise


def test_clusters_that_lose_what_the_promise_rests_on_are_counted() -> None:
    release = disassociated([(3, [["a", "a", "a"], ["b", "b"]], ""), (2, [["d", "d"]], "x")], k=2, m=2)
    struck = take_out(release, ["ab", "dx"])
    finding = attack_known_people(release, struck, 2, [], [])
    assert finding.numbers["clusters_left_with_fewer_than_k_records"] == 1
    assert finding.numbers["clusters_left_without_lemma_2"] == 1  # 3 subrecords for 2 records, 4 are needed
