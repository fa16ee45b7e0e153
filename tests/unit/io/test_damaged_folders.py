"""Folders that are no release, or no longer the one that was written: each is refused, and the reason named."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DamagedRelease, InputError
from shoal.io import manifest
from shoal.io.disassociated import SCHEMAS
from shoal.io.release_files import ReleaseFiles
from shoal.io.release_folder import MANIFEST, UNVERIFIED_MANIFEST, read_release
from tests.making.damaged_folders import edit_manifest, refused, rewrite, sign, with_column


@pytest.mark.parametrize("name", SCHEMAS)
def test_any_changed_byte_is_found(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    for place in random.Random(7).sample(range(len(raw)), 12):
        changed = raw.copy()
        changed[place] ^= 1 << (place % 8)
        (folder / name).write_bytes(changed)
        refused(folder, name, "was changed after it was published", "SHA-256")


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("signed", [False, True], ids=["", "signed"])
def test_a_cut_file_is_found(folder: Path, name: str, signed: bool) -> None:
    path = folder / name
    whole = path.read_bytes()
    for length in (0, 3, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        if signed:
            sign(folder)
        refused(folder, name, "is not a readable Parquet file" if signed else "was changed")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refused(folder, name, "is missing")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_file_behind_a_link_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    refused(folder, name, "is a link")


@pytest.mark.parametrize("name", SCHEMAS)
def test_pages_that_were_damaged_and_signed_are_found(folder: Path, name: str) -> None:
    raw = bytearray((folder / name).read_bytes())
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    found = 0
    for place in range(4, footer):
        changed = raw.copy()
        changed[place] ^= 255
        (folder / name).write_bytes(changed)
        sign(folder)
        try:
            read_release(folder, trusted=True)
        except DamagedRelease:
            found += 1
    assert found > 0  # the others changed a value, which is for the auditor to judge; nothing else was raised


def test_a_footer_that_was_damaged_and_signed_is_refused(folder: Path) -> None:
    name = "subrecords.parquet"
    raw = bytearray((folder / name).read_bytes())
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    for place in range(footer, len(raw)):
        changed = raw.copy()
        changed[place] ^= 1 << (place % 8)
        (folder / name).write_bytes(changed)
        sign(folder)
        with contextlib.suppress(InputError):  # nothing else may come out, whatever Arrow makes of it
            read_release(folder, trusted=True)


def test_a_missing_folder_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no such folder: .*nowhere") as caught:
        read_release(tmp_path / "nowhere")
    assert not isinstance(caught.value, DamagedRelease)


def test_a_file_is_no_release(folder: Path) -> None:
    refused(folder / MANIFEST, "is a file")


def test_a_folder_without_manifest_is_no_release(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    refused(folder, "is not a release", MANIFEST)


def test_an_unfinished_run_is_no_release(folder: Path) -> None:
    (folder / MANIFEST).rename(folder / UNVERIFIED_MANIFEST)
    refused(folder, "did not finish", "never verified", "do not use it")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is not readable JSON"),
        ("{", "is not readable JSON"),
        ("\xff", "is not readable JSON"),
        ("[" * 100_000, "is not readable JSON"),
        ('{"a": ' * 100_000, "is not readable JSON"),
        ('{"k": ' + "9" * 5_000 + "}", "is not readable JSON"),
        ("[]", "is not the manifest of a release"),
        ("null", "is not the manifest of a release"),
        ("{}", "is not the manifest of a release"),
        ('{"format": "zip"}', "is not the manifest of a release"),
    ],
    ids=range(10),
)
def test_a_manifest_that_is_none(folder: Path, text: str, expected: str) -> None:
    (folder / MANIFEST).write_bytes(text.encode("latin-1"))
    refused(folder, MANIFEST, expected)


def test_a_huge_manifest_is_not_even_read(folder: Path) -> None:
    with (folder / MANIFEST).open("wb") as file:
        file.truncate(manifest.MAX_MANIFEST_BYTES + 1)
    refused(folder, MANIFEST, "bytes, which no manifest needs")


def test_a_manifest_has_a_megabyte_beside_its_files(folder: Path) -> None:
    path = folder / MANIFEST
    whole = path.read_bytes()
    room = manifest.MANIFEST_BYTES + 4 * manifest.FILE_BYTES
    path.write_bytes(whole + b" " * (room - len(whole)))
    read_release(folder)
    path.write_bytes(whole + b" " * (room - len(whole) + 1))
    refused(folder, MANIFEST, "bytes, more than the 1,049,600 that its files account for")


def test_a_manifest_behind_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / MANIFEST).rename(tmp_path / "elsewhere")
    (folder / MANIFEST).symlink_to(tmp_path / "elsewhere")
    refused(folder, MANIFEST, "is a link")


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Set the value (last argument) at a path of keys, or delete there for ``...``."""
    *way, last, value = path

    def change(manifest: dict[str, Any]) -> None:
        place: Any = manifest
        for key in way:
            place = place[key]
        if value is ...:
            del place[last]
        else:
            place[last] = value

    return change


