"""Sound releases pass; each kind of damage is caught by the check meant for it, with its witness."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.disassociated import audit
from shoal.audit.disassociated.km import Limits
from shoal.data.transactions import Transactions
from shoal.release.disassociated import Disassociated
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, chunks, publications
from tests.oracles import disassociation as oracle

FIGURE_2 = [
    (
        5,
        [
            [
                ("itunes", "flu", "madonna"),
                ("madonna", "flu"),
                ("itunes", "madonna"),
                ("itunes", "flu"),
                ("itunes", "flu", "madonna"),
            ],
            [("audi a4", "sony tv")] * 3,
        ],
        {"ikea", "viagra", "ruby"},
    ),
    (
        5,
        [
            [
                ("madonna", "digital camera"),
                ("iphone sdk", "madonna"),
                ("iphone sdk", "digital camera", "madonna"),
                ("iphone sdk", "digital camera"),
                ("iphone sdk", "digital camera", "madonna"),
            ]
        ],
        {"panic disorder", "playboy", "ikea", "ruby"},
    ),
]


def failures(release: Disassociated) -> dict[str, str]:
    verdict = audit(release)
    assert verdict.holds == (not verdict.failures)
    return {check.name: check.witness or "" for check in verdict.failures}


def changed(release: Disassociated, field: str, place: int, value: int) -> Disassociated:
    array = getattr(release, field).copy()
    array[place] = value
    return replace(release, **{field: array})


def test_figure_2_holds() -> None:
    verdict = audit(disassociated(FIGURE_2, 3, 2))
    assert verdict.holds, str(verdict)
    assert "all 17 checks hold" in str(verdict)


def test_figure_3_holds() -> None:
    leaves = [(size, chunks, terms - {"ikea", "ruby"}) for size, chunks, terms in FIGURE_2]
    shared = [("ikea", "ruby"), ("ruby",), ("ikea",), ("ikea", "ruby"), ("ikea", "ruby")]
    verdict = audit(disassociated([(leaves, [shared])], 3, 2))
    assert verdict.holds, str(verdict)
    assert verdict["shared chunks"].checked == 1


@settings(max_examples=150, deadline=None)
@given(publications())
def test_literal_publications_hold_and_match_their_records(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    assert oracle.keeps_promise(published.nodes, published.k, published.m)
    verdict = audit(release, original=Transactions.from_records(published.records))
    assert verdict.holds, str(verdict)
    json.dumps(verdict.as_dict())


leaves = st.tuples(st.integers(1, 12), chunks(5, "abc"), chunks(5, "de"), st.sets(st.sampled_from("fg"))).map(
    lambda drawn: (drawn[0], [drawn[1], drawn[2]], drawn[3])
)
trees = st.recursive(
    leaves,
    lambda below: st.tuples(st.lists(below, min_size=1, max_size=3), st.lists(chunks(3, "adfhi"), max_size=1)),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(trees, st.integers(2, 3), st.integers(1, 3))
def test_any_tree_is_judged_by_the_definitions(tree: Any, k: int, m: int) -> None:
    """The privacy checks together say what the oracle says, on sound and unsound joints alike."""
    verdict = audit(disassociated([tree], k, m))
    names = (
        *("cluster size", "record chunks", "Lemma 2", "shared chunks", "shared chunks over T^r"),
        "room beside restricted subrecords",
    )
    assert all(verdict[name].holds for name in names) == oracle.keeps_promise([tree], k, m), str(verdict)


@pytest.mark.parametrize(
    ("chunk", "k", "m", "witness"),
    [
        (["a", "a", "b", "b", "b"], 3, 2, "cluster 0, chunk 0: {a} occurs in 2 records, fewer than k = 3"),
        (["ab", "ab", "a", "b"], 3, 2, "cluster 0, chunk 0: {a, b} occurs in 2 records, fewer than k = 3"),
        (["abc", "ab", "ac", "bc"], 2, 3, "cluster 0, chunk 0: {a, b, c} occurs in 1 record, fewer than k = 2"),
    ],
)
def test_an_itemset_below_k(chunk: list[str], k: int, m: int, witness: str) -> None:
    assert failures(disassociated([(9, [chunk], "z")], k, m)) == {"record chunks": witness}
    wide = audit(disassociated([(9, [chunk], "z")], k, m), limits=Limits(chunk_itemsets=-1))
    assert wide["record chunks"].witness == witness


def test_an_item_in_two_chunks() -> None:
    found = failures(disassociated([(2, [["ab", "ab"], ["b", "b"]], "z")]))
    assert found == {"disjoint domains": "cluster 0: b is in chunk 0 and in chunk 1"}


def test_an_item_in_a_chunk_and_the_term_chunk() -> None:
    found = failures(disassociated([(2, [["a", "a"]], "a")]))
    assert found == {"disjoint domains": "cluster 0: a is in chunk 0 and in the term chunk"}


def test_a_cluster_below_k() -> None:
    found = failures(disassociated([(5, [["a"] * 5], ""), (4, [["a"] * 4], "z")], 5, 1))
    assert found["cluster size"] == "cluster 1 has 4 records, fewer than k = 5"


def test_figure_4_fails_lemma_2() -> None:
    cluster = (5, [["a"] * 3, ["bc"] * 3], "")
    assert failures(disassociated([cluster], 3, 2)) == {
        "Lemma 2": "cluster 0 has no term chunk and 6 subrecords in 2 record chunks, fewer than 8"
    }
    assert not failures(disassociated([(5, [["a"] * 3, ["bc"] * 3], "z")], 3, 2))


def test_property_1() -> None:
    """readings.md, row 6: 3^2- but not 3-anonymous over an item of T^r."""
    joint = ([(3, [["ab"] * 3], ""), (3, [], "e"), (3, [], "f")], [["ac", "ac", "ac", "c", "d", "d", "d"]])
    found = failures(disassociated([joint], 3, 2))
    assert found == {
        "shared chunks over T^r": "cluster 0, shared chunk 0: the subrecord {c} occurs 1 times, fewer than k = 3"
    }


def test_property_1_sees_shared_chunks_further_down() -> None:
    inner = ([(3, [], "e"), (3, [], "f")], [["c"] * 3])
    outer = ([inner, (3, [], "g"), (4, [], "h")], [["cd", "cd", "cd", "d"]])
    assert set(failures(disassociated([outer], 3, 2))) == {"shared chunks over T^r"}
    apart = ([([(3, [], "e"), (3, [], "f")], [["x"] * 3]), (3, [], "g"), (4, [], "h")], outer[1])
    assert not failures(disassociated([apart], 3, 2))


def test_a_shared_chunk_below_k() -> None:
    joint = ([(3, [], "e"), (3, [], "f")], [["cd", "cd", "c", "d"]])
    assert failures(disassociated([joint], 3, 2)) == {
        "shared chunks": "cluster 0, shared chunk 0: {c, d} occurs in 2 records, fewer than k = 3"
    }


def test_a_shared_item_left_in_a_term_chunk() -> None:
    joint = ([(3, [], "e"), (3, [], "cf")], [["c"] * 3])
    assert failures(disassociated([joint], 3, 2)) == {
        "shared items left the term chunks": (
            "cluster 0, shared chunk 0: c is also in the term chunk of cluster 2 below"
        )
    }


def test_a_shared_item_without_room() -> None:
    joint = ([(3, [["c"] * 3], "e"), (3, [["c"] * 3], "f")], [["c"] * 3])
    found = failures(disassociated([joint], 3, 2))
    assert found == {
        "room for shared items": "cluster 0, shared chunk 0: c occurs 3 times, but only 0 records below are in "
        "clusters whose term chunk could have held it",
        "room beside restricted subrecords": "cluster 0, shared chunk 0: 3 of its 3 subrecords can go to some clusters "
        "only; the clusters that can take all of them have 0 records, fewer than 3",
    }


def test_an_item_is_closed_to_what_lies_below_a_joint_that_shares_it() -> None:
    """c is in the inner shared chunk: only the third cluster can take it from the outer one."""
    inner = ([(3, [["x"] * 3], "e"), (3, [["y"] * 3], "f")], [["c"] * 3])
    fits = ([inner, (3, [["z"] * 3], "g")], [["c"] * 3])
    assert failures(disassociated([fits], 3, 2)) == {}
    assert oracle.guarantee1(as_sets(fits), 3, 2)
    crowded = ([inner, (3, [["z"] * 3], "g")], [["c"] * 4])
    assert "only 3 records below" in failures(disassociated([crowded], 3, 2))["room for shared items"]


def as_sets(node: Any) -> Any:
    if len(node) == 3:
        return node[0], [[frozenset(row) for row in chunk] for chunk in node[1]], frozenset(node[2])
    return [as_sets(child) for child in node[0]], [[frozenset(row) for row in chunk] for chunk in node[1]]


def test_restricted_subrecords_leave_too_little_room() -> None:
    """Property 1 holds, and yet {b, y} is possible only twice."""
    inner = ([(3, [["a"] * 3], "q"), (3, [["y"] * 3], "r")], [["z"] * 3])
    joint = ([inner, (3, [["w"] * 3], "t")], [["a"] * 4 + ["b"] * 3])
    assert failures(disassociated([joint], 3, 2)) == {
        "room beside restricted subrecords": "cluster 0, shared chunk 0: 4 of its 7 subrecords can go to some clusters "
        "only; the clusters that can take all of them have 6 records, fewer than 7"
    }
    # Two closed items in one chunk: clusters that have either are counted once.
    both = ([([(3, [["a"] * 3, ["b"] * 3], "q"), (5, [["y"] * 3], "r")], []), (3, [["w"] * 3], "t")], [["ab"] * 8])
    assert failures(disassociated([both], 3, 2)) == {}
    both[1][0].append("ab")
    assert set(failures(disassociated([both], 3, 2))) == {"room for shared items", "room beside restricted subrecords"}


def test_wrong_joint_size() -> None:
    release = disassociated([([(3, [], "e"), (3, [], "f")], [["c"] * 3])], 3, 2, joint_size=7)
    assert failures(release) == {"joint clusters": "cluster 0 claims 7 records, the clusters below it have 6"}


def test_parent_cycle() -> None:
    release = disassociated([([(3, [], "e"), (3, [], "f")], [["c"] * 3])], 3, 2)
    found = failures(changed(release, "cluster_parent", 0, 2))
    assert found["joint clusters"].startswith("the parent links from cluster 0 form a cycle")
    assert found["shared chunks"].startswith("not checked: ")
    assert "cycle" in failures(changed(release, "cluster_parent", 2, 2))["joint clusters"]


def test_chunks_of_the_wrong_owner() -> None:
    release = disassociated([([(3, [], "e"), (3, [["a"] * 3], "f")], [["c"] * 3])], 3, 2)
    found = failures(changed(release, "chunk_owner", 1, 0))
    assert found["owners"] == "cluster 0, chunk 1: its owner is a joint cluster"
    assert found["Lemma 2"].startswith("not checked: ")
    found = failures(changed(release, "chunk_owner", 1, -1))
    assert found["owners"] == "chunk 1 belongs to no cluster"


@pytest.mark.parametrize(
    ("nodes", "name", "witness"),
    [
        ([(2, [["a", "a"], []], "z")], "nothing empty", "chunk 1 has no subrecord"),
        ([(2, [["", "a", "a"]], "z")], "nothing empty", "cluster 0, chunk 0: subrecord 0 is empty"),
        ([(2, [], "")], "nothing empty", "cluster 0 has no item"),
        ([(2, [["aa", "a"]], "z")], "sets", "cluster 0, chunk 0: a is twice in subrecord 0"),
        ([(2, [["a", "a"]], "zz")], "sets", "cluster 0: z is twice in the term chunk"),
        ([(2, [["a", "a", "a"]], "z")], "subrecords fit", "cluster 0, chunk 0: 3 subrecords for 2 records"),
        ([(0, [], "z")], "sizes", "cluster 0 claims 0 records"),
        ([(2**62, [], "z"), (2, [], "z")], "sizes", "cluster 0 claims 4,611,686,018,427,387,904 records"),
        ([], "sizes", "the release has no cluster"),
        ([(4, [["b", "a", "b", "a"]], "z")], "canonical order", "subrecord 1 should come before the previous"),
        ([(4, [["ab", "a", "ab", "a"]], "z")], "canonical order", "subrecord 1 should come before the previous"),
        ([(2, [["ba", "ba"]], "z")], "canonical order", "the items of subrecord 0 are not in order"),
        ([(2, [["a", "a"]], "zy")], "canonical order", "cluster 0: the items of the term chunk are not in"),
    ],
)
def test_structure(nodes: list[object], name: str, witness: str) -> None:
    assert witness in failures(disassociated(nodes, sort=False))[name]


def test_repeated_items_keep_the_counting_from_being_trusted() -> None:
    found = failures(disassociated([(2, [["aa", "a"]], "z")], sort=False))
    assert found["record chunks"] == "not checked: a subrecord holds an item twice"


def test_a_term_chunk_of_a_joint() -> None:
    release = disassociated([([(3, [], "e"), (3, [], "f")], [["c"] * 3])], 3, 2)
    moved = replace(release, term_offsets=np.array([0, 1, 1, 2]))
    assert failures(moved)["nothing empty"] == "cluster 1 has no item"
    shifted = replace(release, term_offsets=np.array([0, 1, 2, 3]), term_items=np.array([2, 1, 2], np.int32))
    assert failures(shifted)["nothing empty"] == "joint cluster 0 has a term chunk"


def test_one_name_for_two_items() -> None:
    release = disassociated([(2, [["a", "a"], ["b", "b"]], "z")])
    words = release.vocabulary.take(np.array([0, 0, 2]))
    assert failures(replace(release, vocabulary=words)) == {"vocabulary": "'a' is the name of two items"}


@pytest.mark.parametrize("text", ["beer\x1b[2J", "a,b", "{", ""])
def test_odd_names_are_quoted_in_witnesses(text: str) -> None:
    found = failures(disassociated([(2, [[(text,)]], ("z",))]))
    assert f"{{{text!r}}} occurs in 1 record" in found["record chunks"]


class TestSensitive:
    def test_sound(self) -> None:
        release = disassociated([(3, [["a"] * 3], "s"), (2, [["a"] * 2], "z")], sensitive=["s", "unused"], l=3)
        verdict = audit(release)
        assert verdict.holds, str(verdict)
        assert verdict["sensitive cluster size"].checked == 1

    def test_in_a_record_chunk(self) -> None:
        found = failures(disassociated([(3, [["as"] * 3], "z")], sensitive=["s"]))
        assert found == {"sensitive items": "cluster 0, chunk 0: holds the sensitive item s (and 2 more occurrences)"}

    def test_in_a_shared_chunk(self) -> None:
        joint = ([(3, [], "e"), (3, [], "f")], [["s"] * 3])
        assert set(failures(disassociated([joint], 3, 2, sensitive=["s"]))) == {"sensitive items"}

    def test_in_a_small_cluster(self) -> None:
        found = failures(disassociated([(3, [["a"] * 3], "s")], sensitive=["s"], l=4))
        assert found == {
            "sensitive cluster size": "cluster 0 names a sensitive item and has 3 records, fewer than l = 4"
        }

    def test_forced_on_a_record(self) -> None:
        found = failures(disassociated([(4, [["a"] * 2, ["b"]], "s")], 2, 1, sensitive=["s"]))
        assert found["sensitive items forced on nobody"] == (
            "cluster 0: at least 1 record can hold nothing but sensitive items such as s"
        )
        assert "a term chunk with only sensitive items" in found["Lemma 2"]

    def test_enough_to_fill_but_not_for_lemma_2(self) -> None:
        """Sensitive items are no content of a term chunk: figure 4 again."""
        found = failures(disassociated([(5, [["a"] * 3, ["bc"] * 3], "s")], 3, 2, sensitive=["s"]))
        assert set(found) == {"Lemma 2"}


def test_progress_and_missing_names() -> None:
    stages: list[tuple[str, int, int]] = []
    verdict = audit(disassociated(FIGURE_2, 3, 2), run=Run(progress=lambda *event: stages.append(event)))
    assert stages == [("structure", 1, 6), ("clusters", 2, 6), ("joint clusters", 3, 6)]
    with pytest.raises(KeyError):
        verdict["no such check"]
