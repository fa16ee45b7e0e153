"""Randomized releases on disk: what is written comes back, and what is not a release is refused."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.io import listed_rows, release_folder
from shoal.io.release_folder import MANIFEST, read_release, write_release
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.release.randomized import Randomized
from tests.making.damaged_folders import edit_manifest, put, refused, rewrite
from tests.making.randomized_releases import names_of, randomized

HYBRID = Randomization(0.9, 0.5, ((1, 0.25), (3, 0.75)))
PRIVACY = DifferentialPrivacy(9.0, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six rows, four of them real, one of them empty, of four items of which nobody has d; differentially private."""
    made = tmp_path / "hybrid"
    made.mkdir()
    write_release(randomized(["", "a", "ab", "ab", "b", "abc"], "abcd", HYBRID, n_records=4, privacy=PRIVACY), made)
    read_release(made)
    return made


def same(one: Randomized, two: Randomized) -> bool:
    fields = ("promise", "n_records", "privacy", "reproducible", "method")
    return (
        names_of(one) == names_of(two)
        and one.vocabulary.to_pylist() == two.vocabulary.to_pylist()
        and all(getattr(one, name) == getattr(two, name) for name in fields)
        and all(getattr(one, name).dtype == getattr(two, name).dtype for name in ("offsets", "items"))
    )


names = st.sets(st.text('a\u00e9\U0001f41f,"\n 0123', max_size=3), min_size=1, max_size=6)
shares = st.dictionaries(st.integers(1, 6), st.floats(1e-3, 1), min_size=1, max_size=4)


@st.composite
def promises(draw: st.DrawFn) -> Randomization:
    """Of mask, fakes and hybrid; shares that are no neat fractions."""
    keep_prob = draw(st.floats(0.51, 0.999) | st.just(1.0))
    fakes = draw(st.floats(0.01, 9)) if keep_prob == 1 else draw(st.just(0.0) | st.floats(0.01, 9))
    if not fakes:
        return Randomization(keep_prob, fakes)
    wanted = draw(shares)
    total = math.fsum(wanted.values())
    return Randomization(keep_prob, fakes, tuple((length, share / total) for length, share in sorted(wanted.items())))


@st.composite
def releases(draw: st.DrawFn) -> Randomized:
    items = draw(names)
    rows = draw(st.lists(st.frozensets(st.sampled_from(sorted(items)), max_size=6), min_size=1, max_size=9))
    promise = draw(promises())
    private = promise.keep_prob < 1 and draw(st.booleans())
    return randomized(
        rows,
        items,
        promise,
        n_records=draw(st.integers(1, len(rows))),
        privacy=DifferentialPrivacy(draw(st.floats(0, 1e3)), draw(st.integers(1, 9))) if private else None,
        reproducible=draw(st.booleans()),
    )


@settings(deadline=None)
@given(releases(), st.integers(1, 4))
def test_what_is_written_comes_back_to_the_bit(written: Randomized, items_a_group: int) -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(release_folder, "to_disk"),
        mock.patch.object(listed_rows, "ITEMS_A_GROUP", items_a_group),
    ):
        write_release(written, Path(name))
        read = read_release(name, trusted=True)
        assert isinstance(read, Randomized)
        assert same(read, written)
        assert {path.name for path in Path(name).iterdir()} == {MANIFEST, "rows.parquet", "items.parquet"}


def test_rows_of_nothing_come_back(tmp_path: Path) -> None:
    for number, items in enumerate(("ab", "")):
        made = tmp_path / str(number)
        made.mkdir()
        write_release(randomized(["", "", ""], items), made)
        assert names_of(read_release(made)) == [[], [], []]


def test_a_release_without_rows_is_refused(tmp_path: Path) -> None:
    write_release(randomized([], "ab"), tmp_path)
    refused(tmp_path, "counts 0 records in 0 rows")


def test_other_tools_read_the_files(folder: Path) -> None:
    """Numbers of items in one file, their names in the other."""
    names = pq.read_table(folder / "items.parquet").to_pydict()
    assert names == {"item": [0, 1, 2, 3], "name": ["a", "b", "c", "d"]}
    rows = pq.read_table(folder / "rows.parquet").to_pydict()
    assert rows == {"items": [[], [0], [0, 1], [0, 1], [0, 1, 2], [1]]}


