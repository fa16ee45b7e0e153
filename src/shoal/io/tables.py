"""Read tables: delimited text, Parquet, gzip of either, standard input, any Arrow data.

Text is read directly into dictionary codes, so values are processed (trimmed, recognised as missing or as numbers)
once for each distinct value, not for each row. A column of text becomes numbers only if nothing is lost: ``01305``
stays text, and so does a column in which ``250.1`` and ``250.10`` are two codes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, TypedDict, Unpack

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from shoal.data.table import BLANKS, MISSING, Role, Table, assign_roles, names_in, unknown_columns
from shoal.errors import InputError
from shoal.io.library_errors import parquet_damage, parquet_file
from shoal.io.opening import opened
from shoal.io.whole_words import require_words
from shoal.keywords import taken
from shoal.quoting import named, said_by, shown

SEPARATORS = (",", ";", "\t")
"""The separators that are recognised; any other single character can be given."""

_SAMPLE = 1 << 16
_SHOWN = 10
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""How Python represents bytes that are no text."""
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_DECIMAL = r"^-?(0|[1-9][0-9]{0,14})(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$"


def read_table(
    source: str | PathLike[str] | Any,
    *,
    identifier: str | Iterable[str] = (),
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    missing: Literal["error", "drop", "keep"] = "error",
    missing_values: Iterable[str] = ("NA",),
    text: str | Iterable[str] = (),
    max_size: int | None = None,
    **layout: Unpack[TextLayout],
) -> Table:
    """Read a table, with the role of each column: identifier, quasi-identifier, sensitive or plain.

    Args:
        source: The path of a CSV, TSV or Parquet file, plain or gzipped (recognised by content); ``-`` for
            standard input; or anything with ``__arrow_c_stream__`` (pandas, polars, DuckDB, pyarrow).
        identifier: Columns that name a person.
        quasi: Columns that an adversary may know.
        sensitive: Columns that must not be learned about a person. All other columns are plain.
        missing: What to do about rows without a value in a column that has a role (if none has: in any
            column): ``error``; ``drop`` the rows and count them in ``Table.dropped``; or ``keep`` them, so that
            missing is a separate value, an Arrow null that hierarchies call ``?``. Plain columns always keep it.
        missing_values: Texts that mean a missing value, in addition to the empty text and ``?``.
        separator: What separates the columns of a text file; recognised among comma, semicolon and tab.
        column_names: The names of the columns of a text file that has no header line.
        skip_rows: How many lines to skip at the beginning of a text file.
        text: Columns to keep as text although they look like numbers.
        max_size: How many bytes may be read from a source of unknown size: unpacked gzip, standard input, a device. By
            default half of the available memory.

    Returns:
        The table. Blanks around texts are removed, and columns that hold only numbers become numbers.

    Raises:
        InputError: The file, a line of it, a column or an option is wrong; the message says which, and what to do.

    Example:
        >>> import pyarrow as pa
        >>> people = read_table(pa.table({"age": [39, 50], "job": ["x", " ?"]}), quasi="age", missing="keep")
        >>> len(people), people.names_of(Role.QUASI), people.missing
        (2, ['age'], {'job': 1})
    """
    if missing not in ("error", "drop", "keep"):
        raise InputError(f"missing must be error, drop or keep, got {shown(missing)}")
    lines = taken(_Layout, layout, "read_table")
    roles = {"identifier": names_in(identifier), "quasi": names_in(quasi), "sensitive": names_in(sensitive)}
    if hasattr(source, "__arrow_c_stream__"):
        lines.refuse("Arrow data")
        called, arrow, delimited = "the table", _read_arrow(source), False
    else:
        with opened(source, max_size=max_size) as file:
            called, delimited = file.name, not file.head.startswith(b"PAR1")
            data = file.rest()
        if delimited:
            arrow = _read_delimited(data, called, lines, roles)
        else:
            lines.refuse(f"{called}, a Parquet file")
            arrow = _read_parquet(data, called)
    lost = [name for name in names_in(text) if name not in arrow.column_names]
    if lost:
        raise InputError(f"{called}: {unknown_columns(lost, arrow.column_names)}")
    means_missing = pa.array(list({"", MISSING, *missing_values}), pa.string())
    kept_as_text = set(names_in(text))
    plain = [
        _typed(
            arrow.column(place),
            means_missing,
            called,
            name,
            delimited=delimited,
            numbers=delimited and name not in kept_as_text,
        )
        for place, name in enumerate(arrow.column_names)
    ]
    try:
        table = Table.from_arrow(pa.Table.from_arrays(plain, names=arrow.column_names), **roles)
    except InputError as error:
        raise InputError(f"{called}: {error}") from error
    if not len(table):
        raise InputError(f"{called} has no rows below its header" if delimited else f"{called} has no rows")
    return without_missing(table, missing, called)


