"""Atomic renames: exchange two names, or take a name only if it is free."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

# renameat2(2) of Linux and renamex_np(2) of macOS.
_AT_THE_WORKING_DIRECTORY = -100
_ONLY_IF_FREE, _EXCHANGE = (4, 2) if sys.platform == "darwin" else (1, 2)
# The system or the disk does not support it; some containers forbid unknown calls.
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False, and nothing is changed, if the system does not support it."""
    return _rename(one, other, _EXCHANGE)


def rename_if_free(source: Path, target: Path) -> None:
    """Rename a file to a name that is free.

    Raises:
        FileExistsError: the name is taken.
    """
    if not _rename(source, target, _ONLY_IF_FREE):
        os.link(source, target)  # a run that is killed here leaves the file under both names
        source.unlink()


def _rename(source: Path, target: Path, flag: int) -> bool:
    call = _system_call()
    if call is None:
        return False
    sys.audit("os.rename", os.fspath(source), os.fspath(target), -1, -1)  # as Python does for its own renames
    number = call(os.fsencode(source), os.fsencode(target), flag)
    if number in _UNSUPPORTED:
        return False
    if number:
        raise OSError(number, os.strerror(number), os.fspath(source), None, os.fspath(target))
    return True


@cache
def _system_call() -> Callable[[bytes, bytes, int], int] | None:
    """The rename function with a flag, which returns an error number; None if the C library lacks it."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    found = getattr(library, "renamex_np" if sys.platform == "darwin" else "renameat2", None)
    if found is None:
        return None
    name, folder, flags = ctypes.c_char_p, ctypes.c_int, ctypes.c_uint
    found.argtypes = [name, name, flags] if sys.platform == "darwin" else [folder, name, folder, name, flags]
    found.restype = ctypes.c_int

    def call(source: bytes, target: bytes, flag: int) -> int:
        here = _AT_THE_WORKING_DIRECTORY
        names = (source, target) if sys.platform == "darwin" else (here, source, here, target)
        return ctypes.get_errno() if found(*names, flag) else 0

    return call
