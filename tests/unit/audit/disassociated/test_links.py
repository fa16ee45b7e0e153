"""Certain links: the auditor against all possible originals, and releases that it must reject with their witness."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from shoal.audit.disassociated import audit, implied_items, subrecords
from shoal.audit.disassociated.domains import number_items
from shoal.promises import NoCertainLinks
from tests.making.disassociated_releases import disassociated
from tests.making.linked_clusters import clusters, joints, rows_over
from tests.oracles.certain_links import certain_links

NAMES = ("links to common items", "links inside chunks", "links through restricted subrecords")


def safe(nodes: Any, **options: Any) -> Any:
    return replace(disassociated(nodes, 2, 2, **options), links=NoCertainLinks())


def failures(release: Any) -> dict[str, str | None]:
    return {check.name: check.witness for check in audit(release).checks if not check.holds}


def test_an_item_in_all_records_is_implied_by_every_other() -> None:
    assert failures(safe([(4, [["a", "a", "a"]], "t")])) == {}
    witness = "a is in all 3 records that could hold it, so every other item there implies it"
    assert failures(safe([(3, [["a", "a", "a"]], "t")])) == {NAMES[0]: f"cluster 0, chunk 0: {witness}"}
    # In another chunk, without a term chunk.
    assert failures(safe([(3, [["a", "a", "a"], ["b", "b"]], "")])) == {NAMES[0]: f"cluster 0, chunk 0: {witness}"}
    # Where the cluster may hold nothing else, there is nothing to link it to.
    assert failures(safe([(3, [["a", "a", "a"]], "")])) == {}


def test_a_shared_item_in_all_records() -> None:
    joint: Any = ([(3, [["x", "x"]], "t"), (3, [["y", "y"]], "u")], [["a"] * 5])
    assert failures(safe([joint])) == {}
    joint[1][0].append("a")
    assert "a is in all 6 records" in str(failures(safe([joint]))[NAMES[0]])


def test_an_item_that_occurs_only_together_with_another() -> None:
    assert failures(safe([(5, [["ab", "ab", "a", "a"]], "t")])) == {
        NAMES[1]: "cluster 0, chunk 0: b occurs only together with a"
    }
    assert failures(safe([(5, [["ab", "ab", "a", "b"]], "t")])) == {}
    # Not with all others of the chunk.
    assert failures(safe([(6, [["bc", "bc", "c", "e", "e"]], "d")])) == {
        NAMES[1]: "cluster 0, chunk 0: b occurs only together with c"
    }
    shared: Any = ([(3, [["x", "x"]], "t"), (3, [["y", "y"]], "u")], [["ab", "ab", "a"]])
    assert failures(safe([shared])) == {NAMES[1]: "cluster 0, shared chunk 0: b occurs only together with a"}


def test_a_subrecord_counts_only_where_all_clusters_can_take_it() -> None:
    """The first cluster has x: of the shared chunk it can take {ab} only, so that a implies b there."""
    leaves = [(4, [["x", "x"]], "t"), (9, [["y", "y"]], "u")]
    joint: Any = (leaves, [["ax", "ax", "ab", "ab", "b", "b"]])
    rows = [frozenset(row) for row in ("ax", "ab", "b")]
    assert (0, "a", "b") in certain_links((leaves_of(2, 3), [rows]))
    assert "a occurs only together with b" in str(failures(safe([joint]))[NAMES[1]])


def leaves_of(*sizes: int) -> Any:
    """Smaller clusters of the same make: fewer worlds, the same links."""
    return [
        (size, [[frozenset(name)] * 2], frozenset(term)) for size, name, term in zip(sizes, "xy", "tu", strict=True)
    ]


def test_restricted_subrecords_that_fill_the_open_clusters() -> None:
    leaves: Any = [(3, [["x", "x"]], "t"), (3, [["y", "y"]], "u")]
    assert failures(safe([(leaves, [["x"] * 2])])) == {}
    assert set(failures(safe([(leaves, [["x"] * 3])]))) == {NAMES[0], NAMES[2]}


def test_subrecords_that_fill_all_records_below() -> None:
    """The first cluster cannot take {a}: all its records take {b}, although not all of both clusters do."""
    leaves: Any = [(3, [["a", "a"]], "t"), (4, [["y", "y"]], "u")]
    full = ["a"] * 2 + ["b"] * 5
    witness = failures(safe([(leaves, [full])]))
    assert set(witness) == {NAMES[2]}
    assert witness[NAMES[2]] == (
        "cluster 0, shared chunk 0: 2 of its 7 subrecords can go to some clusters only; the clusters that can take all "
        "of them have 4 records, all clusters below 7 records"
    )
    rows = [frozenset(row) for row in full]
    (size, own, term), other = ((s, [[frozenset(r) for r in c] for c in chunks], {w}) for s, chunks, w in leaves)
    assert (0, "t", "b") in certain_links(([(size, own, term), other], [rows]))
    assert failures(safe([(leaves, [full[:-1]])])) == {}


def test_nothing_is_looked_at_where_nothing_is_promised() -> None:
    verdict = audit(disassociated([(3, [["ab", "ab", "a"]], "t")], 2, 2))
    assert verdict.holds
    assert not set(NAMES) & {check.name for check in verdict.checks}


def test_chunks_that_are_too_wide_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    release = safe([(5, [["ab", "ab", "a", "b"]], "t")])
    monkeypatch.setattr(implied_items, "MOST_WORDS", 3)
    assert str(failures(release)[NAMES[1]]).startswith("not checked")


def judged(node: Any) -> tuple[bool, bool]:
    """Whether the auditor finds no certain link, and whether there is none by all possible originals."""
    verdict = audit(replace(disassociated([node], 2, 1), links=NoCertainLinks()))
    assume(all(check.holds for check in verdict.checks if check.name not in NAMES))
    accepted = all(verdict[name].holds for name in NAMES)
    event(f"accepted: {accepted}")
    return accepted, not certain_links(node)


@given(clusters())
def test_clusters_are_accepted_exactly_if_no_possible_original_has_a_link(node: Any) -> None:
    accepted, free = judged(node)
    assert accepted == free


@given(joints())
def test_joints_are_accepted_only_if_no_possible_original_has_a_link(node: Any) -> None:
    accepted, free = judged(node)
    assert free or not accepted
    own = frozenset().union(*(row for leaf in node[0] for chunk in leaf[1] for row in chunk))
    if not own & frozenset().union(*node[1][0]):
        assert accepted == free


@given(st.lists(rows_over("abcdef"), min_size=1, max_size=12), st.integers(1, 40), st.integers(0, 70))
def test_what_all_subrecords_of_an_item_hold(rows: list[frozenset[str]], words: int, others: int) -> None:
    """By definition, also where domains take several words and blocks are short."""
    wide = [row | {f"z{number:02}" for number in range(others)} for row in rows]
    release = disassociated([(len(rows) + 1, [wide], "")])
    _, bags = subrecords.read(release)
    domains = number_items(bags, 1, len(release.vocabulary))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(implied_items, "_WORDS", words)
        implied = implied_items.implied_items(bags, domains)
    for entry, item in enumerate(domains.item.tolist()):
        name = release.words[item]
        common = sorted(frozenset.intersection(*(row for row in wide if name in row)) - {name})
        assert implied.others[entry] == len(common)
        first = int(implied.first[entry])
        assert (release.words[int(domains.item[first])] if first >= 0 else None) == (common[0] if common else None)
