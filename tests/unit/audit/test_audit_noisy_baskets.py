"""The audit of noisy baskets: honest releases hold, and each way to break the promise is caught, with a witness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.noisy_baskets import audit
from shoal.audit.noisy_baskets.noise_of_counts import match_original
from shoal.audit.noisy_baskets.splits import last_counts
from shoal.audit.tail_bounds import FALSE_ALARM
from shoal.audit.verdict import Verdict
from shoal.data.node_tree import NodeTree
from shoal.data.transactions import Transactions
from shoal.promises import UnboundedDifferentialPrivacy
from shoal.publish.diffpart import diffpart
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import Run
from tests.making.diffpart_runs import BALANCED, MIXED, ONE, UNEVEN, coded, noisy, tree_of
from tests.oracles import diffpart as oracle

ITEMS = "abcdefgh"
RECORDS = [
    [name for bit, name in enumerate(ITEMS) if kind >> bit & 1] for kind in range(1, 256) for _ in range(300 + kind)
]
ORIGINAL = Transactions.from_records(RECORDS)
HONEST = replace(diffpart(ORIGINAL, 1.0, run=Run(chance=1)), reproducible=False)
SMALL = noisy(BALANCED, 3.0, {"a": 9, "ab": 40, "acd": 5, "d": 12})


def failures(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.witness or "" for check in verdict.failures}


def only(verdict: Verdict, name: str, *words: str) -> None:
    """This check fails, and no other that was made; the witness says so."""
    broken = {name: witness for name, witness in failures(verdict).items() if not witness.startswith("not checked")}
    assert list(broken) == [name], str(verdict)
    for text in words:
        assert text in broken[name]


def test_an_honest_release_holds_and_says_what_the_folder_cannot_tell() -> None:
    alone = audit(HONEST)
    assert alone.holds, str(alone)
    assert [entry.name for entry in alone.left_out] == ["noise"]
    both = audit(HONEST, original=ORIGINAL)
    assert both.confirmed, str(both)
    assert both["noise"].checked == both["missing baskets"].checked == 255


def test_a_seed_is_never_confirmed() -> None:
    verdict = audit(replace(HONEST, reproducible=True), original=ORIGINAL)
    assert verdict.holds
    assert [entry.name for entry in verdict.left_out] == ["chance"]


def test_too_few_baskets_to_tell_are_said() -> None:
    data = Transactions.from_records([["a"], ["b", "c"]])
    verdict = audit(diffpart(data, 1.0), original=data)
    assert verdict.holds
    assert [entry.name for entry in verdict.left_out] == ["noise"]
    assert "only 0 baskets" in verdict.left_out[0].why


def test_stages_are_reported() -> None:
    said: list[tuple[str, int, int]] = []
    audit(SMALL, run=Run(progress=lambda *stage: said.append(stage)))
    assert said == [("rows", 1, 3), ("counts", 2, 3), ("original", 3, 3)]


# Broken by shape


def test_the_small_release_holds() -> None:
    assert audit(SMALL).holds
    assert audit(
        replace(SMALL, offsets=SMALL.offsets[:1], items=SMALL.items[:0], row_counts=SMALL.row_counts[:0])
    ).holds


def with_rows(rows: list[str], counts: list[int]) -> NoisyBaskets:
    """Rows as they are given, in whatever order."""
    index = SMALL.tree.labels.index
    items = np.array([index(name) for row in rows for name in row], np.int32)
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return replace(SMALL, offsets=offsets, items=items, row_counts=np.array(counts, np.int64))


@pytest.mark.parametrize(
    ("rows", "counts", "name", "words"),
    [
        (["ab", "X"], [9, 90], "rows", "{X}"),
        (["ba"], [9], "rows", "{b, a}"),
        (["aab"], [9], "rows", "{a, a, b}"),
        (["", "a"], [9, 9], "rows", "{}"),
        (["a"], [0], "rows", "0 times"),
        (["a"], [9, 9], "rows", "1 baskets and 2 counts"),
        (["b", "a"], [9, 9], "order", "{a}, comes after basket 0, {b}"),
        (["ab", "a"], [9, 9], "order", "basket 1"),
        (["a", "ab", "ab"], [9, 9, 9], "order", "basket 2, {a, b}, comes after basket 1, {a, b}"),
        (["a", "ab"], [9, 1], "counts", "{a, b} has the count 1, but counts below 2"),
    ],
)
def test_broken_rows_are_rejected(rows: list[str], counts: list[int], name: str, words: str) -> None:
    only(audit(with_rows(rows, counts)), name, words)


def test_items_outside_of_the_hierarchy_are_rejected() -> None:
    only(audit(replace(SMALL, items=SMALL.items + 4)), "rows", "is not one of 7 nodes")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"leaves": np.array([5, 2, 1, 1, 2, 1, 1])}, "represents 5 values"),
        ({"leaves": np.array([5, 2, 1, 1, 3, 1, 2])}, "not disclosed"),
        ({"parents": np.array([-1, 0, 1, 4, 0, 4, 4], np.int32)}, "depth-first order"),
        ({"labels": ("*", "X", "a", "a", "Y", "c", "d")}, "two nodes"),
    ],
)
def test_broken_hierarchies_are_rejected(change: dict[str, Any], words: str) -> None:
    whole = {name: getattr(SMALL.tree, name) for name in ("labels", "parents", "leaves")}
    only(audit(replace(SMALL, tree=NodeTree(**{**whole, **change}))), "hierarchy", words)


@pytest.mark.parametrize("epsilon", [0.0, 1e-13, 2000.0, math.inf])
def test_budgets_that_cannot_be_are_rejected(epsilon: float) -> None:
    only(audit(replace(SMALL, promise=UnboundedDifferentialPrivacy(epsilon))), "budget", f"epsilon is {epsilon:g}")


def test_a_count_below_its_own_threshold_is_rejected_and_one_at_it_is_not() -> None:
    assert (last_counts(HONEST.tree, 1.0, HONEST.offsets, HONEST.items).least == 4).all()
    for count, holds in ((4, True), (3, False)):
        counts = HONEST.row_counts.copy()
        counts[7] = count
        assert audit(replace(HONEST, row_counts=counts)).holds is holds


# Broken by noise that is not what it is said to be


def true_counts() -> Any:
    return match_original(HONEST, ORIGINAL)[0].true


def test_no_noise_is_rejected() -> None:
    verdict = audit(replace(HONEST, row_counts=true_counts()), original=ORIGINAL)
    only(verdict, "noise", "too little noise", "255 not at all")


@pytest.mark.parametrize(("really", "words"), [(2.0, "too little noise"), (0.5, "too much noise")])
def test_noise_of_another_epsilon_is_rejected(really: float, words: str) -> None:
    other = diffpart(ORIGINAL, really, run=Run(chance=2))
    kept = other.row_counts >= 4
    assert kept.all()
    only(audit(replace(other, promise=HONEST.promise, reproducible=False), original=ORIGINAL), "noise", words)


def test_noise_of_twice_a_small_epsilon_is_rejected_though_few_counts_have_none() -> None:
    other = diffpart(ORIGINAL, 0.4, run=Run(chance=2))
    stated = replace(other, promise=UnboundedDifferentialPrivacy(0.2), reproducible=False)
    only(audit(stated, original=ORIGINAL), "noise", "too little noise")


def test_noise_on_some_counts_only_is_rejected() -> None:
    counts = np.where(np.arange(255) % 2, true_counts(), HONEST.row_counts)
    only(audit(replace(HONEST, row_counts=counts), original=ORIGINAL), "noise", "too little")


@pytest.mark.parametrize("by", [60, -60])
def test_a_count_that_is_far_off_is_rejected(by: int) -> None:
    counts = HONEST.row_counts.copy()
    counts[11] += by
    verdict = audit(replace(HONEST, row_counts=counts), original=ORIGINAL)
    assert "counts in the original" in failures(verdict)
    assert f"is counted {int(counts[11]):,} times" in failures(verdict)["counts in the original"]


def test_a_basket_that_nobody_has_cannot_be_frequent() -> None:
    original = Transactions.from_records([record for record in RECORDS if record != ["a", "b"]])
    assert "{a, b} is counted" in failures(audit(HONEST, original=original))["counts in the original"]


def test_a_frequent_basket_that_is_missing_is_rejected() -> None:
    kept = np.arange(255) != 100
    keep_items = np.repeat(kept, HONEST.lengths)
    offsets = np.concatenate([[0], np.cumsum(HONEST.lengths[kept])])
    less = replace(HONEST, offsets=offsets, items=HONEST.items[keep_items], row_counts=HONEST.row_counts[kept])
    only(audit(less, original=ORIGINAL), "missing baskets", "but is not published")


def test_items_that_the_hierarchy_lacks_are_named() -> None:
    original = Transactions.from_records([*RECORDS, ["caviar"]])
    only(audit(HONEST, original=original), "items of the original", "caviar")


def test_a_list_that_was_read_off_the_data_has_no_other_items() -> None:
    """Nobody holds d: the hierarchy cannot have been made of these data."""
    original = Transactions.from_records([["a"]] * 40 + [["b"]] * 30 + [["c"]] * 45)
    release = noisy(BALANCED, 3.0, {})
    assert "items of the original" in failures(audit(release, original=original))
    only(audit(release, original=original), "items of the original", "d is in it, and in no record")
    given = replace(release, promise=replace(release.promise, item_list="given"))
    assert audit(given, original=original)["items of the original"].holds


def test_baskets_pass_splits_by_the_records_that_go_the_same_way() -> None:
    """A rare basket's path is busy with others; a frequent one below a rare node is not sure: each split counts."""
    rows = [["a"]] * 400 + [["b"]] * 30 + [["c"]] * 45
    data = Transactions.from_records(rows)
    release = noisy(BALANCED, 3.0, {"a": 400, "b": 30})
    matched, _ = match_original(release, data)
    offsets, items = coded(release.tree, ["a", "b"])
    assert [matched.items[matched.offsets[at]] for at in matched.sure] == items.tolist()
    assert offsets.tolist() == [0, 1, 2]


