"""The manifest of a release on disk: read with suspicion, because a folder can come from anybody."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from shoal.errors import DamagedRelease, InputError
from shoal.io.opening import like_named
from shoal.release.manifest import FORMAT, FORMAT_VERSION, PartFile

MANIFEST = "manifest.json"
UNVERIFIED_MANIFEST = "manifest.json.unverified"
DO_NOT_PUBLISH = "do_not_publish"
"""The entry of a manifest whose release must not leave the house, with the reason."""
MAX_MANIFEST_BYTES = 64 * 2**20


def read_manifest(folder: Path, *, manifest_name: str = MANIFEST) -> dict[str, Any]:
    """The manifest as it was written, after checking that this is a release that this version of Shoal can read."""
    if not folder.exists():
        raise InputError(f"there is no such folder: {folder}{like_named(folder)}")
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
            f"{path} has format version {cut(version)}, but this Shoal reads version {FORMAT_VERSION}"
            + (": install a newer Shoal" if newer else "")
        )
    return manifest


def require_outside_releases(path: Path, *coming: Path, replacing: bool = False) -> None:
    """Refuse to write into a release, where whatever is written is published with it.

    Args:
        path: the file or folder to be written.
        coming: releases that do not stand yet.
        replacing: whether it may be a release itself, which is replaced.

    Raises:
        InputError: it is inside of a release.
    """
    place, ahead = path.resolve(), {one.resolve() for one in coming}
    for folder in place.parents if replacing else (place, *place.parents):
        if folder in ahead or _is_release(folder):
            raise InputError(f"{path} is inside of the release and would be published with it: choose another place")


def _is_release(folder: Path) -> bool:
    """Whether there is a manifest of ours: other programs have files of that name, too."""
    try:
        return (folder / MANIFEST).is_file() and bool(read_manifest(folder))
    except (DamagedRelease, OSError):
        return False


def parts_of(manifest: dict[str, Any], known: Container[str]) -> dict[str, PartFile]:
    """The files that a manifest lists, by name; only known names are allowed."""
    entries = manifest.get("files")
    if not isinstance(entries, list):
        raise DamagedRelease(f"{MANIFEST} lists no files")
    parts = {}
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"name", "rows", "sha256"}:
            raise DamagedRelease(f"{MANIFEST}: a file needs a name, a number of rows and a sha256, found {cut(entry)}")
        name, digest = entry["name"], entry["sha256"]
        # Only the names we know: a path here could point anywhere.
        if not isinstance(name, str) or name not in known:
            raise DamagedRelease(f"{MANIFEST} lists {cut(name)}, which is not a file of this kind of release")
        if name in parts:
            raise DamagedRelease(f"{MANIFEST} lists {name} twice")
        if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
            raise DamagedRelease(f"{MANIFEST}: the sha256 of {name} is not one: {cut(digest)}")
        parts[name] = PartFile(name, whole_number(f"the rows of {name}", entry["rows"]), digest)
    return parts


def numbers_of(manifest: dict[str, Any], key: str, names: Iterable[str]) -> dict[str, int]:
    """An entry of the manifest that counts several things by name."""
    found = manifest.get(key)
    wanted = list(names)
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise DamagedRelease(f"{MANIFEST}: {key!r} must count {', '.join(wanted)}")
    return {name: whole_number(f"{key}.{name}", found[name]) for name in wanted}


def whole_number(what: str, value: object) -> int:
    """A number of the manifest that counts something."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise DamagedRelease(f"{MANIFEST}: {what} must be a whole number, found {cut(value)}")
    return value


def cut(value: object) -> str:
    """A value from outside as messages show it: quoted, and cut if it is long."""
    text = str(value) if isinstance(value, Exception) else repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
