"""Releases of tables on disk: what is written comes back, and what is not a release is refused."""

from __future__ import annotations

import datetime
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

from shoal import pipeline
from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.io import release_folder
from shoal.io.release_folder import MANIFEST, read_release, write_release
from shoal.promises import FrequencyDiversity, MatchingDiversity
from shoal.publish.groups import as_release
from shoal.release.bucketized import Bucketized
from tests.making.damaged_folders import edit_manifest, put, refused, rewrite

RULES = Background(
    "illness",
    (
        NegativeRule((Condition("age", "young", ("1", "2")),), "gout"),
        NegativeRule((Condition("age", "3", ("3",)), Condition("sex", "m", ("m",))), "flu"),
    ),
)


def release(**options: Any) -> Bucketized:
    rows = {"age": [1, 2, 3, 4, 5, 6], "sex": [*"fmfmfm"], "illness": ["flu", "gout", "flu", "gout", "flu", "mumps"]}
    table = Table.from_arrow(pa.table(rows), quasi=["age", "sex"], sensitive="illness")
    groups = np.array([0, 0, 1, 1, 2, 2])
    promise = MatchingDiversity(2, "illness", 0.9, 1.0, 2, ("age",))
    return as_release(table, groups, **{"method": "injector", "promise": promise, **options})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three groups of two rows, and rules."""
    made = tmp_path / "tables"
    made.mkdir()
    write_release(release(background=RULES, discloses_background=True), made)
    read_release(made)
    return made


def same(one: Bucketized, two: Bucketized) -> bool:
    arrays = ("group_offsets", "bucket_offsets", "bucket_values", "bucket_counts")
    return (
        all(np.array_equal(getattr(one, name), getattr(two, name)) for name in arrays)
        and one.values.to_pylist() == two.values.to_pylist()
        and one.quasi.to_arrow().to_pydict() == two.quasi.to_arrow().to_pydict()
        and (one.promise, one.method, one.reproducible) == (two.promise, two.method, two.reproducible)
    )


VALUES = {
    pa.int16(): st.integers(-3, 3),
    pa.uint64(): st.sampled_from([0, 7, 2**64 - 1]),
    pa.float32(): st.sampled_from([0.5, -1.25, 1e30]),
    pa.large_string(): st.text('a\u00e9\U0001f41f,"\n', min_size=1, max_size=3).filter(lambda text: text.strip()),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(datetime.date(1900, 1, 1), datetime.date(2030, 1, 1)),
    pa.timestamp("s"): st.datetimes(datetime.datetime(1970, 1, 1)).map(lambda t: t.replace(microsecond=0)),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, Any]:
    size = draw(st.integers(1, 8))
    names = draw(st.permutations(["group", "count", "rule", "a b", "group_"]))
    columns = {}
    for name in names[:3]:
        kind = draw(st.sampled_from(list(VALUES)))
        columns[name] = pa.array(draw(st.lists(st.none() | VALUES[kind], min_size=size, max_size=size)), kind)
    table = Table.from_arrow(pa.table(columns), quasi=names[:2], sensitive=names[2])
    numbers = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)))
    return table, np.unique(numbers, return_inverse=True)[1].astype(np.int64)


@settings(deadline=None)
@given(tables())
def test_what_is_written_comes_back(made: tuple[Table, Any]) -> None:
    table, groups = made
    sensitive = table.names[2]
    written = as_release(table, groups, method="anatomy", promise=FrequencyDiversity(2, sensitive))
    with tempfile.TemporaryDirectory() as name, mock.patch.object(release_folder, "to_disk"):
        write_release(written, Path(name))
        read = read_release(name, trusted=True)
        assert isinstance(read, Bucketized)
        assert read.counts == written.counts
        for column, original in zip(read.quasi, written.quasi, strict=True):
            assert (column.name, column.texts) == (original.name, original.texts)
        again = Path(name) / "again"
        again.mkdir()
        write_release(read, again)
        assert same(read, read_release(again))
        for path in again.iterdir():
            assert path.read_bytes() == (Path(name) / path.name).read_bytes()


def test_rules_come_back_where_they_are_disclosed_and_are_not_written_where_they_are_not(folder: Path) -> None:
    read = read_release(folder)
    assert isinstance(read, Bucketized)
    assert (read.background, read.discloses_background) == (RULES, True)
    other = folder.parent / "other"
    other.mkdir()
    write_release(release(background=RULES), other)
    assert not (other / "rules.parquet").exists()
    assert read_release(other).background is None  # type: ignore[union-attr]


def test_a_seed_leaves_a_mark(folder: Path, tmp_path: Path) -> None:
    made = tmp_path / "seeded"
    made.mkdir()
    write_release(release(chance=4), made)
    assert "do not publish" in (made / MANIFEST).read_text()
    assert read_release(made).reproducible  # type: ignore[union-attr]
    assert not read_release(folder).reproducible  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("method", "anatomie"), "names the method 'anatomie'"),
        (put("method", ["anatomy"]), "names no method"),
        (put("promises", []), "must promise FrequencyDiversity or MatchingDiversity"),
        (put("promises", 0, "kind", "KmAnonymity"), "must promise FrequencyDiversity or MatchingDiversity"),
        (put("promises", 0, "l", 1), "states an invalid promise: l is 1"),
        (put("promises", 0, "l", "2"), "states an invalid promise: l is '2'"),
        (put("promises", 0, "min_expectation", 2), "min_expectation is 2"),
        (put("promises", 0, "membership", "odd"), "membership is 'odd'"),
        (put("promises", 0, "membership", ["odd"]), "membership is ['odd']"),
        (put("promises", 0, "generalized", "age"), "must be a list of names"),
        (put("promises", 0, "generalized", [1]), "names a column 1, which is not a text"),
        (put("promises", 0, "sensitive", "age"), "has a promise about 'age', which is not published"),
        (put("promises", 0, "sensitive", None), "names a column None"),
        (put("promises", 0, "sensitive", "\ud800"), "holds half a character"),
        (lambda manifest: manifest["promises"][0].pop("l"), "states a promise without its 'l'"),
        (put("quasi_identifiers", {}), "must name quasi-identifiers"),
        (put("quasi_identifiers", ["age"]), "'quasi_identifiers' must name columns and their types"),
        (put("quasi_identifiers", "age", "int9"), "'quasi_identifiers' must name columns and their types"),
        (put("quasi_identifiers", "age", "double"), "has the columns"),
        (put("quasi_identifiers", "\ud800", "int64"), "holds half a character"),
        (put("quasi_identifiers", "illness", "string"), "one sensitive column that is none of them"),
        (put("sensitive", {"illness": "string", "age": "int64"}), "one sensitive column that is none of them"),
        (put("counts", "groups", 4), "it says 4 groups, not 3"),
        (lambda manifest: manifest["files"].pop(1), "does not list sensitive.parquet"),
        (put("files", 0, "name", "clusters.parquet"), "is not a file of this kind of release"),
    ],
)
def test_a_wrong_manifest_is_refused(folder: Path, change: Any, words: str) -> None:
    edit_manifest(folder, change)
    refused(folder, words)


def column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    place = table.column_names.index(name)
    kind = table.schema.field(name).type
    if pa.types.is_list(kind):
        kind = pa.list_(pa.field("element", pa.string()))
    return table.set_column(place, pa.field(name, kind), pa.array(values, kind))


ROWS, COUNTS, LISTED = "quasi_identifiers.parquet", "sensitive.parquet", "rules.parquet"


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (ROWS, lambda t: column(t, "group", [0, 0, 1, 1, 3, 3]), "numbered from 0 on, without a gap"),
        (ROWS, lambda t: column(t, "group", [1, 1, 1, 1, 2, 2]), "numbered from 0 on, without a gap"),
        (ROWS, lambda t: column(t, "group", [0, 0, 1, 1, 2, 2**31 - 1]), "numbered from 0 on, without a gap"),
        (ROWS, lambda t: column(t, "group", [0, 1, 0, 1, 2, 2]), "must be sorted by 'group'; row 2"),
        (ROWS, lambda t: column(t, "group", [0, 0, 1, 1, 2, None]), "column 'group' has missing values"),
        (ROWS, lambda t: t.append_column("name", pa.array([*"uvwxyz"])), "has the columns"),
        (ROWS, lambda t: t.select(["age", "group", "sex"]), "has the columns"),
        (ROWS, lambda t: t.slice(0, 0), "does not exist"),
        (COUNTS, lambda t: column(t, "group", [0, 0, 1, 1, 2, 3]), "has group 3, which does not exist"),
        (COUNTS, lambda t: column(t, "group", [0, 0, 1, 2, 2, 1]), "must be sorted by 'group'"),
        (COUNTS, lambda t: column(t, "count", [1, 1, 1, 1, 1, None]), "column 'count' has missing values"),
        (COUNTS, lambda t: t.slice(0, 0), "must not be empty"),
        (LISTED, lambda t: column(t, "rule", [1, 0, 0]), "must be sorted by 'rule'"),
        (LISTED, lambda t: column(t, "excluded", ["gout", "flu", "gout"]), "rule 1 excludes two values"),
        (LISTED, lambda t: column(t, "label", ["young", None, "m"]), "has missing values"),
        (LISTED, lambda t: column(t, "values", [["1"], ["3", None], ["m"]]), "has the columns"),
    ],
)
def test_wrong_files_are_refused(folder: Path, name: str, change: Any, words: str) -> None:
    rewrite(folder, name, change)
    refused(folder, words)


def test_bytes_that_are_no_text_are_refused(folder: Path) -> None:
    table = pq.read_table(folder / ROWS)
    raw = pa.array([b"\xff\xfe"] * 6, pa.binary()).view(pa.string())
    rewrite(folder, ROWS, lambda _: table.set_column(2, pa.field("sex", pa.string()), raw))
    refused(folder, "quasi_identifiers.parquet: row 0 of column 'sex' is not UTF-8: b'\\xff\\xfe'")


def test_a_file_that_was_changed_is_refused(folder: Path) -> None:
    raw = bytearray((folder / COUNTS).read_bytes())
    raw[len(raw) // 2] ^= 4
    (folder / COUNTS).write_bytes(raw)
    refused(folder, "was changed after it was published")


def test_a_promise_about_rules_is_not_written_without_them(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    pipeline.write(release(background=Background("illness", ())), kept)
    with pytest.raises(InputError, match="the rules in the promise are missing"):
        pipeline.write(read_release(kept), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    pipeline.write(replace(release(), background=Background("illness", ())), tmp_path / "again")
