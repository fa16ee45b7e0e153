"""Manifests made right again after files have changed: checksums, and numbers of rows where they can be read."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Files = dict[str, bytes]
MANIFEST = "manifest.json"


def signed(files: Files, rows: dict[str, int] | None = None, manifest: dict[str, Any] | None = None) -> Files:
    """The files with a manifest that has their checksums, and their numbers of rows."""
    entries = json.loads(files[MANIFEST]) if manifest is None else manifest
    for entry in entries["files"]:
        data = files.get(entry["name"])
        if data is None:
            continue
        entry["sha256"] = hashlib.sha256(data).hexdigest()
        if rows is not None and entry["name"] in rows:
            entry["rows"] = rows[entry["name"]]
    return {**files, MANIFEST: json.dumps(entries, ensure_ascii=False).encode(errors="surrogatepass")}


def signed_trace(entries: dict[str, Any]) -> bytes:
    """A trace with the checksum of its numbers, if they still are numbers."""
    bounds, records = entries["bounds"], entries["records"]
    try:
        numbers = [len(bounds), *bounds, *records]
        whole = b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)
        entries = {**entries, "sha256": hashlib.sha256(whole).hexdigest()}
    except (AttributeError, OverflowError, TypeError):
        pass
    return json.dumps(entries).encode()


def parquet(table: pa.Table, **options: Any) -> bytes:
    """A table as a Parquet file, as a release has it."""
    out = io.BytesIO()
    pq.write_table(table, out, **{"store_schema": False, "compression": "zstd", **options})
    return out.getvalue()
