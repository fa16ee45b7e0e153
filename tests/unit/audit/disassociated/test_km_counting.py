"""The counting of itemsets agrees with the definition, by enumeration and by search alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.disassociated import domains as domain_numbers
from shoal.audit.disassociated import km, km_wide, subrecords
from shoal.audit.disassociated.domains import number_items
from shoal.audit.disassociated.km import Counted, Limits, count_itemsets
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import chunks
from tests.oracles import disassociation as oracle

ENUMERATE = Limits()
SORT = Limits(table_cells=0)
TINY_BLOCKS = Limits(block_itemsets=1)
SEARCH = Limits(chunk_itemsets=-1)
MASKS = SEARCH
WAYS = {"enumerate": ENUMERATE, "sort": SORT, "tiny blocks": TINY_BLOCKS, "masks": MASKS, "search": SEARCH}


@pytest.fixture(autouse=True)
def _no_masks_in_a_search(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk that is to be searched goes to the search, however few subrecords it has."""
    if "masks" not in request.node.name:
        monkeypatch.setattr(km, "MAX_ROWS", 0)


def count(release: Disassociated, limits: Limits) -> Counted:
    _, bags = subrecords.read(release)
    domains = number_items(bags, release.n_chunks, len(release.vocabulary))
    everything = np.ones(release.n_chunks, bool)
    return count_itemsets(bags, domains, everything, release.promise.k, release.promise.m, limits)


def assert_agrees(bags: list[list[frozenset[str]]], k: int, m: int, limits: Limits, *, sort: bool = True) -> None:
    release = disassociated([(99, [bag], ()) for bag in bags], k, m, sort=sort)
    counted = count(release, limits)
    assert counted.refused is None
    assert (counted.found is None) == all(oracle.is_km_anonymous(bag, k, m) for bag in bags)
    if counted.found is not None:
        names = frozenset(release.words[code] for code in counted.found.items)
        assert len(names) == len(counted.found.items) <= m
        support = sum(names <= row for row in bags[counted.found.chunk])
        assert 0 < support == counted.found.count < k


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=150, deadline=None)
@given(st.lists(chunks(), min_size=1, max_size=4), st.integers(2, 4), st.integers(1, 4))
def test_any_chunks_as_the_definition_says(way: str, bags: list[list[frozenset[str]]], k: int, m: int) -> None:
    assert_agrees(bags, k, m, WAYS[way])


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=60, deadline=None)
@given(st.lists(chunks(), min_size=1, max_size=3), st.integers(2, 4), st.integers(1, 9))
def test_subrecords_in_any_order(way: str, bags: list[list[frozenset[str]]], k: int, m: int) -> None:
    assert_agrees(bags, k, m, WAYS[way], sort=False)


@pytest.mark.parametrize("m", [2, 3, 4, 6])
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=5), min_size=4, max_size=14),
    st.integers(2, 3),
)
def test_search_of_long_subrecords(m: int, bag: list[frozenset[str]], k: int) -> None:
    """Long and overlapping, so that the search really goes down."""
    assert_agrees([bag], k, m, SEARCH)


@settings(max_examples=120, deadline=None)
@given(chunks(max_rows=16), st.integers(2, 4), st.integers(1, 5))
def test_sparse_search(bag: list[frozenset[str]], k: int, m: int) -> None:
    before = km_wide.DENSE_CELLS, km_wide.PRODUCT_CELLS
    km_wide.DENSE_CELLS, km_wide.PRODUCT_CELLS = 0, 3
    try:
        assert_agrees([bag], k, m, SEARCH)
    finally:
        km_wide.DENSE_CELLS, km_wide.PRODUCT_CELLS = before


@settings(max_examples=60, deadline=None)
@given(st.lists(chunks(5), min_size=1, max_size=6), st.integers(2, 3), st.integers(1, 3))
def test_small_blocks_of_reading(bags: list[list[frozenset[str]]], k: int, m: int) -> None:
    before = subrecords._COMPARED, domain_numbers._NUMBERED
    subrecords._COMPARED, domain_numbers._NUMBERED = 2, 3
    try:
        assert_agrees(bags, k, m, ENUMERATE)
    finally:
        subrecords._COMPARED, domain_numbers._NUMBERED = before


def safe_but_deep(size: int, copies: int) -> list[frozenset[str]]:
    """Every subrecord misses one item: sets of size j occur in (size - j) * copies subrecords."""
    items = [f"i{number:03}" for number in range(size)]
    return [frozenset(items) - {missing} for missing in items for _ in range(copies)]


@pytest.mark.parametrize(("size", "copies", "k", "m"), [(40, 1, 30, 4), (12, 2, 7, 8), (60, 1, 57, 3)])
def test_wide_chunks_that_hold_and_just_do_not(size: int, copies: int, k: int, m: int) -> None:
    bag = safe_but_deep(size, copies)
    enough = (size - m) * copies
    assert count(disassociated([(99, [bag], ())], enough, m), SEARCH) == Counted()
    found = count(disassociated([(99, [bag], ())], enough + 1, m), SEARCH).found
    assert found is not None
    assert (len(found.items), found.count) == (m, enough)
    assert k <= enough


def test_identical_long_subrecords_need_no_counting() -> None:
    bag = [frozenset(f"i{number}" for number in range(3000))] * 5
    assert count(disassociated([(5, [bag], ())], 5, 4), ENUMERATE) == Counted()


def test_one_different_item_among_long_subrecords_is_found() -> None:
    items = frozenset(f"i{number}" for number in range(3000))
    bag = [items | {"x"}] * 5 + [items | {"y"}] * 5
    assert count(disassociated([(10, [bag], ())], 5, 4), ENUMERATE) == Counted()
    bag[0] = items
    found = count(disassociated([(10, [bag], ())], 5, 4), ENUMERATE).found
    assert found is not None
    assert found.count == 4


def test_beyond_the_limits_it_refuses() -> None:
    bag = safe_but_deep(14, 1)
    release = disassociated([(99, [bag], ()), (99, [bag], ())], 4, 6)
    enumerated = count(release, Limits(chunk_itemsets=10**9, total_itemsets=50_000)).refused
    assert enumerated is not None
    assert "occurrences of itemsets" in enumerated
    searched = count(release, Limits(chunk_itemsets=-1, search_work=1_000_000)).refused
    assert searched is not None
    assert "chunk 0 has 14 different subrecords, the longest with 13 items" in searched