KM, LD = ("promises", 0), ("promises", 1)
WRONG_MANIFESTS = [
    (put("format", "shoal"), "is not the manifest of a release"),
    (put("format_version", 2), "format version 2, but this Shoal reads version 1: install a newer Shoal"),
    (put("format_version", True), "format version True"),
    (put("format_version", "1"), "format version '1'"),
    (put("format_version", ...), "format version None"),
    (put("method", "magic"), "names the method 'magic', which this Shoal does not know"),
    (put("method", ["\x1b[31m" * 1000]), "names no method"),
    (put("method", ...), "names no method"),
    (put("do_not_publish", ""), "'do_not_publish' must say in words why"),
    (put("do_not_publish", {"alice": "flu"}), "'do_not_publish' must say in words why"),
    (put("promises", ...), "must promise KmAnonymity"),
    (put("promises", []), "must promise KmAnonymity"),
    (put("promises", {}), "must promise KmAnonymity"),
    (put("promises", ["k"]), "must promise KmAnonymity"),
    (put(*KM, "kind", "KAnonymity"), "must promise KmAnonymity"),
    (put(*KM, "kind", []), "must promise KmAnonymity"),
    (put(*KM, "k", ...), "a promise without its 'k'"),
    (put(*KM, "k", 1), "k is 1: it must be a whole number from 2 on"),
    (put(*KM, "k", True), "k is True: it must be a whole number"),
    (put(*KM, "k", "5"), "k is '5': it must be a whole number"),
    (put(*KM, "k", 2.0), "k is 2.0: it must be a whole number"),
    (put(*KM, "k", None), "k is None: it must be a whole number"),
    (put(*KM, "k", [[1] * 9999]), "k is [[1, 1"),
    (put(*KM, "m", 0), "m is 0: it must be a whole number from 1 on"),
    (put(*KM, "m", -3), "m is -3"),
    (put(*LD, "l", 1), "l is 1"),
    (put(*LD, "l", ...), "a promise without its 'l'"),
    (put(*LD, "sensitive", ...), "a promise without its 'sensitive'"),
    (put(*LD, "sensitive", []), "at least one sensitive item"),
    (put(*LD, "sensitive", "v"), "must be a list of names"),
    (put(*LD, "sensitive", [1]), "must be a list of names"),
    (put(*LD, "sensitive", ["\ud800"]), "'\\ud800' holds half a character"),
    (put("left_out", ...), "'left_out' must count rare_items, emptied_records, sensitive_instances"),
    (put("left_out", "more", 1), "clusters_cut_short; unknown: 'more'"),
    (put("left_out", "rare_items", -1), "left_out.rare_items must be a whole number, found -1"),
    (put("left_out", "rare_items", "x"), "left_out.rare_items must be a whole number"),
    (put("counts", ...), "'counts' must count"),
    (put("counts", "items", ...), "'counts' must count"),
    (put("counts", "more", 1), "subrecords; unknown: 'more'"),
    (put("counts", "records", 8), "does not count what the files hold: it says 8 records, not 7"),
    (put("counts", "items", 10**400), "(401 characters) is beyond 64 bits"),
    (put(*KM, "k", 2**63), "the number 9223372036854775808 is beyond 64 bits"),
    (put("files", ...), "lists no files"),
    (put("files", {}), "lists no files"),
    (put("files", ["clusters.parquet"]), "needs a name, a number of rows and a sha256"),
    (put("files", 0, "size", 3), "and nothing else, found"),
    (put("files", 0, "more" * 99, 3), "unknown: 'moremore"),
    (put("files", 0, ...), "does not list clusters.parquet"),
    (put("files", 3, ...), "does not list term_chunks.parquet"),
    (lambda manifest: manifest["files"].append(manifest["files"][1]), "lists chunks.parquet twice"),
    (put("files", 0, "name", "../x"), "lists '../x', which is not a file"),
    (put("files", 0, "name", "/etc/passwd"), "lists '/etc/passwd', which is not a file"),
    (put("files", 0, "name", "sub/clusters.parquet"), "lists 'sub/clusters.parquet', which is not a file"),
    (put("files", 0, "name", "./clusters.parquet"), "which is not a file"),
    (put("files", 0, "name", ["clusters.parquet"]), "which is not a file"),
    (put("files", 0, "name", {"a": 1}), "which is not a file"),
    (put("files", 0, "name", None), "which is not a file"),
    (put("files", 0, "sha256", "0" * 64), "was changed after it was published"),
    (put("files", 0, "sha256", "0" * 63), "the sha256 of clusters.parquet is not one"),
    (put("files", 0, "sha256", "G" * 64), "the sha256 of clusters.parquet is not one"),
    (put("files", 0, "sha256", 5), "the sha256 of clusters.parquet is not one"),
    (put("files", 0, "rows", 5), "clusters.parquet has 4 rows, but manifest.json says 5"),
    (put("files", 0, "rows", -4), "the rows of clusters.parquet must be a whole number"),
    (put("files", 0, "rows", "4"), "the rows of clusters.parquet must be a whole number"),
]


