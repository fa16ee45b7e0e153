"""Every reader of baskets through one suite: what was written comes back, whatever the format."""

from __future__ import annotations

import csv
import gzip
import io
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io import parquet, tokens
from shoal.io.baskets import read_baskets

Records = Sequence[Sequence[str]]

# A deadline measures how busy the machine is, not the reader.
in_its_own_time = settings(deadline=None)

# A byte order mark at the start of a file is no part of its first item.
PRINTABLE = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Z"], exclude_characters="\N{ZERO WIDTH NO-BREAK SPACE}"
)
WORDS = st.text(PRINTABLE.filter(lambda c: c not in '",;|'), min_size=1, max_size=8)
ANY_TEXT = st.text(PRINTABLE | st.sampled_from(' \t\n\r",;|'), min_size=1, max_size=8)
STRIPPED = ANY_TEXT.map(lambda text: text.strip(" \t")).filter(bool)


def as_fimi(records: Records) -> bytes:
    return "".join(" ".join(record) + "\n" for record in records).encode()


def as_csv(separator: str, quoting: Any) -> Callable[[Records], bytes]:
    def write(records: Records) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=separator, quoting=quoting).writerows(records)
        return text.getvalue().encode()

    return write


def as_quoted(separator: str) -> Callable[[Records], bytes]:
    def quoted(item: str) -> str:
        return '"' + item.replace('"', '""') + '"'

    return lambda records: "".join(separator.join(map(quoted, record)) + "\r\n" for record in records).encode()


def as_long_csv(records: Records) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["age", "user", "item"])
    writer.writerows([33, f"u{n}", item] for n, record in enumerate(records) for item in record)
    return text.getvalue().encode()


def as_parquet(records: Records) -> bytes:
    file = io.BytesIO()
    lists = pa.array(list(map(list, records)), pa.list_(pa.string()))
    pq.write_table(pa.table({"n": pa.array(range(len(lists)), pa.int64()), "basket": lists}), file)
    return file.getvalue()


def as_long_parquet(records: Records) -> bytes:
    rows = [(n, item) for n, record in enumerate(records) for item in record]
    file = io.BytesIO()
    users, items = (
        pa.array([n for n, _ in rows], pa.int64()),
        pa.array([item for _, item in rows], pa.string()),
    )
    pq.write_table(pa.table({"user": users, "item": items}), file)
    return file.getvalue()


@dataclass(frozen=True)
class Written:
    """One way to write records, the options that read them, and the items that can be written so."""

    name: str
    write: Callable[[Records], bytes]
    items: st.SearchStrategy[str]
    options: dict[str, Any] = field(default_factory=dict)


LONG = {"long": ("user", "item")}
WAYS = [
    Written("fimi", as_fimi, WORDS, {"format": "fimi"}),
    Written("fimi-recognised", as_fimi, WORDS),
    Written("comma", as_csv(",", csv.QUOTE_MINIMAL), STRIPPED, {"separator": ","}),
    Written("tab", as_csv("\t", csv.QUOTE_ALL), ANY_TEXT, {"separator": "\t"}),
    Written("semicolon-quoted", as_csv(";", csv.QUOTE_ALL), ANY_TEXT, {"format": "delimited", "separator": ";"}),
    Written("comma-recognised", as_csv(",", csv.QUOTE_ALL), ANY_TEXT),
    Written("comma-blank", as_quoted(", "), ANY_TEXT, {"separator": ", "}),
    Written("two-bars", as_quoted("||"), ANY_TEXT, {"separator": "||"}),
    Written("arrow-sign", as_quoted("→"), ANY_TEXT, {"separator": "→"}),
    Written("long-csv", as_long_csv, STRIPPED, {"format": "long", **LONG}),
    Written("long-csv-recognised", as_long_csv, STRIPPED, LONG),
    Written("parquet", as_parquet, ANY_TEXT),
    Written("parquet-column", as_parquet, ANY_TEXT, {"format": "parquet", "column": "basket"}),
    Written("long-parquet", as_long_parquet, ANY_TEXT, LONG),
]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)

