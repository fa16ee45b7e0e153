"""Commands as tests run them: in this process, or in one of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from shoal.cli.main import run

SHOAL = [sys.executable, "-m", "shoal"]
Ran = tuple[int, str, str]


def shoal(capfd: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """One command in this process: its exit code, what it printed, and what it said beside."""
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def outside(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """One command in a process of its own."""
    command = [*SHOAL, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)
