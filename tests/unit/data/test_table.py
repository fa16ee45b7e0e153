from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.table import Column, Role, Table, text_of
from shoal.errors import InputError
from tests.oracles import hierarchies as oracle

words = st.one_of(st.none(), st.sampled_from(["a", "b", "B", "ä", "10", "9"]))
whole = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-3, 3))
real = st.one_of(st.none(), st.floats(allow_nan=True), st.sampled_from([0.0, -0.0, 1.5]))


@st.composite
def arrow_tables(draw: st.DrawFn, rows: int | None = None) -> pa.Table:
    n = draw(st.integers(0, 12)) if rows is None else rows
    columns: dict[str, pa.Array] = {}
    for number in range(draw(st.integers(1, 5))):
        values, kind = draw(
            st.sampled_from(
                [(words, pa.string()), (whole, pa.int64()), (real, pa.float64()), (st.booleans(), pa.bool_())]
            )
        )
        array = pa.array(draw(st.lists(values, min_size=n, max_size=n)), kind)
        columns[f"c{number}"] = array.dictionary_encode() if draw(st.booleans()) else array
    return pa.table(columns)


def plain(value: Any) -> Any:
    """NaN means missing, and there is one zero."""
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(arrow_tables())
def test_values_come_out_as_they_went_in(arrow: pa.Table) -> None:
    table = Table.from_arrow(arrow)
    assert table.names == arrow.column_names
    assert len(table) == arrow.num_rows
    for name, values in pa.table(table).to_pydict().items():
        assert values == [plain(value) for value in arrow.column(name).to_pylist()]


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(arrow_tables())
def test_values_are_distinct_ascending_in_use_and_keep_their_type(arrow: pa.Table) -> None:
    for column, original in zip(Table.from_arrow(arrow), arrow.columns, strict=True):
        given_type = original.type.value_type if pa.types.is_dictionary(original.type) else original.type
        assert column.values.type == given_type
        present = [value for value in column.values.to_pylist() if value is not None]
        assert present == sorted({plain(v) for v in original.to_pylist()} - {None})
        assert set(column.codes.tolist()) == set(range(len(column.values)))
        assert column.values.null_count <= 1
        assert column.missing == sum(plain(v) is None for v in original.to_pylist())
        assert sum(column.counts.tolist()) == len(column)
        assert column.codes.dtype == np.int32
        assert not column.codes.flags.writeable


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(arrow_tables())
def test_group_sizes_equal_a_count_of_equal_rows(arrow: pa.Table) -> None:
    table = Table.from_arrow(arrow, quasi=arrow.column_names)
    rows = list(zip(*([plain(v) for v in c.to_pylist()] for c in arrow.columns), strict=True))
    assert sorted(table.group_sizes().tolist()) == oracle.group_sizes(rows)
    groups = table.group_numbers().tolist()
    assert len(set(zip(groups, rows, strict=True))) == len(set(rows)) == len(set(groups))


def test_many_wide_columns_do_not_overflow_the_group_numbers() -> None:
    # Rows i and i + n differ in the first of five columns of 2**16 values only: in 64 bits that one would be lost.
    n = 2**16
    first = np.concatenate([np.arange(n), np.roll(np.arange(n), 1)])
    names = [f"c{number}" for number in range(5)]
    table = Table.from_arrow(
        pa.table({name: first if name == "c0" else np.tile(np.arange(n), 2) for name in names}), quasi=names
    )
    assert table.group_sizes().tolist() == [1] * (2 * n)
    assert table.group_sizes(names[1:]).tolist() == [2] * n
    assert table.group_numbers()[:3].tolist() == [0, 2, 4]


def test_missing_agrees_with_missing_only() -> None:
    table = Table.from_arrow(pa.table({"a": [None, None, 1], "b": ["x", "x", "x"]}), quasi=["a", "b"])
    assert sorted(table.group_sizes().tolist()) == [1, 2]


@pytest.mark.parametrize("text", ["", "  ", "?", " ? ", "\u00a0"])
def test_empty_text_and_question_mark_are_missing(text: str) -> None:
    table = Table.from_arrow(pa.table({"a": ["x", text, " x\t"]}))
    assert table.missing == {"a": 1}
    assert table.column("a").texts == ["x", "?"]


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        ([39, 7], pa.int8(), ["7", "39"]),
        ([2**64 - 1, 1], pa.uint64(), ["1", "18446744073709551615"]),
        ([39.0, 0.1], pa.float64(), ["0.1", "39"]),
        ([True, False], pa.bool_(), ["false", "true"]),
        (["b", "a"], pa.large_string(), ["a", "b"]),
        (["b", "a"], pa.string_view(), ["a", "b"]),
        ([None, None], pa.null(), ["?"]),
        ([19000, 1], pa.date32(), ["1970-01-02", "2022-01-08"]),
    ],
)
def test_texts_of_every_kind_of_column(values: list[Any], kind: pa.DataType, texts: list[str]) -> None:
    assert Table.from_arrow(pa.table({"a": pa.array(values, kind)})).column("a").texts == texts


def test_chunks_with_dictionaries_of_their_own_are_one_column() -> None:
    chunks = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()])
    column = Table.from_arrow(pa.table({"a": chunks})).column("a")
    assert (column.values.to_pylist(), column.codes.tolist()) == (["a", "b", "c"], [1, 0, 2, 0])


