"""A release on disk: a manifest and the Parquet files it names, each with its checksum.

The manifest says what is promised and what is not, how much there is, and which files belong to it. It carries no
seed, no time, and nothing of the steward's file but what is published. A folder whose manifest bears the temporary
name is not a release: no reader takes it for one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DamagedRelease, InputError
from shoal.io import disassociated
from shoal.io.parquet_pages import count_pages
from shoal.promises import KmAnonymity, KmPromise, LDiversity, NoCertainLinks, SuppressedKm
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import FORMAT, FORMAT_VERSION, Dropped, PartFile

MANIFEST = "manifest.json"
UNVERIFIED_MANIFEST = "manifest.json.unverified"
PART_NAMES = tuple(disassociated.SCHEMAS)

# What a reader is willing to take in. A folder can come from anybody; a small compressed file can claim to be enormous.
MAX_MANIFEST_BYTES = 64 * 2**20
MAX_VALUES = 250_000_000
MAX_ROW_GROUPS = 20_000
# Memory that reading and auditing take for each value (measured: 17 to 25 bytes) and for each byte of unpacked words.
BYTES_A_VALUE = 40
BYTES_A_WORD_BYTE = 4


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
                writer.write_batch(batch)
                rows += batch.num_rows
        parts.append(PartFile(name, rows, _sha256(path)))
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "method": release.method,
        "promises": [_promise_entry(promise) for promise in release.promises],
        "left_out": vars(release.dropped),
        "counts": release.counts,
        "files": [vars(part) for part in parts],
    }
    (folder / manifest_name).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in [*(folder / part.name for part in parts), folder / manifest_name, folder]:
        to_disk(path)


def read_release(folder: str | os.PathLike[str], *, manifest_name: str = MANIFEST) -> Disassociated:
    """Read a release back, checking that it is whole and unchanged; whether it keeps its promise is for the auditor.

    Raises:
        InputError: there is no such folder, it may not be read, or it is too large for this machine.
        DamagedRelease: it is not a release, or not the one that was written.
    """
    try:
        return _read_release(Path(folder), manifest_name)
    except OSError as error:
        raise InputError(f"{error.filename or folder} cannot be read: {error.strerror or error}") from error


def _read_release(folder: Path, manifest_name: str) -> Disassociated:
    manifest = read_manifest(folder, manifest_name=manifest_name)
    stated = _promises(manifest)
    dropped = Dropped(**_numbers(manifest, "left_out", vars(Dropped())))
    listed = _parts(manifest)
    files = {}
    memory = 0
    for name, schema in disassociated.SCHEMAS.items():
        if name not in listed:
            raise DamagedRelease(f"{MANIFEST} does not list {name}")
        files[name], needed = _open_part(folder, listed[name], schema)
        memory += needed
    if memory > _memory_at_hand():
        raise InputError(
            f"{folder} is too large for this machine: it needs about {memory / 1e9:.1f} GB of memory, and there are "
            f"{_memory_at_hand() / 1e9:.1f} GB"
        )
    try:
        release = disassociated.from_files(files, *stated, dropped)
    except (pa.ArrowException, OSError) as error:
        raise DamagedRelease(f"{folder} holds a Parquet file with unreadable pages: {_cut(error)}") from None
    claimed = _numbers(manifest, "counts", release.counts)
    wrong = [
        f"{claimed[name]:,} {name}, not {count:,}" for name, count in release.counts.items() if claimed[name] != count
    ]
    if wrong:
        raise DamagedRelease(f"{MANIFEST} does not count what the files hold: it says {'; '.join(wrong)}")
    return release


def _memory_at_hand() -> int:
    """What this process may use: the machine's memory, or less where a limit is set."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *resource.getrlimit(resource.RLIMIT_AS)]
    return min(limit for limit in limits if limit > 0)  # no limit is -1