def test_the_manifest_says_what_an_analyst_needs_and_nothing_else(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    assert set(manifest) == {"format", "format_version", "method", "promises", "counts", "files"}
    assert manifest["counts"] == {"rows": 6, "records": 4, "items": 4, "ones": 9}
    chance, private = manifest["promises"]
    assert {name: chance[name] for name in chance if name not in ("words", "not_promised")} == {
        "kind": "Randomization",
        "keep_prob": 0.9,
        "fakes": 0.5,
        "fake_lengths": [[1, 0.25], [3, 0.75]],
        "item_list": "data",
    }
    assert {name: private[name] for name in private if name not in ("words", "not_promised")} == {
        "kind": "DifferentialPrivacy",
        "epsilon": 9.0,
        "max_basket": 2,
        "item_list": "data",
        "neighbouring": "one record replaced by another",
    }


def test_a_seed_leaves_a_mark(folder: Path, tmp_path: Path) -> None:
    made = tmp_path / "seeded"
    made.mkdir()
    write_release(replace(read_release(folder), reproducible=True), made)
    assert "do not publish" in (made / MANIFEST).read_text()
    assert read_release(made).reproducible
    assert not read_release(folder).reproducible


CHANCE, PRIVATE = ("promises", 0), ("promises", 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("method", "masks"), "names the method 'masks', which this Shoal does not know"),
        (put("method", "mask"), "names the method mask, but has the promise of hybrid"),
        (put("method", "fakes"), "names the method fakes, but has the promise of hybrid"),
        (put("method", "anatomy"), MANIFEST),
        (put("promises", []), "must promise Randomization"),
        (put(*CHANCE, "kind", "KmAnonymity"), "must promise Randomization"),
        (put(*PRIVATE, "kind", "Randomization"), "must promise Randomization"),
        (lambda manifest: manifest["promises"].reverse(), "may promise DifferentialPrivacy after it"),
        (put(*CHANCE, "keep_prob", 0.5), "states an invalid promise: keep_prob is 0.5"),
        (put(*CHANCE, "keep_prob", 0.1), "did you mean 0.9?"),
        (put(*CHANCE, "keep_prob", 1.5), "keep_prob is 1.5"),
        (put(*CHANCE, "keep_prob", math.nan), "NaN is not a number of JSON"),
        (put(*CHANCE, "keep_prob", "0.9"), "keep_prob is '0.9'"),
        (put(*CHANCE, "keep_prob", True), "keep_prob is True"),
        (put(*CHANCE, "fakes", -1), "fakes is -1"),
        (put(*CHANCE, "fakes", math.inf), "Infinity is not a number of JSON"),
        (put(*CHANCE, "fakes", 0), "lengths need fake transactions"),
        (put(*CHANCE, "fake_lengths", []), "fake transactions need lengths"),
        (put(*CHANCE, "fake_lengths", {"1": 1}), "'fake_lengths' must be a list of lengths, each with its share"),
        (put(*CHANCE, "fake_lengths", [1]), "'fake_lengths' must be a list of lengths, each with its share"),
        (put(*CHANCE, "fake_lengths", [[1, 0.5, 0.5]]), "'fake_lengths' must be a list of lengths"),
        (put(*CHANCE, "fake_lengths", [[3, 0.75], [1, 0.25]]), "must ascend"),
        (put(*CHANCE, "fake_lengths", [[1, 0.5], [1, 0.5]]), "must ascend"),
        (put(*CHANCE, "fake_lengths", [[1, 0.5], [3, 0.4]]), "must add up to 1"),
        (put(*CHANCE, "fake_lengths", [[0, 0.5], [3, 0.5]]), "the length of a fake transaction is 0"),
        (put(*CHANCE, "fake_lengths", [[1.5, 1]]), "the length of a fake transaction is 1.5"),
        (put(*CHANCE, "fake_lengths", [["1", 1]]), "the length of a fake transaction is '1'"),
        (put(*CHANCE, "fake_lengths", [[1, math.nan], [3, 1]]), "NaN is not a number of JSON"),
        (put(*CHANCE, "fake_lengths", [[1, None], [3, 1]]), "the share of fake transactions of length 1 is None"),
        (lambda manifest: manifest["promises"][0].pop("fake_lengths"), "states a promise without its 'fake_lengths'"),
        (lambda manifest: manifest["promises"][0].pop("keep_prob"), "states a promise without its 'keep_prob'"),
        (put(*CHANCE, "item_list", "public"), "item_list is 'public': it must be 'given' or 'data'"),
        (lambda manifest: manifest["promises"][0].pop("item_list"), "states a promise without its 'item_list'"),
        (put(*PRIVATE, "item_list", True), "item_list is True"),
        (lambda manifest: manifest["promises"][1].pop("item_list"), "states a promise without its 'item_list'"),
        (put(*PRIVATE, "epsilon", -0.1), "epsilon is -0.1"),
        (put(*PRIVATE, "epsilon", math.nan), "NaN is not a number of JSON"),
        (put(*PRIVATE, "epsilon", "9"), "epsilon is '9'"),
        (put(*PRIVATE, "max_basket", 0), "max_basket is 0"),
        (put(*PRIVATE, "neighbouring", "one record added or removed"), "are 'one record replaced by another', not"),
        (put(*PRIVATE, "max_basket", 1.5), "max_basket is 1.5"),
        (lambda manifest: manifest["promises"][1].pop("max_basket"), "states a promise without its 'max_basket'"),
        (put("counts", "rows", 7), "it says 7 rows, not 6"),
        (put("counts", "items", 3), "it says 3 items, not 4"),
        (put("counts", "ones", 8), "it says 8 ones, not 9"),
        (put("counts", "records", -1), "records"),
        (put("counts", "records", 4.5), "records"),
        (put("counts", "records", 7), "counts 7 records in 6 rows"),
        (put("counts", "records", 0), "counts 0 records in 6 rows"),
        (lambda manifest: manifest["counts"].pop("records"), "records"),
        (lambda manifest: manifest["files"].pop(0), "does not list rows.parquet"),
        (lambda manifest: manifest["files"].pop(1), "does not list items.parquet"),
        (put("files", 0, "name", "clusters.parquet"), "is not a file of this kind of release"),
    ],
)
def test_a_wrong_manifest_is_refused(folder: Path, change: Any, words: str) -> None:
    edit_manifest(folder, change)
    refused(folder, words)


