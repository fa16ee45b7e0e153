"""Releases written and read back: nothing is lost, and the same release is the same bytes."""

from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io import disassociated as tables
from shoal.io import release_folder
from shoal.io.disassociated import SCHEMAS
from shoal.io.release_folder import MANIFEST, read_manifest, read_release, write_release
from shoal.promises import KmAnonymity
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import publications

ODD_WORDS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["", " ", "\n", '"', "'", "a b", "{a, b}", "\x1b[31m", "\0", "Ä", "🦈", "007", "7", "null"]
)


def same(one: Disassociated, two: Disassociated) -> None:
    """Every field is equal, to the last array."""
    for field in fields(one):
        left, right = getattr(one, field.name), getattr(two, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right, err_msg=field.name)
        elif isinstance(left, pa.Array):
            assert left.equals(right), field.name
        else:
            assert left == right, field.name


def through_disk(release: Disassociated) -> Disassociated:
    # Hundreds of round trips need not wait for the platter each time.
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(release_folder, "to_disk"):
        write_release(release, Path(folder))
        return read_release(Path(folder), trusted=True)


@st.composite
def forests(draw: st.DrawFn) -> list[Any]:
    """Clusters and joints nested up to three deep, of odd words, kept promise or not."""
    rows = st.lists(st.lists(ODD_WORDS, min_size=1, max_size=3, unique=True), min_size=1, max_size=3)
    chunks = st.lists(rows, max_size=2)
    leaf = st.tuples(st.integers(1, 9), chunks, st.lists(ODD_WORDS, max_size=3, unique=True))
    nodes = st.recursive(leaf, lambda inner: st.tuples(st.lists(inner, min_size=1, max_size=2), chunks), max_leaves=4)
    return draw(st.lists(nodes, min_size=1, max_size=3))


@given(publications())
def test_published_releases_come_back(made: Any) -> None:
    release = disassociated(made.nodes, made.k, made.m, dropped=Dropped(1, 2, 3))
    same(release, through_disk(release))


@given(forests(), st.lists(ODD_WORDS, unique=True, max_size=2), st.sampled_from([1, 2, 250_000]))
@settings(max_examples=150)
def test_any_forest_of_any_words_comes_back(nodes: list[Any], sensitive: list[str], group: int) -> None:
    release = disassociated(nodes, sensitive=sensitive)
    before = tables.ITEMS_A_GROUP
    try:
        tables.ITEMS_A_GROUP = group  # so that many row groups, each with its own words, are met too
        same(release, through_disk(release))
    finally:
        tables.ITEMS_A_GROUP = before


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param([(2, [["a", "a"]], "")], id="one cluster, no term chunk"),
        pytest.param([(2, [], "ab")], id="term chunk only"),
        pytest.param([(2, [["a"] * 2], ""), (2, [["b"] * 2], "")], id="no term chunk at all"),
        pytest.param([([([(2, [], "a"), (2, [], "b")], [["c"] * 2]), (3, [], "d")], [["e"] * 2])], id="nested joints"),
        pytest.param([(2, [["a b", "\n", '"', ""]], ["'", "é", "\N{SHARK}"])], id="odd words"),
    ],
)
def test_corner_shapes_come_back(nodes: list[Any]) -> None:
    release = disassociated(nodes, sort=False)
    same(release, through_disk(release))


def test_more_words_than_a_parquet_dictionary_holds_come_back() -> None:
    # Beyond 1 MB of words Parquet's writer turns from codes to plain words in the middle of a row group.
    words = [f"a-rather-long-name-of-an-item-{number:06}" for number in range(60_000)]
    release = disassociated([(2, [], words), (2, [], words[::2])])
    same(release, through_disk(release))


def test_the_same_release_is_the_same_bytes(tmp_path: Path) -> None:
    made = [(3, [[("x", "y"), ("x", "y"), ("x",)]], "ab"), (2, [["c", "c"]], "")]
    contents = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_release(disassociated(made), folder)
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert contents[0] == contents[1]
    assert set(contents[0]) == {MANIFEST, *SCHEMAS}


def test_the_manifest_says_what_is_promised_and_what_is_not(folder: Path) -> None:
    manifest = read_manifest(folder)
    promise = manifest["promises"][0]
    assert (promise["k"], promise["m"]) == (2, 2)
    assert promise["words"] == KmAnonymity(2, 2).words
    assert promise["not_promised"] == list(KmAnonymity(2, 2).not_promised)
    assert manifest["promises"][1]["sensitive"] == ["v"]


def test_arrow_tables_are_those_of_the_folder(folder: Path) -> None:
    tables = read_release(folder).to_arrow()
    assert list(tables) == ["clusters", "chunks", "subrecords", "term_chunks"]
    for name, table in tables.items():
        assert table.equals(pq.read_table(folder / f"{name}.parquet"))
        assert table.schema.equals(pq.read_schema(folder / f"{name}.parquet"))
