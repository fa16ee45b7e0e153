"""A release on disk: a manifest and the Parquet files it names, each with its checksum.

The manifest says what is promised and what is not, how much there is, and which files belong to it. It carries no seed,
no time, and nothing of the steward's file but what is published. A folder whose manifest bears the temporary name is not
a release: no reader takes it for one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DamagedRelease, InputError
from shoal.io import disassociated
from shoal.promises import KmAnonymity, LDiversity
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import FORMAT, FORMAT_VERSION, Dropped, PartFile

MANIFEST = "manifest.json"
UNVERIFIED_MANIFEST = "manifest.json.unverified"

# What a reader is willing to take in. A folder can come from anybody; a small compressed file can claim to be enormous.
MAX_MANIFEST_BYTES = 64 * 2**20
MAX_VALUES = 250_000_000
MAX_ROW_GROUPS = 20_000


def write_release(release: Disassociated, folder: Path, *, manifest_name: str = MANIFEST) -> None:
    """Write the files of a release into an existing, empty folder, and the manifest last."""
    parts = []
    for name, schema, batches in disassociated.tables(release):
        path = folder / name
        rows = 0
        with pq.ParquetWriter(
            path, schema, compression="zstd", compression_level=1, store_schema=False, write_page_index=False
        ) as writer:
            for batch in batches:
                writer.write_batch(batch, row_group_size=disassociated.ROWS)
                rows += batch.num_rows
        parts.append(PartFile(name, rows, _sha256(path)))
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "method": release.method,
        "promises": [_promise_entry(promise) for promise in (release.promise, release.diversity) if promise],
        "left_out": vars(release.dropped),
        "counts": release.counts,
        "files": [vars(part) for part in parts],
    }
    (folder / manifest_name).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in [*(folder / part.name for part in parts), folder / manifest_name, folder]:
        _to_disk(path)


def read_release(folder: Path, *, manifest_name: str = MANIFEST) -> Disassociated:
    """Read a release back, checking that it is whole and unchanged; whether it keeps its promise is the auditor's affair.

    Raises:
        InputError: there is no such folder.
        DamagedRelease: it is not a release, or not the one that was written.
    """
    manifest = read_manifest(folder, manifest_name=manifest_name)
    files = {}
    listed = _parts(manifest)
    for name, schema in disassociated.SCHEMAS.items():
        if name not in listed:
            raise DamagedRelease(f"{manifest_name} does not list {name}")
        files[name] = _open_part(folder, listed[name], schema)
    promise, diversity = _promises(manifest)
    left_out = manifest.get("left_out")
    if not isinstance(left_out, dict) or set(left_out) != set(vars(Dropped())):
        raise DamagedRelease(f"{manifest_name}: 'left_out' must count {', '.join(vars(Dropped()))}")
    dropped = Dropped(**{key: _whole(manifest_name, f"left_out.{key}", value) for key, value in left_out.items()})
    release = disassociated.from_files(files, promise, diversity, dropped)
    if manifest.get("counts") != release.counts:
        raise DamagedRelease(
            f"{manifest_name} counts {manifest.get('counts')}, but the files hold {release.counts}"
        )
    return release


def read_manifest(folder: Path, *, manifest_name: str = MANIFEST) -> dict[str, Any]:
    """The manifest as it was written, after checking that this is a release that this version of Shoal can read."""
    if not folder.exists():
        raise InputError(f"{folder}: no such folder")
    if not folder.is_dir():
        raise DamagedRelease(f"{folder} is a file, but a release is a folder with a {MANIFEST}")
    path = folder / manifest_name
    if not path.is_file():
        if (folder / UNVERIFIED_MANIFEST).is_file():
            raise DamagedRelease(f"{folder} was left by a run that did not finish: it was never verified, do not use it")
        raise DamagedRelease(f"{folder} is not a release: it has no {manifest_name}")
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise DamagedRelease(f"{path} has more than {MAX_MANIFEST_BYTES:,} bytes, which no manifest needs")
    try:
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DamagedRelease(f"{path} is not readable JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DamagedRelease(f"{path} is not the manifest of a release")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise DamagedRelease(
            f"{path} has format version {manifest.get('format_version')!r}; this Shoal reads version {FORMAT_VERSION}"
        )
    if manifest.get("method") != Disassociated.method:
        raise DamagedRelease(f"{path} names the method {manifest.get('method')!r}, which this Shoal does not know")
    return manifest


def _promise_entry(promise: KmAnonymity | LDiversity) -> dict[str, Any]:
    return {
        "kind": type(promise).__name__,
        **vars(promise),
        "words": promise.words,
        "not_promised": list(promise.not_promised),
    }


def _promises(manifest: dict[str, Any]) -> tuple[KmAnonymity, LDiversity | None]:
    entries = manifest.get("promises")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _no_promise()
    kinds = [entry.get("kind") for entry in entries]
    if kinds not in (["KmAnonymity"], ["KmAnonymity", "LDiversity"]):
        _no_promise()
    try:
        promise = KmAnonymity(entries[0]["k"], entries[0]["m"])
        if len(entries) == 1:
            return promise, None
        sensitive = entries[1]["sensitive"]
        if not isinstance(sensitive, list) or not all(isinstance(name, str) for name in sensitive):
            _no_promise()
        return promise, LDiversity(entries[1]["l"], tuple(sensitive))
    except (KeyError, InputError) as error:
        raise DamagedRelease(f"{MANIFEST} states a promise that is none: {error}") from None


def _no_promise() -> NoReturn:
    raise DamagedRelease(f"{MANIFEST} must promise KmAnonymity, and may promise LDiversity after it")


def _parts(manifest: dict[str, Any]) -> dict[str, PartFile]:
    entries = manifest.get("files")
    if not isinstance(entries, list):
        raise DamagedRelease(f"{MANIFEST} lists no files")
    parts = {}
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"name", "rows", "sha256"}:
            raise DamagedRelease(f"{MANIFEST}: a file needs a name, a number of rows and a sha256, found {str(entry)[:80]}")
        # Only the names we know: a path here could point anywhere.
        if entry["name"] not in disassociated.SCHEMAS or entry["name"] in parts:
            raise DamagedRelease(f"{MANIFEST} lists {str(entry['name'])[:80]!r}, which is not a file of this kind of release")
        if not isinstance(entry["sha256"], str) or not re.fullmatch("[0-9a-f]{64}", entry["sha256"]):
            raise DamagedRelease(f"{MANIFEST}: the sha256 of {entry['name']} is not one")
        rows = _whole(MANIFEST, f"rows of {entry['name']}", entry["rows"])
        parts[entry["name"]] = PartFile(entry["name"], rows, entry["sha256"])
    return parts


def _whole(where: str, what: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise DamagedRelease(f"{where}: {what} must be a whole number, found {str(value)[:40]!r}")
    return value


def _open_part(folder: Path, part: PartFile, schema: pa.Schema) -> pq.ParquetFile:
    """Open one file after its checksum, schema and claimed sizes were found in order."""
    path = folder / part.name
    if path.is_symlink() or not path.is_file():
        raise DamagedRelease(f"{path} is missing")
    found = _sha256(path)
    if found != part.sha256:
        raise DamagedRelease(f"{path} was changed after it was published: its SHA-256 is {found}, not {part.sha256}")
    try:
        as_codes = ["items.list.element"] if "items" in schema.names else None
        file = pq.ParquetFile(path, read_dictionary=as_codes)
        actual = file.schema_arrow
        meta = file.metadata
        values = sum(
            meta.row_group(group).column(column).num_values
            for group in range(min(meta.num_row_groups, MAX_ROW_GROUPS))
            for column in range(meta.num_columns)
        )
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise DamagedRelease(f"{path} is not a readable Parquet file: {error}") from None
    expected = {field.name: field.type for field in schema}
    types = {field.name: field.type for field in actual}
    if list(types) != list(expected) or not all(_same(types[name], expected[name]) for name in expected):
        raise DamagedRelease(f"{path} has the columns {_described(types)}, but a release has {_described(expected)}")
    if meta.num_rows != part.rows:
        raise DamagedRelease(f"{path} has {meta.num_rows:,} rows, but {MANIFEST} says {part.rows:,}")
    if meta.num_row_groups > MAX_ROW_GROUPS or values > MAX_VALUES or meta.num_rows > MAX_VALUES:
        raise DamagedRelease(
            f"{path} claims {values:,} values in {meta.num_row_groups:,} row groups; more than {MAX_VALUES:,} values "
            f"or {MAX_ROW_GROUPS:,} row groups are not read"
        )
    return file


def _same(actual: pa.DataType, expected: pa.DataType) -> bool:
    """Whether the types agree, a list of dictionary-coded words counting as a list of words."""
    if pa.types.is_list(expected):
        return pa.types.is_list(actual) and _same(actual.value_type, expected.value_type)
    if pa.types.is_dictionary(actual):
        return bool(actual.value_type == expected)
    return bool(actual == expected)


def _described(types: dict[str, pa.DataType]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in types.items())[:300]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _to_disk(path: Path) -> None:
    """Wait until a file or folder has reached the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
