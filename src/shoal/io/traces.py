"""Traces on disk: the cluster of each record, as JSON that only its owner may read."""

from __future__ import annotations

import hashlib
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
from shoal.io.opening import opened
from shoal.io.strict_json import parse_strictly
from shoal.links import followed
from shoal.plural import counted
from shoal.release.trace import Trace

FORMAT = "shoal trace"
VERSION = 1
_DAMAGED = "{} is a damaged trace: publish again with --keep-trace"
_ENTRIES = {"format", "version", "release", "original", "bounds", "records", "sha256"}
_HEAD = 1024
"""The most bytes besides the numbers."""
_NUMBER = 32
"""The most bytes for a number, even if another program indented the file."""


def require_place(path: Path, *coming: Path, force: bool = False) -> None:
    """Refuse a place where a trace cannot be, before work is done for it.

    Args:
        path: where it is to be written.
        coming: releases that do not exist yet.
        force: whether an existing file may be replaced.

    Raises:
        InputError: the file exists or is no regular file, is inside a release, or its folder does not exist.
    """
    require_outside_releases(path, *coming)
    if path.exists() and not force:
        raise InputError(f"{path} exists already: choose another name for the trace, or force=True")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no regular file that only its owner can read: name a file for the trace")
    folder = followed(path).parent
    if not folder.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {folder}; make it first")


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
        "sha256": _digest(trace.clusters),
    }
    with atomic_file(place, OWNER_ONLY) as file:
        file.write(json.dumps(told, separators=(",", ":")).encode() + b"\n")


def read_trace(path: str | os.PathLike[str], records: int) -> Trace:
    """Read a trace.

    Args:
        path: the file.
        records: how many records the original has; a file too large for their trace is not read.

    Raises:
        InputError: the file is missing, is no trace, belongs to more records, or was changed.
    """
    most = _HEAD + 2 * (records + 1) * _NUMBER
    with opened(path) as file:
        raw = file.stream.read(most + 1)
    if len(raw) > most:
        raise InputError(
            f"{path} is too large for the trace of {counted(records, 'record')}: give the one that was kept"
        )
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
        raise InputError(_DAMAGED.format(path))
    clusters = Clusters(rows, bounds)
    if told["sha256"] != _digest(clusters):
        raise InputError(_DAMAGED.format(path))
    return Trace(clusters, told["release"], told["original"])


def _digest(clusters: Clusters) -> str:
    """A checksum of the numbers: metrics from wrong numbers would not be noticed."""
    numbers = np.concatenate([[len(clusters.bounds)], clusters.bounds, clusters.rows])
    return hashlib.sha256(numbers.astype("<i8").tobytes()).hexdigest()


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