@pytest.mark.parametrize(("change", "expected"), WRONG_MANIFESTS, ids=range(len(WRONG_MANIFESTS)))
def test_a_wrong_manifest_is_refused(folder: Path, change: Any, expected: str) -> None:
    edit_manifest(folder, change)
    refused(folder, "clusters.parquet" if "was changed" in expected else MANIFEST, expected)


CLUSTERS, CHUNKS, SUBRECORDS, TERMS = SCHEMAS
WRONG_VALUES = [
    (CLUSTERS, "cluster", [0, 1, 2, 4], "column 'cluster' must count up from 0"),
    (CLUSTERS, "cluster", [1, 0, 2, 3], "column 'cluster' must count up from 0"),
    (CLUSTERS, "cluster", [0, 1, 2, None], "column 'cluster' has missing values"),
    (CLUSTERS, "size", [5, 3, None, 2], "column 'size' has missing values"),
    (CLUSTERS, "joint", [None, 0, 0, 4], "row 3 has joint 4, which does not exist"),
    (CLUSTERS, "joint", [None, 0, -2, None], "row 2 has joint -2, which does not exist"),
    (CHUNKS, "chunk", [0, 1, 1], "column 'chunk' must count up from 0"),
    (CHUNKS, "owner", [0, 1, 4], "row 2 has owner 4, which does not exist"),
    (CHUNKS, "owner", [-1, 1, 2], "row 0 has owner -1, which does not exist"),
    (CHUNKS, "owner", [1, 0, 2], "rows must be sorted by 'owner'; row 1 is out of order"),
    (CHUNKS, "owner", [0, None, 2], "column 'owner' has missing values"),
    (CHUNKS, "kind", ["shared", None, "record"], "column 'kind' has missing values"),
    (CHUNKS, "kind", ["shared", "secret", "record"], "column 'kind' must be 'record' or 'shared', found 'secret'"),
    (CHUNKS, "kind", ["shared", "", "record"], "column 'kind' must be 'record' or 'shared', found ''"),
    (SUBRECORDS, "chunk", [0, 0, 1, 1, 1, 2, 3], "row 6 has chunk 3, which does not exist"),
    (SUBRECORDS, "chunk", [-1, 0, 1, 1, 1, 2, 2], "row 0 has chunk -1, which does not exist"),
    (SUBRECORDS, "chunk", [0, 1, 0, 1, 1, 2, 2], "rows must be sorted by 'chunk'; row 2 is out of order"),
    (SUBRECORDS, "chunk", [0, 0, 1, None, 1, 2, 2], "column 'chunk' has missing values"),
    (SUBRECORDS, "items", [["x"], None, ["a"], ["a"], ["a"], ["a"], ["a"]], "column 'items' has missing values"),
    (TERMS, "cluster", [1, 2, 4], "row 2 has cluster 4, which does not exist"),
    (TERMS, "cluster", [1, 1, 3], "rows must be sorted by 'cluster'; row 1 is out of order"),
    (TERMS, "cluster", [2, 1, 3], "rows must be sorted by 'cluster'; row 1 is out of order"),
]


