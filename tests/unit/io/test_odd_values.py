"""Values at the edge of their types come through every door, or are refused by column and row, in words of ours."""

from __future__ import annotations

import datetime
import functools
import io
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.main import run
from shoal.errors import InputError, ShoalError
from shoal.release.evidence import Evidence

BEYOND = 2**63 - 1
ROWS = 6


def text(*words: bytes) -> pa.Array:
    """A column of text that holds these bytes, whatever they are."""
    return pa.array(words, pa.binary()).view(pa.string())


def ends(kind: pa.DataType) -> pa.Array:
    return pa.array([BEYOND, -BEYOND, 0, 1, 2, 3]).cast(kind)


ODD = {
    "int64": pa.array([BEYOND, -(2**63), 0, 1, BEYOND, -1]),
    "uint64": pa.array([2**64 - 1, 0, 1, 2**63, 2**63, 5], pa.uint64()),
    "floats": pa.array([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e308]),
    "far apart": pa.array([5e-324, 1e-300, 1.7e308, -1.7e308, 1.0, 2.0]),
    "decimals": pa.array([Decimal("9" * 38), Decimal("-" + "9" * 38), *map(Decimal, range(4))], pa.decimal128(38, 0)),
    "long decimals": pa.array([Decimal("9" * 70), *map(Decimal, range(5))], pa.decimal256(76, 0)),
    "dates": pa.array([2**31 - 1, -(2**31), 0, 1, 2, 3], pa.int32()).cast(pa.date32()),
    "other dates": pa.array([253402300800000 * 1000, 0, 86_400_000, 0, 0, 0], pa.int64()).cast(pa.date64(), safe=False),
    "seconds": ends(pa.timestamp("s")),
    "nanoseconds": ends(pa.timestamp("ns")),
    "durations": ends(pa.duration("s")),
    "a time zone": ends(pa.timestamp("us", "Europe/Berlin")),
    "no time zone": pa.array([0, 0, 1, 2, 3, 4]).cast(pa.timestamp("us", "Nowhere/Land")),
    "bytes": pa.array([b"a", b"\xff", b"", None, b"b", b"c"]),
    "short bytes": pa.array([b"ab", b"\xff\xff", b"cd", None, b"ab", b"cd"], pa.binary(2)),
    "no text": text(b"tea", b"\xff\xfe", b"milk", b"tea", b"tea", b"a"),
    "no large text": text(b"tea", b"\xff", b"milk", b"tea", b"tea", b"a").cast(pa.binary()).cast(pa.large_binary()),
    "no text in codes": pa.DictionaryArray.from_arrays([0, 1, 2, 0, 1, 2], text(b"tea", b"\xff", b"milk")),
    "codes without a word": pa.DictionaryArray.from_arrays([0, 1, 2, 0, 1, 2], ["a", None, "b"]),
    "nulls": pa.nulls(ROWS),
    "lists": pa.array([["a"], ["b", "c"], [], None, ["a"], ["b"]]),
    "lists of no text": pa.ListArray.from_arrays([0, 1, 2, 3, 3, 3, 3], text(b"a", b"\xff", b"b")),
    "lists of lists": pa.array([[["a"]], [["b"], []], [], None, [["a"]], [["b"]]]),
    "objects": pa.array([{"x": 1}, {"x": 2}, None, {"x": 1}, {"x": 2}, {"x": 3}]),
    "maps": pa.array([[("a", 1)], [], None, [("b", 2)], [], []], pa.map_(pa.string(), pa.int64())),
    "days": pa.array([datetime.date.max] * ROWS),
}
SIMPLE = pa.array(["x", "y", "x", "y", "x", "z"])


