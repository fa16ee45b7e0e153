from __future__ import annotations

import io
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.io import tokens
from shoal.io.baskets import read_baskets

LONG = ("user", "item")


def read(text: str, **options: Any) -> list[set[str]]:
    return [set(record) for record in read_baskets(io.BytesIO(text.encode()), **{"long": LONG, **options})]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_recognised_from_the_header(separator: str) -> None:
    text = "user,age,item\nu,3,a\nv,4,b\nu,3,c\n".replace(",", separator)
    assert read(text) == [{"a", "c"}, {"b"}]
    assert read(text, separator=separator) == [{"a", "c"}, {"b"}]


def test_the_separator_can_be_given() -> None:
    assert read("user:item\nu:a,b\n", separator=":") == [{"a,b"}]
    assert read("user::item\nu::a:b\n", separator="::") == [{"a:b"}]
    for impossible in ("", '"', "\n"):
        with pytest.raises(InputError, match=r"the separator .* cannot be used"):
            read("user,item\nu,a\n", separator=impossible)


def test_values_stay_text_and_blanks_around_them_go() -> None:
    assert read("user, item \n 1, 007\n1 ,7 \n01,1e3\n") == [{"007", "7"}, {"1e3"}]
    assert read('user,item\nu,"a, b"\nu,"say ""hi"""\nu,"two\nlines"\n') == [{"a, b", 'say "hi"', "two\nlines"}]
    assert read('\n"user","item"\nu,NA\nu,null\n') == [{"NA", "null"}]  # words, not nulls


def test_missing_keys_and_items_are_counted() -> None:
    with pytest.raises(
        InputError,
        match=r"the given file: of 4 rows, 1 have no record key \(column 'user'\) "
        r"and 2 have no item \(column 'item'\), the first in row 2",
    ):
        read('user,item\nu,a\n,b\nu, \nu,""\n')


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("usr,item\nu,a\n", r"no column 'user' \(did you mean 'usr'\?\) \(its columns: 'usr', 'item'\)"),
        ("user\nu\n", r"no column 'item' \(its columns: 'user'\)"),
        ("user,item,item\nu,a,b\n", "has 2 columns called 'item': rename them"),
        (
            "user,item\nu,a\n\nv,b,c\n",
            "line 4: 3 columns, but the header has 2: complete the row, or put items",
        ),
        ('user,item\nu,"a\nb"\nv\n', "line 4: 1 columns, but the header has 2"),
        ('user,item\nu,a\nv,"b\nw,c\n', "line 3: the double quote in 'v,\"b.* is never closed"),
        ('user,item\nu,a\nv,"b\nw,"c\n', r"line 3: .* has a misplaced double quote"),
        ("user,item\nu,a\rv,b\r", "line 2: .* holds a control character"),
        ("user,item\n", "no records in the given file"),
        ("user,item", "no records in the given file"),
        ("", "no records in the given file"),
        ("\n\r\n", "no records in the given file"),
    ],
)
def test_complaints(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read(text)


@pytest.mark.parametrize("rows", [10, 200_000])
@pytest.mark.parametrize(
    ("bad", "complaint"), [(b"caf\xe9", "is not UTF-8"), (b"\0", "a NUL byte"), (b"\xe2\x82", "is not UTF-8")]
)
def test_bad_text_names_its_line_wherever_it_stands(rows: int, bad: bytes, complaint: str) -> None:
    content = b"user,item\n" + b"u,caf\xc3\xa9\n" * rows + b"u," + bad
    with pytest.raises(InputError, match=rf"the given file, line {rows + 2}: .*{complaint}"):
        read_baskets(io.BytesIO(content), long=LONG)


def test_records_may_be_spread_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "BLOCK_BYTES", 64)
    rows = [(f"u{n % 7}", f"i{n % 5}") for n in range(300)]
    text = "user,item\n" + "".join(f"{user},{item}\n" for user, item in rows)
    assert read(text) == [{item for user, item in rows if user == f"u{n}"} for n in range(7)]
