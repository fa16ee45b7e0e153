"""Folders for compiled kernels: find them, check that they can be trusted, and read and write there.

Files that are read become code of this process. So a folder counts only if only its owner can write in it, and its
owner is this user, root, or the owner of these sources, who could change the code anyway. Kernels are also read from
folders that are not writable: a container image may include them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HOW_TO_KEEP = "Set NUMBA_CACHE_DIR to a folder that this user, and nobody else, can write to."
_HERE = Path(__file__).parent
_failed: dict[Path, str] = {}
"""Folders where writing failed, and why: not tried again."""


def folders() -> list[Path]:
    """Folders for kernels, the best first: only NUMBA_CACHE_DIR if it is set, otherwise here or in the home folder."""
    ours = hashlib.sha256(os.fsencode(_HERE.absolute())).hexdigest()[:12]  # another Shoal has other kernels
    if wanted := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(wanted).absolute() / f"shoal-{ours}"]
    # Not that of pathlib, which fails for a user without a home.
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    below_home = [Path(home) / "shoal" / f"kernels-{ours}"] if Path(home).is_absolute() else []
    return [_HERE.absolute() / "__pycache__" / "compiled", *below_home]


def contents(name: str) -> Iterator[bytes]:
    """The contents of files with this name in the folders."""
    for folder in folders():
        with suppress(OSError, _Untrusted), _entered(folder) as there:
            found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=there)
            with os.fdopen(found, "rb") as file:
                about = os.fstat(file.fileno())
                _require_trusted(about)
                if not stat.S_ISREG(about.st_mode):
                    continue
                content = file.read()
            yield content


def keep(name: str, content: bytes) -> None:
    """Write to the first folder that allows it. If none does, :func:`not_kept` gives the reason from then on."""
    for folder in folders():
        if folder in _failed:
            continue
        try:
            folder.mkdir(0o755, parents=True, exist_ok=True)
            with _entered(folder) as there:
                _write(there, name, content)
            return
        except OSError as error:
            _failed[folder] = error.strerror or str(error)
        except _Untrusted as error:
            _failed[folder] = str(error)


def not_kept() -> str | None:
    """Why kernels that are compiled now are lost at the end of the process, or None if they are stored."""
    reasons = []
    for folder in folders():
        reason = _failed.get(folder) or _obstacle(folder)
        if reason is None:
            return None
        reasons.append(f"{folder} ({reason})")
    return ", ".join(reasons) or "there is no folder for them"


class _Untrusted(Exception):  # noqa: N818  (no failure: the folder does not count)
    """Others may write there."""


@contextmanager
def _entered(folder: Path) -> Iterator[int]:
    """The opened folder, so that files are read and written in exactly the folder that was checked."""
    there = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _require_trusted(os.fstat(there))
        yield there
    finally:
        os.close(there)


def _require_trusted(about: os.stat_result) -> None:
    if about.st_uid not in (0, os.geteuid(), _HERE.stat().st_uid):
        raise _Untrusted(f"it belongs to another user, {about.st_uid}")
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _Untrusted("others may write to it")


def _write(there: int, name: str, content: bytes) -> None:
    """Write a whole file or none; several processes may do so at once."""
    new = f"{name}.{uuid.uuid4().hex[:12]}.tmp"
    made = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=there)
    try:
        with os.fdopen(made, "wb") as file:
            file.write(content)
        os.replace(new, name, src_dir_fd=there, dst_dir_fd=there)
    except BaseException:
        with suppress(OSError):
            os.unlink(new, dir_fd=there)
        raise


def _obstacle(folder: Path) -> str | None:
    """Why this process cannot write there, as far as can be checked without writing."""
    try:
        folder.mkdir(0o755, parents=True, exist_ok=True)
        with _entered(folder):
            writable = os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)
    except OSError as error:
        return error.strerror or str(error)
    except _Untrusted as error:
        return str(error)
    return None if writable else "Permission denied"
