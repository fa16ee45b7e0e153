"""Runs cases one after the other in one process, and says of each how it ended, in a line of JSON.

A case may take 20 seconds and 2 GB. What cannot be stopped from inside - a crash, a loop in compiled code - the runner
sees from outside.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case, Seeds, case, empty
from tests.fuzz.oracle.judge import judge

SECONDS = 20
SECONDS_OF_STUDIES = 120
_SECONDS_TO_JUDGE = 60
MEMORY = 2 << 30
_ROOM = 6 << 30
"""Address space: so much beyond what is there already, to protect the machine."""
_MOST_WRITTEN = 64 << 20
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\)", re.MULTILINE)


class TooLong(BaseException):
    """Twenty seconds are over."""


def run_case(
    number: int, seed: int, seeds: Seeds, place: Path, starting: Callable[[int], object] = lambda _seconds: None
) -> dict[str, Any]:
    """Make a case, run it, and say how it ended; ``wrong`` says why it is a failure, if it is one.

    ``starting`` is told how many seconds it may take.
    """
    home = place / "case"
    home.mkdir(mode=0o700, exist_ok=True)
    empty(home)
    used = _used()
    made = case(number, seed, seeds, home)
    os.chdir(home)
    began = time.monotonic()
    _reset_peak()
    limit = SECONDS_OF_STUDIES if made.slow else SECONDS
    starting(limit)
    code, said, late = _run(made, limit)
    seconds, peak = time.monotonic() - began, _peak()
    wrong = _wrong(code, said, late=late, peak=peak, quiet=not {"-q", "--quiet"}.isdisjoint(made.words))
    told: dict[str, Any] = {"kind": made.kind, "code": code, "seconds": round(seconds, 3), "words": made.words}
    starting(_SECONDS_TO_JUDGE)
    if code == 0 and made.words[:2] == ["verify", "release"]:
        judged = judge(home / "release")
        told["judged"] = "broken" if judged.broken else "undecided" if judged.undecided else "kept"
        if judged.broken:
            wrong = f"accepted, and broken: {judged.broken}"
    told["cpu"] = round(_used() - used, 4)
    if wrong:
        told.update(wrong=wrong, said=said[-3000:])
    return told


def _used() -> float:
    """Seconds of CPU, those of processes that have ended included."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _wrong(code: int | None, said: str, *, late: bool, peak: int, quiet: bool) -> str | None:
    if late:
        return "too long"
    if peak > MEMORY:
        return f"{peak >> 20} MB of memory"
    if code not in (0, 1, 2, 3):
        last = [line for line in said.strip().splitlines() if line and not line.startswith("error: this is a bug")]
        return f"exit {code}: {last[-1][:200] if last else ''}"
    if _TRACEBACK.search(said):
        return "a traceback"
    if code and not said.strip() and not (quiet and code == 1):  # a check says no, and was asked to say no more
        return f"exit {code} without a message"
    return None


def _run(made: Case, limit: int) -> tuple[int | None, str, bool]:
    """The exit code, all that was said, and whether it was stopped because it took too long."""
    from shoal.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    real = sys.stdin, sys.stdout, sys.stderr
    late, code = False, None
    with _trusting(made.trusted), Path(os.devnull).open() as nothing:
        sys.stdin, sys.stdout, sys.stderr = nothing, out, err
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            code = main.run(made.words)
        except TooLong:
            late = True
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 1
        except BaseException as error:  # noqa: BLE001  (whatever comes out is a failure)
            err.write(f"\n{type(error).__name__}: {error}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.stdin, sys.stdout, sys.stderr = real
    said = ""
    for stream in (out, err):
        try:
            stream.flush()
            said += stream.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]
        except ValueError:
            said += "(a stream was closed)"
    return code, said, late


@contextmanager
def _trusting(trusted: bool) -> Any:
    """All commands decode releases in this process, as ``--trusted`` lets ``verify`` do."""
    from shoal.io import release_folder

    functions = (release_folder.Opened.__init__, release_folder.open_release.__wrapped__, release_folder.read_release)  # type: ignore[attr-defined]
    before = [dict(function.__kwdefaults__) for function in functions]
    for function in functions:
        function.__kwdefaults__["trusted"] = trusted
    try:
        yield
    finally:
        for function, defaults in zip(functions, before, strict=True):
            function.__kwdefaults__.update(defaults)


def _reset_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The largest memory since the last reset, in bytes."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    return int(found[1]) << 10 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _make_commands_once() -> None:
    """Building a command takes as long as running it, and the same one parses any number of command lines."""
    from shoal.cli.commands import Commands

    make, made = Commands.get_command, dict[tuple[str | None, str], Any]()

    def once(self: Commands, context: Any, name: str) -> Any:
        if (self.name, name) not in made:
            made[self.name, name] = make(self, context, name)
        return made[self.name, name]

    setattr(Commands, "get_command", once)  # noqa: B010


def _stop(_signal: int, _frame: object) -> None:
    raise TooLong


def serve(seed: int, seeds_at: Path, place: Path) -> None:
    """Read numbers of cases from standard input, a first and an end a line, and run them."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    signal.signal(signal.SIGALRM, _stop)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + _ROOM, size + _ROOM))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_WRITTEN, _MOST_WRITTEN))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seeds = Seeds(seeds_at)
    _make_commands_once()
    for line in sys.stdin:
        first, end = map(int, line.split())
        for number in range(first, end):
            out.write(f"{number} {SECONDS}\n")
            try:
                told = run_case(number, seed, seeds, place, lambda limit, at=number: out.write(f"{at} {limit}\n"))
            except Exception as error:  # noqa: BLE001  (a mistake of the fuzzer is a failure, too)
                told = {"kind": "fuzzer", "code": None, "wrong": repr(error), "said": traceback.format_exc()}
            if "wrong" in told:  # the runner looks at it while the next case runs
                (place / "case").rename(place / f"failed-{number}")
            out.write(json.dumps({"number": number, **told}) + "\n")
        out.write("done\n")


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
