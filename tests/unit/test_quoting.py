"""What messages quote is escaped and cut, and discreetly not there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import quoting
from shoal.errors import InputError
from shoal.suggestions import did_you_mean

HOSTILE = "\x1b[31m \r \0 \x9b \u202e \u2066 \u200b \u200d \ufeff \u2028 \u2029 \ud800 \u3164 \U000e0041 \xad"
ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=200)


@given(ANY_TEXT)
def test_what_is_shown_steers_nothing_and_is_short(text: str) -> None:
    for one in (quoting.shown(text), quoting.named(text), quoting.bare(text), quoting.called(text)):
        assert one.isprintable()
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in one)
        assert len(one) <= quoting.LONGEST + len("''...") + one.count("\\")


@pytest.mark.parametrize("c", HOSTILE.split())
def test_hostile_characters_become_escapes(c: str) -> None:
    assert quoting.escaped(c).startswith(("\\x", "\\u", "\\U", "\\r"))
    assert c not in quoting.shown(f"a{c}b")
    assert c not in str(InputError(f"a{c}b"))
    assert c not in quoting.said_by(ValueError(f"a{c}b"))


def test_messages_quote_80_characters_with_a_mark_behind() -> None:
    assert quoting.shown("x" * 80) == f"'{'x' * 80}'"
    assert quoting.shown("x" * 81) == f"'{'x' * 80}'..."
    assert quoting.shown(b"x" * 1000).endswith("...")
    for value in ("\u202e" * 80, b"\0" * 80, ["x" * 60] * 9, {"x" * 60: "y" * 60}, 10**5000, "x" * 10**7):
        assert len(quoting.shown(value)) <= 90
        assert len(quoting.listed([value] * 1000)) <= 13 * 95


def test_escapes_tell_texts_apart() -> None:
    assert quoting.shown("\u202e") != quoting.shown("\\u202e")
    assert quoting.bare("tea") == "tea"
    assert quoting.bare("tea, milk") == "'tea, milk'"
    assert quoting.shown("it's") == '"it\'s"'


def test_discreetly_no_value_is_shown_and_places_are() -> None:
    with quoting.discreet():
        assert "HIV" not in quoting.shown("HIV") + quoting.bare("HIV") + quoting.listed(["HIV"]) + quoting.given("HIV")
        assert "HIV" not in quoting.said_by(ValueError("HIV"))
        assert did_you_mean("HIW", ["HIV"]) == ""
        assert "age" in quoting.named("age")
        assert quoting.given(3) == "3"
        assert quoting.said_by(InputError("ours")) == "ours"
    assert quoting.shown("HIV") == "'HIV'"


def test_blocks_may_overlap_in_threads_and_leave_nothing() -> None:
    first, second = quoting.discreet(), quoting.discreet()
    assert not quoting.is_discreet()
    first.__enter__()
    second.__enter__()
    thread = threading.Thread(target=first.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    assert quoting.is_discreet()
    second.__exit__(None, None, None)
    assert not quoting.is_discreet()
    assert quoting.VARIABLE not in os.environ


def test_errors_leave_the_block_without_those_they_were_made_from() -> None:
    data = shoal.Transactions.from_records([["bread"]])

    def fail() -> None:
        try:
            raise ValueError("HIV")
        except ValueError as error:
            raise InputError("an item is odd") from error

    with pytest.raises(InputError) as caught, shoal.discreet():
        fail()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    with pytest.raises(InputError) as caught, shoal.discreet():
        data.codes_of(["HIV"])
    assert "HIV" not in str(caught.value)


def test_the_environment_makes_a_whole_process_discreet() -> None:
    program = "import shoal; shoal.Transactions.from_records([['bread']]).codes_of(['HIV'])"
    for value, there in (("1", False), ("0", True), ("", True)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, quoting.VARIABLE: value},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ("'HIV' " in done.stderr.splitlines()[-1]) is there
