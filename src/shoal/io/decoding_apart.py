"""Decode files of an untrusted release in a separate process, which they may crash, but not escape.

A Parquet library is much code in a memory-unsafe language, and a footer or a page can make it abort or use all memory.
So it runs in :mod:`shoal.io.decoding_process`, with three pipes as its only descriptors, no environment, little memory
and CPU time. It returns plain buffers of known types; each is checked as untrusted data. If the child dies, the cause
is determined: the files, or a lack of resources.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from shoal.errors import DamagedRelease, InputError, InternalError, OutOfResources, ShoalError
from shoal.io.part_decoding import Wanted, as_codes
from shoal.io.raw_arrays import Garbled, unpack
from shoal.quoting import VARIABLE, said_by, shown
from shoal.resources import lacking_in_words, out_of_memory, told_apart

_PATIENCE = 600
"""Seconds to wait for output; the child's own limit is CPU time, which does not depend on how busy the machine is."""
_PIPE = 2**20
_MOST_LINE = 2**24
_MOST_SAID = 2**14
_STOPPED = {signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT}
# Variables that the loader of shared libraries needs to find libraries in unusual places.
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
_START = """
import sys
sys.path += {places!r}
for name in ("numpy", "cloudpickle", "pyarrow._s3fs", "pyarrow._gcsfs", "pyarrow._azurefs", "pyarrow._hdfs"):
    sys.modules[name] = None  # Arrow does without, and half of the start is saved
from shoal.io.decoding_process import main
main()
"""


class TooLarge(Exception):  # noqa: N818  (what it says is a number)
    """Decoding would need more memory than is available."""

    def __init__(self, needed: int) -> None:
        super().__init__(needed)
        self.needed = needed


def decode_apart(raws: Sequence[bytes], wanted: Sequence[Wanted], memory: int) -> Iterator[tuple[int, pa.Table]]:
    """The row groups of files, each with the number of its file; words are codes, and only sizes are checked.

    Args:
        raws: the bytes of the files.
        wanted: what they must hold.
        memory: the available bytes.

    Raises:
        DamagedRelease: the files are not as required, or crashed the process that decodes them.
        TooLarge: they need more memory than there is.
        OutOfResources: the process did not get what it needs from this machine.
        InputError: there is no Python to start it with.
    """
    kinds = [as_codes(of.schema) for of in wanted]
    files = [
        {
            "shown": of.shown,
            "manifest": of.manifest,
            "schema": base64.b64encode(of.schema.serialize()).decode(),
            "rows": of.rows,
            "size": len(raw),
        }
        for raw, of in zip(raws, wanted, strict=True)
    ]
    order = json.dumps({"memory": memory, "files": files}).encode() + b"\n"
    with told_apart(), _Child([of.shown for of in wanted]) as child:
        try:
            child.send([order, *raws])
            del raws
            needed = 0
            while "end" not in (message := child.message()):
                if "part" not in message:
                    needed = message.get("needs", needed)
                    continue
                number = message["part"]
                yield number, _table(message, kinds[number], child, needed)
        except ShoalError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise DamagedRelease(f"{child.where}: decoding it did not give a table: {said_by(error)}") from None


def _table(message: dict[str, Any], schema: pa.Schema, child: _Child, needed: int) -> pa.Table:
    columns = []
    rows = message["rows"]
    for field, chunks in zip(schema, message["columns"], strict=True):
        arrays = [unpack(header, field.type, lambda size: child.exactly(size, needed)) for header in chunks]
        if sum(map(len, arrays)) != rows:
            raise Garbled("columns of different lengths")
        columns.append(pa.chunked_array(arrays, field.type))
    return pa.table(columns, schema=schema)


