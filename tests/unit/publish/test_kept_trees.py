"""Trees made from the data, as they are published: of kept rows, and without a value of few people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit import generalized
from shoal.data import hierarchy_builders
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Column, Table
from shoal.publish.k_anonymity import k_anonymity
from shoal.publish.kept_trees import of_kept_rows
from shoal.release.generalized import Generalized
from tests.oracles.named_values import as_number, few_people, names

MAKERS: dict[str, Callable[[Column], Hierarchy]] = {
    "balanced": hierarchy_builders.balanced,
    "ranges": hierarchy_builders.ranges,
    "flat": hierarchy_builders.flat,
    "frequency": hierarchy_builders.by_frequency,
    "prefixes": hierarchy_builders.prefixes,
}
incomes = st.integers(0, 60) | st.integers(0, 60).map(lambda tenths: tenths / 10)


def published(
    rows: list[tuple[float, str]], k: int, makers: tuple[str, str], share: float, **options: Any
) -> tuple[Table, Generalized]:
    data = pa.table({"pay": [float(row[0]) for row in rows], "job": [row[1] for row in rows]})
    table = Table.from_arrow(data, quasi=["pay", "job"])
    trees = {name: MAKERS[maker](table.column(name)) for name, maker in zip(("pay", "job"), makers, strict=True)}
    return table, k_anonymity(table, k, hierarchies=trees, max_suppressed=share, **options)


@settings(deadline=None)
@given(
    st.lists(st.tuples(incomes, st.sampled_from(["aa", "ab", "ac", "b", "cccc"])), min_size=4, max_size=30),
    st.integers(2, 4),
    st.tuples(st.sampled_from(["balanced", "ranges"]), st.sampled_from(["flat", "frequency", "prefixes"])),
    st.sampled_from([0.0, 0.3, 0.6]),
    st.sampled_from(["bottom-up", "mondrian"]),
    st.booleans(),
)
def test_no_label_is_a_value_of_fewer_than_k_rows(
    rows: list[tuple[float, str]], k: int, makers: tuple[str, str], share: float, strategy: Any, whole: bool
) -> None:
    table, release = published(rows, k, makers, share, strategy=strategy, publish_hierarchies=whole)
    for column in release.columns:
        original = table.column(column.name)
        values = [original.texts[code] for code in original.codes.tolist()]
        labels = column.tree.labels[1:]
        assert not few_people(labels, values, k)
        assert column.tree.leaves[0] <= len(set(values))
    verdict = generalized.audit(release, original=table)
    assert verdict.holds, verdict


def test_counts_and_labels_come_from_kept_rows() -> None:
    rows = [(10.0, "a"), (20.0, "a"), (30.0, "b"), (40.0, "b"), (5000.0, "zebra")]
    table, release = published(rows, 2, ("balanced", "flat"), 0.2, publish_hierarchies=True)
    assert release.suppressed == 1
    pay, job = release.columns
    assert job.tree.labels == ("*", "a", "b")
    assert (pay.tree.leaves[0], job.tree.leaves[0]) == (4, 2), "the suppressed row is not counted"
    assert not any(names(label, "5000") for label in pay.tree.labels)
    # A cut that lay between 40 and 5000 lies where kept rows are.
    tree = hierarchy_builders.balanced(table.column("pay"))
    kept = np.array([True] * 4 + [False])
    again = of_kept_rows(tree, NodeTree.from_hierarchy(tree), table.column("pay"), kept, 2)
    ends = [as_number(part) for label in again.tree.labels[1:] for part in label.strip("[)<>= ").split(", ")]
    assert max(end for end in ends if end is not None) <= 40


def test_a_release_says_nothing_of_which_values_suppressed_rows_had() -> None:
    kept = [(10.0, "a"), (20.0, "a"), (30.0, "b"), (40.0, "b")] * 2
    _, one = published([*kept, (5000.0, "zebra")], 4, ("balanced", "flat"), 0.2, publish_hierarchies=True)
    _, two = published([*kept, (70.0, "ape")], 4, ("balanced", "flat"), 0.2, publish_hierarchies=True)
    assert one.suppressed == two.suppressed == 1
    for first, second in zip(one.columns, two.columns, strict=True):
        assert first.tree.labels == second.tree.labels
        assert first.tree.leaves.tolist() == second.tree.leaves.tolist()
        assert first.nodes.tolist() == second.nodes.tolist()


def test_values_of_k_rows_may_be_ends_and_labels() -> None:
    rows = [(age, "a") for age in (36.0, 37.0, 38.0, 39.0) for _ in range(3)]
    _, release = published(rows, 3, ("balanced", "flat"), 0.0)
    assert release.column("pay").tree.labels == ("*", "< 38", "36", "37", ">= 38", "38", "39")
    _, finer = published([(age, "a") for age in (36.0, 37.0, 38.0, 39.0)], 2, ("balanced", "flat"), 0.0)
    assert finer.column("pay").tree.labels == ("*", "< 37.5", ">= 37.5")


def test_ranges_stay_on_their_grid_where_that_is_nobodys_value() -> None:
    pays = [11, 12, 18, 21, 30, 38]
    table = Table.from_arrow(pa.table({"pay": pays}), quasi="pay")
    tree = hierarchy_builders.ranges(table.column("pay"), width=10)
    release = k_anonymity(table, 2, hierarchies={"pay": tree}, strategy="mondrian")
    # 30 is where a range begins, and the value of one person; 10 and 40 are nobody's.
    assert release.column("pay").tree.labels == ("*", "[10, 25)", "[25, 40)")
    assert not few_people(release.column("pay").tree.labels, list(map(str, pays)), 2)


def test_given_hierarchies_stay_whole() -> None:
    rows = [("a", "x", "*"), ("b", "x", "*"), ("zebra", "zebra", "*")]
    table = Table.from_arrow(pa.table({"job": ["a", "a", "b", "b", "zebra"]}), quasi="job")
    given_tree = Hierarchy.from_rows(rows, name="job")
    release = k_anonymity(table, 2, hierarchies={"job": given_tree}, max_suppressed=0.2, publish_hierarchies=True)
    assert release.column("job").making is None
    assert Counter(release.column("job").tree.labels) == Counter(["*", "x", "a", "b", "zebra"])
    assert generalized.audit(release, original=table).holds


def test_a_group_names_only_values_of_k_rows() -> None:
    jobs = ["a"] * 8 + ["b"] * 3 + ["c", "d", "e"]
    table = Table.from_arrow(pa.table({"job": jobs}), quasi="job")
    tree = hierarchy_builders.by_frequency(table.column("job"))
    assert tree.labels[1][1] == "{b, c, d, ... and 1 more}"
    release = k_anonymity(table, 3, hierarchies={"job": tree}, strategy="mondrian")
    assert release.column("job").tree.labels == ("*", "a", "{b, ... and 3 more}", "b")


def completed(leaves: list[tuple[str, ...]], table: Table, name: str) -> dict[str, Hierarchy]:
    return {name: Hierarchy.from_rows(leaves, name=name, column=table.column(name), complete=True)}


def test_completing_a_given_hierarchy_tells_nothing_of_suppressed_rows() -> None:
    table = Table.from_arrow(pa.table({"job": ["a", "a", "b", "b", "c", "c", "zebra"]}), quasi="job")
    trees = completed([("a", "x", "*"), ("b", "x", "*"), ("rare", "x", "*")], table, "job")
    for whole, labels in [(False, ["*", "c", "x", "a", "b"]), (True, ["*", "c", "x", "a", "b", "rare"])]:
        release = k_anonymity(table, 2, hierarchies=trees, max_suppressed=0.2, publish_hierarchies=whole)
        tree = release.column("job").tree
        assert release.suppressed == 1
        assert tree.labels == tuple(labels)
        assert tree.leaves[0] == 4, "a, b, rare and c: zebra is not counted"
        assert generalized.audit(release, original=table).holds
        assert generalized.audit(release, original=table, hierarchies=trees).holds


def test_a_value_that_completing_added_is_listed_of_k_rows_or_if_a_row_shows_it() -> None:
    jobs = ["a"] * 4 + ["c", "c", "d", "d", "d", "d"]
    table = Table.from_arrow(pa.table({"job": jobs, "sex": ["f", "m"] * 5}), quasi=["job", "sex"])
    trees = completed([("a", "x", "*")], table, "job")
    release = k_anonymity(table, 3, hierarchies=trees, publish_hierarchies=True)
    assert release.column("job").making == "completed"
    assert "c" not in release.column("job").tree.labels, "of two people"
    assert "d" in release.column("job").tree.labels, "of four people, whether or not a row shows it"
    assert release.column("job").tree.leaves[0] == 3


def test_masks_of_a_column_with_missing_values() -> None:
    codes = ["12", "12", "13", "13", None, None, "123456"]
    table = Table.from_arrow(pa.table({"code": codes}), quasi="code")
    tree = hierarchy_builders.prefixes(table.column("code"))
    release = k_anonymity(table, 2, hierarchies={"code": tree}, max_suppressed=0.2)
    assert release.suppressed == 1
    assert set(release.column("code").tree.labels) == {"*", "12", "13", "1*", "?"}


def test_a_number_of_intervals_does_not_tell_the_least_value_by_their_widths() -> None:
    pays = [11, 20, 21, 22, 33, 34, 36, 50, 51, 52, 60, 61, 63, 97]
    table = Table.from_arrow(pa.table({"pay": pays}), quasi="pay")
    tree = hierarchy_builders.ranges(table.column("pay"), count=4)
    assert tree.labels[1][0] == "[11, 33)", "11 + 22 + 22 + ... is how they are made"
    release = k_anonymity(table, 2, hierarchies={"pay": tree}, strategy="mondrian", publish_hierarchies=True)
    ends = {part for label in release.column("pay").tree.labels[1:] for part in label.strip("[)<>= ").split(", ")}
    assert ends == {"30", "56", "80"}


@pytest.mark.parametrize("maker", MAKERS)
def test_makers_say_how(maker: str) -> None:
    column = Table.from_arrow(pa.table({"n": [1, 2, 3]})).column("n")
    assert MAKERS[maker](column).making is not None
