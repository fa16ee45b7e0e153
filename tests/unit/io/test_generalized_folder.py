"""Generalized releases on disk: what is written comes back, and what is not a release is refused."""

from __future__ import annotations

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
from shoal.io import generalized as shape
from shoal.io import release_folder
from shoal.io.release_folder import Opened, read_release, write_release
from shoal.release.generalized import Generalized
from tests.making.damaged_folders import edit_manifest, put, refused, rewrite
from tests.making.generalized_releases import generalized

AGES = {"*": None, "young": "*", "20": "young", "21": "young", "old": "*", "70": "old"}
SEXES = {"*": None, "f": "*", "m": "*"}
ILLNESSES = {"*": None, "flu": "*", "gout": "*", "cold": "*"}
ROWS = [
    ("young", "f", "flu"),
    ("young", "f", "gout"),
    ("young", "m", "flu"),
    ("young", "m", "*"),
    ("old", "f", "cold"),
    ("old", "f", "gout"),
]


def release(**options: Any) -> Generalized:
    trees = {"age": AGES, "sex": SEXES, "illness": ILLNESSES}
    return generalized(ROWS, trees, 2, **{"hide": (0.6, 0.9), "suppressed": 3, **options})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three groups of two rows, and three rows suppressed."""
    made = tmp_path / "rows"
    made.mkdir()
    write_release(release(), made)
    read_release(made)
    return made


def same(one: Generalized, two: Generalized) -> bool:
    return (
        all(
            (a.name, a.role, a.tree.labels) == (b.name, b.role, b.tree.labels)
            and np.array_equal(a.tree.parents, b.tree.parents)
            and np.array_equal(a.tree.leaves, b.tree.leaves)
            and np.array_equal(a.nodes, b.nodes)
            for a, b in zip(one.columns, two.columns, strict=True)
        )
        and np.array_equal(one.group_offsets, two.group_offsets)
        and (one.promises, one.method, one.suppressed) == (two.promises, two.method, two.suppressed)
        and one.discloses_hierarchies == two.discloses_hierarchies
    )


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(*(st.sampled_from(list(tree)) for tree in (AGES, SEXES, ILLNESSES))), min_size=1, max_size=9),
    st.sampled_from(["age", "group", "a b", '\u00e9,"\n']),
    st.integers(0, 3),
    st.booleans(),
)
def test_what_is_written_comes_back(rows: Any, name: str, suppressed: int, whole: bool) -> None:
    trees = {name: AGES, "group_": SEXES, "illness": ILLNESSES}
    made = replace(generalized(rows, trees, 2, cut=not whole, suppressed=suppressed), method="mondrian")
    with tempfile.TemporaryDirectory() as place, mock.patch.object(release_folder, "to_disk"):
        write_release(made, Path(place))
        read = read_release(place, trusted=True)
        assert isinstance(read, Generalized)
        assert same(read, made)
        assert read.residual is None
        assert Opened(place).columns == ([name, "group_"], ["illness"])
        table = pq.read_table(Path(place) / "rows.parquet")
        assert table.num_rows == len(rows) + suppressed
        first, *others = table.column_names
        assert others == list(trees)
        assert first not in others
        assert table[first].null_count == suppressed


def test_rows_are_written_in_several_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape, "ROWS_A_GROUP", 2)
    other = folder.parent / "parts"
    other.mkdir()
    write_release(release(), other)
    assert pq.read_metadata(other / "rows.parquet").num_row_groups == 5
    assert same(read_release(other), read_release(folder))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("method", "incognito"), "names the method 'incognito'"),
        (put("promises", []), "must promise KAnonymity"),
        (lambda manifest: manifest["promises"].reverse(), "must promise KAnonymity, and may promise"),
        (put("promises", 0, "k", 1), "states an invalid promise: k is 1"),
        (put("promises", 0, "quasi", ["age"]), "has a promise about other columns than it publishes"),
        (put("promises", 0, "quasi", "age"), "must be a list of names"),
        (put("promises", 1, "sensitive", ["sex"]), "has a promise about other columns than it publishes"),
        (put("promises", 1, "min_support", 0), "min_support is 0"),
        (put("promises", 1, "min_confidence", "high"), "min_confidence is 'high'"),
        (put("promises", 1, "resists_filling", "no"), "resists_filling is 'no'"),
        (lambda manifest: manifest["promises"][1].pop("min_support"), "states a promise without its 'min_support'"),
        (put("quasi_identifiers", []), "must name quasi-identifiers, and no column twice"),
        (put("quasi_identifiers", ["age", "age"]), "must name quasi-identifiers, and no column twice"),
        (put("quasi_identifiers", "age"), "must list quasi-identifiers and sensitive columns by name"),
        (put("quasi_identifiers", ["age", 1]), "must list quasi-identifiers and sensitive columns by name"),
        (put("sensitive", ["sex"]), "no column twice"),
        (put("sensitive", ["\ud800"]), "holds half a character"),
        (put("hierarchies", "some"), "'hierarchies' must be whole or down to what rows hold, found 'some'"),
        (put("counts", "suppressed_rows", 4), "it says 4 suppressed_rows, not 3"),
        (put("counts", "hidden_cells", 0), "it says 0 hidden_cells, not 1"),
        (lambda manifest: manifest["files"].pop(1), "does not list hierarchies.parquet"),
    ],
)
def test_a_wrong_manifest_is_refused(folder: Path, change: Any, words: str) -> None:
    edit_manifest(folder, change)
    refused(folder, words)


def column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    place = table.column_names.index(name)
    kind = table.schema.field(name).type
    return table.set_column(place, pa.field(name, kind), pa.array(values, kind))


AGED = ["old", "old", "young", "young", "young", "young", "*", "*", "*"]
TREES = "hierarchies.parquet"


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("rows.parquet", lambda t: column(t, "group", [0, 0, 1, 1, 3, 3, None, None, None]), "without a gap"),
        ("rows.parquet", lambda t: column(t, "group", [1, 1, 2, 2, 3, 3, None, None, None]), "numbered from 0 on"),
        (
            "rows.parquet",
            lambda t: column(t, "group", [0, 1, 0, 1, 2, 2, None, None, None]),
            "sorted by 'group'; row 2",
        ),
        ("rows.parquet", lambda t: column(t, "group", [0, 0, None, 1, 2, 2, 2, None, None]), "must come last"),
        ("rows.parquet", lambda t: column(t, "group", [None] * 9), "there must be groups"),
        ("rows.parquet", lambda t: t.slice(0, 0), "there must be groups"),
        (
            "rows.parquet",
            lambda t: column(t, "age", ["odd", *AGED[1:]]),
            "row 0 has 'odd' in column 'age', which is no",
        ),
        ("rows.parquet", lambda t: column(t, "age", [None, *AGED[1:]]), "column 'age' has missing values"),
        ("rows.parquet", lambda t: column(t, "age", [*AGED[:-1], "old"]), "row 8 is suppressed (it has no group), and"),
        ("rows.parquet", lambda t: t.append_column("name", pa.array([*"uvwxyzabc"])), "has the columns"),
        (TREES, lambda t: t.slice(1), "each column begins with its root"),
        (
            TREES,
            lambda t: pa.concat_tables([t.slice(0, 1), t.slice(0, 1), t.slice(1)]),
            "each column begins with its root",
        ),
        (TREES, lambda t: pa.concat_tables([t.slice(0, 2), t.slice(1)]), "has the label 'young' twice"),
        (TREES, lambda t: t.slice(3), "must describe the columns age, sex, illness, in this order"),
        (TREES, lambda t: column(t, "parent", [None, "old", *t["parent"].to_pylist()[2:]]), "comes after its parent"),
        (TREES, lambda t: column(t, "label", [None, *t["label"].to_pylist()[1:]]), "has missing values"),
    ],
)
def test_a_wrong_file_is_refused(folder: Path, name: str, change: Any, words: str) -> None:
    rewrite(folder, name, change)
    refused(folder, words)
    verdict = pipeline.verify(folder)
    assert not verdict.holds
    assert words in str(verdict)
