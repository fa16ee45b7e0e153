"""Read and write hierarchies in the format of ARX: one line for each value, from the value to the root, no header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from shoal.atomic.files import atomic_file
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Column
from shoal.errors import InputError
from shoal.io.opening import whole
from shoal.io.tables import decode, lines_of, numbered_rows
from shoal.quoting import shown

SEPARATORS = (";", "\t", ",")
"""The separators that are recognised, the usual one first."""


def read_hierarchy(
    source: str | PathLike[str],
    *,
    column: Column | Iterable[object] | None = None,
    name: str | None = None,
    complete: bool = False,
    separator: str | None = None,
) -> Hierarchy:
    r"""Read a hierarchy and check it, also against the values that it must cover.

    Args:
        source: The path of a file with one line for each value, such as ``State-gov;Government;*``; may be gzipped.
        column: The values that must all have a place.
        name: How messages call the hierarchy; by default the path.
        complete: Pad short rows with the root and put values without a place directly below it.
        separator: What separates the levels; recognised among semicolon, tab and comma.

    Returns:
        The tree, with the leaves in the order of the file.

    Raises:
        InputError: The file cannot be read, or lists all that is wrong with it: see ``Hierarchy.from_rows``.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "sex.csv")
        ...     _ = path.write_text("Male;*\nFemale;*\n")
        ...     read_hierarchy(path, column=["Male", "other"], complete=True, name="sex").leaves
        ('Male', 'Female', 'other')
    """
    called = str(source)
    lines = lines_of(decode(whole(source), called))
    if separator is not None and (len(separator) != 1 or separator in '"\r\n'):
        raise InputError(f"separator must be one character other than a quote, got {shown(separator)}")
    rows = list(numbered_rows(lines, called, separator or _recognise(lines, called), strict=True))
    return Hierarchy.from_rows(
        [row for _, row in rows],
        name=called if name is None else name,
        column=column,
        complete=complete,
        lines=[line for line, _ in rows],
    )


def write_hierarchy(hierarchy: Hierarchy, path: str | PathLike[str], *, separator: str = ";") -> None:
    """Write a hierarchy with one line for each leaf, so that ``read_hierarchy`` and ARX can read it.

    Args:
        hierarchy: What to write.
        path: The file; an existing one is replaced.
        separator: What separates the levels.

    Raises:
        InputError: The file cannot be written.
    """
    # Before Python 3.13 csv does not quote a lone carriage return, and it never quotes a byte-order mark.
    delicate = any("\r" in label or "\ufeff" in label for labels in hierarchy.labels for label in labels)
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=separator,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if delicate else csv.QUOTE_MINIMAL,
    )
    writer.writerows(hierarchy.rows())
    with atomic_file(Path(path)) as file:
        file.write(text.getvalue().encode())


def _recognise(lines: list[str], called: str) -> str:
    """The first separator that occurs in every line: labels such as ``[20, 30)`` contain other ones."""
    widths = {separator: [len(row) for _, row in numbered_rows(lines, called, separator)] for separator in SEPARATORS}
    everywhere = [separator for separator, found in widths.items() if min(found, default=1) > 1]
    return everywhere[0] if everywhere else max(SEPARATORS, key=lambda separator: sum(widths[separator]))
