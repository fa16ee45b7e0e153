"""Atomic file writes: a name leads to the old file or to all of the new one, never to half of it.

A file is written next to its final name, flushed to disk, and renamed. The run that writes it holds a lock on it: a
temporary file without a lock was left by a killed run, and the next run that writes the same file deletes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError
from shoal.links import followed

OWNER_ONLY = 0o600
"""The mode of files that reveal something about an original."""
EVERYBODY = 0o644
"""The mode of all other files, reduced by the umask: for every umask, only the owner may write."""
FOLDER = 0o755
"""The mode of folders."""
PART = r"\..{1,40}\.[0-9a-f]{8}\.part"
"""The names of files that are being written."""


@contextmanager
def atomic_file(out: Path, mode: int = EVERYBODY) -> Iterator[BinaryIO]:
    """A file that gets its name when it is complete; a device or a pipe is written directly.

    Raises:
        InputError: it cannot be written; nothing is left of it, and the old contents stay.
    """
    try:
        if out.exists() and not out.is_file():
            with out.open("wb") as device:
                yield device
            return
        target = followed(out)
        with written_beside(target, mode) as (file, aside):
            yield file
            flush_to_disk(file)
            aside.replace(target)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise InputError(f"cannot write {out}: {reason}") from None


@contextmanager
def written_beside(target: Path, mode: int) -> Iterator[tuple[BinaryIO, Path]]:
    """A new temporary file next to a name, and its path; deleted at the end unless it was renamed."""
    aside = _free_name(target)
    try:
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            with contextlib.suppress(OSError):  # a disk without locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file, aside
    finally:
        aside.unlink(missing_ok=True)


def flush_to_disk(file: BinaryIO) -> None:
    """Wait until the contents have reached the disk: otherwise a power cut could leave a name without contents."""
    file.flush()
    os.fsync(file.fileno())


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, writable only by the owner; it may exist already."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(mode=FOLDER, exist_ok=True)
    folder.mkdir(mode=FOLDER, exist_ok=True)  # refuses what is no folder


def _free_name(target: Path) -> Path:
    """A temporary name: the same one every time, so that leftovers of a killed run are found and deleted."""
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]
    aside = target.with_name(f".{target.name[:40]}.{digest}.part")
    if is_abandoned(aside):
        aside.unlink(missing_ok=True)
    elif os.path.lexists(aside):  # another run writes the same file at this moment
        aside = aside.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
    return aside


def is_abandoned(path: Path) -> bool:
    """Whether a file was left by a run that was killed while writing it: a living run holds a lock."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(handle)
