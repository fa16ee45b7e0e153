"""A release on disk: a manifest and the Parquet files it names, each with its checksum.

The manifest says what is promised and what is not, how much there is, and which files belong to it. It carries no
seed, no time, and nothing of the steward's file but what is published. A folder whose manifest bears the temporary
name is not a release: no reader takes it for one.
"""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from shoal.errors import DamagedRelease, InputError
from shoal.io import bucketized, disassociated, generalized, generalized_baskets, noisy_baskets, randomized
from shoal.io.manifest import DO_NOT_PUBLISH, MANIFEST, UNVERIFIED_MANIFEST, cut, numbers_of, parts_of, read_manifest
from shoal.io.part_files import open_part, to_disk, write_part
from shoal.io.promise_entries import promise_entry
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.manifest import FORMAT, FORMAT_VERSION
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

__all__ = [
    "DO_NOT_PUBLISH",
    "MANIFEST",
    "PART_NAMES",
    "UNVERIFIED_MANIFEST",
    "arrow_tables",
    "read_disassociated",
    "read_manifest",
    "read_release",
    "table_columns",
    "to_disk",
    "write_release",
]

# The shapes of releases, by the methods that make them. Each module has the same functions.
_MODULES: dict[type[Release], ModuleType] = {
    Disassociated: disassociated,
    Bucketized: bucketized,
    Generalized: generalized,
    Randomized: randomized,
    GeneralizedBaskets: generalized_baskets,
    NoisyBaskets: noisy_baskets,
}
_SHAPES = {method: shape for shape in _MODULES.values() for method in shape.METHODS}
PART_NAMES = tuple({name: None for shape in _MODULES.values() for name in shape.PART_NAMES})


def write_release(release: Release, folder: Path, *, manifest_name: str = MANIFEST, mark: str | None = None) -> None:
    """Write the files of a release into an existing, empty folder, and the manifest last.

    ``mark``: why it must not be published, if so; the manifest says it.
    """
    shape = _MODULES[type(release)]
    parts = [write_part(folder, name, schema, batches) for name, schema, batches in shape.tables(release)]
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "method": release.method,
        **({} if mark is None else {DO_NOT_PUBLISH: mark}),
        "promises": [promise_entry(promise) for promise in release.promises],
        **shape.entries(release),
        "counts": release.counts,
        "files": [vars(part) for part in parts],
    }
    (folder / manifest_name).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for path in [*(folder / part.name for part in parts), folder / manifest_name, folder]:
        to_disk(path)


def arrow_tables(release: Release) -> dict[str, pa.Table]:
    """The tables of a release folder, by the names of its files, without writing any."""
    return {
        name.removesuffix(".parquet"): pa.Table.from_batches(batches, schema)
        for name, schema, batches in _MODULES[type(release)].tables(release)
    }


def read_release(folder: str | os.PathLike[str], *, manifest_name: str = MANIFEST) -> Release:
    """Read a release back, checking that it is whole and unchanged; whether it keeps its promise is for the auditor.

    Raises:
        InputError: there is no such folder, it may not be read, or it is too large for this machine.
        DamagedRelease: it is not a release, or not the one that was written.
    """
    try:
        return _read_release(Path(folder), manifest_name)
    except OSError as error:
        raise InputError(f"{error.filename or folder} cannot be read: {error.strerror or error}") from error


def read_disassociated(folder: str | os.PathLike[str]) -> Disassociated:
    """Read a disassociated release for work that no other release is made for; another one is an InputError."""
    return require_disassociated(read_release(folder), folder)


def require_disassociated(release: Release, folder: str | os.PathLike[str]) -> Disassociated:
    """The release itself if it is a disassociated one; another one is an InputError."""
    if isinstance(release, Randomized | GeneralizedBaskets | NoisyBaskets):
        raise InputError(
            f"{folder} is a release by {release.method}, and this is for disassociated ones: shoal mine and shoal "
            "query count or estimate supports in it, and shoal export writes its rows for other programs"
        )
    if not isinstance(release, Disassociated):
        raise InputError(
            f"{folder} is a release of a table ({release.method}), and this is for releases of baskets: shoal query "
            "counts rows of it, and shoal export writes them for other programs"
        )
    return release


def table_columns(folder: str | os.PathLike[str]) -> tuple[list[str], list[str]] | None:
    """The quasi-identifiers and the sensitive columns that a release of a table names; None for one of baskets.

    Raises:
        InputError: there is no such folder.
        DamagedRelease: it is not a release, or names no columns.
    """
    manifest = read_manifest(Path(folder))
    shape = _SHAPES.get(str(manifest.get("method")))
    if shape not in (bucketized, generalized):
        return None
    shape.layout(manifest)  # refuses what names no columns
    return list(manifest["quasi_identifiers"]), list(manifest["sensitive"])


def _read_release(folder: Path, manifest_name: str) -> Release:
    manifest = read_manifest(folder, manifest_name=manifest_name)
    method = manifest.get("method")
    if not isinstance(method, str) or method not in _SHAPES:
        raise DamagedRelease(f"{folder / manifest_name} names the method {cut(method)}, which this Shoal does not know")
    shape = _SHAPES[method]
    layout = shape.layout(manifest)
    listed = parts_of(manifest, layout)
    files = {}
    memory = 0
    for name, (schema, words) in layout.items():
        if name in listed:
            files[name], needed = open_part(folder, listed[name], schema, words)
            memory += needed
        elif name not in shape.OPTIONAL:
            raise DamagedRelease(f"{MANIFEST} does not list {name}")
    if memory > _memory_at_hand():
        raise InputError(
            f"{folder} is too large for this machine: it needs about {memory / 1e9:.1f} GB of memory, and there are "
            f"{_memory_at_hand() / 1e9:.1f} GB"
        )
    try:
        release: Release = shape.from_files(files, manifest)
    except (pa.ArrowException, OSError) as error:
        raise DamagedRelease(f"{folder} holds a Parquet file with unreadable pages: {cut(error)}") from None
    claimed = numbers_of(manifest, "counts", release.counts)
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
