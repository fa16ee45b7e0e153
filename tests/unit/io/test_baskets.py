"""The door: what is taken for what, and which options contradict each other."""

from __future__ import annotations

import doctest
import gzip
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io import arrow, baskets, delimited, opening
from shoal.io.baskets import read_baskets


def read(source: Any, **options: Any) -> list[set[str]]:
    return [set(record) for record in read_baskets(source, **options)]


def test_transactions_come_back_as_they_are() -> None:
    given = Transactions.from_records([{"a"}])
    assert read_baskets(given) is given


def test_python_collections() -> None:
    assert read([{"a", "b"}, ["a", "a"], (1, 2.5), set()]) == [{"a", "b"}, {"a"}, {"1", "2.5"}]
    assert read({"a"} for _ in range(2)) == [{"a"}, {"a"}]
    for nothing in ([], [[], set()], iter(())):
        with pytest.raises(InputError, match="no records in the given collection"):
            read(nothing)
    with pytest.raises(InputError, match="record 2 is 3, not a collection of items: wrap it in a list"):
        read([["a"], 3])
    with pytest.raises(InputError, match="record 1 is the text 'ab'"):
        read(["ab"])
    with pytest.raises(InputError, match="record 1 holds None"):
        read([[None]])


def test_what_baskets_cannot_be_read_from() -> None:
    with pytest.raises(InputError, match=r"bytes are not a file: wrap them in io\.BytesIO"):
        read(b"1 2 3")
    with pytest.raises(InputError, match="baskets cannot be read from int: give a path, a table or an iterable"):
        read(3)


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a", "whole milk\n", [{"whole", "milk"}]),
        ("a", "whole milk,tea\n", [{"whole milk", "tea"}]),
        ("a", "tea\nwhole milk|tea\n", [{"tea"}, {"whole milk", "tea"}]),
        ("a", '"whole milk"\ntea\n', [{"whole milk"}, {"tea"}]),
        ("a.csv", "whole milk\n", [{"whole milk"}]),
        ("a.csv.gz", "whole milk\n", [{"whole milk"}]),
        ("a.tsv", "milk, fresh\ttea\n", [{"milk, fresh", "tea"}]),
        ("a.fimi", "1,5 2,5\n", [{"1,5", "2,5"}]),
        ("a.FIMI.gz", "1,5 2,5\n", [{"1,5", "2,5"}]),
        ("a.parquet", "1 2\n", [{"1", "2"}]),  # content says more than a name
    ],
)
def test_recognition(name: str, text: str, wanted: list[set[str]], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    assert read(tmp_path / name) == wanted


def test_a_format_can_be_forced() -> None:
    assert read(io.BytesIO(b"a,b c\n"), format="fimi") == [{"a,b", "c"}]
    assert read(io.BytesIO(b"whole milk\n"), format="delimited") == [{"whole milk"}]
    assert read(io.BytesIO(b"a;b\n"), format="delimited") == [{"a", "b"}]
    assert read(io.BytesIO(b"PAR1 x\n"), format="fimi") == [{"PAR1", "x"}]
    assert read(io.BytesIO(b"PAR1,x\n"), separator=",") == [{"PAR1", "x"}]
    with pytest.raises(InputError, match="cannot be read as one"):
        read(io.BytesIO(b"PAR1 x\n"))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"format": "json"},
            "no format is called 'json': choose one of auto, fimi, delimited, long, parquet",
        ),
        ({"format": "long"}, r'format="long" needs the names of two columns: long=\(record, item\)'),
        ({"long": "ui"}, r"long='ui' must name two columns"),
        ({"long": ("u",)}, "must name two columns"),
        ({"long": (1, 2)}, "must name two columns"),
        ({"format": "fimi", "long": ("u", "i")}, 'long=... does not go with format="fimi"'),
        ({"format": "delimited", "long": ("u", "i")}, 'long=... does not go with format="delimited"'),
        ({"format": "fimi", "separator": ","}, 'separator=... does not go with format="fimi"'),
        ({"format": "parquet", "separator": ","}, 'separator=... does not go with format="parquet"'),
        ({"format": "fimi", "column": "b"}, "column=... names a list column: it goes with Parquet"),
        ({"column": "b", "long": ("u", "i")}, "column=... names a list column: it goes with Parquet"),
        ({"column": "b", "separator": ","}, "column=... names a list column: it goes with Parquet"),
        ({"column": "b"}, "column=... names a list column, but the given file is not a Parquet file"),
    ],
)
def test_options_that_contradict_each_other(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read(io.BytesIO(b"a b\n"), **options)


@pytest.mark.parametrize("options", [{"format": "fimi"}, {"format": "parquet"}, {"separator": ","}])
def test_options_about_files_are_refused_for_tables(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="format and separator are for files"):
        read(pa.table({"b": [["a"]]}), **options)


@pytest.mark.parametrize("options", [{"format": "fimi"}, {"separator": ","}, {"long": ("u", "i")}, {"column": "b"}])
def test_options_are_refused_for_collections(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="are for files and tables, not for Python collections"):
        read([["a"]], **options)


@pytest.mark.parametrize("module", [arrow, baskets, delimited, opening], ids=lambda module: module.__name__)
def test_examples_in_the_documentation_run(module: Any) -> None:
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_reading_a_pipe_needs_no_kernels() -> None:
    code = (
        "import sys; from shoal.io.baskets import read_baskets; print(read_baskets('-')); "
        "assert not any(name == 'numba' or name.startswith('shoal.kernels') for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"1 2\n3\n", capture_output=True, check=True)
    assert done.stdout.decode().strip() == "Transactions(2 records, 3 items)"
