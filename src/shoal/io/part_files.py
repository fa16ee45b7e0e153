"""One data file of a release, written plainly."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from shoal.release.manifest import PartFile


def write_part(folder: Path, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> PartFile:
    """Write the rows of one file."""
    from pyarrow import parquet  # loads slowly, and readers do not need it

    path = folder / name
    rows, groups = 0, 0
    with (
        pa.OSFile(os.fsencode(path), "wb") as out,  # bytes, because a path need not be text
        parquet.ParquetWriter(
            out, schema, compression="zstd", compression_level=1, store_schema=False, write_page_index=False
        ) as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
            rows, groups = rows + batch.num_rows, groups + 1
        if not groups:  # not every reader accepts a file without row groups: pyarrow 18 does not
            writer.write_table(schema.empty_table())
    with path.open("rb") as file:
        return PartFile(name, rows, hashlib.file_digest(file, "sha256").hexdigest())


def to_disk(path: Path) -> None:
    """Wait until a file or folder has reached the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
