"""Paths with their links followed."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import InputError


def followed(path: Path) -> Path:
    """Where a path leads, whether or not something is there.

    Raises:
        InputError: its links lead in a circle, or no file can have such a name.
    """
    try:
        return path.resolve()
    except RuntimeError:  # what Python 3.11 and 3.12 say of a circle; later ones leave it to whoever opens the file
        raise InputError(f"{path} is a link that leads to itself: name the file or the folder that is meant") from None
    except ValueError:
        raise InputError("a name has a NUL byte, and no file has such a name") from None
