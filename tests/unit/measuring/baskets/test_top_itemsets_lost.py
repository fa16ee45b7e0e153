"""tKd, tKd-a and tKd-ML2 against their definitions, and on examples counted by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.baskets import top_itemsets_lost
from shoal.release.manifest import Dropped
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications
from tests.oracles import utility as oracle

TEA = [frozenset({"tea", "milk"})] * 4 + [frozenset({"tea", "caviar"})]


def measured(published: Published, **options: Any) -> tuple[Any, shoal.results.Utility]:
    release = disassociated(published.nodes, published.k, published.m)
    return release, shoal.measure(Transactions.from_records(published.records), release, run=Run(chance=3), **options)


def agrees(found: shoal.results.Utility, name: str, one: list[Any], other: list[Any], top: int, m: int) -> None:
    plural = "s" if m > 1 else ""
    assert found[name].value == oracle.tkd(one, other, top)
    assert found[f"{name} at most {m} item{plural}"].value == oracle.tkd(one, other, top, lambda s: len(s) <= m)
    assert found[f"{name} more than {m} item{plural}"].value == oracle.tkd(one, other, top, lambda s: len(s) > m)
    details = found[name].details
    assert details["ties_cut_original"] == oracle.ties_cut(one, top)
    assert details["ties_cut_published"] == (oracle.ties_cut(other, top) if len(oracle.counts(other)) >= top else 0)


@given(publications(), st.integers(1, 40))
def test_tkd_is_its_definition_on_a_reconstruction_and_inside_chunks(published: Published, top: int) -> None:
    original = published.records
    top = min(top, len(oracle.counts(original)))
    release, found = measured(published, top=top, ranges=[], reconstructions=2)
    drawn = list(next(release.reconstruct(2, run=Run(chance=3))))
    agrees(found, "tKd", original, drawn, top, published.m)
    agrees(found, "tKd-a", original, oracle.subrecords(published.nodes), top, published.m)


@st.composite
def hierarchies(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    """Paths of five items through two levels; some labels are those of items, some items lie right below the root."""
    above = {label: draw(st.sampled_from("PQ")) for label in "axyz"}
    paths = {}
    for item in "abcde":
        label = draw(st.sampled_from(["a", "x", "y", "z", "*"]))
        paths[item] = (item, label, "*" if label == "*" else above[label], "*")
    return paths


@given(publications(), hierarchies(), st.integers(1, 40))
def test_tkd_ml2_is_its_definition_at_all_levels_but_the_root(published: Published, paths: Any, top: int) -> None:
    wanted = oracle.at_all_levels(published.records, paths)
    top = min(top, len(oracle.counts(wanted)))
    tree = shoal.Hierarchy.from_rows(paths.values())
    release, found = measured(published, top=top, ranges=[], reconstructions=1, hierarchy=tree)
    drawn = oracle.at_all_levels(list(next(release.reconstruct(run=Run(chance=3)))), paths)
    agrees(found, "tKd-ML2", wanted, drawn, top, published.m)


def test_an_example_counted_by_hand() -> None:
    # The original has tea 5, milk 4, milk+tea 4, caviar 1, caviar+tea 1: the last is cut, as frequent as caviar.
    original = Transactions.from_records(TEA)
    release = disassociated([(5, [[["tea", "milk"]] * 4 + [["tea"]]], ["caviar"])], k=3)
    found = shoal.measure(original, release, top=4, ranges=[], run=Run(chance=1))
    assert found["tKd"].value == 0  # caviar goes to one record, wherever that is
    assert found["tKd-a"].value == 0.25  # chunks have nothing of caviar
    assert found["tKd-a"].details["ties_cut_original"] == 1
    assert found["tKd-a at most 2 items"].details == {"itemsets": 4, "kept": 3}
    assert found["tKd-a more than 2 items"].value is None


def test_a_shared_chunk_is_mined_too() -> None:
    original = Transactions.from_records([{"a", "b"}, {"a"}, {"a", "b"}, {"c"}, {"c"}, {"c", "b"}])
    release = disassociated([([(3, ["aaa"], ""), (3, ["ccc"], "")], ["bbb"])], k=3)
    found = shoal.measure(original, release, top=3, ranges=[], run=Run(chance=1))
    assert found["tKd-a"].value == 0  # a, b and c, three times each


def test_a_hierarchy_counted_by_hand() -> None:
    # Level 0: tea 5, milk 4, milk+tea 4, caviar 1, caviar+tea 1. Level 1: drink 5, food 1, drink+food 1.
    tree = shoal.Hierarchy.from_rows([("tea", "drink", "*"), ("milk", "drink", "*"), ("caviar", "food", "*")])
    original = Transactions.from_records(TEA)
    release = disassociated([(5, [[["tea"]] * 5, [["milk"]] * 4], ["caviar"])], k=3)
    found = shoal.measure(original, release, top=8, ranges=[], hierarchy=tree, run=Run(chance=1))
    assert found["tKd-ML2"].details["itemsets"] == 8
    # Caviar with milk makes two sets more, of which caviar+milk comes before caviar+tea: that one, or nothing, is lost.
    assert found["tKd-ML2"].value in (0, 1 / 8)
    assert "tKd-ML2" not in {metric.name for metric in shoal.measure(original, release, ranges=[])}


def test_items_without_a_place_are_listed_at_once() -> None:
    tree = shoal.Hierarchy.from_rows([("tea", "drink", "*")])
    original = Transactions.from_records(TEA)
    with pytest.raises(InputError, match=r"(?s)without a place \(2\): 'caviar', 'milk'"):
        shoal.measure(original, shoal.disassociate(original, k=3, m=2), hierarchy=tree)


def test_ties_are_counted_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(top_itemsets_lost, "TIES_COUNTED", 10)
    original = Transactions.from_records([set("abcdefgh")] * 3)
    found = shoal.measure(
        original, disassociated([(3, [["abcdefgh"] * 3], "")], k=3), top=8, ranges=[], run=Run(chance=1)
    )
    assert found["tKd"].details["ties_cut_original"] == 10


def test_ties_are_broken_alike_where_the_release_dropped_the_word_that_made_numbers_text() -> None:
    # As text 10 comes before 9, as a number after it; "x" is dropped, so that the release's own order is by number.
    original = Transactions.from_records([{"9", "10"}] * 3 + [{"9", "10", "x"}])
    release = disassociated([(4, [[["9", "10"]] * 4], "")], k=3, dropped=Dropped(rare_items=1))
    assert release.words == ["9", "10"]
    assert original.words == ["10", "9", "x"]
    assert shoal.measure(original, release, top=1, ranges=[], run=Run(chance=1))["tKd-a"].value == 0