class _Child:
    """The decoding process, and the messages to and from it."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        self.where = files[0]
        """The file that it is decoding."""
        self._left = b""
        self._said = b""
        self._taken = 0
        self._ready = False
        self._own = {"memory": False, "time": False}
        self._process = _start()
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._in, self._out, self._err = (
            stream.fileno() for stream in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        # Not the system's newer ways to wait, which take a descriptor each.
        self._waiting = selectors.PollSelector() if hasattr(selectors, "PollSelector") else selectors.SelectSelector()
        self._waiting.register(self._err, selectors.EVENT_READ)
        os.set_blocking(self._in, False)
        for pipe in (self._in, self._out):
            with contextlib.suppress(AttributeError, OSError):  # if pipes can be wider, they are read in fewer steps
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._waiting.close()
        if self._process.poll() is None:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream and not stream.closed:
                stream.close()
        self._process.wait()

    def send(self, parts: Sequence[bytes]) -> None:
        """Send all input; if the process dies meanwhile, :meth:`message` reports why."""
        try:
            for part in parts:
                view = memoryview(part)
                while view:
                    self._wait(self._in, selectors.EVENT_WRITE)
                    view = view[os.write(self._in, view) :]
        except BrokenPipeError:
            pass
        assert self._process.stdin
        self._process.stdin.close()

    def message(self) -> dict[str, Any]:
        """The next message from the process.

        Raises:
            ShoalError: it refuses, or is dead.
        """
        while b"\n" not in self._left:
            if len(self._left) > _MOST_LINE:
                raise Garbled("a line without an end")
            self._wait(self._out, selectors.EVENT_READ)
            more = os.read(self._out, 1 << 16)
            if not more:
                raise self._death()
            self._left += more
        line, _, self._left = self._left.partition(b"\n")
        message = json.loads(line)
        self._ready |= "ready" in message
        self._own = message.get("own", self._own)
        if "at" in message:
            self.where = self._files[message["at"]]
        if "refused" in message:
            raise DamagedRelease(str(message["refused"]))
        if "large" in message:
            raise TooLarge(int(message["large"]))
        if "memory" in message:
            raise self._too_much() if message["memory"] is True else out_of_memory()
        return dict(message)

    def exactly(self, size: int, most: int) -> pa.Buffer:
        """The next ``n`` bytes, if the total is no more than the process announced."""
        self._taken += size
        if self._taken > most:
            raise Garbled("more than was announced")
        target = bytearray(size)
        view = memoryview(target)
        at = min(size, len(self._left))
        view[:at], self._left = self._left[:at], self._left[at:]
        while at < size:
            self._wait(self._out, selectors.EVENT_READ)
            count = os.readv(self._out, [view[at:]])
            if not count:
                raise self._death()
            at += count
        return pa.py_buffer(target)

    def _wait(self, descriptor: int, event: int) -> None:
        """Wait until a pipe is ready; meanwhile collect error output."""
        self._waiting.register(descriptor, event)
        end = time.monotonic() + _PATIENCE
        try:
            while True:
                ready = {key.fd for key, _ in self._waiting.select(max(end - time.monotonic(), 0))}
                if not ready:
                    raise OutOfResources(
                        f"{self.where}: the process that decodes it was silent for {_PATIENCE} s: this says nothing "
                        "about the release. Is the machine busy, or the process stopped? Try again."
                    )
                if self._err in ready and not self._hear():
                    self._waiting.unregister(self._err)
                if descriptor in ready:
                    return
        finally:
            self._waiting.unregister(descriptor)

    def _hear(self) -> bool:
        more = os.read(self._err, 1 << 12)
        self._said = (self._said + more)[-_MOST_SAID:]
        return bool(more)

    def _death(self) -> ShoalError:
        """Why it died: because of the files, a lack of resources, or a bug in Shoal."""
        while self._hear():
            pass
        code = self._process.wait()
        said = self._said.decode(errors="replace").strip()
        lacking = lacking_in_words(said)
        if not self._ready:
            return lacking or InputError(
                f"the process that decodes the files of a release could not start ({sys.executable}: {code}): "
                f"{shown((said.splitlines() or [said])[-1])}"
            )
        ended = f"{self.where}: decoding it crashed the process that did so"
        if code > 0:
            return lacking or InternalError(f"{ended}, with {code}:\n{said}")
        if code == 0 and not said and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
            return OutOfResources(f"{ended}, and the cause is unknown because this process ignores SIGCHLD: handle it")
        name = signal.Signals(-code).name if -code in set(signal.Signals) else "before it was complete"
        if -code == signal.SIGKILL:
            return OutOfResources(
                f"{ended} ({name}), most likely because memory ran out: this says nothing about the release. Raise the "
                "memory of the machine, or of the container or control group."
            )
        if -code in _STOPPED:
            return OutOfResources(f"{ended}: it received {name}, which says nothing about the release. Try again.")
        if -code == getattr(signal, "SIGXCPU", 0):
            if self._own.get("time") is True:
                return DamagedRelease(f"{ended}: it takes more CPU time than files of this size can need")
            return OutOfResources(f"{ended} (too little CPU time is allowed): raise ulimit -t")
        if lacking is not None:
            return self._too_much() if self._own.get("memory") is True else lacking
        if code and not said and self._own.get("memory") is not True:
            return out_of_memory()  # a library that did not check whether it got its memory
        why = said.splitlines()[-1].strip() if said else "without a message"
        return DamagedRelease(f"{ended} ({name}): {shown(why)}")

    def _too_much(self) -> DamagedRelease:
        return DamagedRelease(f"{self.where} needs more memory to decode than its pages declare")


def _start() -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):
        raise InputError(
            "files of a release are decoded in a separate process, and there is no Python to start it with "
            "(sys.executable names none): install Shoal as a Python package, or say that the folder is trusted if you "
            "made it yourself (trusted=True, --trusted)"
        )
    # Not all of site-packages: only what is needed, and after the standard library.
    places = [str(Path(__file__).resolve().parents[2]), str(Path(pa.__file__).resolve().parents[1])]
    environment = {name: os.environ[name] for name in (*_KEPT, VARIABLE) if name in os.environ}
    try:
        return subprocess.Popen(  # noqa: S603  (this very Python, with our own arguments)
            [sys.executable, "-I", "-S", "-c", _START.format(places=places)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            close_fds=True,
            cwd="/",
            env={**environment, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"},
        )
    except (FileNotFoundError, PermissionError) as error:
        raise InputError(
            f"files of a release are decoded in a separate process, which cannot be started: {error}"
        ) from None
