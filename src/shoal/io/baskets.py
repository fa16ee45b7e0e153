"""The single entry point for baskets: all sources and formats become ``Transactions``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io import parquet
from shoal.io.arrow import read_arrow
from shoal.io.assembly import not_empty
from shoal.io.delimited import read_delimited, recognised_separator
from shoal.io.fimi import read_fimi
from shoal.io.long_csv import read_long_csv
from shoal.io.opening import Opened, opened
from shoal.quoting import shown

Format = Literal["auto", "fimi", "delimited", "long", "parquet"]


def read_baskets(
    source: Any,
    *,
    format: Format = "auto",
    separator: str | None = None,
    long: tuple[str, str] | None = None,
    column: str | None = None,
    max_size: int | None = None,
) -> Transactions:
    r"""Read set-valued data, such as baskets, clicks or diagnoses: a set of items for each person.

    The format of a file is recognised by its content, gzip-compressed or not, in this order: an option that fits only
    one format decides (``separator``: delimited, ``long``: long); a file that begins with ``PAR1`` is Parquet; a name
    that ends in ``.fimi`` is FIMI, in ``.tsv`` delimited by tabs; if the first 64 kB have a comma, semicolon, tab or
    bar outside double quotes, the file is delimited by the most frequent of them; a name that ends in ``.csv``, or a
    line that begins with a double quote, is also delimited, with one item in each line; every other file is FIMI. When
    in doubt, give ``format``.

    Args:
        source: a path; ``"-"`` for standard input; a binary file object; anything with ``__arrow_c_stream__``
            (a data frame of pandas or polars, a DuckDB result, an Arrow table); an iterable of sets or lists
            of items; or ``Transactions``, which are returned unchanged.
        format: ``"fimi"`` (one record in each line, items separated by blanks or tabs), ``"delimited"`` (one record in
            each line, items separated by ``separator``), ``"long"`` (CSV with a header, or Parquet, with a row for
            each item), ``"parquet"`` (with a list column, or long), or ``"auto"``.
        separator: what separates items in a delimited file, one or more characters.
        long: the columns (record, item) of data with a row for each item; rows of a record may be anywhere in
            the data.
        column: the list column of a table; by default the only one.
        max_size: how many bytes may be read from a source of unknown size: unpacked gzip, standard input, a device. By
            default half of the available memory.

    Returns:
        The records. Items are text; repeated items of a record are merged, and empty records are dropped; both are
        counted.

    Raises:
        InputError: the source cannot be read, is not in the format, has no records, or the options contradict
            each other. The message says where and what to do.

    Example:
        >>> import io
        >>> read_baskets(io.BytesIO(b"tea;milk;bread\nmilk;tea\n"))
        Transactions(2 records, 3 items)
    """
    if format not in get_args(Format):
        raise InputError(f"no format is called {shown(format)}: choose one of {', '.join(get_args(Format))}")
    if isinstance(source, Transactions):
        return source
    _check_options(format, separator, long, column)
    if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        with opened(source, max_size=max_size) as file:
            return _read_file(file, format, separator, long, column)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        if format in ("fimi", "delimited", "parquet") or separator is not None:
            raise InputError("format and separator are for files: for a table give long=... or column=...")
        return read_arrow(source, long=long, column=column)
    if isinstance(source, bytes | bytearray | memoryview):
        raise InputError("bytes are not a file: wrap them in io.BytesIO, or give a path as text")
    if not isinstance(source, Iterable):
        raise InputError(f"baskets cannot be read from {type(source).__name__}: give a path, a table or an iterable")
    if format != "auto" or separator is not None or long is not None or column is not None:
        raise InputError("format, separator, long and column are for files and tables, not for Python collections")
    return not_empty(Transactions.from_records(_collections(source)), "the given collection")


def _check_options(format: Format, separator: str | None, long: tuple[str, str] | None, column: str | None) -> None:
    """Refuse options that contradict each other, before anything is opened."""
    if long is not None and (
        not isinstance(long, tuple | list) or len(long) != 2 or not all(isinstance(name, str) for name in long)
    ):
        raise InputError(f"long={shown(long)} must name two columns: long=(record, item)")
    if format == "long" and long is None:
        raise InputError('format="long" needs the names of two columns: long=(record, item)')
    if long is not None and format in ("fimi", "delimited"):
        raise InputError(f'long=... does not go with format="{format}": leave the format out')
    if separator is not None and format in ("fimi", "parquet"):
        raise InputError(f'separator=... does not go with format="{format}": leave one of them out')
    if column is not None and (long is not None or separator is not None or format in ("fimi", "delimited")):
        raise InputError("column=... names a list column: it goes with Parquet files and tables, and not with long=...")


def _read_file(
    file: Opened, format: Format, separator: str | None, long: tuple[str, str] | None, column: str | None
) -> Transactions:
    is_parquet = file.head.startswith(parquet.MAGIC) and format in ("auto", "long") and separator is None
    if format == "parquet" or is_parquet:
        return parquet.read_parquet(file, long=long and (long[0], long[1]), column=column)
    if column is not None:
        raise InputError(f"column=... names a list column, but {file.name} is not a Parquet file")
    if long is not None:
        return read_long_csv(file, long, separator)
    if format == "fimi" or (format == "auto" and separator is None and _is_fimi(file)):
        return read_fimi(file)
    return read_delimited(file, recognised_separator(file.head, file.name) or "," if separator is None else separator)


def _is_fimi(file: Opened) -> bool:
    name = file.name.lower().removesuffix(".gz")
    return name.endswith(".fimi") or recognised_separator(file.head, file.name) is None


def _collections(records: Iterable[Any]) -> Iterator[Any]:
    """The records, each checked to be a collection: a bare number would raise a TypeError later."""
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Iterable):
            raise InputError(f"record {number} is {shown(record)}, not a collection of items: wrap it in a list")
        yield record
