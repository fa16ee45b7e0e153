"""The private folders in which releases are made, and what killed runs left of them beside a release.

A run makes its release in ``.NAME.staging-XXXXXXXX``, beside the name that it is to have, and holds a lock on that
folder while it lives. A run that is killed (SIGKILL, power cut) leaves the folder. It may hold a whole release: the new
one before it took its name, or the old one after it was replaced. Each is a second release of the same people.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shoal.interruption import uninterrupted
from shoal.io.manifest import MANIFEST
from shoal.io.opening import as_text

_RANDOM = "[a-z0-9_]{8}"


@dataclass(frozen=True)
class Leftover:
    """A folder that a killed run left beside a release."""

    path: Path
    release: Path | None
    """A release in it, if there is one."""
    missing: Path | None
    """The name that the release was to have, if nothing has it now."""

    def __str__(self) -> str:
        """What it is, and how to delete it."""
        delete = f"rm -r {_quoted(self.path)}"
        killed = f"{as_text(str(self.path))} was left by a run that was killed, and holds"
        if self.release is None:
            return f"{killed} parts of a release. To delete it: {delete}"
        if self.missing is not None:
            back = f"mv {_quoted(self.release)} {_quoted(self.missing)}"
            return f"{killed} a release. To put it in its place: {back}; to delete it: {delete}"
        return (
            f"{killed} another release of the same people: whoever holds both learns more than either of them promises "
            f"to hide. To delete it: {delete}"
        )

    def as_dict(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "folder": as_text(str(self.path)),
            "holds_a_release": self.release is not None,
            "delete_with": f"rm -r {_quoted(self.path)}",
        }


@contextlib.contextmanager
def private_folder(target: Path) -> Iterator[Path]:
    """A folder beside a name that only its owner can enter; gone at the end, whatever happens."""
    # Cut, because a name may be long already and the system allows it 255 bytes.
    private = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.staging-", dir=target.parent))
    handle = os.open(private, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a disk without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield private
    finally:
        with uninterrupted():
            shutil.rmtree(private, ignore_errors=True)
        os.close(handle)


def left_beside(folder: str | os.PathLike[str]) -> list[Leftover]:
    """What killed runs left beside a release, or beside the name that one was to have."""
    try:
        target = Path(folder).resolve()
        ours = re.compile(rf"\.{re.escape(target.name[:40])}\.(staging|old)-{_RANDOM}")
        found = sorted(path for path in target.parent.iterdir() if ours.fullmatch(path.name))
        missing = None if os.path.lexists(target) else target
        return [Leftover(path, _release_in(path), missing) for path in found if _is_abandoned(path)]
    except (OSError, RuntimeError, ValueError):  # the folder above may not be read; links that lead in a circle
        return []


def _release_in(private: Path) -> Path | None:
    """Where a manifest is; it is not read, because the folder can come from anybody."""
    return next((path for path in (private, *sorted(private.iterdir())) if (path / MANIFEST).is_file()), None)


def _is_abandoned(path: Path) -> bool:
    """Whether no run works there; for its owner, because nobody else can tell, look into it, or delete it."""
    if path.is_symlink() or not path.is_dir():
        return False
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without locks
        return True
    else:
        return True
    finally:
        os.close(handle)


def _quoted(path: Path) -> str:
    return shlex.quote(as_text(str(path)))
