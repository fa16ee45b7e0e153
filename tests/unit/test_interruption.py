"""Ctrl-C, SIGTERM and SIGHUP: one interruption, in the order in which signals come."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# What happens to a program of ours that gets these signals, one after the other.
PROGRAM = """
import signal, sys
from shoal import interruption

for name in {ignored!r}:
    signal.signal(getattr(signal, name), signal.SIG_IGN)
interruption.forget()
interruption.heed_all()
done = []

def work():
    for name in {signals!r}:
        signal.raise_signal(getattr(signal, name))
        done.append(name)

try:
    if {where!r} == "between steps":
        with interruption.interruption_between_steps(lambda *_: None) as step:
            work()
            step("next", 0, 1)
    elif {where!r} == "cleaning up":
        with interruption.uninterrupted():
            work()
    else:
        work()
    print("went on", *done)
except KeyboardInterrupt:
    print(interruption.exit_code(), *done)
"""


def after(signals: str, where: str = "", ignored: str = "") -> str:
    """The exit code and the signals that did not stop it at once."""
    program = PROGRAM.format(signals=signals.split(), where=where, ignored=ignored.split())
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_each_signal_interrupts_and_has_its_exit_code(name: str, code: int) -> None:
    assert code == 128 + getattr(signal, name)
    assert after(name) == f"{code}"
    assert after(name, "between steps") == f"{code} {name}"


def test_the_first_signal_decides_and_a_second_one_does_not_wait() -> None:
    assert after("SIGTERM SIGINT SIGHUP", "between steps") == "143 SIGTERM"
    assert after("SIGINT SIGTERM", "between steps") == "130 SIGINT"


def test_a_terminal_that_is_closed_may_say_so_twice() -> None:
    assert after("SIGHUP SIGHUP", "between steps") == "129 SIGHUP SIGHUP"


def test_cleaning_up_is_not_interrupted() -> None:
    assert after("SIGINT SIGTERM SIGHUP", "cleaning up") == "went on SIGINT SIGTERM SIGHUP"


@pytest.mark.parametrize("where", ["", "between steps"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_what_was_ignored_stays_ignored(name: str, where: str) -> None:
    assert after(name, where, ignored=name) == f"went on {name}"


def test_signals_that_a_host_program_handles_are_left_to_it() -> None:
    program = """
import signal
from shoal import interruption
heard = []
signal.signal(signal.SIGTERM, lambda *_: heard.append("host"))
with interruption.uninterrupted():
    signal.raise_signal(signal.SIGTERM)
print(heard)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['host']\n"