def read_manifest(folder: Path, *, manifest_name: str = MANIFEST) -> dict[str, Any]:
    """The manifest as it was written, after checking that this is a release that this version of Shoal can read."""
    if not folder.exists():
        raise InputError(f"there is no such folder: {folder}")
    if not folder.is_dir():
        raise DamagedRelease(f"{folder} is a file, but a release is a folder with a {MANIFEST}")
    path = folder / manifest_name
    if not path.is_file():
        if (folder / UNVERIFIED_MANIFEST).is_file():
            raise DamagedRelease(
                f"{folder} was left by a run that did not finish and was never verified: do not use it, publish again"
            )
        raise DamagedRelease(f"{folder} is not a release: it has no {manifest_name}")
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise DamagedRelease(f"{path} has more than {MAX_MANIFEST_BYTES:,} bytes, which no manifest needs")
    try:
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DamagedRelease(f"{path} is not readable JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DamagedRelease(f"{path} is not the manifest of a release: its 'format' is not {FORMAT!r}")
    version = manifest.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        newer = type(version) is int and version > FORMAT_VERSION
        raise DamagedRelease(
            f"{path} has format version {_cut(version)}, but this Shoal reads version {FORMAT_VERSION}"
            + (": install a newer Shoal" if newer else "")
        )
    if manifest.get("method") != Disassociated.method:
        raise DamagedRelease(f"{path} names the method {_cut(manifest.get('method'))}, which this Shoal does not know")
    return manifest


def _promise_entry(promise: KmPromise | LDiversity | NoCertainLinks) -> dict[str, Any]:
    return {
        "kind": type(promise).__name__,
        **vars(promise),
        "words": promise.words,
        "not_promised": list(promise.not_promised),
    }


def _promises(manifest: dict[str, Any]) -> tuple[KmPromise, LDiversity | None, NoCertainLinks | None]:
    entries = manifest.get("promises")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        _no_promise()
    kinds = [entry.get("kind") for entry in entries]
    first: dict[str, type[KmPromise]] = {"KmAnonymity": KmAnonymity, "SuppressedKm": SuppressedKm}
    if not kinds or not isinstance(kinds[0], str) or kinds[0] not in first:
        _no_promise()
    if kinds[1:] != [kind for kind in ("LDiversity", "NoCertainLinks") if kind in kinds]:
        _no_promise()
    by_kind = dict(zip(kinds, entries, strict=True))
    try:
        promise: KmPromise = first[kinds[0]](entries[0]["k"], entries[0]["m"])
        diversity = _diversity(by_kind["LDiversity"]) if "LDiversity" in by_kind else None
        return promise, diversity, NoCertainLinks() if "NoCertainLinks" in by_kind else None
    except KeyError as error:
        raise DamagedRelease(f"{MANIFEST} states a promise without its {error}") from None
    except UnicodeEncodeError:
        raise DamagedRelease(f"{MANIFEST} names a sensitive item that is not text") from None
    except DamagedRelease:
        raise
    except InputError as error:
        raise DamagedRelease(f"{MANIFEST} states a promise that is none: {_cut(error)}") from None


def _diversity(entry: dict[str, Any]) -> LDiversity:
    sensitive = entry["sensitive"]
    if not isinstance(sensitive, list) or not all(isinstance(name, str) for name in sensitive):
        raise DamagedRelease(f"{MANIFEST}: the sensitive items of LDiversity must be a list of names")
    "".join(sensitive).encode()  # JSON can carry half a character, which no word of a release is
    return LDiversity(entry["l"], tuple(sensitive))


def _no_promise() -> NoReturn:
    raise DamagedRelease(
        f"{MANIFEST} must promise KmAnonymity or SuppressedKm, and may promise LDiversity and NoCertainLinks after it, "
        "in this order"
    )


def _parts(manifest: dict[str, Any]) -> dict[str, PartFile]:
    entries = manifest.get("files")
    if not isinstance(entries, list):
        raise DamagedRelease(f"{MANIFEST} lists no files")
    parts = {}
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"name", "rows", "sha256"}:
            raise DamagedRelease(f"{MANIFEST}: a file needs a name, a number of rows and a sha256, found {_cut(entry)}")
        name, digest = entry["name"], entry["sha256"]
        # Only the names we know: a path here could point anywhere.
        if not isinstance(name, str) or name not in disassociated.SCHEMAS:
            raise DamagedRelease(f"{MANIFEST} lists {_cut(name)}, which is not a file of this kind of release")
        if name in parts:
            raise DamagedRelease(f"{MANIFEST} lists {name} twice")
        if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
            raise DamagedRelease(f"{MANIFEST}: the sha256 of {name} is not one: {_cut(digest)}")
        parts[name] = PartFile(name, _whole(f"the rows of {name}", entry["rows"]), digest)
    return parts


