"""Releases of generalized baskets on disk: what is written comes back, and what is not a release is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import verify
from shoal.io import listed_rows, release_folder
from shoal.io.release_folder import MANIFEST, read_release, write_release
from shoal.release.generalized_baskets import GeneralizedBaskets
from tests.making.damaged_folders import edit_manifest, put, refused, rewrite
from tests.making.km_generalized_baskets import ITEMS, generalized_baskets, item_hierarchies


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four rows of three nodes, one of which is an item."""
    made = tmp_path / "release"
    made.mkdir()
    write_release(generalized_baskets([["alcohol", "food"], ["food", "alcohol"], ["soap"], ["soap"]]), made)
    assert verify(made).confirmed
    return made


@settings(deadline=None)
@given(item_hierarchies(), st.data(), st.integers(1, 4), st.booleans())
def test_what_is_written_comes_back_to_the_bit(hierarchy, data, items_a_group, whole) -> None:
    row = st.lists(st.sampled_from(ITEMS), min_size=1, unique=True)
    written = generalized_baskets(data.draw(st.lists(row, min_size=1)), 3, 4, hierarchy=hierarchy, whole=whole)
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(release_folder, "to_disk"),
        mock.patch.object(listed_rows, "ITEMS_A_GROUP", items_a_group),
    ):
        write_release(written, Path(name))
        read = read_release(name, trusted=True)
        assert {path.name for path in Path(name).iterdir()} == {MANIFEST, "rows.parquet", "hierarchy.parquet"}
    assert isinstance(read, GeneralizedBaskets)
    assert (read.promise, read.discloses_hierarchy) == (written.promise, whole)
    assert read.tree.labels == written.tree.labels
    for one, two in (
        (read.tree.parents, written.tree.parents),
        (read.tree.leaves, written.tree.leaves),
        (read.offsets, written.offsets),
        (read.nodes, written.nodes),
    ):
        assert one.dtype == two.dtype
        assert np.array_equal(one, two)


def test_other_tools_read_the_files(folder: Path) -> None:
    assert pq.read_table(folder / "rows.parquet").to_pydict() == {"items": [[1, 2], [1, 2], [3], [3]]}
    assert pq.read_table(folder / "hierarchy.parquet").to_pydict() == {
        "item": [0, 1, 2, 3],
        "name": ["*", "alcohol", "food", "soap"],
        "parent": [None, 0, 0, 0],
        "leaves": [6, 3, 2, 1],
    }
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["hierarchy"] == "down to what rows hold"
    assert manifest["counts"] == {"rows": 4, "published_items": 3, "ones": 6}
    assert {"k": 2, "m": 2}.items() <= manifest["promises"][0].items()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("hierarchy", "most of it"), "'hierarchy' must be"),
        (put("method", "mask"), ""),
        (put("promises", 0, "k", 1), "k"),
        (put("promises", 0, "m", "two"), "m"),
        (put("promises", []), "promise"),
        (put("counts", "rows", 5), "5"),
        (put("counts", "published_items", 4), "4"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(folder: Path, change: Any, words: str) -> None:
    edit_manifest(folder, change)
    refused(folder, words)
    assert not verify(folder).holds


def replaced(column: str, kind: pa.DataType, values: list[Any]):
    def change(table: pa.Table) -> pa.Table:
        return table.set_column(table.column_names.index(column), column, pa.array(values, kind))

    return change


LISTS, LOOSE = listed_rows.LIST, pa.list_(pa.field("element", pa.int32()))
DAMAGE = {
    "a node that is none": ("rows.parquet", replaced("items", LISTS, [[1, 2], [1, 9], [3], [3]]), "holds the item 9"),
    "a negative node": ("rows.parquet", replaced("items", LISTS, [[1, 2], [-1, 2], [3], [3]]), "holds the item -1"),
    "a missing row": ("rows.parquet", replaced("items", LISTS, [[1, 2], None, [3], [3]]), "missing"),
    "a missing node": ("rows.parquet", replaced("items", LOOSE, [[1, 2], [1, None], [3], [3]]), "columns"),
    "fewer rows": ("rows.parquet", lambda table: table.slice(1), ""),
    "a name twice": ("hierarchy.parquet", replaced("name", pa.string(), ["*", "food", "food", "soap"]), "twice"),
    "no name": ("hierarchy.parquet", replaced("name", pa.string(), ["*", "food", None, "soap"]), "missing"),
    "two roots": ("hierarchy.parquet", replaced("parent", pa.int32(), [None, 0, None, 0]), "the root comes first"),
    "a parent behind": ("hierarchy.parquet", replaced("parent", pa.int32(), [None, 3, 0, 0]), "after its parent"),
    "numbers in another order": ("hierarchy.parquet", replaced("item", pa.int32(), [0, 2, 1, 3]), "item"),
    "no hierarchy": ("hierarchy.parquet", lambda table: table.slice(0, 0), ""),
    "a column more": ("rows.parquet", lambda table: table.append_column("who", table["items"]), ""),
}


@pytest.mark.parametrize(("name", "change", "words"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_refused(folder: Path, name: str, change: Any, words: str) -> None:
    rewrite(folder, name, change)
    refused(folder, words)
    assert not verify(folder).holds


SHAPED = {
    "an empty row": ("rows.parquet", replaced("items", LISTS, [[], [1, 2], [1, 2], [3]])),
    "another order": ("rows.parquet", replaced("items", LISTS, [[3], [1, 2], [1, 2], [3]])),
    "a rare pair": ("rows.parquet", replaced("items", LISTS, [[1, 2], [1, 3], [2], [3]])),
    "the root, too": ("rows.parquet", replaced("items", LISTS, [[0], [0], [1, 2], [1, 2]])),
    "too few items below": ("hierarchy.parquet", replaced("leaves", pa.int64(), [3, 3, 2, 1])),
}


@pytest.mark.parametrize(("name", "change"), SHAPED.values(), ids=SHAPED)
def test_what_has_the_shape_of_a_release_and_is_none_is_for_the_auditor(folder: Path, name: str, change: Any) -> None:
    rewrite(folder, name, change)
    counts = read_counts(folder)
    edit_manifest(folder, put("counts", counts))
    assert not verify(folder).holds
    read_release(folder)


def read_counts(folder: Path) -> dict[str, int]:
    """What the manifest would say of the rows that are there now."""
    rows = pq.read_table(folder / "rows.parquet")["items"].to_pylist()
    held = {node for row in rows for node in row}
    return {"rows": len(rows), "published_items": len(held), "ones": sum(map(len, rows))}