@given(
    st.sampled_from([BALANCED, MIXED, UNEVEN]),
    st.floats(0.5, 20),
    st.lists(st.tuples(st.sets(st.sampled_from("abcd"), min_size=1), st.integers(1, 400)), min_size=1, max_size=6),
)
def test_sure_baskets_are_those_that_the_definition_lets_pass(
    tree: Mapping[str, Sequence[str]], epsilon: float, counts: list[tuple[set[str], int]]
) -> None:
    """At every split of its path so many records go the same way that noise hardly ever takes them below."""
    total = math.floor(epsilon * ONE)
    records = [frozenset(basket) for basket, count in counts for _ in range(count)]
    matched, _ = match_original(noisy(tree, epsilon, {}), Transactions.from_records(records))
    different = set(records)
    likely = math.log((sum(map(len, different)) + 1) * (len(tree) + 1) / FALSE_ALARM)

    def is_sure(basket: frozenset[str]) -> bool:
        inside = records
        for split, part in oracle.path(tree, total, basket):
            inside = [record for record in inside if split.part(record) == part]
            if (len(inside) - split.threshold(part)) * float(split.spent(part) * oracle.UNIT) < likely:
                return False
        return True

    labels = tree_of(tree).labels
    found = {
        frozenset(labels[node] for node in matched.items[matched.offsets[at] : matched.offsets[at + 1]])
        for at in matched.sure.tolist()
    }
    assert found == {basket for basket in different if is_sure(basket)}


def test_counts_that_were_read_in_another_order_of_items_match() -> None:
    data = Transactions.from_records([[str(n)] for n in (2, 10, "x") for _ in range(400)] + [["2", "10", "x"]] * 500)
    verdict = audit(diffpart(data, 4.0), original=data)
    assert verdict.holds, str(verdict)
    assert verdict["missing baskets"].checked == 4
