"""A release on disk: a manifest and the Parquet files that it names, each with its checksum.

The manifest states what is promised and what is not, counts, and which files belong to the release. It contains no
seed, no time, and nothing of the publisher's file except what is published. A folder whose manifest has the temporary
name is not a release: no reader accepts it as one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from shoal.errors import DamagedRelease, InputError
from shoal.io.decoded_parts import decoded
from shoal.io.decoding_apart import TooLarge
from shoal.io.manifest import (
    DO_NOT_PUBLISH,
    EMPTY,
    MANIFEST,
    MANIFEST_BYTES,
    UNVERIFIED_MANIFEST,
    manifest_of,
    numbers_of,
    parts_of,
    read_manifest,
)
from shoal.io.part_decoding import Wanted
from shoal.io.part_files import to_disk, write_part
from shoal.io.promise_entries import promise_entry
from shoal.io.release_files import ReleaseFiles, TooManyBytes
from shoal.memory import available_memory
from shoal.quoting import said_by, shown
from shoal.release import Release
from shoal.release.manifest import FORMAT, FORMAT_VERSION, PartFile
from shoal.resources import told_apart
from shoal.shapes import OF_METHOD, SHAPES, Shape

__all__ = [
    "DO_NOT_PUBLISH",
    "EMPTY",
    "MANIFEST",
    "UNVERIFIED_MANIFEST",
    "Opened",
    "arrow_tables",
    "manifest_entries",
    "open_release",
    "part_names",
    "read_manifest",
    "read_release",
    "to_disk",
    "write_release",
]


def part_names() -> set[str]:
    """The names of all files that a release of any shape may have, besides its manifest."""
    return {name for shape in SHAPES.values() for name in shape.load("files").PART_NAMES}


def write_release(
    release: Release,
    folder: Path,
    *,
    manifest_name: str = MANIFEST,
    mark: str | None = None,
    empty: Sequence[str] = (),
) -> None:
    """Write the files of a release into an existing, empty folder, and the manifest last.

    ``mark``: why it must not be published; ``empty``: why it is worth nothing. The manifest states them, if given.
    """
    shape = _files_of(release)
    parts = [write_part(folder, name, schema, batches) for name, schema, batches in shape.tables(release)]
    manifest = manifest_entries(release, [vars(part) for part in parts], mark, empty)
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    if len(text.encode()) > MANIFEST_BYTES:
        raise InputError(
            f"the promise names so many items or columns that the manifest would have more than {MANIFEST_BYTES:,} "
            "bytes, which no reader accepts: name fewer sensitive items"
        )
    (folder / manifest_name).write_text(text, encoding="utf-8")
    for path in [*(folder / part.name for part in parts), folder / manifest_name, folder]:
        to_disk(path)


def manifest_entries(release: Release, files: list[Any], mark: Any = None, empty: Sequence[Any] = ()) -> dict[str, Any]:
    """All contents of the manifest of a release.

    Args:
        release: the release.
        files: its entries of files.
        mark: why it must not be published, if so.
        empty: why it is worth nothing, if so.
    """
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "method": release.method,
        **({} if mark is None else {DO_NOT_PUBLISH: mark}),
        **({EMPTY: list(empty)} if empty else {}),
        "promises": [promise_entry(promise) for promise in release.promises],
        **_files_of(release).entries(release),
        "counts": release.counts,
        "files": files,
    }


def arrow_tables(release: Release) -> dict[str, pa.Table]:
    """The tables of a release folder, by the names of its files, without writing any."""
    return {
        name.removesuffix(".parquet"): pa.Table.from_batches(batches, schema)
        for name, schema, batches in _files_of(release).tables(release)
    }


class Opened:
    """An open release folder: each of its files is opened and read at most once.

    Its manifest and its release belong to one moment; another process that changes the folder meanwhile affects
    neither.
    """

    def __init__(self, folder: str | os.PathLike[str], *, manifest_name: str = MANIFEST, trusted: bool = False) -> None:
        self.folder = Path(folder)
        self.manifest_name = manifest_name
        self._trusted = trusted
        self._files: ReleaseFiles | None = None
        self._manifest: dict[str, Any] | DamagedRelease | None = None
        self._read: tuple[Release, dict[str, dict[str, list[pa.Array]]]] | DamagedRelease | None = None

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __fspath__(self) -> str:
        return str(self.folder)

    def __str__(self) -> str:
        return str(self.folder)

    def close(self) -> None:
        """Close the folder; what was read remains available."""
        if self._files is not None:
            self._files.close()

    @property
    def files(self) -> ReleaseFiles:
        """The folder itself."""
        if self._files is None:
            with _readable(self.folder):
                self._files = ReleaseFiles(self.folder)
        return self._files

    @property
    def manifest(self) -> dict[str, Any]:
        """The contents of the manifest.

        Raises:
            InputError: there is no such folder, or it may not be read.
            DamagedRelease: it is not a release.
        """
        if self._manifest is None:
            try:
                with _readable(self.folder):
                    self._manifest = manifest_of(self.files, self.manifest_name)
            except DamagedRelease as damage:
                self._manifest = damage
        if isinstance(self._manifest, DamagedRelease):
            raise self._manifest
        return self._manifest

    @property
    def method(self) -> str:
        """The method that the manifest names; an unknown one is a DamagedRelease."""
        method = self.manifest.get("method")
        if not isinstance(method, str) or method not in OF_METHOD:
            raise DamagedRelease(
                f"{self.folder / self.manifest_name} names the method {shown(method)}, which this Shoal does not know"
            )
        return method

    @property
    def shape(self) -> Shape:
        """The shape of the release, by the method that the manifest names."""
        return OF_METHOD[self.method]

    @property
    def columns(self) -> tuple[list[str], list[str]] | None:
        """The quasi-identifiers and the sensitive columns of a release of a table; None for a release of baskets.

        Raises:
            InputError: there is no such folder.
            DamagedRelease: it is not a release, or names no columns.
        """
        if self.shape.data != "table":
            return None
        self.shape.load("files").layout(self.manifest)  # refuses a manifest that names no columns
        return list(self.manifest["quasi_identifiers"]), list(self.manifest["sensitive"])

    @property
    def release(self) -> Release:
        """The release, checked to be whole and unchanged.

        Raises:
            InputError: it may not be read, or is too large for this machine.
            DamagedRelease: it is not the one that was written.
            OutOfResources: the machine lacks resources for reading.
        """
        return self._content[0]

    @property
    def words(self) -> dict[str, dict[str, list[pa.Array]]]:
        """The words that its files hold, by file and column, whether or not rows use them."""
        return self._content[1]

    @property
    def _content(self) -> tuple[Release, dict[str, dict[str, list[pa.Array]]]]:
        if self._read is None:
            try:
                with _readable(self.folder):
                    self._read = _read(self.files, self.manifest, self.method, trusted=self._trusted)
            except DamagedRelease as damage:
                self._read = damage
        if isinstance(self._read, DamagedRelease):
            raise self._read
        return self._read


@contextlib.contextmanager
def open_release(
    folder: str | os.PathLike[str], *, manifest_name: str = MANIFEST, trusted: bool = False
) -> Iterator[Opened]:
    """Open a release folder for a block; a folder that is open already stays open."""
    if isinstance(folder, Opened):
        yield folder
        return
    with Opened(folder, manifest_name=manifest_name, trusted=trusted) as found:
        yield found


def read_release(folder: str | os.PathLike[str], *, manifest_name: str = MANIFEST, trusted: bool = False) -> Release:
    """Read a release and check that it is whole and unchanged; the auditor checks whether it keeps its promise.

    Args:
        folder: the release.
        manifest_name: the name of its manifest.
        trusted: whether you made the folder yourself: then its files are decoded in this process. Otherwise they are
            decoded in a separate process, so that untrusted files can crash only that process.

    Raises:
        InputError: there is no such folder, it may not be read, or it is too large for this machine.
        DamagedRelease: it is not a release, or not the one that was written.
        OutOfResources: the machine lacks resources for reading.
    """
    with open_release(folder, manifest_name=manifest_name, trusted=trusted) as found:
        return found.release


def _files_of(release: Release) -> Any:
    """The module that writes and reads the files of its shape."""
    return SHAPES[release.shape].load("files")


def _read(
    folder: ReleaseFiles, manifest: dict[str, Any], method: str, *, trusted: bool
) -> tuple[Release, dict[str, dict[str, list[pa.Array]]]]:
    shape = OF_METHOD[method].load("files")
    layout = shape.layout(manifest)
    listed = parts_of(manifest, layout)
    for name in layout:
        if name not in listed and name not in shape.OPTIONAL:
            raise DamagedRelease(f"{MANIFEST} does not list {name}")
    names = [name for name in layout if name in listed]
    wanted = [Wanted(str(folder.folder / name), MANIFEST, layout[name], listed[name].rows) for name in names]
    memory = available_memory()
    raws = _raw_parts(folder, [listed[name] for name in names], memory)
    memory -= 2 * sum(map(len, raws))  # the child process also holds them
    try:
        files = dict(zip(names, decoded(raws, wanted, memory, trusted=trusted), strict=True))
    except TooLarge as large:
        raise _too_large(folder.folder, large.needed, memory) from None
    try:
        release: Release = shape.from_files(files, manifest)
    except pa.ArrowException as error:
        if isinstance(error, MemoryError):
            raise
        raise DamagedRelease(f"{folder.folder} holds values that do not fit together: {said_by(error)}") from None
    claimed = numbers_of(manifest, "counts", release.counts)
    wrong = [
        f"{claimed[name]:,} {name}, not {count:,}" for name, count in release.counts.items() if claimed[name] != count
    ]
    if wrong:
        raise DamagedRelease(f"{MANIFEST} does not count what the files hold: it says {'; '.join(wrong)}")
    return release, {name: part.words() for name, part in files.items()}


def _raw_parts(folder: ReleaseFiles, parts: list[PartFile], memory: int) -> list[bytes]:
    """The bytes of files, each with its checksum compared with the manifest."""
    raws: list[bytes] = []
    for part in parts:
        path = folder.folder / part.name
        left = memory // 2 - sum(map(len, raws))
        try:
            raw = folder.read(part.name, max(left, 0))
        except FileNotFoundError:
            raise DamagedRelease(f"{path} is missing, but {MANIFEST} lists it") from None
        except TooManyBytes as many:
            raise _too_large(folder.folder, 2 * (sum(map(len, raws)) + many.size), memory) from None
        found = hashlib.sha256(raw).hexdigest()
        if found != part.sha256:
            raise DamagedRelease(
                f"{path} was changed after it was published: its SHA-256 is {found}, not {part.sha256}"
            )
        raws.append(raw)
    return raws


def _too_large(folder: Path, needed: int, memory: int) -> InputError:
    return InputError(
        f"{folder} is too large for this machine: it needs about {needed / 1e9:.1f} GB of memory, and there are "
        f"{max(memory, 0) / 1e9:.1f} GB"
    )


@contextlib.contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Convert a lack of resources, and system errors about files, into Shoal's errors."""
    try:
        with told_apart():
            yield
    except OSError as error:
        raise InputError(f"{error.filename or folder} cannot be read: {error.strerror or error}") from error
