"""Splitting, against the printed algorithm and against what our rules say of its parts."""

import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.kernels.chop import chop_parts
from shoal.kernels.horizontal import split_records
from tests.making.transaction_strategies import records
from tests.oracles import disassociation as oracle

few_items = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=40)


def parts_of(data, limit, least):
    rows, ends = split_records(data.offsets, data.items, data.n_items, limit, least)
    assert sorted(rows.tolist()) == list(range(len(data)))
    return [rows[low:high].tolist() for low, high in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]


@given(few_items, st.integers(1, 9))
def test_without_our_rules_the_parts_are_those_of_the_printed_algorithm(rows, max_size):
    # The paper stops below maxClusterSize, the kernel at its limit; items compare by code as the oracle's do by name.
    data = Transactions.from_records(rows)
    printed = oracle.horpart_literal(rows, max_size + 1)
    assert [sorted(part) for part in parts_of(data, max_size, 1)] == [sorted(part) for part in printed]


@given(few_items, st.integers(1, 9), st.integers(2, 6))
def test_splitting_stops_when_no_unused_item_is_frequent_enough(rows, limit, least):
    data = Transactions.from_records(rows)
    parts = parts_of(data, limit, least)
    if len(rows) >= least:
        assert len(parts[0]) >= least  # so that a smaller part always has one before it to join
    for part in parts:
        if len(part) <= limit:
            continue
        # What is too large could not be split: an item that enough of its records hold is held by all of them (it was
        # used to bring them together).
        counts = Counter(item for row in part for item in rows[row])
        assert all(count < least or count == len(part) for count in counts.values())


def test_a_long_chain_of_items_is_no_recursion():
    # The printed algorithm recurses once for each of these 20,000 items.
    rows = [{i, i + 1} for i in range(20_000)]
    parts = parts_of(Transactions.from_records(rows), 2, 1)
    assert max(map(len, parts)) <= 2


def test_no_records_make_no_parts():
    rows, ends = split_records(np.zeros(1, np.int64), np.empty(0, np.int32), 0, 3, 2)
    assert len(rows) == len(ends) == 0


def chopped(rows, spread, most):
    """The pieces of one part, as the records' (plain items, spread items)."""
    plain = Transactions.from_records(rows)
    marked = Transactions.from_records([[s] for s in spread])
    order = np.arange(len(rows))
    whole = np.array([0, len(rows)])
    bounds = chop_parts(plain.offsets, plain.items, marked.offsets, marked.items, order, whole, most)
    return [[(tuple(sorted(rows[i])), spread[i]) for i in order[low:high].tolist()] for low, high in pairwise(bounds)]


@given(
    records(1, 40, "abc").flatmap(lambda r: st.tuples(st.just(r), st.permutations(range(len(r))))), st.integers(1, 9)
)
def test_pieces_are_balanced_and_do_not_depend_on_the_order_of_the_input(case, most):
    rows, order = case
    spread = ["s" if i % 3 else "t" for i in range(len(rows))]
    pieces = chopped(rows, spread, most)
    sizes = [len(piece) for piece in pieces]
    assert sum(sizes) == len(rows)
    assert max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1
    shuffled = chopped([rows[i] for i in order], [spread[i] for i in order], most)
    assert [sorted(piece) for piece in shuffled] == [sorted(piece) for piece in pieces]


@pytest.mark.parametrize("most", [5, 7, 10])
def test_equal_records_with_equal_spread_items_are_dealt_to_different_pieces(most):
    rows = [frozenset("a")] * 60
    spread = ["hiv"] * 12 + ["flu"] * 48
    shares = [sum(s == "hiv" for _, s in piece) for piece in chopped(rows, spread, most)]
    assert max(shares) - min(shares) <= 2  # pieces differ in size by one, so the last turn does not reach all of them


def test_items_that_all_records_hold_cost_one_pass_and_not_one_each():
    # The printed algorithm would choose each of the 3,000 in turn, to split nothing.
    data = Transactions.from_records([{f"{i:04}" for i in range(3_000)} | {"x" if n < 40 else "y"} for n in range(100)])
    start = time.process_time()
    parts = parts_of(data, 30, 2)
    took = time.process_time() - start
    assert [len(part) for part in parts] == [60, 40]
    if hasattr(split_records, "py_func"):
        assert took < 1
