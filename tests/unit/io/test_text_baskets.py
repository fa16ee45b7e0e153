"""FIMI and delimited text against the naive way to read them, and every complaint they have."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.io import tokens
from shoal.io.baskets import read_baskets
from shoal.io.delimited import recognised_separator

# A deadline measures how busy the machine is, not the reader.
in_its_own_time = settings(deadline=None)

TEXTS = st.lists(st.sampled_from([*"ab01 \t,|é€\n", "\r\n"]), max_size=40).map("".join)


def read(text: str | bytes, **options: Any) -> list[set[str]]:
    content = text.encode() if isinstance(text, str) else text
    return [set(record) for record in read_baskets(io.BytesIO(content), **options)]


def naive(text: str, separator: str | None) -> list[set[str]]:
    """Without quotes: split into lines, split lines, trim, leave out what is empty."""
    lines = re.split(r"\r?\n", text)
    items = [[item.strip(" \t") for item in re.split(r"[ \t]", line) if item] for line in lines]
    if separator is not None:
        items = [[item.strip(" \t") for item in line.split(separator)] for line in lines]
    records = [{item for item in line if item} for line in items]
    return [record for record in records if record]


@pytest.mark.parametrize("separator", [None, ",", "|", "||", ", ", " ", "\t", "aba", "é", "é€"])
@in_its_own_time
@given(text=TEXTS, block=st.integers(1, 9))
def test_unquoted_text_is_read_as_splitting_would(text: str, block: int, separator: str | None) -> None:
    wanted = naive(text, separator)
    options = {"format": "fimi"} if separator is None else {"separator": separator}
    with pytest.MonkeyPatch.context() as patch:
        for size in (block, tokens.BLOCK_BYTES):
            patch.setattr(tokens, "BLOCK_BYTES", size)
            if wanted:
                assert read(text, **options) == wanted
            else:
                with pytest.raises(InputError, match="no records in the given file"):
                    read(text, **options)


def test_items_are_integers_or_words_and_keep_their_spelling() -> None:
    assert read("007 7 1e3\n-1 Ünï #\n") == [{"007", "7", "1e3"}, {"-1", "Ünï", "#"}]


def test_empty_lines_and_repetitions_are_counted() -> None:
    baskets = read_baskets(io.BytesIO(b"\n1 2 1\n \t\n\n2\n1 1 1\n\n"), format="fimi")
    assert (len(baskets), baskets.dropped, baskets.merged) == (3, 4, 3)


def test_trailing_blanks_in_a_long_file_do_not_shift_records() -> None:
    lines = [" ".join(str(n % 7 + k) for k in range(n % 4)) + " " for n in range(2000)]
    assert read("\n".join(lines), format="fimi") == [set(line.split()) for line in lines if line.strip()]


def test_quotes_are_plain_characters_in_fimi() -> None:
    assert read('5" "x\n', format="fimi") == [{'5"', '"x'}]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tea, milk ,\tjam\n", [{"tea", "milk", "jam"}]),
        (",tea,, ,milk,\n,,\n", [{"tea", "milk"}]),
        ('"a, b",c\n', [{"a, b", "c"}]),
        (' "a" ,\t"b"\t\r\n', [{"a", "b"}]),
        ('"say ""hi""","""",x\n', [{'say "hi"', '"', "x"}]),
        ('"two\nlines",x\n"crlf\r\nkept"\n', [{"two\nlines", "x"}, {"crlf\r\nkept"}]),
        ('" outer blanks stay "," "\n', [{" outer blanks stay ", " "}]),
        ('"","",x\n', [{"x"}]),
        ("whole milk,hot dog\n", [{"whole milk", "hot dog"}]),
        ('tea,"tea", tea\n', [{"tea"}]),
        ("a,b,", [{"a", "b"}]),
    ],
)
@pytest.mark.parametrize("block", [1, 3, 1 << 22])
def test_delimited(text: str, wanted: list[set[str]], block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", block)
    assert read(text, separator=",") == wanted


def test_a_separator_of_several_characters_is_text_inside_quotes() -> None:
    assert read('"a || b"||c|||d\n', separator="||") == [{"a || b", "c", "|d"}]


def test_a_record_and_an_item_longer_than_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", 16)
    wanted = [{str(n) for n in range(500)}, {"x" * 1000, "y"}]
    assert read("\n".join(" ".join(sorted(record)) for record in wanted)) == wanted


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        (
            'tea\n5" pipe,x\nmilk\n7" pipe\n',
            2,
            '5" pipe,x.* has a misplaced double quote: put the whole item',
        ),
        ('tea\n"a"b,x\n', 2, "'\"a\"b' has a misplaced double quote"),
        ('tea\n"two\nlines"\n"a" "b",x\n', 4, "has a misplaced double quote"),
        ('tea\nx,"never, closed\nmilk\n', 2, "the double quote in '\"never, closed.* is never closed"),
        ('tea\n"', 2, "is never closed"),
        ("tea\nmilk\x01,x\n", 2, r"'milk\\x01' holds a control character: is this a text file"),
        ('tea\n"milk\x01",x\n', 2, "holds a control character"),
        ("tea\rmilk\rjam", 1, r"'tea\\rmilk\\rjam' holds a control character"),
    ],
)
@pytest.mark.parametrize("block", [1, 1 << 22])
@pytest.mark.parametrize("separator", [",", "||"])
def test_complaints_name_the_line(
    text: str, line: int, complaint: str, block: int, separator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", block)
    complaint = complaint.replace(",", re.escape(separator))
    with pytest.raises(InputError, match=rf"(?s)^the given file, line {line}: .*{complaint}"):
        read(text.replace(",", separator), separator=separator)


def test_a_nul_byte_inside_a_quoted_item_names_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", 8)
    with pytest.raises(InputError, match="line 4: a NUL byte"):
        read('tea\n"aaaaaa\nbbbbbbbb\ncc\0c"\n', separator=",")


def test_old_line_ends_and_control_characters_are_refused_in_fimi() -> None:
    with pytest.raises(InputError, match=r"line 1: '2\\r3' holds a control character"):
        read("1 2\r3 4\r", format="fimi")
    with pytest.raises(InputError, match=r"line 2: 'a\\x0cb' holds a control character"):
        read("1\na\x0cb", format="fimi")


def test_a_file_without_separators_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", 16)
    monkeypatch.setattr(tokens, "LONGEST_ITEM", 100)
    with pytest.raises(InputError, match="line 2: an item of more than 100 bytes: is this a file of records"):
        read("a\n" + "x" * 1000, format="fimi")
    with pytest.raises(InputError, match=r"line 2: the double quote in .* is never closed"):
        read('a\n"' + "x\n" * 1000, separator=",")
    content = io.BytesIO(b'a\n"' + b"x\n" * 1_000_000)
    with pytest.raises(InputError, match="never closed"):
        read_baskets(content, separator=",")
    assert content.tell() < 500_000


@pytest.mark.parametrize("separator", ["", '"', "\n", "a\nb", "\r", "\0"])
def test_impossible_separators(separator: str) -> None:
    with pytest.raises(InputError, match=r"the separator .* cannot be used: give one or more characters"):
        read("a,b\n", separator=separator)


@pytest.mark.parametrize(
    ("text", "name", "separator"),
    [
        ("1 2 3\n4\n", "", None),
        ("1,2\n", "", ","),
        ("1;2\n", "", ";"),
        ("1\t2\n", "", "\t"),
        ("1|2\n", "", "|"),
        ("a, b;c;d\n", "", ";"),
        ("a,b;c\n", "", ","),  # equally frequent: the first of , ; tab |
        ('"a,b,c";d\n', "", ";"),
        ('"whole milk"\n', "", ","),
        ("whole milk\n", "baskets.CSV.gz", ","),
        ("whole milk\n", "baskets.dat", None),
        ("a,b\n", "baskets.tsv", "\t"),
        ("a;b\n", "baskets.csv", ";"),
    ],
)
def test_recognised_separator(text: str, name: str, separator: str | None) -> None:
    assert recognised_separator(text.encode(), name) == separator
