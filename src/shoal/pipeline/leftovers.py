"""The private folders in which releases are made, and leftovers of killed runs next to a release.

A run makes its release in ``.NAME.staging-XXXXXXXX``, next to its future name, and holds a lock on that folder while it
lives. A run that is killed (SIGKILL, power cut) leaves the folder. It may hold a whole release: the new one before it
got its name, or the old one after it was replaced. Each is a second release of the same people.
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
    """A folder that a killed run left next to a release."""

    path: Path
    release: Path | None
    """A release in it, if there is one."""
    missing: Path | None
    """The intended name of the release, if nothing has it now."""

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
            f"{killed} another release of the same people: anyone who holds both learns more than either of them "
            f"promises to hide. To delete it: {delete}"
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
    """A folder next to a name that only its owner can enter; always deleted at the end."""
    # Cut, because a name may be long already and the system allows only 255 bytes.
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
    """The leftovers of killed runs next to a release, or next to an intended name."""
    try:
        target = Path(folder).resolve()
        ours = re.compile(rf"\.{re.escape(target.name[:40])}\.(staging|old)-{_RANDOM}")
        found = sorted(path for path in target.parent.iterdir() if ours.fullmatch(path.name))
        missing = None if os.path.lexists(target) else target
        return [Leftover(path, _release_in(path), missing) for path in found if _is_abandoned(path)]
    except (OSError, RuntimeError, ValueError):  # the parent folder is unreadable, or links form a circle
        return []


def _release_in(private: Path) -> Path | None:
    """The place of a manifest; it is not read, because the folder can come from anyone."""
    return next((path for path in (private, *sorted(private.iterdir())) if (path / MANIFEST).is_file()), None)


def _is_abandoned(path: Path) -> bool:
    """Whether no run works there; only for the owner, because others cannot see, enter, or delete it."""
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
