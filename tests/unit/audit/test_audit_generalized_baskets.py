"""The audit of generalized baskets: verdicts are those of the definition, and what is broken is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal import Hierarchy, Transactions
from shoal.audit.generalized_baskets import SETS, audit, rare_sets
from shoal.audit.verdict import Verdict
from shoal.errors import InputError
from shoal.promises import KmGeneralized
from tests.making.km_generalized_baskets import DRINKS, generalized_baskets, item_hierarchies, rows_of
from tests.oracles import km_generalization as oracle

RECORDS = [["beer", "milk"], ["wine", "bread"], ["rum", "milk"], ["wine", "beer", "milk"], ["soap"], ["soap"]]
ROWS = [["alcohol", "food"]] * 4 + [["soap"]] * 2
ORIGINAL = Transactions.from_records(RECORDS)
RELEASE = generalized_baskets(ROWS)


def failures(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.witness or "" for check in verdict.failures}


def test_an_honest_release_holds_alone_and_with_its_original() -> None:
    alone = audit(RELEASE)
    assert alone.confirmed, str(alone)
    assert alone[SETS].checked == 6
    both = audit(RELEASE, original=ORIGINAL, hierarchy=DRINKS)
    assert both.confirmed, str(both)
    assert both["rows of the original"].checked == 6


def test_without_the_hierarchy_it_says_what_it_leaves_out() -> None:
    verdict = audit(RELEASE, original=ORIGINAL)
    assert verdict.holds, str(verdict)
    assert [entry.name for entry in verdict.left_out] == ["rows of the original"]
    whole = generalized_baskets(ROWS, whole=True)
    assert audit(whole, original=ORIGINAL).confirmed


@st.composite
def rows_of_cuts(draw: st.DrawFn) -> tuple[Hierarchy, list[list[str]]]:
    """Rows over nodes none of which is below another, some of them often."""
    hierarchy = draw(item_hierarchies("abcdef"))
    level = draw(st.integers(0, hierarchy.height - 1))
    labels = sorted(set(hierarchy.labels[level]))
    row = st.lists(st.sampled_from(labels), min_size=1, max_size=5, unique=True)
    repeated = draw(st.lists(st.tuples(row, st.integers(1, 4)), min_size=1, max_size=7))
    return hierarchy, [row for row, times in repeated for _ in range(times)]


@given(rows_of_cuts(), st.integers(2, 4), st.integers(1, 5))
def test_the_verdict_is_that_of_the_definition_and_the_witness_a_smallest_rare_set(made, k, m):
    hierarchy, rows = made
    try:
        release = generalized_baskets(rows, k, m, hierarchy=hierarchy)
    except KeyError:  # a node that covers the same as the one below it is called as that one
        assume(False)
    rare = oracle.rare_sets(rows_of(release), k, m)
    verdict = audit(release)
    assert verdict.holds == (not rare)
    if rare:
        (found,) = verdict.failures
        assert found.name == SETS
        smallest = min(map(len, rare))
        assert found.witness in {
            f"{{{', '.join(sorted(items, key=release.tree.labels.index))}}} is held by {count} "
            f"record{'s' if count > 1 else ''} only"
            for items, count in rare.items()
            if len(items) == smallest
        }


def test_sets_are_counted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rare_sets, "CELLS", 2)
    chance = np.random.default_rng(3)
    rows = [frozenset(chance.choice(8, chance.integers(1, 6), replace=False).tolist()) for _ in range(60)]
    lists = sorted(sorted(row) for row in rows)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64)
    items = np.array([item for row in lists for item in row], np.int32)
    for k in range(2, 20):
        rare = oracle.rare_sets([frozenset(map(str, row)) for row in rows], k, 3)
        found = rare_sets.SetCounter(offsets, items, 8, k).find(3)
        if found is None:
            assert not rare
            continue
        least = min((len(items), sorted(items)) for items in rare)
        assert (len(found.items), [str(item) for item in found.items]) == least
        assert rare[frozenset(map(str, found.items))] == found.count


def with_rows(rows: list[list[str]], **options: object):
    return generalized_baskets(rows, **options)


def swapped(release):
    """The last row first."""
    rows = [sorted(row, key=release.tree.labels.index) for row in rows_of(release)]
    return generalized_baskets([rows[-1], *rows[:-1]], in_order=False)


BROKEN = {
    "a pair in one row": (
        with_rows([*ROWS, ["alcohol", "soap"]]),
        {SETS: "{alcohol, soap} is held by 1 record only"},
    ),
    "a pair in two rows, both alike, of three": (
        with_rows([["alcohol", "soap"]] * 2 + [["alcohol"], ["soap"]] * 3, k=3),
        {SETS: "{alcohol, soap} is held by 2 records only"},
    ),
    "a node in one row": (with_rows([*ROWS[:4], ["soap"]]), {SETS: "{soap} is held by 1 record only"}),
    "a triple in one row": (
        with_rows([*ROWS, ["alcohol", "food", "soap"], *[["alcohol", "soap"], ["food", "soap"]] * 2], m=3),
        {SETS: "{alcohol, food, soap} is held by 1 record only"},
    ),
    "an item and the node above it": (
        with_rows([*ROWS, *[["beer", "food"]] * 2]),
        {"one node an item": "rows hold alcohol, and rows hold beer, which is below it"},
    ),
    "both in one row": (
        with_rows([*ROWS, *[["alcohol", "beer"]] * 2]),
        {"one node an item": "rows hold alcohol, and rows hold beer, which is below it"},
    ),
    "input order": (
        swapped(RELEASE),
        {"order": "row 1, {alcohol, food}, comes after row 0, {soap}"},
    ),
    "an item below the cut": (
        with_rows(ROWS, keep=["rum"]),
        {"unused nodes": "rum is published, but no row holds it or a node below it"},
    ),
    "a node beside": (
        with_rows([["alcohol"]] * 2, keep=["soap"]),
        {"unused nodes": "soap is published, but no row holds it or a node below it"},
    ),
    "an empty row": (
        with_rows([[], *ROWS]),
        {"rows": "row 0 is empty"},
    ),
    "a node twice": (
        with_rows([["soap", "soap"]] * 2),
        {"rows": "row 0 is {soap, soap} (and 1 more rows)"},
    ),
    "no rows": (with_rows([]), {"rows": "there are none"}),
    "a strange node": (
        replace(RELEASE, nodes=np.where(RELEASE.nodes == 3, 7, RELEASE.nodes).astype(np.int32)),
        {"rows": "row 4 holds the node 7, of 4"},
    ),
    "a tree that is none": (
        replace(RELEASE, tree=replace(RELEASE.tree, parents=np.array([-1, 0, 3, 0], np.int32))),
        {"hierarchy": "food does not follow its parent in depth-first order"},
    ),
    "too few items below a node": (
        replace(RELEASE, tree=replace(RELEASE.tree, leaves=np.array([3, 3, 2, 1]))),
        {"hierarchy": "* represents 3 values, and the nodes below it 6"},
    ),
    "not whole": (
        replace(RELEASE, discloses_hierarchy=True),
        {"hierarchy": "alcohol represents 3 values that are not disclosed"},
    ),
}


@pytest.mark.parametrize(("release", "witnesses"), BROKEN.values(), ids=BROKEN)
def test_broken_releases_are_rejected_with_a_witness(release, witnesses) -> None:
    verdict = audit(release)
    found = failures(verdict)
    refused = {check.name for check in verdict.failures if check.refused}
    assert {name: witness for name, witness in found.items() if name not in refused} == witnesses, str(verdict)
    # What makes no sense any more is refused, never passed over.
    later = {"order", "one node an item", "unused nodes", SETS}
    assert refused == (
        later & {check.name for check in verdict.checks} if {"rows", "hierarchy"} & set(witnesses) else set()
    )
    assert not audit(release, original=ORIGINAL, hierarchy=DRINKS).holds


OTHERS = {
    "a record less": (RECORDS[1:], {"records of the original": "it has 6, and the original 5 records"}),
    "an item of another node": (
        [["soap", "milk"], *RECORDS[1:]],
        {},
    ),
    "an item below no published node": (
        [["ham"], *RECORDS[1:]],
        {"items of the original": "ham is below none"},
    ),
}


@pytest.mark.parametrize(("records", "witnesses"), OTHERS.values(), ids=OTHERS)
def test_another_original_is_told(records, witnesses) -> None:
    tree = Hierarchy.from_rows([*DRINKS.rows(), ("ham", "meat", "*")])
    release = generalized_baskets(ROWS, hierarchy=tree)
    found = failures(audit(release, original=Transactions.from_records(records), hierarchy=tree))
    assert "should be in" in found.pop("rows of the original")
    assert found == witnesses


def test_rows_that_were_changed_or_swapped_are_told() -> None:
    """As many rows of each length and with each node, but not together: soap and food changed places in two rows."""
    records = [["beer", "milk"], ["beer", "milk"], ["wine", "soap"], ["wine", "soap"]]
    data = Transactions.from_records(records)
    honest = generalized_baskets([["alcohol", "food"]] * 2 + [["alcohol", "soap"]] * 2)
    assert audit(honest, original=data, hierarchy=DRINKS).confirmed
    lying = generalized_baskets([["alcohol"], ["alcohol", "food", "soap"]] * 2)
    found = failures(audit(lying, original=data, hierarchy=DRINKS))
    assert found == {"rows of the original": "{alcohol} is in 2 rows, and should be in 0 (and 3 more different rows)"}


def test_the_hierarchy_given_must_be_that_of_the_release() -> None:
    rows = [("milk", "dairy", "*") if row[0] == "milk" else row for row in DRINKS.rows()]
    found = failures(audit(RELEASE, original=ORIGINAL, hierarchy=Hierarchy.from_rows(rows)))
    assert found["hierarchy given"] == "food is not in it"
    assert found["items of the original"].startswith("not checked")
    more = Hierarchy.from_rows([*DRINKS.rows(), ("gin", "alcohol", "*")])
    found = failures(audit(RELEASE, original=ORIGINAL, hierarchy=more))
    assert found["hierarchy given"] == "* represents 6 items in the release, and 7 there"
    moved = Hierarchy.from_rows([(*row[:-1], "all", "*") for row in DRINKS.rows()])
    with pytest.raises(InputError, match="without a place"):
        audit(RELEASE, original=Transactions.from_records([["ham"]] * 6), hierarchy=moved)
    with pytest.raises(InputError, match="original="):
        audit(RELEASE, hierarchy=DRINKS)


def test_without_a_hierarchy_supports_and_lengths_are_compared() -> None:
    soapless = Transactions.from_records([*RECORDS[:5], ["beer"]])
    found = failures(audit(RELEASE, original=soapless))
    assert found == {"items published as they are": "soap is in 2 rows, and in 1 record of the original"}
    shorter = Transactions.from_records([*[["milk"]] * 3, ["wine", "beer", "milk"], ["soap"], ["soap"]])
    found = failures(audit(RELEASE, original=shorter))
    assert found == {"lengths of the original": "by length, row 2 has 2 nodes, and record 2 1 items"}


def test_too_much_work_is_refused_and_huge_numbers_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = replace(RELEASE, promise=KmGeneralized(10**12, 10**12))
    assert failures(audit(huge)) == {SETS: "{alcohol} is held by 4 records only"}
    monkeypatch.setattr(rare_sets, "LEAST_WORK", 10)
    monkeypatch.setattr(rare_sets, "WORK_AN_ITEM", 0)
    (check,) = audit(with_rows([*ROWS, ["alcohol", "soap"]])).failures
    assert check.refused