SAMPLE = [["tea", "milk", "bread"], ["milk"], ["tea", "milk"], ["milk"], ["jam", "tea"]]


def sets(transactions: Transactions) -> list[set[str]]:
    return [set(record) for record in transactions]


def expected(records: Records) -> list[set[str]]:
    return [set(record) for record in records if record]


@every_way
@in_its_own_time
@given(data=st.data())
def test_what_was_written_comes_back(way: Written, data: st.DataObject) -> None:
    records = data.draw(st.lists(st.lists(way.items, max_size=5), min_size=1, max_size=12).filter(any))
    content = way.write(records)
    read = read_baskets(io.BytesIO(content), **way.options)
    assert sets(read) == expected(records)
    assert read.merged == sum(len(record) - len(set(record)) for record in records)
    if "long" not in way.options:
        assert read.dropped == sum(not record for record in records)


@every_way
@in_its_own_time
@given(data=st.data(), block=st.integers(1, 40))
def test_small_blocks_give_the_same(way: Written, data: st.DataObject, block: int) -> None:
    records = data.draw(st.lists(st.lists(way.items, max_size=5), min_size=1, max_size=12).filter(any))
    content = way.write(records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "BLOCK_BYTES", block)
        patch.setattr(parquet, "BATCH_ROWS", block)
        read = read_baskets(io.BytesIO(content), **way.options)
    assert sets(read) == expected(records)


@every_way
def test_every_way_in(way: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = way.write(SAMPLE)
    for number, payload in enumerate((content, gzip.compress(content))):
        path = tmp_path / f"data{number}"  # a name that says nothing: gzip is known by its content
        path.write_bytes(payload)
        assert sets(read_baskets(path, **way.options)) == expected(SAMPLE)
        assert sets(read_baskets(str(path), **way.options)) == expected(SAMPLE)
        with path.open("rb") as file:
            assert sets(read_baskets(file, **way.options)) == expected(SAMPLE)
            assert not file.closed
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(payload)))
        assert sets(read_baskets("-", **way.options)) == expected(SAMPLE)


@every_way
def test_the_result_is_well_formed(way: Written) -> None:
    read = read_baskets(io.BytesIO(way.write(SAMPLE)), **way.options)
    assert read.words == ["bread", "jam", "milk", "tea"]
    assert read.offsets.tolist() == [0, 3, 4, 6, 7, 9]
    assert read.items.tolist() == [0, 2, 3, 2, 2, 3, 2, 1, 3]


@every_way
def test_no_records_is_an_error_that_names_the_file(way: Written, tmp_path: Path) -> None:
    path = tmp_path / "nothing.here"
    path.write_bytes(way.write([]))
    with pytest.raises(InputError, match=r"no records in .*nothing\.here"):
        read_baskets(path, **way.options)
    path.write_bytes(way.write([[], []]))
    with pytest.raises(InputError, match=r"no records in .*nothing\.here"):
        read_baskets(path, **way.options)


