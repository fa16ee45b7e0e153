"""What the machine did not give is told apart from what is wrong with data, whatever a library calls it."""

from __future__ import annotations

import errno
import resource

import pyarrow as pa
import pytest

from shoal.errors import InputError, OutOfResources
from shoal.resources import lacking, lacking_in_words, told_apart

NO_LIMIT = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
MEMORY, FILES, PROCESSES = "not enough memory", "too few open files", "too few processes or threads"


def of_number(number: int) -> OSError:
    return OSError(number, "in the language of this machine")


LACKS = {
    "memory": (MemoryError(), MEMORY),
    "memory of Arrow": (pa.ArrowMemoryError("malloc of size 9 failed"), MEMORY),
    "memory by number": (of_number(errno.ENOMEM), MEMORY),
    "memory for a library": (ImportError("libx.so: failed to map segment from shared object"), MEMORY),
    "descriptors": (of_number(errno.EMFILE), FILES),
    "descriptors of the system": (of_number(errno.ENFILE), FILES),
    "descriptors in words": (pa.ArrowInvalid("x: Too many open files"), None),
    "descriptors for a library": (ImportError("libx.so: cannot open shared object file: Too many open files"), FILES),
    "processes": (of_number(errno.EAGAIN), PROCESSES),
    "threads": (RuntimeError("can't start new thread"), PROCESSES),
    "a stream that takes no more": (BlockingIOError(errno.EAGAIN, "full", 0), None),
    "no such file": (of_number(errno.ENOENT), None),
    "a full disk": (of_number(errno.ENOSPC), None),
    "a mistake": (ValueError("too many open files"), None),
}


@pytest.mark.parametrize("name", LACKS)
def test_a_lack_is_known_by_its_kind_number_or_words(name: str) -> None:
    error, said = LACKS[name]
    found = lacking(error)
    if said is None:
        assert found is None
        with pytest.raises(type(error)), told_apart():
            raise error
        return
    assert str(found).startswith(said)
    assert "says nothing about the data: raise " in str(found)
    with pytest.raises(OutOfResources) as caught, told_apart():
        raise error
    assert caught.value.exit_code == 2


def test_a_lack_behind_another_error_is_found_and_circles_end() -> None:
    outer, inner = ValueError("no table"), MemoryError()
    outer.__cause__ = inner
    inner.__context__ = outer
    assert str(lacking(outer)).startswith(MEMORY)
    with pytest.raises(InputError, match=r"^ours$"), told_apart():
        raise InputError("ours") from MemoryError()  # what is said on purpose stays


@pytest.mark.parametrize(
    ("limit", "option", "error"),
    [
        ("RLIMIT_AS", "ulimit -v (now 4,194,304 kB)", MemoryError()),
        ("RLIMIT_NOFILE", "ulimit -n (now 4,294,967,296)", of_number(errno.EMFILE)),
        ("RLIMIT_NPROC", "ulimit -u (now 4,294,967,296)", of_number(errno.EAGAIN)),
    ],
)
def test_the_limit_that_holds_is_what_to_raise(
    monkeypatch: pytest.MonkeyPatch, limit: str, option: str, error: BaseException
) -> None:
    which = getattr(resource, limit)
    monkeypatch.setattr(resource, "getrlimit", lambda asked: (2**32, 2**32) if asked == which else NO_LIMIT)
    assert f"raise {option}, or " in str(lacking(error)).replace("the memory of the machine", "or the memory")
    monkeypatch.setattr(resource, "getrlimit", lambda _: NO_LIMIT)
    assert "ulimit" not in str(lacking(error))


def test_what_fails_without_a_word_is_a_lack_where_address_space_is_scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    error = SystemError("error return without exception set")
    for limits, found in ((NO_LIMIT, False), ((2**26, 2**26), True), ((2**60, 2**60), False)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limits=limits: limits)
        assert (lacking(error) is not None) == found


def test_last_words_of_a_process() -> None:
    for said in ("terminate called: std::bad_alloc", "Traceback\nMemoryError", "x: Cannot allocate memory"):
        assert str(lacking_in_words(said)).startswith(MEMORY)
    assert lacking_in_words("no page") is None
