"""JSON that two programs could read in two ways, or that exhausts one of them, is refused, and says why."""

from __future__ import annotations

import json
import time

import pytest

from shoal.io.strict_json import DEEPEST, parse_strictly

REFUSED = {
    "two entries of a name": (b'{"k": 1000, "k": 3}', "the entry 'k' is there twice"),
    "two entries of a name, deep": (b'{"a": [{"k": 1, "k": 1}]}', "the entry 'k' is there twice"),
    "one name in two spellings": (b'{"k": 1, "\\u006b": 1}', "the entry 'k' is there twice"),
    "a name that steers the terminal": (b'{"\\u001b[2J": 1, "\\u001b[2J": 1}', "the entry '\\x1b[2J' is there twice"),
    "a name that turns the line around": (b'{"\\u202e": 1, "\\u202e": 1}', "the entry '\\u202e' is there twice"),
    "NaN": (b"[NaN]", "NaN is not a number of JSON"),
    "Infinity": (b"[-Infinity]", "-Infinity is not a number of JSON"),
    "a number that is infinite": (b"[1e999]", "the number 1e999 is beyond 64 bits"),
    "2^63": (b"[9223372036854775808]", "the number 9223372036854775808 is beyond 64 bits"),
    "-2^63 - 1": (b"[-9223372036854775809]", "the number -9223372036854775809 is beyond 64 bits"),
    "very many digits": (b"[" + b"9" * 100_000 + b"]", "99999999999999999999... (100,000 characters) is beyond"),
    "very many digits behind the point": (b"[0." + b"1" * 100_000 + b"]", "(100,002 characters) is beyond 64 bits"),
    "a text without an end": (b'{"a": "' + b'\\"' * 3_000_000, "Unterminated string"),
    "a text that ends in half an escape": (b'["' + b'\\"' * 3_000_000 + b"\\", "Unterminated string"),
    "very deep": (b"[" * 1_000_000, "more than 32 deep"),
    "too deep by one": (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "more than 32 deep"),
    "half a character": (b'["\\ud800"]', "'\\ud800' holds half a character"),
    "half a character in a name": (b'{"\\udfff": 1}', "'\\udfff' holds half a character"),
    "bytes that are no UTF-8": (b'["a\xff"]', "byte 3 is not UTF-8"),
    "half a character in bytes": (b'["\xed\xa0\x80"]', "byte 2 is not UTF-8"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "byte 0 is not UTF-8"),
    "a byte-order mark": (b"\xef\xbb\xbf{}", "BOM"),
    "more behind it": (b"{} {}", "Extra data"),
    "nothing": (b"", "Expecting value"),
}


@pytest.mark.parametrize(("raw", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_programs_read_differently_is_refused(raw: bytes, expected: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the words are compared below)
        parse_strictly(raw)
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "value",
    [
        {"k": 3, "shares": [0.1, 1e-300, -(2**63), 2**63 - 1, 1.7976931348623157e308], "none": None, "is": True},
        ['brackets in a text: [[[[{{{{ " \\ ]]', "\U0001f600 ä", {"": []}],
        json.loads("[" * DEEPEST + "]" * DEEPEST),
    ],
    ids=["numbers", "texts", "as deep as may be"],
)
def test_what_all_programs_read_alike_comes_out(value: object) -> None:
    assert parse_strictly(json.dumps(value).encode()) == value
    assert parse_strictly(json.dumps(value, ensure_ascii=False, indent=1).encode()) == value
