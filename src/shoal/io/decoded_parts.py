"""The data files of a release as Arrow tables, words as codes, with the checks that all later code relies on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from shoal.errors import DamagedRelease
from shoal.io.decoding_apart import TooLarge, decode_apart
from shoal.io.misspelt_words import require_text
from shoal.io.part_decoding import MAX_VALUES, Wanted, as_codes, decode, open_part
from shoal.quoting import named, said_by
from shoal.resources import told_apart

MAX_SPELT = MAX_VALUES * 64
"""The most bytes that a column may have with each word written out, as in an export."""
_LARGEST_KEPT = 2**25 - 2**16
"""A little less than the largest block by which glibc adapts the size of the blocks that it keeps."""


@dataclass
class Part:
    """One file: its row groups, in order."""

    schema: pa.Schema
    groups: list[pa.Table] = field(default_factory=list)

    def read(self) -> pa.Table:
        """All rows."""
        return pa.concat_tables(self.groups) if self.groups else self.schema.empty_table()

    def words(self) -> dict[str, list[pa.Array]]:
        """For each column of words, the words of each part, whether or not rows hold them."""
        columns = {name: [chunk for group in self.groups for chunk in group[name].chunks] for name in self.schema.names}
        return {
            name: [chunk.dictionary for chunk in chunks]
            for name, chunks in columns.items()
            if pa.types.is_dictionary(self.schema.field(name).type)
        }


def decoded(raws: list[bytes], wanted: Sequence[Wanted], memory: int, *, trusted: bool) -> list[Part]:
    """Decode files, in a separate process unless they are trusted.

    Args:
        raws: the bytes of the files; emptied as soon as they are no longer needed.
        wanted: what they must hold.
        memory: the available bytes.
        trusted: whether the folder is your own.

    Raises:
        DamagedRelease: their contents are not as required.
        TooLarge: they need more memory than there is.
        OutOfResources: the machine lacks resources for decoding.
        InputError: no process can be started.
    """
    _keep_freed_memory()
    parts = [Part(as_codes(of.schema)) for of in wanted]
    tables = _decode_here(raws, wanted, memory) if trusted else decode_apart(raws, wanted, memory)
    raws = []
    with told_apart():
        for number, table in tables:
            _check(wanted[number].shown, table, sum(group.num_rows for group in parts[number].groups))
            parts[number].groups.append(table)
        for part, of in zip(parts, wanted, strict=True):
            _require_rows(of, sum(table.num_rows for table in part.groups))
            _require_bounded(of.shown, part)
    return parts


def _keep_freed_memory() -> None:
    """Make freed memory of arrays reusable.

    glibc keeps blocks up to the size of the largest block that it has seen freed. Until then each large array comes
    from the system, page by page, and goes back to it, and an audit makes many. That cost more CPU than the child
    process; in a process that decodes files itself, Arrow frees some such blocks. Nothing is written to this block, so
    it takes no memory.
    """
    with contextlib.suppress(MemoryError):
        np.empty(_LARGEST_KEPT, np.uint8)


def _decode_here(raws: Sequence[bytes], wanted: Sequence[Wanted], memory: int) -> Iterable[tuple[int, pa.Table]]:
    opened = [open_part(pa.py_buffer(raw), of) for raw, of in zip(raws, wanted, strict=True)]
    needed = sum(more for _, more in opened)
    if needed > memory:
        raise TooLarge(needed)
    return decode([file for file, _ in opened], wanted, trusted=True)


def _check(shown: str, table: pa.Table, first: int) -> None:
    """Refuse codes without a word, lists out of bounds, and words that are no text: Parquet readers accept all."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            require_text(shown, table.select([name]), first)
            raise DamagedRelease(f"{shown}: column {named(name)} holds invalid data: {said_by(error)}") from None


def _require_rows(of: Wanted, found: int) -> None:
    if found != of.rows:
        raise DamagedRelease(f"{of.shown} has {found:,} rows, but {of.manifest} says {of.rows:,}")


def _require_bounded(shown: str, part: Part) -> None:
    for name in part.schema.names:
        spelt = sum(_spelt(chunk) for group in part.groups for chunk in group[name].chunks)
        if spelt > MAX_SPELT:
            raise DamagedRelease(
                f"{shown}: column {named(name)} has {spelt:,} bytes with each of its words written out; the limit is "
                f"{MAX_SPELT:,}"
            )


def _spelt(chunk: pa.Array) -> int:
    """How many bytes the words of a column would take if each was written out."""
    if pa.types.is_list(chunk.type):
        chunk = chunk.flatten()
    if not pa.types.is_dictionary(chunk.type) or not len(chunk.dictionary):
        return 0
    lengths = np.diff(np.frombuffer(chunk.dictionary.buffers()[1], np.int32, len(chunk.dictionary) + 1))
    most = int(lengths.max()) * len(chunk)
    if most * 1000 < MAX_SPELT:  # as in all releases except crafted ones: not worth counting
        return most
    codes = chunk.indices.drop_null().to_numpy()
    return int(np.bincount(codes, minlength=len(lengths)) @ lengths.astype(np.int64))
