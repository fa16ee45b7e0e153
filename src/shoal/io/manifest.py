"""The manifest of a release on disk, read as untrusted data, because a folder can come from anyone."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Container, Iterable
from pathlib import Path
from typing import Any

from shoal.errors import DamagedRelease, InputError, NotARelease
from shoal.io.release_files import ReleaseFiles, TooManyBytes
from shoal.io.strict_json import parse_strictly
from shoal.links import followed
from shoal.quoting import named, shown
from shoal.release.manifest import FORMAT, FORMAT_VERSION, PartFile

MANIFEST = "manifest.json"
UNVERIFIED_MANIFEST = "manifest.json.unverified"
DO_NOT_PUBLISH = "do_not_publish"
"""The entry that marks a release that must not be published, with the reason."""
EMPTY = "empty"
"""The entry that marks a release that is worth nothing and was published anyway, with the reasons."""
MANIFEST_BYTES = 2**20
"""The most bytes of a manifest, without the lines of its files."""
FILE_BYTES = 256
"""The most bytes of the line of a file."""
MOST_FILES = 20_000
MAX_MANIFEST_BYTES = MANIFEST_BYTES + MOST_FILES * FILE_BYTES
"""The most bytes of a manifest: longer ones are not read."""


def read_manifest(folder: Path, *, manifest_name: str = MANIFEST) -> dict[str, Any]:
    """The manifest as it was written, after checking that this is a release that this version of Shoal can read."""
    with ReleaseFiles(folder) as files:
        return manifest_of(files, manifest_name)


def manifest_of(files: ReleaseFiles, name: str) -> dict[str, Any]:
    """The same for a folder that is open."""
    path = files.folder / name
    try:
        raw = files.read(name, MAX_MANIFEST_BYTES)
    except FileNotFoundError:
        if files.has(UNVERIFIED_MANIFEST):
            raise DamagedRelease(
                f"{files.folder} was left by a run that did not finish and was never verified: do not use it, publish "
                "again"
            ) from None
        raise NotARelease(f"{files.folder} is not a release: it has no {name}") from None
    except TooManyBytes:
        raise DamagedRelease(f"{path} has more than {MAX_MANIFEST_BYTES:,} bytes, which no manifest needs") from None
    return parsed_manifest(raw, path)


def parsed_manifest(raw: bytes, path: Path) -> dict[str, Any]:
    """The manifest that a file holds, after checking that this version of Shoal can read it.

    Args:
        raw: the bytes of the file.
        path: the file, for messages.
    """
    try:
        manifest = parse_strictly(raw)
    except ValueError as error:
        raise DamagedRelease(f"{path} is not readable JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise NotARelease(f"{path} is not the manifest of a release: its 'format' is not {named(FORMAT)}")
    version = manifest.get("format_version")
    if type(version) is not int or version != FORMAT_VERSION:
        newer = type(version) is int and version > FORMAT_VERSION
        raise DamagedRelease(
            f"{path} has format version {shown(version)}, but this Shoal reads version {FORMAT_VERSION}"
            + (": install a newer Shoal" if newer else "")
        )
    if not isinstance(manifest.get("method"), str):
        raise DamagedRelease(f"{path} names no method")
    files = manifest.get("files")
    allowed = MANIFEST_BYTES + FILE_BYTES * (len(files) if isinstance(files, list) else 0)
    if len(raw) > allowed:
        raise DamagedRelease(f"{path} has {len(raw):,} bytes, more than the {allowed:,} that its files account for")
    mark = manifest.get(DO_NOT_PUBLISH, "marked")
    if not isinstance(mark, str) or not mark:
        raise DamagedRelease(f"{path}: {named(DO_NOT_PUBLISH)} must say in words why, found {shown(mark)}")
    return manifest


def require_outside_releases(path: Path, *coming: Path, replacing: bool = False) -> None:
    """Refuse to write into a release, since every file there is published with it.

    Args:
        path: the file or folder to be written.
        coming: releases that do not exist yet.
        replacing: whether it may be a release itself, which is replaced.

    Raises:
        InputError: it is inside a release.
    """
    place, ahead = followed(path), {followed(one) for one in coming}
    for folder in place.parents if replacing else (place, *place.parents):
        if folder in ahead or _is_release(folder):
            raise InputError(f"{path} is inside of the release and would be published with it: choose another place")


def _is_release(folder: Path) -> bool:
    """Whether there is a manifest of Shoal, whole or damaged."""
    return claims_to_be_ours(folder / MANIFEST)


def claims_to_be_ours(path: Path) -> bool:
    """Whether a file declares itself the manifest of a release: other programs also have files of that name."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_MANIFEST_BYTES:
            return False
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT


def parts_of(manifest: dict[str, Any], known: Container[str]) -> dict[str, PartFile]:
    """The files that a manifest lists, by name; only known names are allowed."""
    entries = manifest.get("files")
    if not isinstance(entries, list):
        raise DamagedRelease(f"{MANIFEST} lists no files")
    parts = {}
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"name", "rows", "sha256"}:
            raise DamagedRelease(
                f"{MANIFEST}: a file needs a name, a number of rows and a sha256, and nothing else, found "
                f"{shown(entry)}" + _more(entry, ("name", "rows", "sha256"))
            )
        name, digest = entry["name"], entry["sha256"]
        # Only known names: a path here could point anywhere.
        if not isinstance(name, str) or name not in known:
            raise DamagedRelease(f"{MANIFEST} lists {named(name)}, which is not a file of this kind of release")
        if name in parts:
            raise DamagedRelease(f"{MANIFEST} lists {name} twice")
        if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
            raise DamagedRelease(f"{MANIFEST}: the sha256 of {name} is not one: {shown(digest)}")
        parts[name] = PartFile(name, whole_number(f"the rows of {name}", entry["rows"]), digest)
    return parts


def numbers_of(manifest: dict[str, Any], key: str, names: Iterable[str]) -> dict[str, int]:
    """An entry of the manifest with several counts by name."""
    found = manifest.get(key)
    wanted = list(names)
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise DamagedRelease(f"{MANIFEST}: {named(key)} must count {', '.join(wanted)}{_more(found, wanted)}")
    return {name: whole_number(f"{key}.{name}", found[name]) for name in wanted}


def _more(found: object, wanted: Collection[str]) -> str:
    """A suffix that lists unknown entries."""
    more = [named(name) for name in found if name not in wanted] if isinstance(found, dict) else []
    return f"; unknown: {', '.join(more[:3])}" if more else ""


def whole_number(what: str, value: object) -> int:
    """A number of the manifest that counts something."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise DamagedRelease(f"{MANIFEST}: {what} must be a whole number, found {shown(value)}")
    return value