@pytest.mark.parametrize(("name", "column", "values", "expected"), WRONG_VALUES, ids=range(len(WRONG_VALUES)))
def test_wrong_values_are_refused(folder: Path, name: str, column: str, values: list[Any], expected: str) -> None:
    rewrite(folder, name, with_column(column, values, name))
    refused(folder, name, expected)


@pytest.mark.parametrize("name", SCHEMAS)
def test_wrong_columns_are_refused(folder: Path, name: str) -> None:
    whole = pq.read_table(folder / name)
    first = whole.column_names[0]
    for changed in (
        whole.drop_columns([first]),
        whole.append_column("name", whole[first]),
        whole.rename_columns(["x", *whole.column_names[1:]]),
        whole.select(whole.column_names[::-1]),
        whole.set_column(0, first, whole[first].cast(pa.int64())),
        whole.set_column(0, first, whole[first].cast(pa.string())),
    ):
        rewrite(folder, name, lambda _, changed=changed: changed)
        refused(folder, name, "has the columns", "but a release has")


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.binary()),
        pa.list_(pa.int32()),
        pa.list_(pa.field("element", pa.list_(pa.string()))),
        pa.list_(pa.field("element", pa.string(), nullable=True)),
        pa.string(),
    ],
    ids=str,
)
def test_items_of_another_kind_are_refused(folder: Path, kind: pa.DataType) -> None:
    def change(table: pa.Table) -> pa.Table:
        return table.set_column(1, "items", pa.nulls(len(table), kind))

    rewrite(folder, SUBRECORDS, change)
    refused(folder, SUBRECORDS, "has the columns")


def test_metadata_in_a_file_is_refused(folder: Path) -> None:
    table = pq.read_table(folder / CLUSTERS)
    with pq.ParquetWriter(folder / CLUSTERS, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"owner": "Jane Doe"})
    sign(folder)
    refused(folder, CLUSTERS, "carries metadata", "owner")
    assert b"Jane Doe" in (folder / CLUSTERS).read_bytes()


def test_an_arrow_schema_in_the_metadata_is_refused(folder: Path) -> None:
    rewrite(folder, CHUNKS, lambda table: table, store_schema=True)
    refused(folder, CHUNKS, "carries metadata", "ARROW:schema")


def test_words_that_are_not_text_are_refused(folder: Path) -> None:
    kind = SCHEMAS[TERMS].field("items").type
    broken = pa.Array.from_buffers(pa.string(), 3, pa.array([b"c", b"\xff\xfe", b"d"], pa.binary()).buffers())
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), broken, type=kind)
    rewrite(folder, TERMS, lambda table: table.set_column(1, pa.field("items", kind, nullable=False), lists))
    refused(folder, "term_chunks.parquet: row 1 of column 'items' is not UTF-8: b'\\xff\\xfe'")


def test_a_folder_that_may_not_be_read_is_an_input_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may read everything, so the refusal is played.
    read = ReleaseFiles.read

    def denied(files: ReleaseFiles, name: str, most: int) -> bytes:
        if name == CLUSTERS:
            raise PermissionError(13, "Permission denied", str(files.folder / name))
        return read(files, name, most)

    monkeypatch.setattr(ReleaseFiles, "read", denied)
    with pytest.raises(InputError, match=r"clusters\.parquet cannot be read: Permission denied") as caught:
        read_release(folder)
    assert not isinstance(caught.value, DamagedRelease)


def test_a_release_is_readable_by_other_tools(folder: Path) -> None:
    items = pq.read_table(folder / SUBRECORDS).to_pydict()
    assert items == {
        "chunk": [0, 0, 1, 1, 1, 2, 2],
        "items": [["x"], ["x"], ["a"], ["a", "b"], ["a", "b"], ["a"], ["a"]],
    }
    assert json.loads((folder / MANIFEST).read_text())["counts"]["records"] == 7