def _numbers(manifest: dict[str, Any], key: str, names: Iterable[str]) -> dict[str, int]:
    """An entry of the manifest that counts several things by name."""
    found = manifest.get(key)
    wanted = list(names)
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise DamagedRelease(f"{MANIFEST}: {key!r} must count {', '.join(wanted)}")
    return {name: _whole(f"{key}.{name}", found[name]) for name in wanted}


def _whole(what: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise DamagedRelease(f"{MANIFEST}: {what} must be a whole number, found {_cut(value)}")
    return value


def _open_part(folder: Path, part: PartFile, schema: pa.Schema) -> tuple[pq.ParquetFile, int]:
    """Open one file after its checksum, schema and sizes were found in order; also the memory that reading it takes."""
    path = folder / part.name
    if path.is_symlink():
        raise DamagedRelease(f"{path} is a link: the files of a release lie in its folder")
    if not path.is_file():
        raise DamagedRelease(f"{path} is missing, but {MANIFEST} lists it")
    found = _sha256(path)
    if found != part.sha256:
        raise DamagedRelease(f"{path} was changed after it was published: its SHA-256 is {found}, not {part.sha256}")
    try:
        meta = pq.read_metadata(path)
        types = {field.name: field.type for field in meta.schema.to_arrow_schema()}
        leaves = [meta.schema.column(number).path for number in range(meta.num_columns)]
        rows = sum(meta.row_group(group).num_rows for group in range(min(meta.num_row_groups, MAX_ROW_GROUPS)))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedRelease(f"{path} is not a readable Parquet file: {_cut(error)}") from None
    expected = {field.name: field.type for field in schema}
    words = [leaf for leaf in leaves if leaf in disassociated.WORDS]
    if types != expected or list(types) != list(expected) or {*leaves} - {*expected, *words}:
        raise DamagedRelease(f"{path} has the columns {_described(types)}, but a release has {_described(expected)}")
    if meta.metadata:  # it could say how to read the columns, and it could say whose they were
        raise DamagedRelease(f"{path} carries metadata ({_cut(list(meta.metadata))}), which no release does")
    if meta.num_row_groups > MAX_ROW_GROUPS:
        raise DamagedRelease(
            f"{path} has {meta.num_row_groups:,} row groups; more than {MAX_ROW_GROUPS:,} are not read"
        )
    if not meta.num_rows == rows == part.rows:
        raise DamagedRelease(f"{path} has {rows:,} rows, but {MANIFEST} says {part.rows:,}")
    try:
        held = count_pages(path, meta)
    except ValueError as error:
        raise DamagedRelease(f"{path} contradicts itself: {error}") from None
    if held.values > MAX_VALUES:
        raise DamagedRelease(f"{path} holds {held.values:,} values; more than {MAX_VALUES:,} are not read")
    # Words are read as codes: a long word that is repeated a million times is held once.
    file = pq.ParquetFile(path, metadata=meta, read_dictionary=words)
    return file, held.values * BYTES_A_VALUE + held.bytes * BYTES_A_WORD_BYTE


def _cut(value: object) -> str:
    """A value from outside as messages show it: quoted, and cut if it is long."""
    text = str(value) if isinstance(value, Exception) else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _described(types: dict[str, pa.DataType]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in types.items())[:300]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def to_disk(path: Path) -> None:
    """Wait until a file or folder has reached the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
