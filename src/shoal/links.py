"""Resolve links in paths."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import InputError


def followed(path: Path) -> Path:
    """The path with its links resolved, whether or not it exists.

    Raises:
        InputError: its links form a cycle, or no file can have such a name.
    """
    try:
        return path.resolve()
    except RuntimeError:  # Python 3.11 and 3.12 raise it for a cycle; later versions fail only when opening the file
        raise InputError(f"{path} is a link that leads to itself: name the target file or folder") from None
    except ValueError:
        raise InputError("a name has a NUL byte, and no file has such a name") from None
