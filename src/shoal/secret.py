"""The publisher's secret: it makes a release a function of the data, so that publishing again reveals nothing new.

If groups are drawn anew for every release, anyone who holds two releases can intersect them. With a secret, groups are
drawn from a stream whose key is the secret, the data and the options: the same table gives the same release.
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
"""The least length: no one can guess so many bytes."""
MOST_BYTES = 4096
"""The greatest length: a longer file is probably another one, named by mistake."""
_OTHERS = 0o077

Secret = bytes | str | os.PathLike[str]
"""The secret itself, or the path of its file."""


def secret_bytes(secret: Secret) -> bytes:
    """The secret, read from its file, which is created if it does not exist.

    Args:
        secret: At least 32 bytes; or the path of a file that holds them and that only its owner can read. A file that
            does not exist is created with 32 random bytes of the operating system, written as hexadecimal digits.

    Raises:
        InputError: It is too short or too long, or the file cannot be read or created, is no regular file, can be read
            by others, or is inside a release.

    Example:
        >>> secret_bytes(b"x" * 31)
        Traceback (most recent call last):
        shoal.errors.InputError: the secret has 31 bytes: it needs at least 32 random bytes; name a file ...
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
        raise InputError(f"cannot create the secret {path}: it is a link to a missing file") from None


def _read(path: Path) -> bytes:
    """Read a secret file; raises FileNotFoundError if there is none."""
    try:
        # O_NONBLOCK does not wait for a pipe. The opened file is checked, since its name may later lead elsewhere.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the secret {path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(
                f"{path} is no regular file, so it cannot hold a secret: name a file, which is created if needed"
            )
        if os.name == "posix" and found.st_mode & _OTHERS:
            raise InputError(
                f"others may read the secret {path} (mode {stat.S_IMODE(found.st_mode):04o}). Anyone who has it can "
                f"undo releases: chmod 600 {path} if no one has read it, or use another file for new releases"
            )
        return _require_length(os.read(file, MOST_BYTES + 1), str(path))
    finally:
        os.close(file)


def _make(path: Path) -> None:
    """Create a new secret; if two runs do so at once, one succeeds."""
    try:
        with written_beside(path, OWNER_ONLY) as (file, aside):
            file.write(os.urandom(LEAST_BYTES).hex().encode() + b"\n")
            flush_to_disk(file)
            with contextlib.suppress(FileExistsError):
                rename_if_free(aside, path)
    except OSError as error:
        if not path.parent.is_dir():
            raise InputError(
                f"cannot create the secret {path}: there is no folder {path.parent}; make it first"
            ) from None
        raise InputError(f"cannot create the secret {path}: {error.strerror or error}") from None


def _require_length(found: bytes, name: str) -> bytes:
    if len(found) < LEAST_BYTES:
        raise InputError(
            f"{name} has {len(found)} bytes: it needs at least {LEAST_BYTES} random bytes; name a file that does not "
            "exist, and it is created"
        )
    if len(found) > MOST_BYTES:
        raise InputError(f"{name} has more than {MOST_BYTES:,} bytes: is it a secret, or another file?")
    return found


def _require_outside_releases(path: Path) -> None:
    """Refuse a file that would be passed on with a release."""
    for folder in followed(path).parents:
        try:
            manifest = (folder / "manifest.json").read_bytes()
        except (OSError, ValueError):
            continue
        if b'"shoal release"' in manifest:
            raise InputError(f"{path} is inside of the release {folder}: keep the secret outside of published folders")
