"""docs/release-format.md and the JSON Schema beside it say what folders of every method hold: no more, and no less."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

import shoal
from shoal.io.release_folder import read_release
from shoal.shapes import OF_METHOD
from tests.making.release_folders import write_all

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "release-format.md").read_text(encoding="utf-8")
SCHEMA = json.loads((DOCS / "release-manifest.schema.json").read_text(encoding="utf-8"))
PROMISES = [value for name, value in vars(shoal.promises).items() if name[0].isupper() and hasattr(value, "words")]
OF_THE_TABLE = ("*quasi-identifier*", "*sensitive column*")
"""Rows of the page's tables that stand for columns of the steward's table."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_all(tmp_path_factory.mktemp("releases"))


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_bytes())


def rows_below(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    text = PAGE.split(f"\n{heading}\n", 1)[1]
    lines = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def shapes() -> dict[str, tuple[list[str], list[str], list[str]]]:
    """The shapes of the page: their methods, their counts, and the headings of their files."""
    found = {}
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE):
        methods = re.search(r"^Methods: (.*?)\. Counts:(.*?)\.\n", part.replace("\n`", " `"), re.MULTILINE | re.DOTALL)
        if methods:
            names, counts = (re.sub(r"\(.*?\)", "", text, flags=re.DOTALL) for text in methods.groups())
            files = re.findall(r"^### `\S+` \(.*\)$", part, re.MULTILINE)
            found[part.splitlines()[0]] = (re.findall("`(.*?)`", names), re.findall("`(.*?)`", counts), files)
    return found