def without_missing(table: Table, policy: str, called: str) -> Table:
    """The table after the policy for missing values in the columns that have a role: error, drop or keep."""
    concerned = [column.name for column in table if column.role is not Role.PLAIN] or table.names
    gaps = {name: count for name, count in table.missing.items() if name in concerned}
    if policy == "keep" or not gaps:
        return table
    if policy == "error":
        listed = ", ".join(f"{named(name)} ({count:,})" for name, count in gaps.items())
        raise InputError(
            f"{called}: of {len(table):,} rows, values are missing in {listed}: "
            "--missing drop leaves these rows out, --missing keep makes missing a separate value"
        )
    kept = table.drop_missing(concerned)
    if not len(kept):
        raise InputError(f"{called}: each of the {len(table):,} rows misses a value, so --missing drop leaves none")
    return kept


def decode(data: bytes, called: str) -> str:
    """Bytes as UTF-8 text; an error names the first line that is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{called}, line {line}: not UTF-8 text (byte {data[error.start]:#04x}): convert it to UTF-8"
        ) from error


class TextLayout(TypedDict, total=False):
    """How the columns of a text file lie, as keywords."""

    separator: str | None
    column_names: Sequence[str] | None
    skip_rows: int


@dataclass(frozen=True)
class _Layout:
    """The layout of a text file, as far as the caller gave it."""

    separator: str | None = None
    column_names: Sequence[str] | None = None
    skip_rows: int = 0

    def __post_init__(self) -> None:
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            raise InputError(f"separator must be one character other than a quote, got {shown(self.separator)}")
        if self.separator is not None and self.separator > "\x7f" and not _NO_TEXT.search(self.separator):
            raise InputError(f"separator must be an ASCII character, got {shown(self.separator)}")
        for text in (self.separator or "", *(self.column_names or ())):
            if isinstance(text, str) and _NO_TEXT.search(text):
                raise InputError(f"a separator or the name of a column is no text: {shown(text)}")
        if self.skip_rows < 0:
            raise InputError(f"skip_rows must not be below 0, got {self.skip_rows}")

    def refuse(self, what: str) -> None:
        """Refuse options that would have no effect."""
        given = {"separator": self.separator, "column_names": self.column_names, "skip_rows": self.skip_rows or None}
        idle = [name for name, value in given.items() if value is not None]
        if idle:
            raise InputError(f"{' and '.join(idle)}: for text files only, and this is {what}")


def _read_arrow(source: Any) -> pa.Table:
    try:
        return pa.table(source)
    except (pa.ArrowException, TypeError) as error:
        raise InputError(f"the table cannot be read through the Arrow interface: {said_by(error)}") from error


def _read_parquet(data: bytes, called: str) -> pa.Table:
    with parquet_damage(called):
        file = parquet_file(pa.BufferReader(data), called)
        try:
            return file.read()
        except pa.ArrowInvalid:
            for name in file.schema_arrow.names:  # to find the damaged column
                with parquet_damage(f"{called} (column {named(name)})"):
                    file.read(columns=[name])
            raise


def _read_delimited(data: bytes, called: str, layout: _Layout, roles: dict[str, list[str]]) -> pa.Table:
    """All columns as dictionary-encoded text, exactly as in the file."""
    lines = _beginning(data, called)
    expected = None if layout.column_names is None else len(layout.column_names)
    try:
        separator = layout.separator or recognise_separator(lines[layout.skip_rows :], SEPARATORS, expected)
        names, skip = _header(lines, called, layout, separator)
    except csv.Error as error:
        raise InputError(f"{called}: its first lines are no table: {error}") from None
    try:
        # Before the file is read: a misspelt name must not cost the time of reading a large file.
        assign_roles(names, **roles)
    except InputError as error:
        hint = "" if layout.column_names else " (a file without a header line needs --column-names A,B)"
        raise InputError(f"{called}: {error}{hint}") from error
    if data.count(b'"') % 2:
        # Arrow reads a quote that is never closed as one value that holds all the rows to the end.
        for _ in numbered_rows(lines_of(decode(data, called)), called, separator, strict=True):
            pass
    word = pa.dictionary(pa.int32(), pa.string())
    try:
        return pyarrow.csv.read_csv(
            pa.BufferReader(data),
            read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=skip, block_size=1 << 22),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=separator,
                newlines_in_values=b'"' in data,
                # In a table of one column an empty line may be a row without a value: it must not be lost.
                ignore_empty_lines=len(names) > 1,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, word), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if str(error).startswith("Could not skip initial"):
            raise InputError(f"{called} has no rows below its header") from error
        _explain(data, called, separator, skip, names)
        raise InputError(f"{called} cannot be read as a table: {said_by(error)}") from error


def recognise_separator(lines: Sequence[str], candidates: Sequence[str], expected: int | None = None) -> str:
    """The separator that gives the expected number of columns, or the same number in all lines, or the most.

    Example:
        >>> recognise_separator(["a;b;c", "1,5;2;3"], (",", ";"))
        ';'
    """

    def merit(separator: str) -> tuple[bool, bool, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row] or [1]
        return expected == widths[0], len(set(widths)) == 1 and widths[0] > 1, widths[0]

    return max(candidates, key=merit)


def lines_of(text: str) -> list[str]:
    """Lines with their ends, split where CSV splits them (``splitlines`` would also split at form feeds)."""
    return list(io.StringIO(text, newline=""))


def numbered_rows(
    lines: Sequence[str], called: str, separator: str, *, skip: int = 0, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its first line.

    Raises:
        InputError: A line is not valid CSV.
    """
    reader = csv.reader(lines[skip:], delimiter=separator, strict=strict)
    begins = skip + 1
    try:
        for row in reader:
            if row:
                yield begins, row
            begins = skip + reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{called}, line {begins}: not well-formed: {error} (is a quote left open?)") from error