def lists(values: list[Any], *, nullable: bool = False) -> pa.Table:
    return pa.table({"items": pa.array(values, pa.list_(pa.field("element", pa.int32(), nullable=nullable)))})


def named(numbers: list[Any], names: list[Any]) -> pa.Table:
    return pa.table({"item": pa.array(numbers, pa.int32()), "name": pa.array(names, pa.string())})


ROWS, ITEMS = "rows.parquet", "items.parquet"


@pytest.mark.parametrize(
    ("name", "table", "words"),
    [
        (ROWS, lists([[], [0], [0, 1], [0, 1], [0, 4], [0, 1]]), "holds the item 4, and items.parquet has 4"),
        (ROWS, lists([[], [0], [0, 1], [0, 1], [-1, 2], [0, 1]]), "holds the item -1"),
        (ROWS, lists([[], [0], None, [0, 1], [0, 2], [0, 1]]), "missing values"),
        (ROWS, lists([[], [0], [0, None], [0, 1], [0, 2], [0, 1]], nullable=True), "has the columns"),
        (ROWS, lists([[]]).append_column("row", pa.array([1])), "has the columns"),
        (ROWS, pa.table({"items": pa.array([["a"]])}), "has the columns"),
        (ROWS, pa.table({"items": pa.array([1, 2])}), "has the columns"),
        (ROWS, lists([]).rename_columns(["rows"]), "has the columns"),
        (ITEMS, named([0, 2, 1, 3], [*"acbd"]), "'item'"),
        (ITEMS, named([0, 1, 2, 4], [*"abcd"]), "'item'"),
        (ITEMS, named([1, 2, 3, 4], [*"abcd"]), "'item'"),
        (ITEMS, named([0, 1, 2, None], [*"abcd"]), "missing values"),
        (ITEMS, named([0, 1, 2, 3], ["a", "b", "c", None]), "column 'name' has missing values"),
        (ITEMS, named([0, 1, 2, 3], [*"abcc"]), "names an item twice"),
        (ITEMS, named([0, 1, 2, 3], [*"abdc"]), "must list items in order"),
        (ITEMS, named([0, 1, 2, 3], ["1", "10", "2", "3"]), "must list items in order"),
        (ITEMS, named([0, 1], [*"ab"]), "holds the item 2, and items.parquet has 2"),
        (ITEMS, named([], []), "and items.parquet has 0"),
        (ITEMS, named([0], ["a"]).append_column("count", pa.array([3])), "has the columns"),
        (ITEMS, named([0], ["a"]).select(["name", "item"]), "has the columns"),
        (ITEMS, pa.table({"item": pa.array([0]), "name": pa.array([b"a"])}), "has the columns"),
    ],
)
def test_wrong_files_are_refused(folder: Path, name: str, table: pa.Table, words: str) -> None:
    rewrite(folder, name, lambda _: table)
    refused(folder, words)


def test_bytes_that_are_no_text_are_refused(folder: Path) -> None:
    raw = pa.array([b"a", b"b", b"c", b"\xff\xfe"], pa.binary()).view(pa.string())
    numbers = pa.array(np.arange(4, dtype=np.int32))
    rewrite(folder, ITEMS, lambda _: pa.table({"item": numbers, "name": raw}))
    refused(folder, "items.parquet: row 3 of column 'name' is not UTF-8: b'\\xff\\xfe'")


def test_metadata_that_somebody_adds_are_refused(folder: Path) -> None:
    rewrite(folder, ROWS, lambda table: table.replace_schema_metadata({"who": "me"}), store_schema=True)
    refused(folder, ROWS)


@pytest.mark.parametrize("name", [ROWS, ITEMS])
def test_a_file_that_was_changed_is_refused(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    raw[len(raw) // 2] ^= 4
    (folder / name).write_bytes(raw)
    refused(folder, "was changed after it was published")
