"""Noisy baskets on disk: what is written comes back, and what is not a release is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io import listed_rows, release_folder
from shoal.io.release_folder import MANIFEST, read_release, write_release
from shoal.release.noisy_baskets import NoisyBaskets
from tests.making.damaged_folders import edit_manifest, put, refused, rewrite
from tests.making.diffpart_runs import BALANCED, noisy

COUNTS = {"a": 9, "ab": 40, "acd": 5, "d": 12}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "noisy"
    made.mkdir()
    write_release(noisy(BALANCED, 1.5, COUNTS), made)
    read_release(made)
    return made


def test_a_file_without_rows_has_a_group_of_rows_all_the_same(tmp_path: Path) -> None:
    """There are readers, the oldest pyarrow among them, that take no other."""
    write_release(noisy(BALANCED, 1.5, {}), tmp_path)
    meta = pq.read_metadata(tmp_path / "rows.parquet")
    assert (meta.num_rows, meta.num_row_groups) == (0, 1)
    assert read_release(tmp_path).counts["rows"] == 0


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(st.sampled_from(["a", "b", "ab", "bcd", "abcd", "d"]), st.integers(1, 10**12)),
    st.floats(1e-6, 1e3),
    st.booleans(),
    st.integers(1, 4),
)
def test_what_is_written_comes_back(counts: dict[str, int], epsilon: float, seeded: bool, items_a_group: int) -> None:
    written = noisy(BALANCED, epsilon, counts, reproducible=seeded)
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(release_folder, "to_disk"),
        mock.patch.object(listed_rows, "ITEMS_A_GROUP", items_a_group),
    ):
        write_release(written, Path(name))
        read = read_release(name, trusted=True)
        assert isinstance(read, NoisyBaskets)
        assert {path.name for path in Path(name).iterdir()} == {MANIFEST, "rows.parquet", "hierarchy.parquet"}
    assert (read.promise, read.reproducible, read.counts) == (written.promise, seeded, written.counts)
    assert read.tree.labels == written.tree.labels
    for field in ("offsets", "items", "row_counts"):
        one, two = getattr(read, field), getattr(written, field)
        assert one.dtype == two.dtype
        assert np.array_equal(one, two)


def test_other_tools_read_the_files(folder: Path) -> None:
    rows = pq.read_table(folder / "rows.parquet").to_pydict()
    assert rows == {"items": [[2], [2, 3], [2, 5, 6], [6]], "count": [9, 40, 5, 12]}
    assert pq.read_table(folder / "hierarchy.parquet").to_pydict() == {
        "item": [0, 1, 2, 3, 4, 5, 6],
        "name": ["*", "X", "a", "b", "Y", "c", "d"],
        "parent": [None, 0, 1, 1, 0, 4, 4],
        "leaves": [4, 2, 1, 1, 2, 1, 1],
    }
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["counts"] == {"rows": 4, "records": 66, "items": 4, "ones": 7}
    assert manifest["promises"][0]["neighbouring"] == "one record added or removed"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("promises", []), "must promise UnboundedDifferentialPrivacy"),
        (put("promises", 0, "epsilon", -1), "states an invalid promise: epsilon is -1"),
        (put("promises", 0, "epsilon", "little"), "epsilon is 'little'"),
        (lambda manifest: manifest["promises"][0].pop("epsilon"), "without its 'epsilon'"),
        (put("promises", 0, "neighbouring", "one item"), "neighbour"),
        (put("promises", 0, "item_list", None), "item_list is None"),
        (put("counts", "records", 67), "67"),
    ],
)
def test_manifests_that_lie_are_refused(folder: Path, change: object, words: str) -> None:
    edit_manifest(folder, change)
    refused(folder, words)


def counted(values: list[int]) -> object:
    return lambda table: table.set_column(
        1, pa.field("count", pa.int64(), nullable=False), pa.array(values, pa.int64())
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [([9, 0, 5, 12], "numbers from 1 on"), ([9, -4, 5, 12], "numbers from 1 on"), ([2**60] * 4, "2^53 in all")],
)
def test_counts_that_are_none_are_refused(folder: Path, values: list[int], words: str) -> None:
    rewrite(folder, "rows.parquet", counted(values))
    refused(folder, words)


@pytest.mark.parametrize(("items", "words"), [([[2], [9]], "holds the item 9"), ([[-1], [2]], "holds the item -1")])
def test_items_without_a_name_are_refused(folder: Path, items: list[list[int]], words: str) -> None:
    def change(table: pa.Table) -> pa.Table:
        schema = table.schema
        return pa.table({"items": pa.array(items, schema.field("items").type), "count": [9, 9]}, schema=schema)

    rewrite(folder, "rows.parquet", change)
    refused(folder, words)


@pytest.mark.parametrize("parents", [[0, 0, 1, 1, 0, 4, 4], [None, None, 1, 1, 0, 4, 4], [None, 0, 3, 1, 0, 4, 4]])
def test_hierarchies_that_are_no_trees_are_refused(folder: Path, parents: list[int | None]) -> None:
    def change(table: pa.Table) -> pa.Table:
        return table.set_column(2, "parent", pa.array(parents, pa.int32()))

    rewrite(folder, "hierarchy.parquet", change)
    refused(folder, "the root comes first, and every other node after its parent")
