"""Disks that are full soon."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(where: Path, *options: str) -> Iterator[Path]:
    """A small disk of its own; skips where mounting is not allowed."""
    where.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run([mount, "-t", "tmpfs", *options, "tmpfs", str(where)], capture_output=True)
    if not done or done.returncode != 0:
        pytest.skip("no small disk: mounting a tmpfs is not allowed here")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)
