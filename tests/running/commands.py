"""Commands as tests run them: in this process, or in one of their own."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import papers.program
from shoal.cli.main import run

ROOT = Path(__file__).parents[2]
SHOAL = [sys.executable, "-m", "shoal"]
Ran = tuple[int, str, str]


def shoal(capfd: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """One command in this process: its exit code, what it printed, and what it said beside."""
    return _here(capfd, run, arguments)


def paper(capfd: pytest.CaptureFixture[str], name: str, *arguments: object) -> Ran:
    """The program of a paper in this process, as ``python -m papers.NAME`` runs it."""
    return _here(capfd, partial(papers.program.run, name), arguments)


def command_line(capfd: pytest.CaptureFixture[str], line: str) -> Ran | None:
    """A command of Shoal or the program of a paper as it is typed; None where it is neither."""
    program, *arguments = shlex.split(line, comments=True)
    if program == "shoal":
        return shoal(capfd, *arguments)
    if program == "python" and arguments[0] == "-m" and arguments[1].startswith("papers."):
        return paper(capfd, arguments[1].removeprefix("papers."), *arguments[2:])
    return None


def _here(capfd: pytest.CaptureFixture[str], run: Callable[[list[str]], int], arguments: Iterable[object]) -> Ran:
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def outside(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """One command in a process of its own."""
    command = [*SHOAL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)
