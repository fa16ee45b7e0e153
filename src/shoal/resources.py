"""Lack of resources, distinguished from errors in the data.

Running out of memory says nothing about a release: it must never become a verdict on one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from collections.abc import Iterator

from shoal.errors import OutOfResources, ShoalError

_OPEN_FILES = "open files"
_MEMORY = "memory"
_PROCESSES = "processes or threads"
_SCARCE = 2**28
_BY_NUMBER = {
    errno.ENOMEM: _MEMORY,
    errno.EMFILE: _OPEN_FILES,
    errno.ENFILE: _OPEN_FILES,
    errno.EAGAIN: _PROCESSES,
}
# Messages of Python and of the loader of shared libraries that come without an error number.
_BY_WORDS = {
    "can't start new thread": _PROCESSES,
    "cannot allocate memory": _MEMORY,
    "failed to map segment": _MEMORY,
    "too many open files": _OPEN_FILES,
    "resource temporarily unavailable": _PROCESSES,
}


@contextlib.contextmanager
def told_apart() -> Iterator[None]:
    """Report a lack of resources as such, no matter how a library reports it.

    Raises:
        OutOfResources: a resource was lacking.
    """
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:
        found = lacking(error)
        if found is None:
            raise
        raise found from error


def lacking(error: BaseException | None) -> OutOfResources | None:
    """The lack of resources behind an exception or one of its causes; None if there is none.

    Example:
        >>> str(lacking(MemoryError())).startswith("not enough memory, ")
        True
        >>> lacking(ValueError("no number")) is None
        True
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, OutOfResources):
            return error
        what = _lacking(error)
        if what is not None:
            return not_enough(what)
        error = error.__cause__ or error.__context__
    return None


def lacking_in_words(said: str) -> OutOfResources | None:
    """The same for the error output of a process that died."""
    what = _in_words(said) or (_MEMORY if "MemoryError" in said or "bad_alloc" in said else None)
    return None if what is None else not_enough(what)


def out_of_memory() -> OutOfResources:
    """Memory was lacking."""
    return not_enough(_MEMORY)


def _lacking(error: BaseException) -> str | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, OSError) and error.errno in _BY_NUMBER:
        # A stream that temporarily accepts no more data has the same error number as a process that cannot be started.
        return None if hasattr(error, "characters_written") else _BY_NUMBER[error.errno]
    if isinstance(error, SystemError) and _address_space_is_scarce():
        return _MEMORY  # "error return without exception set": code that did not check whether it got its memory
    return _in_words(str(error)) if isinstance(error, RuntimeError | ImportError | OSError) else None


def _address_space_is_scarce() -> bool:
    """Whether ``ulimit -v`` leaves so little that a library, or Python itself, may fail without a message."""
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return soft not in (-1, resource.RLIM_INFINITY) and soft - memory_in_use() < _SCARCE


def _in_words(said: str) -> str | None:
    low = said.lower()
    return next((what for words, what in _BY_WORDS.items() if words in low), None)


def not_enough(what: str) -> OutOfResources:
    """The error for a lacking resource, with what to raise."""
    advice = {
        _MEMORY: (
            f"{_limit(resource.RLIMIT_AS, 'ulimit -v', 1024, ' kB')}the memory of the machine, or of the container or "
            "control group"
        ),
        _OPEN_FILES: f"{_limit(resource.RLIMIT_NOFILE, 'ulimit -n')}or fs.file-max, if the whole system has too few",
        _PROCESSES: f"{_limit(resource.RLIMIT_NPROC, 'ulimit -u')}or pids.max of the container or control group",
    }[what]
    few = "not enough memory" if what == _MEMORY else f"too few {what} are allowed"
    return OutOfResources(f"{few}, which says nothing about the data: raise {advice}")


def _limit(which: int, option: str, unit: int = 1, unit_name: str = "") -> str:
    soft = resource.getrlimit(which)[0]
    return "" if soft in (-1, resource.RLIM_INFINITY) else f"{option} (now {soft // unit:,}{unit_name}), "


def memory_in_use() -> int:
    """Bytes of address space that this process has; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  (the child that uses it loads little)
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0
