"""Kill commands before each of their steps on disk, and in the middle of what they write.

A program of its own, ``python -m tests.running.killing``, with a list of jobs as JSON on standard input. It runs the
command of each in a copy of its folder ``before``, as often as it has steps, and leaves each copy in its folder
``ends`` as it was when the command was killed: ``step-000``, ``step-001``, ..., ``bytes-0``, ..., and ``whole``, where
it was not killed. Then it prints how each ended.

A step is an event of Python's own audit that changes a disk, in a path below the copy; libraries write files by
themselves, and are killed by the system (SIGXFSZ) where a file would get more than some number of bytes.

Everything is loaded once, and each run is a fork. The parent only waits: a process in which threads of Arrow's were
started must not fork.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.atomic import renames

_STEPS = ("os.rename", "os.link", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "os.truncate")
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_SECONDS = 300


@dataclass(frozen=True)
class Job:
    """A command, and when it is killed."""

    command: list[str]
    """Its words; {house} is the copy."""
    before: str
    ends: str
    first: int = 0
    every: int = 1
    """Killed before this step, and before each so many later."""
    most: int = 1_000
    """Before so many steps at most."""
    exchanging: bool = True
    """Whether the system can exchange two names in one step."""
    bytes: tuple[int, ...] = (0, 100)
    """Killed when a file would get more than so many bytes."""


def load_all() -> None:
    """Load whatever a command may load."""
    import shoal

    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not module.name.endswith(("__main__", "study.child")):
            importlib.import_module(module.name)


def before_step(number: int, house: Path) -> Callable[[], None]:
    """What kills a process before its step of this number, counted from 0."""
    left = [number]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        opened = event == "open" and isinstance(arguments[2], int) and arguments[2] & _TO_WRITE
        if (opened or event in _STEPS) and any(str(house) in where for where in _places(arguments)):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return lambda: sys.addaudithook(watch)


def _places(arguments: tuple[Any, ...]) -> list[str]:
    """The names that an event is about, and the folders that relative ones are in."""
    names = [os.fsdecode(one) for one in arguments if isinstance(one, str | bytes | os.PathLike)]
    folders = [one for one in arguments[1:] if isinstance(one, int) and one >= 0]
    for folder in folders:
        with contextlib.suppress(OSError):
            names.append(str(Path(f"/proc/self/fd/{folder}").readlink()))
    return names


def at_byte(number: int) -> Callable[[], None]:
    """What kills a process when a file would get more than so many bytes."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))

    return limit


def run(command: list[str], before: Path, house: Path, prepare: Callable[[], None]) -> int:
    """Run a command in a copy of a folder, in a process of its own; how that ended, as the system tells it."""
    shutil.copytree(before, house)
    process = os.fork()
    if process == 0:
        code = 99
        try:
            signal.alarm(_SECONDS)
            said = os.open(house.with_suffix(".said"), os.O_WRONLY | os.O_CREAT)
            os.dup2(said, 1)
            os.dup2(said, 2)
            os.chdir(house)
            os.environ["TMPDIR"] = str(house)
            from shoal.cli.main import run as shoal

            prepare()
            code = shoal([word.format(house=house) for word in command])
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    for _ in range(100 * _SECONDS):  # processes that it started clean up when it is gone
        if not _somebody_works_in(house):
            return ended
        time.sleep(0.01)
    raise TimeoutError(house)


def _somebody_works_in(house: Path) -> bool:
    for process in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it has ended
            if process.readlink() == house:
                return True
    return False


def kill(job: Job) -> dict[str, int]:
    """Kill a command again and again: how each run ended, by the name of its copy."""
    ended: dict[str, int] = {}

    def again(name: str, kill_it: Callable[[], None]) -> bool:
        def prepare() -> None:
            if not job.exchanging:
                renames._system_call = lambda: None
            kill_it()

        ended[name] = run(job.command, Path(job.before), Path(job.ends) / name, prepare)
        return ended[name] == -signal.SIGKILL

    again("whole", lambda: None)
    for number in job.bytes:
        again(f"bytes-{number}", at_byte(number))
    for step in range(job.first, job.first + job.most * job.every, job.every):
        name = f"step-{step:03}"
        if not again(name, before_step(step, Path(job.ends) / name)):
            break
    return ended


def main() -> None:
    """Do what standard input says."""
    load_all()
    jobs = [Job(**asked) for asked in json.loads(sys.stdin.read())]
    print(json.dumps([kill(job) for job in jobs]))


if __name__ == "__main__":
    main()
