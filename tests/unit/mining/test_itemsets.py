"""Itemsets against their definitions, at the threshold, in any order, by any number of threads, within limits."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError
from shoal.mining import closed_itemsets, frequent_itemsets, least_count, maximal_itemsets, top_itemsets
from shoal.mining.itemsets import Itemsets
from shoal.run import Run
from tests.making.transaction_strategies import records
from tests.oracles import itemsets as oracle

LISTED = {frequent_itemsets: oracle.frequent, closed_itemsets: oracle.closed, maximal_itemsets: oracle.maximal}


def listed(found: Itemsets) -> list[tuple[frozenset[str], int]]:
    return list(found)


@pytest.mark.parametrize("mine", LISTED, ids=lambda mine: mine.__name__)
@settings(max_examples=60)
@given(rows=records(), least=st.integers(1, 5))
def test_the_sets_are_those_of_the_definition_in_their_order(mine: Any, rows: list[Any], least: int) -> None:
    assert listed(mine(shoal.read(rows), least, run=Run(engine=Threads(1)))) == oracle.in_order(
        LISTED[mine](rows, least)
    )


@settings(max_examples=60)
@given(rows=records(), least=st.integers(1, 4), length=st.integers(1, 4))
def test_a_bound_on_the_length_leaves_out_longer_sets(rows: list[Any], least: int, length: int) -> None:
    data = shoal.read(rows)
    for mine, definition in LISTED.items():
        expected = {one: n for one, n in definition(rows, least).items() if len(one) <= length}
        assert listed(mine(data, least, max_length=length, run=Run(engine=Threads(1)))) == oracle.in_order(expected)


@settings(max_examples=60)
@given(rows=records(), k=st.integers(1, 40), least=st.integers(1, 3), length=st.none() | st.integers(1, 3))
def test_the_best_are_the_first_of_all(rows: list[Any], k: int, least: int, length: int | None) -> None:
    expected = oracle.in_order(oracle.frequent(rows, least, length))[:k]
    assert (
        listed(top_itemsets(shoal.read(rows), k, min_support=least, max_length=length, run=Run(engine=Threads(1))))
        == expected
    )


def many(seed: int, n: int, items: int, density: float) -> list[frozenset[str]]:
    chance = random.Random(seed)
    return [frozenset(f"{i}" for i in range(items) if chance.random() < density) or frozenset("0") for _ in range(n)]


def by_pairs(rows: list[frozenset[str]], least: int) -> dict[frozenset[str], int]:
    """Frequent sets of up to three items, counted record by record: for more records than the oracle can take."""
    from collections import Counter
    from itertools import combinations

    counts: Counter[frozenset[str]] = Counter()
    for row in rows:
        for size in (1, 2, 3):
            counts.update(map(frozenset, combinations(sorted(row), size)))
    return {one: n for one, n in counts.items() if n >= least}


@pytest.mark.parametrize(("density", "least"), [(0.04, 2), (0.1, 15), (0.5, 60)], ids=["sparse", "middling", "dense"])
def test_long_lists_of_records_sparse_and_dense(density: float, least: int) -> None:
    # More than 8 words of 63 records, so that sparse ones are dealt rather than marked; items in all and in one.
    rows = [row | {"all"} for row in many(1, 700, 30, density)] + [frozenset({"all", "once"})]
    assert dict(frequent_itemsets(shoal.read(rows), least, max_length=3, run=Run(engine=Threads(1)))) == by_pairs(
        rows, least
    )


def test_many_records_that_are_thinly_shared_are_dealt() -> None:
    # Each item in some 550 records, more than 8 words of 63, and each pair in one in nine of them.
    rows = many(2, 5_000, 9, 0.11)
    data = shoal.read(rows)
    assert data.supports[1:].min() > 8 * 63
    expected = oracle.in_order(by_pairs(rows, 4))
    assert sum(len(one) == 3 for one, _ in expected) > 60
    assert listed(frequent_itemsets(data, 4, max_length=3, run=Run(engine=Threads(1)))) == expected


def test_item_0_counts_like_any_other_and_the_threshold_itself_is_frequent() -> None:
    data = shoal.read([["0", "1"]] * 3 + [["0"]] * 2 + [["1"]])
    assert listed(frequent_itemsets(data, 3)) == [({"0"}, 5), ({"1"}, 4), ({"0", "1"}, 3)]
    assert listed(frequent_itemsets(data, 4)) == [({"0"}, 5), ({"1"}, 4)]
    assert listed(frequent_itemsets(data, 0.5)) == listed(frequent_itemsets(data, 3))
    assert listed(frequent_itemsets(data, 0.51)) == listed(frequent_itemsets(data, 4))
    assert listed(frequent_itemsets(data, 6)) == []
    assert frequent_itemsets(data, 6).to_arrow().num_rows == 0


def test_an_item_in_every_record_is_frequent_and_in_every_closed_set() -> None:
    data = shoal.read([["a", "b"], ["a"], ["a", "c"]])
    assert listed(frequent_itemsets(data, 1.0)) == [({"a"}, 3)]
    assert listed(closed_itemsets(data, 1)) == [({"a"}, 3), ({"a", "b"}, 1), ({"a", "c"}, 1)]


@pytest.mark.parametrize(
    ("share", "records", "count"),
    [(0.1, 30, 3), (0.1, 31, 4), (0.3, 10, 3), (0.07, 100, 7), (1.0, 7, 7), (0.001, 10, 1), (1e-9, 10, 1), (7, 3, 7)],
)
def test_a_share_is_taken_as_it_is_written(share: float, records: int, count: int) -> None:
    assert least_count(share, records) == count


@pytest.mark.parametrize("wrong", [0, -1, 0.0, 1.5, -0.1, True, False, "1", None, float("nan"), float("inf")])
def test_what_is_no_support_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="min_support is"):
        least_count(wrong, 10)


@pytest.mark.parametrize("name", ["max_length", "max_itemsets"])
def test_options_out_of_range_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} is 0: it must be a whole number from 1 on"):
        frequent_itemsets(shoal.read([["a"]]), 1, **{name: 0})
    with pytest.raises(InputError, match="k is 0"):
        top_itemsets(shoal.read([["a"]]), 0)


SIXTY = [[f"{i}" for i in range(60)]] * 3


@pytest.mark.parametrize("length", [None, 10])
def test_what_would_explode_is_refused_with_a_way_out(length: int | None) -> None:
    with pytest.raises(
        Infeasible,
        match=r"more than 20,000,000 itemsets .* GB of memory .*limit the length of sets.*the most frequent sets",
    ):
        frequent_itemsets(shoal.read(SIXTY), 3, max_length=length)


def test_the_limit_is_exact() -> None:
    data = shoal.read([["a", "b", "c", "d"]] * 2 + [["e"]])
    assert len(frequent_itemsets(data, 1, max_itemsets=16)) == 16
    with pytest.raises(Infeasible, match="more than 15 itemsets are in at least 1 of the 3 records"):
        frequent_itemsets(data, 1, max_itemsets=15)


def test_the_same_long_baskets_have_closed_maximal_and_best_sets() -> None:
    data = shoal.read([*SIXTY, ["0", "1"]])
    both, long = ({"0", "1"}, 4), (set(SIXTY[0]), 3)
    assert listed(closed_itemsets(data, 3)) == [both, long]
    assert listed(maximal_itemsets(data, 3)) == [long]
    best = listed(top_itemsets(data, 1000))
    expected = [({"0"}, 4), ({"1"}, 4), both, *(({f"{i}"}, 3) for i in range(2, 60))]
    pairs = [({f"{i}", f"{j}"}, 3) for i in range(60) for j in range(i + 1, 60) if (i, j) != (0, 1)]
    assert best == [*expected, *pairs][:1000]


@pytest.mark.parametrize("mine", LISTED, ids=lambda mine: mine.__name__)
def test_neither_threads_nor_the_order_of_records_matter(mine: Any) -> None:
    rows = many(3, 300, 14, 0.3)
    one = mine(shoal.read(rows), 6, run=Run(engine=Threads(1)))
    assert len(one) > 50
    random.Random(1).shuffle(rows)
    for other in (mine(shoal.read(rows), 6, run=Run(engine=Threads(3))), mine(shoal.read(rows), 6)):
        for name in ("offsets", "items", "counts"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        assert one.vocabulary == other.vocabulary


def test_the_best_do_not_depend_on_threads() -> None:
    data = shoal.read(many(3, 300, 14, 0.3))
    assert listed(top_itemsets(data, 77, run=Run(engine=Threads(1)))) == listed(
        top_itemsets(data, 77, run=Run(engine=Threads(3)))
    )


def test_what_leaves_is_plain_and_goes_to_arrow() -> None:
    found = frequent_itemsets(shoal.read([["a", "b"], ["a"]]), 1)
    assert all(type(count) is int for _, count in found)
    assert (len(found), repr(found)) == (3, "Itemsets(3 of 2 records)")
    assert found.supports.tolist() == [1.0, 0.5, 0.5]
    table = pa.table(found)
    assert table.to_pylist()[2] == {"items": ["a", "b"], "size": 2, "count": 1, "support": 0.5}
    with pytest.raises(ValueError, match="read-only"):
        found.counts[0] = 1


def test_progress_is_told_and_can_interrupt() -> None:
    told: list[tuple[str, int, int]] = []
    frequent_itemsets(shoal.read(many(3, 300, 14, 0.3)), 6, run=Run(progress=lambda *event: told.append(event)))
    told = [event for event in told if event[0] != "compile"]
    assert told[-1][1] == told[-1][2] > 1
    assert {done for _, done, _ in told} - {0} == set(range(1, told[-1][2] + 1))

    def interrupt(stage: str, _done: int, _total: int) -> None:
        if stage != "compile":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        frequent_itemsets(shoal.read(many(3, 300, 14, 0.3)), 6, run=Run(progress=interrupt))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_part_is_interrupted_while_it_runs(threads: int) -> None:
    """Each of these 60 parts takes more than half a minute: nothing is reported by then but that it goes on."""
    dense = shoal.read(many(5, 3000, 60, 0.5))
    started = time.process_time()

    def interrupt(stage: str, done: int, _total: int) -> None:
        if stage == "mine itemsets":
            assert done == 0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        maximal_itemsets(dense, 5, run=Run(engine=Threads(threads), progress=interrupt))
    assert time.process_time() - started < 20
