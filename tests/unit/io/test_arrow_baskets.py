"""List columns and long tables, from Arrow objects and from Parquet."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.baskets import read_baskets


def sets(transactions: Transactions) -> list[set[str]]:
    return [set(record) for record in transactions]


def in_parquet(table: pa.Table) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file)
    return io.BytesIO(file.getvalue())


class Stream:
    """What a data frame of another library looks like: nothing but the Arrow interface."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.source.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_(pa.string(), 2),
        pa.list_view(pa.string()),
        pa.large_list_view(pa.string_view()),
        pa.list_(pa.dictionary(pa.int8(), pa.string())),
        pa.list_(pa.binary()),
    ],
    ids=str,
)
def test_every_kind_of_list(kind: pa.DataType) -> None:
    baskets = [["tea", "milk"], None, ["milk", "milk"], ["jam", "tea"]]
    column = pa.array(baskets, kind)
    halves = pa.chunked_array([column[:1], column[1:]])
    for source in (
        pa.table({"n": [1, 2, 3, 4], "b": halves}),
        Stream(pa.table({"b": halves})),
        Stream(halves),
        column,
    ):
        read = read_baskets(source)
        assert sets(read) == [{"tea", "milk"}, {"milk"}, {"jam", "tea"}]
        assert (read.dropped, read.merged) == (1, 1)


def test_slices_are_read_as_slices() -> None:
    table = pa.table({"b": pa.array([["a"], ["b", "c"], ["d"], ["e"]])})
    assert sets(read_baskets(table.slice(1, 2))) == [{"b", "c"}, {"d"}]


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        ([3, -1], pa.int8(), ["3", "-1"]),
        ([2**63], pa.uint64(), [str(2**63)]),
        ([1.5, 0.25], pa.float64(), ["1.5", "0.25"]),
        ([True, False], pa.bool_(), ["true", "false"]),
        ([Decimal("1.50")], pa.decimal128(5, 2), ["1.50"]),
        ([0], pa.date32(), ["1970-01-01"]),
    ],
    ids=str,
)
def test_elements_of_any_primitive_type_become_text(values: list[Any], kind: pa.DataType, texts: list[str]) -> None:
    assert sets(read_baskets(pa.table({"b": pa.array([values], pa.list_(kind))}))) == [set(texts)]
    rows = pa.table({"who": [7] * len(values), "what": pa.array(values, kind)})
    assert sets(read_baskets(rows, long=("who", "what"))) == [set(texts)]


def test_integers_sort_as_integers() -> None:
    assert read_baskets(pa.table({"b": [[10, 9], [100]]})).words == ["9", "10", "100"]


@pytest.mark.parametrize("wrap", [lambda table: table, in_parquet], ids=["table", "parquet"])
@pytest.mark.parametrize("baskets", [[["a"], None, ["b", None]], [[1.0], [], [2.0, float("nan")]]])
def test_null_elements_are_an_error_that_names_the_row(wrap: Any, baskets: list[Any]) -> None:
    column = pa.array(baskets)
    with pytest.raises(InputError, match="row 3: the list in column 'b' holds null, which is not an item"):
        read_baskets(wrap(pa.table({"b": column})))


def test_rows_are_counted_over_batches() -> None:
    column = pa.chunked_array([[["a"], ["b"]], [["c"], [None]]])
    with pytest.raises(InputError, match="row 4: the list in column 'b' holds null"):
        read_baskets(pa.table({"b": column}))


def test_a_null_may_hide_in_the_dictionary() -> None:
    items = pa.DictionaryArray.from_arrays(pa.array([1, 1, 0]), pa.array([None, "a"]))
    column = pa.ListArray.from_arrays(pa.array([0, 1, 1, 3], pa.int32()), items)
    with pytest.raises(InputError, match="row 3: the list in column 'b' holds null"):
        read_baskets(pa.table({"b": column}))
    with pytest.raises(InputError, match=r"0 have no record key .* and 1 have no item"):
        read_baskets(pa.table({"user": [1, 2, 3], "item": items}), long=("user", "item"))
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 1, 2]), pa.array([None, "a", "b"]))
    assert sets(read_baskets(pa.table({"user": [1, 2, 2], "item": unused}), long=("user", "item"))) == [
        {"a"},
        {"a", "b"},
    ]


@pytest.mark.parametrize("wrap", [lambda table: table, in_parquet], ids=["table", "parquet"])
def test_which_list_column(wrap: Any) -> None:
    both = pa.table({"week": [["a"]], "n": [1], "month": [["b"]]})
    assert sets(read_baskets(wrap(both), column="month")) == [{"b"}]
    with pytest.raises(InputError, match="several list columns: choose one of 'week', 'month' with column="):
        read_baskets(wrap(both))
    with pytest.raises(
        InputError, match=r"no column 'mont' \(did you mean 'month'\?\) \(its columns: 'week', 'n', 'month'\)"
    ):
        read_baskets(wrap(both), column="mont")
    with pytest.raises(InputError, match=r"column 'n' of .* is of type int64, not a list; .*long=\(record, item\)"):
        read_baskets(wrap(both), column="n")
    none = pa.table({"user": ["u"], "item": ["a"]})
    with pytest.raises(
        InputError, match=r"no list column \(its columns: 'user' \(string\), 'item' .*long=\(record, item\)"
    ):
        read_baskets(wrap(none))


