"""One data file of a release: written plainly, and opened only after all that can be known of it was found in order."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DamagedRelease
from shoal.io.manifest import MANIFEST, cut
from shoal.io.parquet_pages import count_pages
from shoal.release.manifest import PartFile

# What a reader is willing to take in. A small compressed file can claim to be enormous.
MAX_VALUES = 250_000_000
MAX_ROW_GROUPS = 20_000
# Memory that reading and auditing take for each value (measured: 17 to 25 bytes) and for each byte of unpacked words.
BYTES_A_VALUE = 40
BYTES_A_WORD_BYTE = 4


def write_part(folder: Path, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> PartFile:
    """Write the rows of one file."""
    path = folder / name
    rows, groups = 0, 0
    with pq.ParquetWriter(
        path, schema, compression="zstd", compression_level=1, store_schema=False, write_page_index=False
    ) as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows, groups = rows + batch.num_rows, groups + 1
        if not groups:  # not every reader takes a file without any group of rows: pyarrow 18 does not
            writer.write_table(schema.empty_table())
    return PartFile(name, rows, _sha256(path))


def open_part(folder: Path, part: PartFile, schema: pa.Schema, words: Collection[str]) -> tuple[pq.ParquetFile, int]:
    """Open one file after its checksum, schema and sizes were found in order; also the memory that reading it takes.

    ``words`` are the Parquet columns that hold texts, which are read as codes, or the numbers of lists.
    """
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
        raise DamagedRelease(f"{path} is not a readable Parquet file: {cut(error)}") from None
    expected = {field.name: field.type for field in schema}
    texts = [leaf for leaf in leaves if leaf in words]
    if types != expected or list(types) != list(expected) or {*leaves} - {*expected, *texts}:
        raise DamagedRelease(f"{path} has the columns {_described(types)}, but a release has {_described(expected)}")
    if meta.metadata:  # it could say how to read the columns, and it could say whose they were
        raise DamagedRelease(f"{path} carries metadata ({cut(list(meta.metadata))}), which no release does")
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
    numbers = {meta.schema.column(number).path for number in range(meta.num_columns) if _is_number(meta, number)}
    file = pq.ParquetFile(path, metadata=meta, read_dictionary=[leaf for leaf in texts if leaf not in numbers])
    return file, held.values * BYTES_A_VALUE + held.bytes * BYTES_A_WORD_BYTE


def _is_number(meta: pq.FileMetaData, column: int) -> bool:
    return bool(meta.schema.column(column).physical_type == "INT32")


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
