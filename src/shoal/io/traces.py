"""Traces on disk: which record went to which cluster, as JSON that its owner alone may read."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from shoal.atomic.files import OWNER_ONLY, atomic_file
from shoal.data.arrays import Int64
from shoal.data.clusters import Clusters
from shoal.errors import InputError
from shoal.io.manifest import require_outside_releases
from shoal.io.opening import whole
from shoal.io.strict_json import parse_strictly
from shoal.release.trace import Trace

FORMAT = "shoal trace"
VERSION = 1
_ENTRIES = {"format", "version", "release", "original", "bounds", "records"}


def require_place(path: Path, *coming: Path, force: bool = False) -> None:
    """Refuse a place where a trace cannot be, before work is done for it.

    Args:
        path: where it is to be written.
        coming: releases that do not stand yet.
        force: whether a file that is there may be replaced.

    Raises:
        InputError: the file exists, is inside of a release, or its folder is not there.
    """
    require_outside_releases(path, *coming)
    if path.exists() and not force:
        raise InputError(f"{path} exists already: choose another name for the trace, or force=True")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}; make it first")


def write_trace(trace: Trace, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a trace; see :meth:`shoal.release.trace.Trace.write`."""
    place = Path(path)
    require_place(place, force=force)
    told = {
        "format": FORMAT,
        "version": VERSION,
        "release": trace.release,
        "original": trace.original,
        "bounds": trace.clusters.bounds.tolist(),
        "records": trace.clusters.rows.tolist(),
    }
    with atomic_file(place, OWNER_ONLY) as file:
        file.write(json.dumps(told, separators=(",", ":")).encode() + b"\n")


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Read a trace.

    Raises:
        InputError: the file is missing, or is no trace.
    """
    raw = whole(path)
    try:
        told = parse_strictly(raw)
    except ValueError:
        told = None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise InputError(f"{path} is no trace: give a file that shoal publish disassociate wrote with --keep-trace")
    if told.get("version") != VERSION:
        raise InputError(f"{path} is a trace of a version that this Shoal does not know: update Shoal")
    bounds, rows = _numbers(told.get("bounds")), _numbers(told.get("records"))
    if set(told) != _ENTRIES or bounds is None or rows is None or not (_is_digest(told) and _fits(bounds, rows)):
        raise InputError(f"{path} is a damaged trace: publish again with --keep-trace")
    return Trace(Clusters(rows, bounds), told["release"], told["original"])


def _is_digest(told: dict[str, Any]) -> bool:
    found = (told["release"], told["original"])
    return all(isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest) for digest in found)


def _fits(bounds: Int64, rows: Int64) -> bool:
    return bool(len(bounds) and bounds[0] == 0 and bounds[-1] == len(rows) and (np.diff(bounds) > 0).all())


def _numbers(value: object) -> Int64 | None:
    """A list of whole numbers from 0 on."""
    if not isinstance(value, list) or any(type(number) is not int or number < 0 for number in value):
        return None
    return np.array(value, np.int64)
