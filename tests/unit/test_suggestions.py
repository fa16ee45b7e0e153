"""Names that may have been meant."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.suggestions import did_you_mean


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("agee", "age"), ("AGE", "age"), ("postcod", "postcode"), ("daignosis", "diagnosis"), ("xyz", None), ("", None)],
)
def test_the_likest_name_is_offered(typed: str, meant: str | None) -> None:
    known = ["age", "sex", "postcode", "diagnosis"]
    assert did_you_mean(typed, known) == (f" (did you mean {meant!r}?)" if meant else "")


def slip(name: str, place: int, kind: str) -> str:
    place %= len(name)
    left, right = name[:place], name[place:]
    changed = {"less": right[1:], "more": "x" + right, "other": "x" + right[1:], "swapped": right[1::-1] + right[2:]}
    return left + changed[kind]


@given(st.integers(0, 2_999), st.integers(0, 9), st.sampled_from(["less", "more", "other", "swapped"]))
def test_among_many_names_those_one_slip_away_are_found(number: int, place: int, kind: str) -> None:
    typed = slip(MANY[number], place, kind)
    if typed not in MANY_SET:
        offered = did_you_mean(typed, MANY)
        assert offered
        assert len(offered) == len(f" (did you mean {MANY[0]!r}?)")


def test_a_million_names_take_no_time() -> None:
    known = [f"item{number:07}" for number in range(1_000_000)]
    start = time.process_time()
    assert did_you_mean("itme0012345", known) == " (did you mean 'item0012345'?)"
    assert did_you_mean("completely different", known) == ""
    assert time.process_time() - start < 3  # a third of a second where nothing else runs; difflib takes a minute


MANY = [f"item{number:06}" for number in range(3_000)]
MANY_SET = frozenset(MANY)