def stored(table: pa.Table) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file)
    return io.BytesIO(file.getvalue())


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or its refusal; an error of a library is neither."""
    try:
        return call()
    except ShoalError as refusal:
        return refusal


PUBLISHED: list[Callable[[shoal.Table], Any]] = [
    lambda table: shoal.k_anonymity(table, k=2, max_suppressed=0.9),
    lambda table: shoal.k_anonymity(table, k=2, max_suppressed=0.9, strategy="mondrian"),
    lambda table: shoal.anatomy(table, l=2),
    lambda table: shoal.injector(table, l=2, membership="product"),
]


@pytest.mark.parametrize("where", [("a", "b", "c"), ("c", "b", "a")], ids=["known to others", "sensitive"])
@pytest.mark.parametrize("how", ["arrow", "parquet"])
@pytest.mark.parametrize("name", ODD)
def test_a_table_is_published_or_refused(name: str, how: str, where: tuple[str, ...], tmp_path: Path) -> None:
    table: Any = pa.table(dict(zip(where, (ODD[name], SIMPLE, SIMPLE), strict=True)))
    if how == "parquet":
        try:
            table = stored(table)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            return  # there is no such file
    read = outcome(lambda: shoal.read_table(table, quasi=["a", "b"], sensitive="c", missing="keep"))
    if isinstance(read, ShoalError):
        assert isinstance(read, InputError)
        assert f"column {where[0]!r}" in str(read)
        assert str(read).isprintable()
        return
    for number, publish in enumerate(PUBLISHED):
        release = outcome(functools.partial(publish, read))
        if isinstance(release, ShoalError):
            assert release.exit_code in (2, 3)
        else:
            release.write(tmp_path / str(number), even_if_empty=True)
            assert shoal.verify(tmp_path / str(number)).holds


@pytest.mark.parametrize("name", ODD)
def test_baskets_are_read_or_refused(name: str) -> None:
    listed = pa.ListArray.from_arrays(pa.array(range(ROWS + 1), pa.int32()), ODD[name])
    cases: list[tuple[pa.Table, dict[str, Any]]] = [
        (pa.table({"a": ODD[name]}), {}),
        (pa.table({"a": listed}), {}),
        (pa.table({"a": ODD[name], "b": SIMPLE}), {"long": ("b", "a")}),
        (pa.table({"a": ODD[name], "b": SIMPLE}), {"long": ("a", "b")}),
    ]
    for table, options in cases:
        read = outcome(functools.partial(shoal.read, table, **options))
        if isinstance(read, ShoalError):
            assert isinstance(read, InputError)
            assert str(read).isprintable()
        else:
            assert {item.encode().decode() for record in read for item in record} == set(read.words)


def test_words_that_are_no_text_are_refused_with_their_row() -> None:
    column = text(b"tea", b"\xff\xfe", b"milk")
    with pytest.raises(InputError, match=r"the given table, row 2: column 'a' holds b'\\xff\\xfe', which is not UTF-8"):
        shoal.read(pa.table({"a": column, "b": [1, 2, 3]}), long=("b", "a"))
    lists = pa.ListArray.from_arrays([0, 1, 1, 3], column)
    with pytest.raises(InputError, match="the given table, row 3: column 'a' holds"):
        shoal.read(pa.table({"a": lists}))
    with pytest.raises(InputError, match="the table, row 2: column 'a' holds"):
        shoal.read_table(pa.table({"a": column}))
    with pytest.raises(InputError, match="column 'a' holds b'"):
        shoal.Table.from_arrow(pa.table({"a": column}))


def test_rows_of_later_parts_are_counted_from_the_first() -> None:
    parts = pa.chunked_array([text(b"a", b"b"), text(b"c", b"\xff")])
    with pytest.raises(InputError, match="row 4: column 'a'"):
        shoal.read(pa.table({"a": parts, "b": [1, 2, 3, 4]}), long=("b", "a"))


def test_names_of_columns_that_are_no_text_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "names.parquet"
    pq.write_table(pa.table({"aQQb": SIMPLE, "b": SIMPLE}), file, store_schema=False)
    file.write_bytes(file.read_bytes().replace(b"aQQb", b"a\xff\xfeb"))
    for more in (["--quasi", "b"], ["--long", "b,b"], ["--column", "b"], []):
        assert run(["info", str(file), *more]) == 2
        assert "the name of a column is not UTF-8 (b'a\\xff\\xfeb')" in capsys.readouterr().err


def test_a_file_whose_name_is_no_text_is_read(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/od\xffd.parquet")
    Path(name).write_bytes(stored(pa.table({"a": [["x", "y"]] * 9})).getvalue())
    assert run(["info", name]) == 0
    assert len(shoal.read(name)) == 9


@pytest.mark.parametrize(
    "number", [10**13, 2**63 - 1, 2**63, 10**400], ids=["too large", "the end of 64 bits", "beyond", "very long"]
)
def test_numbers_near_the_end_of_64_bits_are_refused_by_name(number: int) -> None:
    data = shoal.read([["a", "b"]] * 9)
    for options in ({"k": number, "m": 2}, {"k": 2, "m": number}):
        with pytest.raises(InputError, match=r"[km] is .*: it must be a whole number from [12] to 1,000,000,000,000"):
            shoal.disassociate(data, **options)


@pytest.mark.parametrize("given", [False, True], ids=["made", "given"])
def test_labels_may_have_more_digits_than_python_takes_for_a_number(given: bool, tmp_path: Path) -> None:
    ages = ["9" * 5_000, "8" * 5_000, "20", "3"] * 3
    table = shoal.read_table(pa.table({"age": ages, "job": SIMPLE.to_pylist() * 2}), quasi=["age", "job"])
    (tmp_path / "tree.csv").write_text("".join(f"{age};{len(age)}{'0' * 5_000};*\n" for age in ages[:4]))
    trees = {"age": shoal.read_hierarchy(tmp_path / "tree.csv")} if given else {}
    shoal.k_anonymity(table, 2, hierarchies=trees, max_suppressed=0.9).write(tmp_path / "release", even_if_empty=True)
    assert shoal.verify(tmp_path / "release", Evidence(original=table)).holds