@every_way
def test_a_missing_file_a_directory_and_damaged_gzip(way: Written, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file: .*absent\.dat"):
        read_baskets(tmp_path / "absent.dat", **way.options)
    with pytest.raises(InputError, match="is a directory"):
        read_baskets(tmp_path, **way.options)
    (tmp_path / "half.gz").write_bytes(gzip.compress(way.write(SAMPLE))[:-12])
    with pytest.raises(InputError, match=r"half\.gz is a damaged gzip file .*compress or download it again"):
        read_baskets(tmp_path / "half.gz", **way.options)


TEXT_WAYS = [way for way in WAYS if "parquet" not in way.name]


@pytest.mark.parametrize("way", TEXT_WAYS, ids=lambda way: way.name)
def test_byte_order_mark_line_ends_and_a_last_line_without_end(way: Written) -> None:
    content = way.write(SAMPLE).replace(b"\r\n", b"\n")
    for variant in (
        b"\xef\xbb\xbf" + content,
        content.replace(b"\n", b"\r\n"),
        content.removesuffix(b"\n"),
        content.replace(b"\n", b"\r\n").removesuffix(b"\n"),
        content.replace(b"\n", b"\r\n").removesuffix(b"\r\n"),
    ):
        assert sets(read_baskets(io.BytesIO(variant), **way.options)) == expected(SAMPLE)


@pytest.mark.parametrize("way", TEXT_WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("block", [4, 1 << 22])
@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (b"caf\xe9", "is not UTF-8 text: convert the file to UTF-8"),
        (b"a\xffb", "is not UTF-8 text: convert the file to UTF-8"),
        (b"a\0b", "a NUL byte: this is not a text file"),
    ],
)
def test_what_is_not_text_is_refused_with_its_line(
    way: Written, bad: bytes, complaint: str, block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", block)
    content = way.write([["tea"], ["milk"], ["tea"], ["REPLACED"], ["tea"]])
    line = 1 + content[: content.index(b"REPLACED")].count(b"\n")
    path = tmp_path / "bad.txt"
    path.write_bytes(content.replace(b"REPLACED", bad))
    with pytest.raises(InputError, match=rf"bad\.txt, line {line}: .*{complaint}"):
        read_baskets(path, **way.options)
    path.write_bytes(content.decode().encode("utf-16"))
    with pytest.raises(InputError, match=r"bad\.txt is UTF-16 text: save it as UTF-8"):
        read_baskets(path, **way.options)


@pytest.mark.parametrize("way", [way for way in WAYS if "long" in way.options], ids=lambda way: way.name)
@in_its_own_time
@given(data=st.data(), seed=st.integers(0, 1000))
def test_long_rows_may_stand_anywhere(way: Written, data: st.DataObject, seed: int) -> None:
    records = data.draw(st.lists(st.lists(way.items, min_size=1, max_size=5), min_size=1, max_size=12))
    rows = [(f"u{n}", item) for n, record in enumerate(records) for item in record]
    random.Random(seed).shuffle(rows)
    first_seen = list(dict.fromkeys(user for user, _ in rows))
    wanted = [{item for user, item in rows if user == key} for key in first_seen]
    if way.name.startswith("long-csv"):
        text = io.StringIO(newline="")
        csv.writer(text).writerows([("user", "item"), *rows])
        content = text.getvalue().encode()
    else:
        file = io.BytesIO()
        pq.write_table(pa.table([[user for user, _ in rows], [item for _, item in rows]], ["user", "item"]), file)
        content = file.getvalue()
    assert sets(read_baskets(io.BytesIO(content), **way.options)) == wanted


@pytest.mark.parametrize(
    ("file", "whole", "sample"),
    [
        ("msweb/msweb.dat", (37_711, 286, 35), (2_515, 217, 28)),
        ("diabetes/icd9-by-patient.dat", (71_517, 915, 35), (3_576, 545, 20)),
        ("groceries/groceries.dat", (9_835, 169, 32), None),
        ("t10i4d100k/T10I4D100K.dat", (100_000, 870, 29), None),
    ],
)
def test_real_data(
    real_file: Callable[[str], Path], on_sample: bool, file: str, whole: tuple[int, ...], sample: tuple[int, ...] | None
) -> None:
    """How many records and different items, and how long the longest record."""
    path = real_file(file)
    read = read_baskets(path)
    assert (len(read), read.n_items, int(read.lengths.max())) == (sample if on_sample else whole)
    lines = path.read_text().splitlines()
    assert sets(read)[:500] == [set(line.split()) for line in lines[:500]]
    assert sum(len(set(line.split())) for line in lines) == len(read.items)
