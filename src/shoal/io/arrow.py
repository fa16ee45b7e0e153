"""Arrow columns as baskets: a list column (one record in each row), or two columns in long format (one item in each).

Parquet files, CSV in long format and anything with ``__arrow_c_stream__`` end here. Values are encoded batch
by batch in Arrow; none of them becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Int32
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.assembly import Assembly, not_empty
from shoal.io.whole_words import require_words
from shoal.quoting import is_discreet, listed, named, said_by
from shoal.suggestions import did_you_mean

_NO_ENDS = np.zeros(0, np.int64)


def read_arrow(source: Any, *, long: tuple[str, str] | None = None, column: str | None = None) -> Transactions:
    """Read baskets from an object that speaks the Arrow C stream or array interface.

    Args:
        source: a table, data frame, query result, or a bare list column.
        long: the columns (record, item) of a table with an item a row.
        column: the list column, if there are several.

    Returns:
        The records.

    Raises:
        InputError: there is no such column, it cannot hold items, or it holds nulls.

    Example:
        >>> read_arrow(pa.table({"basket": [["tea", "milk"], ["milk"]]}))
        Transactions(2 records, 2 items)
    """
    name = "the given table"
    schema, batches = _stream(source, name)
    if long is not None:
        record, item = long_columns(schema.names, long, name)
        return from_long(((batch.column(record), batch.column(item)) for batch in batches), long, name)
    chosen = list_column(schema, column, name)
    return from_lists((batch.column(chosen) for batch in batches), schema.field(chosen), name)


def _stream(source: Any, name: str) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    try:
        if hasattr(source, "__arrow_c_stream__"):
            try:
                reader = pa.RecordBatchReader.from_stream(source)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                # A stream of a single column, such as a polars Series, is not a stream of rows.
                reader = pa.table({"items": pa.chunked_array(source)}).to_reader()
        else:
            array = pa.array(source)
            columns = array.flatten() if pa.types.is_struct(array.type) else [array]
            names = [field.name for field in array.type] if pa.types.is_struct(array.type) else ["items"]
            reader = pa.table(columns, names).to_reader()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read through the Arrow interface: {said_by(error)}") from error
    return reader.schema, iter(reader)


def column_index(names: Sequence[str], wanted: str, source: str) -> int:
    """The index of a column, by name; an unknown or ambiguous name is an InputError that lists the columns."""
    found = names.count(wanted)
    if found == 1:
        return names.index(wanted)
    if found:
        raise InputError(f"{source} has {found} columns called {named(wanted)}: rename them")
    raise InputError(
        f"{source} has no column {named(wanted)}{did_you_mean(wanted, names)} (its columns: {listed(names)})"
    )


def long_columns(names: Sequence[str], long: tuple[str, str], source: str) -> tuple[int, int]:
    """The indices of the two columns of the long format: (record, item)."""
    record, item = (column_index(names, name, source) for name in long)
    if record == item:
        raise InputError(f"long=({named(long[0])}, {named(long[1])}): the record and the item are the same column")
    return record, item


def list_column(schema: pa.Schema, column: str | None, source: str) -> int:
    """The index of the column of baskets: the named one, or the only one that holds lists."""
    if column is not None:
        index = column_index(schema.names, column, source)
        if not _is_list(schema.field(index).type):
            raise InputError(
                f"column {named(column)} of {source} is of type {schema.field(index).type}, not a list; "
                "if it holds one item in each row, name the columns with long=(record, item)"
            )
        return index
    lists = [index for index, field in enumerate(schema) if _is_list(field.type)]
    if len(lists) == 1:
        return lists[0]
    if lists:
        choices = listed(schema.field(index).name for index in lists)
        raise InputError(f"{source} has several list columns: choose one of {choices} with column=...")
    typed = ", ".join(f"{named(field.name)} ({field.type})" for field in schema)
    columns = listed(schema.names) if is_discreet() or not typed else typed
    raise InputError(
        f"{source} has no list column (its columns: {columns}); if it holds one item in each row, name the "
        "columns with long=(record, item)"
    )


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


def from_lists(columns: Iterable[pa.Array], field: pa.Field, source: str) -> Transactions:
    """Read a list column, given as its pieces: a record a row, null counting as an empty record.

    Raises:
        InputError: a list holds null, or the elements cannot become text, or there are no records.
    """
    refuse_nested(field.type.value_type, field.name, source)
    parts = Assembly()
    rows = 0
    for column in columns:
        require_words(column, field.name, source, rows)
        lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
        ends = np.cumsum(lengths, dtype=np.int64)
        codes, words = encode(pc.list_flatten(column), field.name, source)
        nulls = np.flatnonzero(codes < 0)
        if len(nulls):
            row = rows + int(np.searchsorted(ends, nulls[0], side="right")) + 1
            raise InputError(
                f"{source}, row {row:,}: the list in column {named(field.name)} holds null, which is not an item: "
                "remove the nulls"
            )
        parts.add(codes, words, ends)
        rows += len(column)
    return parts.transactions(source)


def from_long(pairs: Iterable[tuple[pa.Array, pa.Array]], long: tuple[str, str], source: str) -> Transactions:
    """Read rows of (record key, item), in any order; records come in the order of their keys' first rows.

    Args:
        pairs: the two columns, piece by piece.
        long: their names.
        source: what messages call the source.

    Raises:
        InputError: a key or an item is null, or cannot become text, or there are no rows.
    """
    keys, items = Assembly(), Assembly()
    rows = without_key = without_item = first = 0
    for key_column, item_column in pairs:
        require_words(key_column, long[0], source, rows)
        require_words(item_column, long[1], source, rows)
        key_codes, key_words = encode(key_column, long[0], source)
        item_codes, item_words = encode(item_column, long[1], source)
        null = np.flatnonzero((key_codes < 0) | (item_codes < 0))
        if len(null):
            first = first or rows + int(null[0]) + 1
            without_key += int(np.count_nonzero(key_codes < 0))
            without_item += int(np.count_nonzero(item_codes < 0))
        rows += len(key_codes)
        if not first:  # after a null, rows are only counted
            keys.add(key_codes, key_words, _NO_ENDS)
            items.add(item_codes, item_words, _NO_ENDS)
    if first:
        raise InputError(
            f"{source}: of {rows:,} rows, {without_key:,} have no record key (column {named(long[0])}) "
            f"and {without_item:,} have no item (column {named(long[1])}), the first in row {first:,}: "
            "fill or remove them"
        )
    return _grouped(keys, items, source)


def _grouped(keys: Assembly, items: Assembly, source: str) -> Transactions:
    """Bring the items of each key together; rows that are adjacent already are not moved."""
    records, names = keys.codes_and_words()
    codes, words = items.codes_and_words()
    if len(records) and np.any(records[1:] < records[:-1]):
        codes = codes[np.argsort(records, kind="stable")]
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.bincount(records, minlength=len(names)), out=offsets[1:])
    return not_empty(Transactions.from_codes(offsets, codes, words), source)


def encode(values: pa.Array, column: str, source: str) -> tuple[Int32, pa.Array]:
    """The codes of values, -1 for null (and NaN), and their words, possibly with repetitions.

    Raises:
        InputError: values of this type cannot become text, or binary values are not UTF-8.
    """
    refuse_nested(values.type, column, source)
    try:
        encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode()
        dictionary = encoded.dictionary
        absent = pc.is_null(dictionary, nan_is_null=True).to_numpy(zero_copy_only=False)
        words = pc.fill_null(dictionary.cast(pa.string()), "")
    except pa.ArrowException as error:
        raise InputError(
            f"column {named(column)} of {source}, of type {values.type}, cannot become text: {said_by(error)}"
        ) from error
    codes = pc.fill_null(encoded.indices.cast(pa.int32()), -1).to_numpy(zero_copy_only=False)
    if absent.any():
        codes = np.where((codes >= 0) & absent[codes], np.int32(-1), codes)
    return codes, words


def refuse_nested(kind: pa.DataType, column: str, source: str) -> None:
    """Raise an InputError if values of this type are not single values."""
    if pa.types.is_nested(kind):
        raise InputError(
            f"column {named(column)} of {source} holds {kind} where items should be: single values are needed"
        )