def _beginning(data: bytes, called: str) -> list[str]:
    """The first lines of a file, enough to find its header and separator."""
    end = len(data) if len(data) <= _SAMPLE else data.rfind(b"\n", 0, _SAMPLE) + 1
    return lines_of(decode(data[:end] if end else data, called))


def _header(lines: Sequence[str], called: str, layout: _Layout, separator: str) -> tuple[list[str], int]:
    """The names of the columns, and how many lines to skip before the rows."""
    reader = csv.reader(lines[layout.skip_rows :], delimiter=separator)
    first = next((row for row in reader if row), None)
    if first is None:
        raise InputError(
            f"{called} is empty" + (f" after {layout.skip_rows} skipped lines" if layout.skip_rows else "")
        )
    if layout.column_names is not None:
        if len(layout.column_names) != len(first):
            raise InputError(
                f"{called}: {len(layout.column_names)} column names for rows of {len(first)} columns "
                f"(separated by {shown(separator)}; another one can be given as separator)"
            )
        return list(layout.column_names), layout.skip_rows
    names = [name.strip(BLANKS) for name in first]
    nameless = [str(place) for place, name in enumerate(names, start=1) if not name]
    if nameless:
        raise InputError(f"{called}: column {', '.join(nameless)} of the header has no name")
    return names, layout.skip_rows + reader.line_num


def _explain(data: bytes, called: str, separator: str, skip: int, names: Sequence[str]) -> None:
    """Find the lines that Arrow could not read, and raise the error that lists them."""
    wrong = [
        f"line {line} has {len(row)}"
        for line, row in numbered_rows(lines_of(decode(data, called)), called, separator, skip=skip)
        if len(row) != len(names)
    ]
    if wrong:
        more = f", ... and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
        raise InputError(
            f"{called}: the table has {len(names)} columns separated by {shown(separator)}, but "
            f"{', '.join(wrong[:_SHOWN])}{more}: correct these lines, or give another separator"
        )


def _typed(
    column: pa.ChunkedArray, means_missing: pa.Array, called: str, name: str, *, delimited: bool, numbers: bool
) -> Any:
    """A column of text with missing values recognised, converted to numbers if requested; other columns unchanged."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if "string" not in str(kind) or pa.types.is_nested(kind):
        return column
    require_words(column, name, called)
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    words = pc.cast(whole.dictionary, pa.string())
    if delimited:
        odd = words.filter(pc.match_substring_regex(words, r'^[ \t]+".*"$'))
        if len(odd):
            raise InputError(
                f"{called}: a blank stands between a separator and a quote, as in {shown(odd[0].as_py())}: remove it"
            )
    trimmed = pc.utf8_trim(words, characters=BLANKS)
    present = pc.if_else(pc.is_in(trimmed, means_missing), None, trimmed)
    return pa.DictionaryArray.from_arrays(whole.indices, _numbers(present) if numbers else present)


def _numbers(words: pa.Array) -> pa.Array:
    """Words as numbers if all of them are numbers and no two become equal; otherwise unchanged."""
    distinct = pc.unique(pc.drop_null(words))
    if not len(distinct):
        return words
    if pc.all(pc.match_substring_regex(distinct, _INTEGER)).as_py():
        return pc.cast(words, pa.int64())
    if not pc.all(pc.match_substring_regex(distinct, _DECIMAL)).as_py():
        return words
    numbers = pc.cast(distinct, pa.float64())
    faithful = pc.all(pc.is_finite(numbers)).as_py() and len(pc.unique(numbers)) == len(distinct)
    return pc.cast(words, pa.float64()) if faithful else words