@pytest.mark.parametrize("wrap", [lambda table: table, in_parquet], ids=["table", "parquet"])
def test_long_columns_are_checked(wrap: Any) -> None:
    rows = pa.table({"user": ["u", "v", "u"], "item": ["a", "b", "c"], "tags": [["x"], [], []]})
    assert sets(read_baskets(wrap(rows), long=("user", "item"))) == [{"a", "c"}, {"b"}]
    assert sets(read_baskets(wrap(rows), long=["user", "item"])) == [{"a", "c"}, {"b"}]  # type: ignore[arg-type]
    assert sets(read_baskets(wrap(rows), format="long", long=("item", "user"))) == [{"u"}, {"v"}, {"u"}]
    with pytest.raises(InputError, match=r"no column 'usr' .did you mean 'user'"):
        read_baskets(wrap(rows), long=("usr", "item"))
    with pytest.raises(InputError, match=r"no column 'zzz' \(its columns: 'user', 'item', 'tags'\)"):
        read_baskets(wrap(rows), long=("user", "zzz"))
    with pytest.raises(InputError, match="the record and the item are the same column"):
        read_baskets(wrap(rows), long=("user", "user"))
    with pytest.raises(InputError, match=r"column 'tags' of .* holds list<.*single values are needed"):
        read_baskets(wrap(rows), long=("user", "tags"))


@pytest.mark.parametrize("wrap", [lambda table: table, in_parquet], ids=["table", "parquet"])
def test_nulls_in_long_format_are_counted(wrap: Any) -> None:
    rows = pa.table(
        {
            "user": pa.chunked_array([["u", None, "v"], ["w", None]]),
            "item": pa.chunked_array([["a", "b"], ["c", None, None]]),
        }
    )
    with pytest.raises(
        InputError,
        match=r"of 5 rows, 2 have no record key \(column 'user'\) and 2 have no item \(column 'item'\), "
        "the first in row 2",
    ):
        read_baskets(wrap(rows), long=("user", "item"))


def test_keys_that_return_in_a_later_batch_are_the_same_record() -> None:
    batches = [
        pa.record_batch({"user": [2, 1], "item": ["a", "b"]}),
        pa.record_batch({"user": [3, 2], "item": ["c", "b"]}),
        pa.record_batch({"user": [1], "item": ["b"]}),
    ]
    read = read_baskets(pa.Table.from_batches(batches), long=("user", "item"))
    assert sets(read) == [{"a", "b"}, {"b"}, {"c"}]
    assert read.merged == 1


def test_a_single_batch_and_a_reader() -> None:
    batch = pa.record_batch({"b": [["a"], ["b"]]})
    assert sets(read_baskets(batch)) == [{"a"}, {"b"}]
    assert sets(read_baskets(pa.RecordBatchReader.from_batches(batch.schema, [batch]))) == [{"a"}, {"b"}]
    assert sets(read_baskets(batch.to_struct_array())) == [{"a"}, {"b"}]


def test_what_cannot_be_items() -> None:
    with pytest.raises(InputError, match=r"column 'b' of the given table holds list<.*single values are needed"):
        read_baskets(pa.table({"b": [[["a"]]]}))
    with pytest.raises(InputError, match="column 'b' of the given table, of type binary, cannot become text"):
        read_baskets(pa.table({"b": pa.array([[b"caf\xe9"]], pa.list_(pa.binary()))}))
    with pytest.raises(InputError, match="the given table has 2 columns called 'b': rename them"):
        read_baskets(pa.table([[["a"]], [["b"]]], ["b", "b"]), column="b")
    with pytest.raises(InputError, match="no records in the given table"):
        read_baskets(pa.table({"b": pa.array([[], None], pa.list_(pa.null()))}))


def test_transactions_go_out_and_come_back() -> None:
    baskets = Transactions.from_records([{"tea", "milk"}, {"milk"}])
    assert sets(read_baskets(Stream(baskets))) == sets(baskets)


def test_a_dotted_column_name_in_parquet() -> None:
    assert sets(read_baskets(in_parquet(pa.table({"a.b": [["x"]], "a": [1]})))) == [{"x"}]
    rows = pa.table({"a.u": ["u"], "a.i": ["x"], "a": [1]})
    assert sets(read_baskets(in_parquet(rows), long=("a.u", "a.i"))) == [{"x"}]


def test_damaged_parquet(tmp_path: Path) -> None:
    content = in_parquet(pa.table({"b": [["tea"]] * 1000})).getvalue()
    path = tmp_path / "cut.parquet"
    path.write_bytes(content[:-30])
    with pytest.raises(InputError, match=r"cut\.parquet begins like a Parquet file but cannot be read as one"):
        read_baskets(path)
    path.write_bytes(content[:4] + b"\xff" * 40 + content[44:])
    with pytest.raises(InputError, match=r"cut\.parquet begins like a Parquet file but cannot be read as one"):
        read_baskets(path)
    path.write_bytes(b"tea milk\n")
    with pytest.raises(InputError, match=r"cut\.parquet is not a Parquet file: it does not begin with PAR1"):
        read_baskets(path, format="parquet")
