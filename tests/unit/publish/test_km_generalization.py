"""k^m-anonymity by generalization against its literal twin, and against the definition."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Hierarchy, Transactions, km_generalization
from shoal.audit.generalized_baskets import audit
from shoal.data.node_tree import NodeTree
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError, InternalError
from shoal.publish import km_generalization as publishing
from shoal.run import Run
from tests.making.km_generalized_baskets import DRINKS, item_hierarchies, paths_of, rows_of
from tests.making.transaction_strategies import records
from tests.oracles import km_generalization as oracle

BASKETS = [{"beer", "milk"}, {"wine", "milk"}, {"beer"}, {"wine"}, {"rum", "bread"}, {"milk", "rum"}]


@given(records(3, 12, "abcdefg"), item_hierarchies(), st.integers(2, 3), st.integers(1, 4))
def test_the_release_is_that_of_the_literal_algorithm_and_keeps_its_promise(rows, hierarchy, k, m):
    release = km_generalization(Transactions.from_records(rows), k, m, hierarchy=hierarchy)
    assert oracle.holds(rows_of(release), k, m)
    tree = NodeTree.from_hierarchy(hierarchy)
    cut = oracle.generalize(rows, paths_of(tree), list(tree.labels), k, m)
    assert Counter(rows_of(release)) == Counter(oracle.recoded(rows, cut))
    verdict = audit(release, original=Transactions.from_records(rows), hierarchy=hierarchy)
    assert verdict.confirmed, str(verdict)


@pytest.mark.parametrize("seed", range(30))
def test_so_is_that_of_sparse_records_where_choices_differ_and_tie(seed):
    """Short records of items below nodes of different sizes: here it matters what a choice loses, and what was lost."""
    chance = random.Random(seed)
    items = [f"i{number}" for number in range(12)]
    low = {item: f"low {chance.randint(0, 4)}" for item in items}
    high = {group: f"high {chance.randint(0, 1)}" for group in sorted(set(low.values()))}
    hierarchy = Hierarchy.from_rows([(item, low[item], high[low[item]], "*") for item in items])
    # Most items are about equally frequent, so that choices tie.
    rows = [frozenset(chance.sample(items, chance.choice([1, 1, 2, 2, 3]))) for _ in range(chance.choice([25, 50]))]
    rows += [frozenset({item}) for item in items] * 2
    k, m = chance.choice([(2, 2), (3, 2), (2, 3), (3, 3)])
    release = km_generalization(Transactions.from_records(rows), k, m, hierarchy=hierarchy)
    tree = NodeTree.from_hierarchy(hierarchy)
    cut = oracle.generalize(rows, paths_of(tree), list(tree.labels), k, m)
    assert Counter(rows_of(release)) == Counter(oracle.recoded(rows, cut))


@given(records(3, 12), st.integers(2, 3), st.integers(1, 3), st.booleans())
def test_without_a_hierarchy_neighbours_are_joined(rows, k, m, whole):
    data = Transactions.from_records(rows)
    release = km_generalization(data, k, m, publish_hierarchy=whole)
    assert oracle.holds(rows_of(release), k, m)
    assert audit(release, original=data).confirmed == whole
    if whole:
        assert set(data.words) <= set(release.tree.labels)
    else:
        assert {label for row in rows_of(release) for label in row} == {
            release.tree.labels[node] for node in np.flatnonzero(release.tree.is_bottom)
        }


def test_an_example_by_hand():
    """All pairs of these are rare."""
    release = km_generalization(Transactions.from_records(BASKETS), 2, 2, hierarchy=DRINKS)
    assert Counter(rows_of(release)) == {frozenset({"alcohol", "food"}): 4, frozenset({"alcohol"}): 2}
    assert release.tree.labels == ("*", "alcohol", "food")
    whole = km_generalization(Transactions.from_records(BASKETS), 2, 2, hierarchy=DRINKS, publish_hierarchy=True)
    assert "soap" in whole.tree.labels


def test_a_pair_that_is_cheaper_to_raise_by_one_item_is_raised_by_that_one():
    """Two rare pairs: cheap stands in few records, dear in many; both ways would do for the first."""
    tree = Hierarchy.from_rows([("c1", "C", "*"), ("c2", "C", "*"), ("d1", "D", "*"), ("d2", "D", "*")])
    rows = [{"c1", "d1"}, {"c2", "d1"}, {"c1", "d2"}, {"c1", "d2"}, *[{"d1"}] * 20, *[{"d2"}] * 20, {"c2"}]
    release = km_generalization(Transactions.from_records(rows), 2, 2, hierarchy=tree)
    assert {label for row in rows_of(release) for label in row} == {"C", "d1", "d2"}
    few = [{"c1", "d1"}, {"c1", "d2"}, {"c2", "d1"}, {"c2", "d1"}, *[{"c1"}] * 20, *[{"c2"}] * 20, {"d2"}]
    release = km_generalization(Transactions.from_records(few), 2, 2, hierarchy=tree)
    assert {label for row in rows_of(release) for label in row} == {"c1", "c2", "D"}


def test_of_equal_losses_the_last_node_is_raised_and_what_stays_an_item_loses_nothing():
    tree = Hierarchy.from_rows([("c1", "C", "*"), ("c2", "C", "*"), ("d1", "D", "*"), ("d2", "D", "*")])
    tied = [{"c1", "d1"}, {"c1", "d2"}, {"c1", "d2"}, {"c2", "d1"}, {"c2", "d1"}]
    release = km_generalization(Transactions.from_records(tied), 2, 2, hierarchy=tree)
    assert set().union(*rows_of(release)) == {"c1", "c2", "D"}
    # D stands in 6 records and C in 7: D is raised first, and {c2, D} stays rare. That c1 is frequent is no matter.
    rows = [{"c1", "d1"}, {"c2", "d1"}, *[{"c1", "d2"}] * 2, *[{"c1"}] * 2, {"c2"}, *[{"d2"}] * 2]
    release = km_generalization(Transactions.from_records(rows), 2, 2, hierarchy=tree)
    assert set().union(*rows_of(release)) == {"C", "D"}


def test_everything_may_have_to_become_the_root():
    rows = [{"a", "b"}, {"c", "d"}, {"e"}]
    release = km_generalization(Transactions.from_records(rows), 3, 2)
    assert rows_of(release) == [frozenset({"*"})] * 3


def test_sets_may_be_larger_than_any_record_and_too_many_to_number():
    rows = [{f"i{number}", f"j{number % 5}"} for number in range(40)]
    release = km_generalization(Transactions.from_records(rows), 2, 500)
    assert oracle.holds(rows_of(release), 2, 2)
    long = [set("abcdefghijklmnopqrstuvwxyz"[at : at + 13]) for at in range(3)] * 2
    many = Hierarchy.from_rows([(f"x{number}", "*") for number in range(40)] + [(x, "*") for x in "abcdefghijklmno"])
    assert oracle.holds(rows_of(km_generalization(Transactions.from_records(long), 2, 12, hierarchy=many)), 2, 3)


def test_what_cannot_be():
    data = Transactions.from_records(BASKETS)
    with pytest.raises(Infeasible, match="6 records cannot hide one among 7"):
        km_generalization(data, 7, 2, hierarchy=DRINKS)
    with pytest.raises(InputError, match=r"k is 1"):
        km_generalization(data, 1, 2, hierarchy=DRINKS)
    with pytest.raises(InputError, match=r"threads is 0"):
        km_generalization(data, 2, 2, hierarchy=DRINKS, run=Run(engine=Threads(0)))
    with pytest.raises(InputError, match=r"without a place \(2\): 'beer', 'wine'"):
        km_generalization(data, 2, 2, hierarchy=Hierarchy.from_rows([(x, "*") for x in ("milk", "rum", "bread")]))


@pytest.mark.parametrize("wrong", ["stops a size early", "counts occurrences"])
def test_a_publisher_that_is_wrong_publishes_nothing(monkeypatch, tmp_path, wrong):
    rows = [{"beer", "milk"}, {"beer", "soap"}, {"milk", "soap"}, *[{"beer"}, {"milk"}, {"soap"}] * 3]
    right = publishing._without_rare_sets

    def early(held, tree, occurrences, k, m, report):
        return right(held, tree, occurrences, k, m - 1, report)

    def twice(held, tree, occurrences, k, m, report):
        """Each record is counted twice."""
        return right(np.append(held, held[1:]), tree, occurrences, k, m, report)[: len(held)]

    monkeypatch.setattr(publishing, "_without_rare_sets", early if wrong == "stops a size early" else twice)
    release = km_generalization(Transactions.from_records(rows), 2, 2, hierarchy=DRINKS)
    with pytest.raises(InternalError, match=r"\{beer, milk\} is held by 1 record only"):
        release.write(tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_progress_is_told_by_sizes():
    told: list[tuple[str, int, int]] = []
    km_generalization(
        Transactions.from_records(BASKETS), 2, 2, hierarchy=DRINKS, run=Run(progress=lambda *step: told.append(step))
    )
    stages = list(dict.fromkeys(stage for stage, _, _ in told if stage != "compile"))
    assert stages == ["sets of 1", "sets of 2", "sort rows"]
    assert all(done <= total for _, done, total in told)