def shape_of(manifest: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    (shape,) = [shape for shape in shapes().values() if manifest["method"] in shape[0]]
    return shape


def described(heading: str) -> list[tuple[str, str, str]]:
    return [(name.strip("`"), kind.strip("`"), null) for name, kind, null, _ in rows_below(heading)]


def columns_of(path: Path, manifest: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The columns of a file as the page writes them; those of the steward's table by what they are."""
    places = dict(
        zip(OF_THE_TABLE, (manifest.get("quasi_identifiers", ()), manifest.get("sensitive", ())), strict=True)
    )
    typed = manifest["method"] in ("anatomy", "injector")
    found: list[tuple[str, str, str]] = []
    for field in pq.read_schema(path):
        name, kind = field.name, str(field.type)
        if pa.types.is_list(field.type):
            assert not field.type.value_field.nullable
            kind = f"list<{field.type.value_type}>"
        for row, columns in places.items():
            if name in columns:
                assert not typed or columns[name] == kind, "the manifest says another type"
                name, kind = row, "its own" if typed else kind
        entry = (name, kind, "yes" if field.nullable else "no")
        if not found or found[-1] != entry:  # several quasi-identifiers are one row of the page
            found.append(entry)
    return found


def test_the_page_and_the_schema_know_every_method_and_there_is_a_folder_of_each(folders):
    of_page = [method for methods, _, _ in shapes().values() for method in methods]
    assert sorted(of_page) == sorted(OF_METHOD) == sorted(SCHEMA["properties"]["method"]["enum"])
    assert {manifest_of(folder)["method"] for folder in folders.values()} == set(OF_METHOD)


def test_the_files_have_the_columns_of_the_page_and_no_others(folders):
    met = set()
    for name, folder in folders.items():
        manifest = manifest_of(folder)
        headings = {re.search("`(.*?)`", heading)[1]: heading for heading in shape_of(manifest)[2]}
        listed = {entry["name"] for entry in manifest["files"]}
        assert {path.name for path in folder.iterdir()} == {"manifest.json", *listed}
        assert listed <= set(headings), f"{name}: a file that the page does not describe"
        for file in listed:
            met.add(headings[file])
            assert columns_of(folder / file, manifest) == described(headings[file]), f"{name}: {file}"
    assert met == {heading for _, _, files in shapes().values() for heading in files}, "files that no folder has"


def test_entries_and_counts_of_manifests_are_those_of_the_page(folders):
    entries = {row[0].strip("`") for row in rows_below("## The manifest")}
    manifests = [manifest_of(folder) for folder in folders.values()]
    assert set().union(*manifests) == entries
    for manifest in manifests:
        assert list(manifest["counts"]) == shape_of(manifest)[1]
        assert all(f"`{name}`" in PAGE for name in manifest.get("left_out", ()))


def test_promises_of_the_page_are_all_there_are_with_the_entries_that_manifests_have():
    rows = {row[0].strip("`"): row[2] for row in rows_below("### Promises")}
    assert set(rows) == {promise.__name__ for promise in PROMISES}
    for promise in PROMISES:
        own = {field.name for field in fields(promise)}
        assert own <= set(re.findall("`(.*?)`", rows[promise.__name__])), promise.__name__
        assert own == set(SCHEMA["$defs"][promise.__name__]["required"]) - {"kind", "words", "not_promised"}


def test_checksums_are_of_all_bytes_and_files_carry_no_metadata_and_one_group_at_least(folders):
    for folder in folders.values():
        for entry in manifest_of(folder)["files"]:
            path = folder / entry["name"]
            assert hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]
            meta = pq.read_metadata(path)
            assert meta.metadata is None
            assert 1 <= meta.num_row_groups <= 20_000
            assert meta.num_rows == entry["rows"]
            kinds = {meta.row_group(0).column(at).compression for at in range(meta.num_columns)}
            assert kinds == {"ZSTD"}


def test_manifests_of_every_method_meet_the_schema(folders):
    Draft202012Validator.check_schema(SCHEMA)
    for name, folder in folders.items():
        wrong = [error.message for error in Draft202012Validator(SCHEMA).iter_errors(manifest_of(folder))]
        assert not wrong, f"{name}: {wrong}"


def change(*path: str | int, to: Any = ...) -> Callable[[dict[str, Any]], None]:
    """Put another value at a place of a manifest, or take what is there away."""

    def apply(manifest: dict[str, Any]) -> None:
        place: Any = manifest
        for step in path[:-1]:
            place = place[step]
        if to is ...:
            del place[path[-1]]
        else:
            place[path[-1]] = to

    return apply


def swap_promises(manifest: dict[str, Any]) -> None:
    manifest["promises"].reverse()


BROKEN = {
    "no format": ("disassociated", change("format")),
    "another format": ("disassociated", change("format", to="release")),
    "a newer version": ("disassociated", change("format_version", to=2)),
    "a version as text": ("disassociated", change("format_version", to="1")),
    "no method": ("mask", change("method")),
    "an unknown method": ("mask", change("method", to="magic")),
    "the method of another shape": ("mask", change("method", to="diffpart")),
    "the method of other chances": ("mask", change("method", to="fakes")),
    "no promises": ("disassociated", change("promises", to=[])),
    "an unknown promise": ("disassociated", change("promises", 0, "kind", to="Magic")),
    "a promise without its number": ("disassociated", change("promises", 0, "k")),
    "k as text": ("disassociated", change("promises", 0, "k", to="3")),
    "k of 1": ("generalized baskets", change("promises", 0, "k", to=1)),
    "promises in another order": ("disassociated, no certain links", swap_promises),
    "a chance near a half": ("mask", change("promises", 0, "keep_prob", to=0.5)),
    "other neighbours": ("noisy baskets", change("promises", 0, "neighbouring", to="one record replaced by another")),
    "no counts": ("anatomy", change("counts")),
    "a count less": ("anatomy", change("counts", "groups")),
    "a count more": ("anatomy", change("counts", "people", to=3)),
    "a negative count": ("anatomy", change("counts", "rows", to=-1)),
    "nothing left out": ("disassociated", change("left_out")),
    "no files": ("bottom-up", change("files")),
    "a file less": ("bottom-up", change("files", 0)),
    "a file of another shape": ("bottom-up", change("files", 0, "name", to="items.parquet")),
    "a path": ("bottom-up", change("files", 0, "name", to="../rows.parquet")),
    "a checksum in capitals": ("bottom-up", change("files", 0, "sha256", to="A" * 64)),
    "a file with a time": ("bottom-up", change("files", 0, "written", to="today")),
    "no columns": ("anatomy", change("quasi_identifiers")),
    "a column of an unknown type": ("anatomy", change("quasi_identifiers", "age", to="uint8")),
    "columns without types": ("anatomy", change("quasi_identifiers", to=["age", "sex", "postcode"])),
    "an unknown extent": ("generalized baskets", change("hierarchy", to="half")),
    "no extent": ("bottom-up", change("hierarchies")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_manifest_meets_neither_the_schema_nor_the_reader(folders, tmp_path, name):
    whole, breaks = BROKEN[name]
    manifest = copy.deepcopy(manifest_of(folders[whole]))
    breaks(manifest)
    assert not Draft202012Validator(SCHEMA).is_valid(manifest)
    broken = tmp_path / "broken"
    shutil.copytree(folders[whole], broken)
    (broken / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(shoal.errors.DamagedRelease):
        read_release(broken)


@pytest.mark.parametrize("entry", ["seed", "published_on", "left_out"])
def test_what_nobody_specified_is_ignored_by_the_reader_and_refused_by_the_schema(folders, tmp_path, entry):
    manifest = {**manifest_of(folders["mask"]), entry: 7}
    assert not Draft202012Validator(SCHEMA).is_valid(manifest)
    more = tmp_path / "more"
    shutil.copytree(folders["mask"], more)
    (more / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert read_release(more).method == "mask"


def test_a_column_of_the_name_of_ours_makes_ours_yield(tmp_path):
    people = (
        shoal.people(60, seed=1).select(["age", "sex", "diagnosis"]).rename_columns(["group", "count", "diagnosis"])
    )
    table = shoal.Table.from_arrow(people).with_roles(quasi=["group", "count"], sensitive=["diagnosis"])
    shoal.anatomy(table, l=3).write(tmp_path / "release")
    assert pq.read_schema(tmp_path / "release" / "quasi_identifiers.parquet").names == ["group_", "group", "count"]
    assert pq.read_schema(tmp_path / "release" / "sensitive.parquet").names == ["group", "diagnosis", "count"]
