"""What a report rests on: numbers by which others can tell that the same is spoken of."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import shoal
from shoal.io.release_folder import read_release
from shoal.methods import METHODS
from shoal.reporting.page import Grid, Report


def grids(report: Report) -> dict[str, Grid]:
    facts = next(one for one in report.sections if one.name == "facts")
    return {block.title: block for block in facts.blocks if isinstance(block, Grid)}


@pytest.mark.parametrize("method", METHODS)
def test_checksums_and_rows_are_those_of_the_files(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, object]]
) -> None:
    folder, _ = released(method)
    found = grids(reported(method, True))
    (title,) = [title for title in found if title.startswith("Files of the release, format version")]
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert title == f"Files of the release, format version {manifest['format_version']}"
    rows = {name: (number, digest) for name, number, digest in found[title].rows}
    assert set(rows) == {path.name for path in folder.glob("*.parquet")}
    for path in folder.glob("*.parquet"):
        number = f"{pq.read_metadata(path).num_rows:,}"
        assert rows[path.name] == (number, hashlib.sha256(path.read_bytes()).hexdigest())
    assert "The original" not in found


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_of_every_promise_is_there(
    method: str, reported: Callable[..., Report], released: Callable[..., tuple[Path, object]]
) -> None:
    release = read_release(released(method)[0])
    told = {
        (promise, name): value for promise, name, value in grids(reported(method))["Parameters of the promise"].rows
    }
    wanted = {(type(one).__name__, field.name.replace("_", " ")) for one in release.promises for field in fields(one)}
    assert set(told) == wanted
    for promise in release.promises:
        for field in fields(promise):
            value, text = getattr(promise, field.name), told[type(promise).__name__, field.name.replace("_", " ")]
            if isinstance(value, bool):
                assert text == ("yes" if value else "no")
            elif isinstance(value, int | str):
                assert text == str(value)
            elif isinstance(value, float):
                assert float(text) == pytest.approx(value, rel=1e-5)
            elif isinstance(value, tuple):
                assert all(str(part if not isinstance(part, tuple) else part[0]) in text for part in value)
            else:
                assert (value, text) == (None, "-")


def test_lists_of_pairs_are_written_as_pairs(tmp_path: Path) -> None:
    shoal.fakes(shoal.read([{"tea", "milk"}] * 6 + [{"tea"}] * 4), 1.0).write(tmp_path / "release")
    rows = grids(shoal.report(tmp_path / "release"))["Parameters of the promise"].rows
    lengths = next(value for _, name, value in rows if name == "fake lengths")
    assert lengths == "1: 0.5, 2: 0.5"


def test_the_original_is_told_by_its_name_its_size_and_its_checksum(
    tmp_path: Path, released: Callable[..., tuple[Path, object]]
) -> None:
    folder, original = released("disassociate")
    file = tmp_path / "baskets.dat"
    file.write_text("tea milk\n")
    told = grids(shoal.report(folder, original, source=file))["The original"]
    digest = hashlib.sha256(b"tea milk\n").hexdigest()
    assert told.rows == (("baskets.dat", "61 records of 8 different items", digest),)
    for source, name in ((None, "-"), (tmp_path / "gone.dat", "gone.dat")):
        told = grids(shoal.report(folder, original, source=source))["The original"]
        assert told.rows == ((name, "61 records of 8 different items", "not a file"),)
    folder, table = released("anatomy")
    assert grids(shoal.report(folder, table))["The original"].rows == (("-", "60 rows", "not a file"),)
    # A public report does not name the file, whoever gives its name.
    public = shoal.report(folder, source=file)
    assert "baskets.dat" not in str(public.as_dict())


def test_the_versions_are_those_that_run(reported: Callable[..., Report]) -> None:
    rows = dict(grids(reported("disassociate"))["Made with"].rows)
    assert rows.pop("Python") == platform.python_version()
    assert {"shoal", "numpy", "vl-convert-python"} <= set(rows)
    assert all(importlib.metadata.version(name) == number for name, number in rows.items())


def test_choices_are_told_beside_an_original_only(released: Callable[..., tuple[Path, Any]]) -> None:
    folder, original = released("disassociate")
    chosen = {"--k": "3", "--vertical": "best"}
    found = grids(shoal.report(folder, original, choices=chosen))
    assert found["Publishing options"].rows == tuple(chosen.items())
    assert "Publishing options" not in grids(shoal.report(folder, original))
    with pytest.raises(shoal.errors.InputError, match="a public report cannot contain them"):
        shoal.report(folder, choices=chosen)
