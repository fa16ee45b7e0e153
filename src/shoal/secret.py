"""The steward's secret: what makes publishing a function of the data, so that publishing again adds nothing.

Groups that are drawn anew for every release can be intersected by whoever holds two of them. With a secret they are
drawn from a stream that the secret, the data and the options key together: the same table gives the same release.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from shoal.atomic.files import OWNER_ONLY, flush_to_disk, written_beside
from shoal.atomic.renames import rename_if_free
from shoal.errors import InputError
from shoal.links import followed

LEAST_BYTES = 32
"""As many as nobody can guess."""
MOST_BYTES = 4096
"""Whatever is longer is another file, named by mistake."""
_OTHERS = 0o077

Secret = bytes | str | os.PathLike[str]
"""The secret itself, or where it is kept."""


def secret_bytes(secret: Secret) -> bytes:
    """The secret, read from its file, which is made if it is not there.

    Args:
        secret: At least 32 bytes; or the path of a file with such, that nobody but its owner can read. A file that does
            not exist is made: 32 bytes of the operating system's chance, written in hexadecimal digits.

    Raises:
        InputError: It is too short or too long, or the file cannot be read or made, is no regular file, can be read by
            others, or is inside of a release.

    Example:
        >>> secret_bytes(b"x" * 31)
        Traceback (most recent call last):
        shoal.errors.InputError: the secret has 31 bytes: it needs at least 32, drawn by chance; name a file ...
    """
    if isinstance(secret, bytes):
        return _require_length(secret, "the secret")
    try:
        path = Path(secret)
    except TypeError:
        raise InputError(f"secret is {type(secret).__name__}: it must be bytes, or the path of a file") from None
    _require_outside_releases(path)
    try:
        return _read(path)
    except FileNotFoundError:
        _make(path)
    try:
        return _read(path)
    except FileNotFoundError:
        raise InputError(f"cannot make the secret {path}: it is a link to nothing") from None


def _read(path: Path) -> bytes:
    """Raises FileNotFoundError where there is none."""
    try:
        # Not to wait for a pipe; what was opened is looked at, not what the name may stand for a moment later.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the secret {path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(
                f"{path} is no regular file, so it can be no secret: name a file, which is made if need be"
            )
        if os.name == "posix" and found.st_mode & _OTHERS:
            raise InputError(
                f"others may read the secret {path} (mode {stat.S_IMODE(found.st_mode):04o}), and whoever has it can "
                f"undo releases: chmod 600 {path} if nobody did, or take another file for new releases"
            )
        return _require_length(os.read(file, MOST_BYTES + 1), str(path))
    finally:
        os.close(file)


def _make(path: Path) -> None:
    """A new secret; of two runs that make it at once, one does."""
    try:
        with written_beside(path, OWNER_ONLY) as (file, aside):
            file.write(os.urandom(LEAST_BYTES).hex().encode() + b"\n")
            flush_to_disk(file)
            with contextlib.suppress(FileExistsError):
                rename_if_free(aside, path)
    except OSError as error:
        if not path.parent.is_dir():
            raise InputError(
                f"cannot make the secret {path}: there is no folder {path.parent}; make it first"
            ) from None
        raise InputError(f"cannot make the secret {path}: {error.strerror or error}") from None


def _require_length(found: bytes, name: str) -> bytes:
    if len(found) < LEAST_BYTES:
        raise InputError(
            f"{name} has {len(found)} bytes: it needs at least {LEAST_BYTES}, drawn by chance; name a file that does "
            "not exist, and it is made"
        )
    if len(found) > MOST_BYTES:
        raise InputError(f"{name} has more than {MOST_BYTES:,} bytes: is it a secret, or another file?")
    return found


def _require_outside_releases(path: Path) -> None:
    """Refuse a file that would be handed on with a release."""
    for folder in followed(path).parents:
        try:
            manifest = (folder / "manifest.json").read_bytes()
        except (OSError, ValueError):
            continue
        if b'"shoal release"' in manifest:
            raise InputError(f"{path} is inside of the release {folder}: keep the secret where nothing is published")
