"""The process that draws charts: one for all of them, started when the first chart is drawn.

It ends by itself when its caller has ended.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shoal.errors import InputError

_RESERVED = 100
"""GB of address space, found by trial: 64 are too few."""
_SECONDS = 1200.0
"""Wall-clock limit for one chart, because a busy machine may give it little time. CPU time is limited separately."""


class CannotDraw(InputError):  # noqa: N818  (what the reader of a report is told)
    """The drawing process did not start, or died: the machine lacks something; the chart is not at fault."""


class _Drawing:
    """The one process, if it is running."""

    process: subprocess.Popen[bytes] | None = None
    lock = threading.Lock()


def draw(kind: str, spec: dict[str, Any], version: str, scale: int = 1) -> bytes:
    """A picture, as "svg" or "png".

    Raises:
        CannotDraw: the process did not start, or died; the next chart gets a new one.
        RuntimeError: the picture cannot be drawn, because of an error in the specification.
    """
    asked = json.dumps({"kind": kind, "spec": json.dumps(spec), "version": version, "scale": scale})
    with _Drawing.lock:
        try:
            process = _Drawing.process = _Drawing.process or _start()
            said, drawn = _asked(process, asked.encode() + b"\n")
        except OSError as error:
            raise _refused(_why(error)) from None
        except BaseException:
            _end()  # an answer may still arrive, which would be taken for the next one
            raise
        if said == "lost":
            raise _refused(drawn.decode(errors="replace").splitlines()[-1])
    if said != "ok":
        raise RuntimeError(f"a chart cannot be drawn: {drawn.decode(errors='replace')}")
    return drawn


def _start() -> subprocess.Popen[bytes]:
    found = find_spec("vl_convert")
    assert found is not None
    assert found.origin is not None
    script = Path(__file__).with_name("renderer.py")
    return subprocess.Popen(  # noqa: S603  (our own interpreter and script, and no shell)
        # Load only what it is given, and nothing from the working directory.
        [sys.executable, "-I", "-S", str(script), str(Path(found.origin).parents[1])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # the engine's last message; we report it in other words
    )


def _asked(process: subprocess.Popen[bytes], line: bytes) -> tuple[str, bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    until = time.monotonic() + _SECONDS
    got = b""
    while b"\n" not in got:
        got += _more(process.stdout.fileno(), until)
    head, _, body = got.partition(b"\n")
    said, size = head.decode().split()
    parts, length = [body], len(body)
    while length < int(size):
        parts.append(_more(process.stdout.fileno(), until))
        length += len(parts[-1])
    return said, b"".join(parts)


def _more(pipe: int, until: float) -> bytes:
    if not select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
        raise TimeoutError(f"it took longer than {_SECONDS:.0f} s")
    more = os.read(pipe, 1 << 16)
    if not more:
        raise BrokenPipeError
    return more


def _why(error: OSError) -> str:
    """How the process ended."""
    process = _Drawing.process
    if process is None or not isinstance(error, BrokenPipeError):
        return error.strerror or str(error)
    try:
        code = process.wait(5)
    except subprocess.TimeoutExpired:
        return "it did not answer"
    if code >= 0:
        return f"it ended with code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"


def _refused(why: str) -> CannotDraw:
    _end()
    return CannotDraw(f"the process that draws charts failed: {why}. {_advice()}")


def _advice() -> str:
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return f"It needs memory, threads and file descriptors (ulimit -n, now {files:,}) as any program does."
    return (
        f"Address space is limited to {limit / 1e9:.1f} GB (ulimit -v), and the drawing engine reserves up to "
        f"{_RESERVED} GB without using them: raise the limit, or limit memory by a control group instead."
    )


def _end() -> None:
    process, _Drawing.process = _Drawing.process, None
    if process is not None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # unread input
                continue


atexit.register(_end)