@pytest.mark.parametrize(
    "array",
    [pa.array([[1]]), pa.array([{"x": 1}]), pa.array([b"x"]), pa.array([[1]], pa.list_(pa.int8(), 1))],
)
def test_nested_and_binary_columns_are_refused(array: pa.Array) -> None:
    with pytest.raises(InputError, match=r"column 'a' has the type .*, which a table cannot hold"):
        Table.from_arrow(pa.table({"a": array}))


def test_dropping_missing_rows_counts_them_and_forgets_unused_values() -> None:
    table = Table.from_arrow(pa.table({"a": [1, None, 3], "b": ["x", "y", None]}))
    assert (len(table.drop_missing()), table.drop_missing().dropped) == (1, 2)
    some = table.drop_missing("a")
    assert (len(some), some.dropped, some.column("b").texts, some.missing) == (2, 1, ["x", "?"], {"b": 1})
    assert some.drop_missing().dropped == 2
    assert table.missing == {"a": 1, "b": 1}, "the original is as it was"
    assert Table.from_arrow(pa.table({"a": [1]})).drop_missing().dropped == 0


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(arrow_tables(rows=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_keeping_rows_equals_building_from_the_kept_rows(arrow: pa.Table, keep: list[bool]) -> None:
    kept = Table.from_arrow(arrow).keep_rows(np.array(keep))
    fresh = Table.from_arrow(arrow.filter(pa.array(keep)))
    for one, other in zip(kept, fresh, strict=True):
        assert one.values.equals(other.values)
        assert one.codes.tolist() == other.codes.tolist()


def people() -> Table:
    arrow = pa.table({"name": ["Ann", "Bo"], "age": [1, 2], "job": ["x", "y"], "note": ["", "n"]})
    return Table.from_arrow(arrow, identifier="name", quasi=["age"], sensitive=["job"])


def test_roles() -> None:
    table = people()
    assert [c.role for c in table] == [Role.IDENTIFIER, Role.QUASI, Role.SENSITIVE, Role.PLAIN]
    changed = table.with_roles(quasi=["job", "note"], plain="name")
    assert [c.role for c in changed] == [Role.PLAIN, Role.QUASI, Role.QUASI, Role.QUASI]
    assert table.names_of(Role.SENSITIVE) == ["job"]
    assert repr(table) == "Table(2 rows, 4 columns)"
    assert repr(table.column("age")) == "Column('age', quasi, 2 rows, 2 values)"


def test_unknown_columns_are_listed_with_what_was_meant() -> None:
    with pytest.raises(InputError) as caught:
        people().with_roles(quasi=["Age", "zip"], sensitive=["jobb"])
    assert str(caught.value) == (
        "no such column: 'Age' (did you mean 'age'?), 'zip', 'jobb' (did you mean 'job'?); "
        "the columns are: 'name', 'age', 'job', 'note'"
    )
    with pytest.raises(InputError, match=r"no such column: 'ag' \(did you mean 'age'\?\)"):
        people().column("ag")


def test_two_roles_are_refused_and_all_named() -> None:
    arrow = pa.table({"a": [1], "b": [2]})
    with pytest.raises(InputError) as caught:
        Table.from_arrow(arrow, identifier=["a", "b"], quasi=["a"], sensitive=["b"])
    assert str(caught.value) == (
        "a column has one role, but these have more: 'a' (identifier and quasi), 'b' (identifier and sensitive)"
    )
    assert Table.from_arrow(arrow, quasi=["a", "a"]).names_of(Role.QUASI) == ["a"]


def test_two_columns_of_one_name_are_refused() -> None:
    arrow = pa.Table.from_arrays([pa.array([1])] * 3, names=["a", "b", "a"])
    with pytest.raises(InputError, match="two columns have the same name: 'a': rename one of them"):
        Table.from_arrow(arrow)


def test_no_columns_and_no_columns_to_group_by_are_refused() -> None:
    with pytest.raises(InputError, match="the table has no columns"):
        Table.from_arrow(pa.table({}))
    with pytest.raises(InputError, match=r"no column to group by: name the quasi columns \(columns: 'a'\)"):
        Table.from_arrow(pa.table({"a": [1]})).group_sizes()


def test_no_numpy_scalar_leaves() -> None:
    table = people()
    assert type(table.dropped) is type(len(table)) is type(table.column("note").missing) is int
    assert {type(count) for count in table.missing.values()} == {int}
    assert type(table.column("age").is_number) is bool
    assert {type(text) for column in table for text in column.texts} == {str}


def test_frozen() -> None:
    column = people().column("age")
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 1
    with pytest.raises(AttributeError):
        column.name = "b"  # type: ignore[misc]
    codes = np.zeros(2, np.int32)
    Column("a", Role.PLAIN, codes, pa.array([1]))
    codes[0] = 0  # the caller's own array stays writeable


@settings(deadline=None)  # a loaded machine is no fault of the code
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_float_is_worth_the_float(value: float) -> None:
    assert float(text_of(value)) == value


def test_a_million_rows_are_grouped() -> None:
    n = 1_000_000
    table = Table.from_arrow(pa.table({"a": np.arange(n) % 7, "b": np.arange(n) % 11}), quasi=["a", "b"])
    sizes = table.group_sizes()
    assert len(sizes) == 77
    assert int(sizes.sum()) == n
