"""The separate process that decodes the files of an untrusted release, and that only they can crash.

:mod:`shoal.io.decoding_apart` starts it, with pipes as its only descriptors. It limits itself before it reads its
input, and lets its memory grow only as far as the pages of the files say that they need. It returns lines of JSON, each
followed by the plain buffers of one row group; the receiver does not trust them.
"""

from __future__ import annotations

import base64
import contextlib
import json
import mmap
import os
import resource
import signal
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import pyarrow as pa

from shoal.errors import DamagedRelease
from shoal.io.part_decoding import Wanted, decode, open_part
from shoal.io.raw_arrays import pack
from shoal.resources import memory_in_use

# Memory for decoding besides the data: the allocator's reserves, and footers, which expand to many times their size.
_SLACK = 2**28
_FOOTERS = 2**29
_A_FOOTER_BYTE = 16
_FILES = 16
# Seconds of CPU, and bytes decoded in one second: both are fifty times what a current machine needs.
_SECONDS = 30
_BYTES_A_SECOND = 20_000_000


class _Limits:
    """Limits of memory and CPU time that grow with the known sizes of the files, never beyond earlier limits."""

    def __init__(self, memory: int) -> None:
        self._inherited = {
            which: _lower(*resource.getrlimit(which)) for which in (resource.RLIMIT_AS, resource.RLIMIT_CPU)
        }
        self._start = memory_in_use()
        self._most = self._start + _SLACK + _FOOTERS + memory
        for which, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, _FILES)):
            _limit(which, most, most)

    def allow(self, memory: int, work: int) -> None:
        """Allow this much memory in addition to that at the start, and the time to decode this many bytes."""
        self.memory = min(self._start + _SLACK + memory, self._most)
        _limit(resource.RLIMIT_AS, _lower(self.memory, self._inherited[resource.RLIMIT_AS]), self._most)
        self._seconds = _SECONDS + work // _BYTES_A_SECOND
        _limit(resource.RLIMIT_CPU, _lower(self._seconds, self._inherited[resource.RLIMIT_CPU]), resource.RLIM_INFINITY)

    def own(self) -> dict[str, bool]:
        """Whether our own limits apply, and not lower ones of the machine."""
        memory, time = self._inherited[resource.RLIMIT_AS], self._inherited[resource.RLIMIT_CPU]
        return {"memory": _lower(self.memory, memory) != memory, "time": _lower(self._seconds, time) != time}

    def reached(self) -> bool:
        """Whether our own limit of memory was the obstacle: the machine would give all of it."""
        if not self.own()["memory"]:
            return False
        try:
            mmap.mmap(-1, max(self.memory - memory_in_use() - mmap.PAGESIZE, mmap.PAGESIZE)).close()
        except (OSError, MemoryError):
            return False
        return True


def _limit(which: int, soft: int, hard: int) -> None:
    before = resource.getrlimit(which)[1]
    with contextlib.suppress(ValueError, OSError):  # not every system has every limit
        resource.setrlimit(which, (_lower(soft, before), _lower(hard, before)))


def _lower(one: int, other: int) -> int:
    """The lower of two limits."""
    if resource.RLIM_INFINITY in (one, other):
        return other if one == resource.RLIM_INFINITY else one
    return min(one, other)


def main() -> None:
    """Decode what standard input holds, and write the row groups to standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends it
    with open(0, "rb", closefd=False) as source, open(1, "wb", closefd=False) as out:

        def say(message: dict[str, Any], buffers: Sequence[pa.Buffer] = ()) -> None:
            out.write(json.dumps(message).encode() + b"\n")
            for buffer in buffers:
                out.write(memoryview(buffer))
            if not buffers:
                out.flush()

        say({"ready": True})
        try:
            _decode(source, say)
        except DamagedRelease as damage:
            say({"refused": str(damage)})
    os._exit(0)  # nothing is left to do, and a normal exit takes time


def _decode(source: BinaryIO, say: Callable[..., None]) -> None:
    order = json.loads(source.readline())
    memory = order["memory"]
    limits = _Limits(memory)

    def allow(wanted: int) -> None:
        limits.allow(wanted, wanted)
        say({"own": limits.own()})

    try:
        total = sum(file["size"] for file in order["files"])
        beside = _FOOTERS + (1 + _A_FOOTER_BYTE) * total
        allow(beside)
        wanted = [_wanted(file) for file in order["files"]]
        raws = [_read(source, file["size"]) for file in order["files"]]
        opened = []
        needed = 0
        for number, (raw, of) in enumerate(zip(raws, wanted, strict=True)):
            say({"at": number})
            file, more = open_part(raw, of)
            opened.append(file)
            needed += more
        if needed > memory:
            say({"large": needed})
            return
        allow(max(beside, total + needed))
        say({"needs": needed})
        at = -1
        for number, table in decode(opened, wanted, trusted=False):
            for at in range(at + 1, number + 1):  # noqa: B020
                say({"at": at})
            packed = [[pack(chunk) for chunk in column.chunks] for column in table.columns]
            headers = [[header for header, _ in chunks] for chunks in packed]
            buffers = [buffer for chunks in packed for _, those in chunks for buffer in those]
            say({"part": number, "rows": table.num_rows, "columns": headers}, buffers)
        say({"end": True})
    except MemoryError:
        say({"memory": limits.reached()})


def _wanted(file: dict[str, Any]) -> Wanted:
    schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(file["schema"])))
    return Wanted(file["shown"], file["manifest"], schema, file["rows"])


def _read(source: BinaryIO, size: int) -> pa.Buffer:
    raw = bytearray(size)
    view = memoryview(raw)
    at = 0
    while at < size:
        count = source.readinto(view[at:])  # type: ignore[attr-defined]
        if not count:
            os._exit(1)  # the parent process is gone
        at += count
    return pa.py_buffer(raw)
