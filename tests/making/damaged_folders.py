"""Damage done to a release folder by hand, with the checksums put right again so that one problem remains."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DamagedRelease
from shoal.io.disassociated import SCHEMAS
from shoal.io.release_folder import MANIFEST, read_release


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest in place."""
    manifest = json.loads((folder / MANIFEST).read_text())
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))


def put(*path: Any) -> Callable[[dict[str, Any]], object]:
    """A change of a manifest: the way to an entry, and its new value."""
    *way, key, value = path

    def change(manifest: dict[str, Any]) -> None:
        place: Any = manifest
        for step in way:
            place = place[step]
        place[key] = value

    return change


def sign(folder: Path) -> None:
    """Make the manifest agree with the files as they are now: checksums and, where they can be read, rows."""

    def agree(manifest: dict[str, Any]) -> None:
        for entry in manifest["files"]:
            path = folder / entry["name"]
            entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            try:
                entry["rows"] = pq.read_metadata(path).num_rows
            except (pa.ArrowException, OSError, ValueError):
                continue

    edit_manifest(folder, agree)


def rewrite(folder: Path, name: str, change: Callable[[pa.Table], pa.Table], **options: Any) -> None:
    """Replace one Parquet file by a changed one, and sign it."""
    table = change(pq.read_table(folder / name))
    pq.write_table(table, folder / name, **{"store_schema": False, **options})
    sign(folder)


def with_column(column: str, values: list[Any], name: str) -> Callable[[pa.Table], pa.Table]:
    """A change that puts other values into one column; nulls are allowed."""
    kind = SCHEMAS[name].field(column).type

    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(column)
        return table.set_column(place, pa.field(column, kind), pa.array(values, kind))

    return change


def refused(folder: Path, *expected: str) -> None:
    """Reading says DamagedRelease, in one short printable line that holds all of the expected words.

    In this process: what decodes files is the same in one of its own, which takes a tenth of a second to start.
    """
    with pytest.raises(DamagedRelease) as caught:
        read_release(folder, trusted=True)
    message = str(caught.value)
    for words in expected:
        assert words in message
    assert len(message) < 900
    assert message.isprintable()
