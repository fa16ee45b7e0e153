"""NCP of generalized baskets against sums over all occurrences, and what a hierarchy must have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Hierarchy, Transactions, km_generalization
from shoal.data.item_hierarchies import by_support
from shoal.data.node_tree import NodeTree
from shoal.errors import InputError
from shoal.measuring.baskets.item_generalization import ncp, published_ncp
from tests.making.km_generalized_baskets import DRINKS, generalized_baskets, item_hierarchies, paths_of, rows_of
from tests.making.transaction_strategies import records
from tests.oracles import km_generalization as oracle

RECORDS = Transactions.from_records([["beer", "milk"], ["wine", "milk"], ["beer", "wine", "soap"]])
RELEASE = generalized_baskets([["alcohol", "milk"]] * 2 + [["alcohol", "soap"]])


def test_by_hand() -> None:
    """Alcohol stands for 3 of 6 items, milk and soap for themselves; two items of the last record became one."""
    metric = ncp(RECORDS, RELEASE, DRINKS)
    assert metric.value == pytest.approx(4 * 3 / 6 / 7)
    assert dict(metric.details) == {"generalized": 4, "of": 7, "items_of_the_hierarchy": 6}
    alone = published_ncp(RELEASE)
    assert (alone.label, alone.value) == ("NCP published items", pytest.approx(3 * 3 / 6 / 6))


@given(records(3, 10, "abcdefg"), item_hierarchies(), st.integers(1, 2), st.booleans())
def test_it_is_what_the_publisher_pays(rows, hierarchy, m, whole) -> None:
    data = Transactions.from_records(rows)
    release = km_generalization(data, 3, m, hierarchy=hierarchy, publish_hierarchy=whole)
    metric = ncp(data, release, None if whole else hierarchy)
    tree = NodeTree.from_hierarchy(hierarchy)
    cut = oracle.generalize(rows, paths_of(tree), list(tree.labels), 3, m)
    total = len(paths_of(tree)) * sum(map(len, rows))
    assert metric.value == pytest.approx(oracle.loss(rows, cut, paths_of(tree)) / total)
    assert 0 <= metric.value <= 1
    size = dict(zip(release.tree.labels, release.tree.leaves.tolist(), strict=True))
    lost = [size[node] if size[node] > 1 else 0 for row in rows_of(release) for node in row]
    assert published_ncp(release).value == pytest.approx(sum(lost) / len(lost) / tree.leaves[0])


def test_what_is_needed() -> None:
    with pytest.raises(InputError, match="hierarchy="):
        ncp(RECORDS, RELEASE)
    with pytest.raises(InputError, match=r"not in this hierarchy \(\d+\): .*'alcohol'"):
        ncp(RECORDS, RELEASE, Hierarchy.from_rows([(leaf, "*") for leaf in DRINKS.leaves]))
    with pytest.raises(InputError, match=r"below no published node \(1\): 'rum'"):
        ncp(Transactions.from_records([["rum"]]), generalized_baskets([["beer"]] * 2), DRINKS)


def test_a_tree_by_support_has_every_item_and_joins_rare_ones_first() -> None:
    data = Transactions.from_records([["a"]] * 40 + [["b", "c"], ["d", "e"], ["f"]])
    made = by_support(data, fanout=2)
    assert sorted(made.leaves) == list("abcdef")
    assert made.ancestors("a")[1] == "a"
    assert made.ancestors("b")[1] == made.ancestors("c")[1] != "b"
    with pytest.raises(InputError, match="no items"):
        by_support(Transactions.from_records([]))
