"""Deals cases to worker processes, starts those again that die, and counts how cases end."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_AT_ONCE = 100
_PATIENCE = 15
"""Seconds beyond those that a case may take before its process is ended from outside."""
_TO_START = 60
WORKER = (sys.executable, "-m", "tests.fuzz.worker")


@dataclass
class Tally:
    """How cases ended."""

    seed: int
    count: int = 0
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    judged: Counter[tuple[str, str]] = field(default_factory=Counter)
    cpu: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False
    slowest: tuple[float, int] = (0.0, -1)

    def add(self, told: dict[str, Any]) -> None:
        """Count a case."""
        self.count += 1
        code = "failed" if "wrong" in told else str(told["code"])
        self.codes[told["kind"], code] += 1
        self.cpu[told["kind"]] += told.get("cpu", 0)
        self.slowest = max(self.slowest, (told.get("seconds", 0.0), told["number"]))
        if "judged" in told:
            self.judged[told["kind"], told["judged"]] += 1
        if "wrong" in told:
            self.failures.append(told)

    def __str__(self) -> str:
        columns = ("0", "1", "2", "3", "failed")
        lines = [f"{'kind':<16}{'cases':>9}" + "".join(f"{name:>9}" for name in columns) + f"{'a CPU s':>10}"]
        kinds = sorted({kind for kind, _ in self.codes})
        for kind in [*kinds, "all"]:
            counts = [
                sum(n for (k, code), n in self.codes.items() if k == kind or kind == "all" if code == c)
                for c in columns
            ]
            seconds = self.cpu[kind] if kind != "all" else sum(self.cpu.values())
            rate = sum(counts) / seconds if seconds else 0
            lines.append(f"{kind:<16}{sum(counts):>9,}" + "".join(f"{n:>9,}" for n in counts) + f"{rate:>10,.0f}")
        judged = Counter[str]()
        for (_, how), number in self.judged.items():
            judged[how] += number
        said = ", ".join(f"{number:,} {how}" for how, number in sorted(judged.items()))
        lines.append(
            f"releases that verify accepted: {sum(judged.values()):,}; the oracle says of them: {said or 'nothing'}"
        )
        lines.append(f"the longest case took {self.slowest[0]:.1f} s (number {self.slowest[1]})")
        return "\n".join(lines)


class _Worker:
    """A process that runs cases, and what it is at."""

    def __init__(self, seed: int, seeds: Path, place: Path, command: Sequence[str]) -> None:
        self.place = place
        place.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [*command, str(seed), str(seeds), str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdout
        assert self.process.stderr
        os.set_blocking(self.process.stderr.fileno(), False)
        self.left = b""
        self.errors = b""
        self.at: int | None = None
        self.limit = _TO_START
        self.end = 0
        self.heard = time.monotonic()

    def give(self, first: int, end: int) -> None:
        assert self.process.stdin
        self.at, self.end, self.heard, self.limit = None, end, time.monotonic(), _TO_START
        self.first = first
        self.process.stdin.write(f"{first} {end}\n".encode())
        self.process.stdin.flush()

    def hear(self) -> list[str]:
        assert self.process.stdout
        more = os.read(self.process.stdout.fileno(), 1 << 16)
        assert self.process.stderr
        self.errors = (self.errors + (self.process.stderr.read() or b""))[-4000:]
        self.heard = time.monotonic()
        *lines, self.left = (self.left + more).split(b"\n")
        return [line.decode() for line in lines] if more else ["dead"]

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(OSError):
                    stream.close()


def run(
    seed: int,
    numbers: range,
    *,
    seeds: Path,
    place: Path,
    workers: int,
    patience: float = _PATIENCE,
    told: Callable[[Tally], None] = lambda _tally: None,
    keep: Callable[[dict[str, Any], Path], None] = lambda _told, _case: None,
    command: Sequence[str] = WORKER,
) -> Tally:
    """Run all cases of these numbers.

    Args:
        seed: what all cases follow from, with their numbers.
        numbers: those of the cases.
        seeds: where seeds are.
        place: a folder for cases.
        workers: how many processes run them.
        patience: how many seconds beyond its own a case may take before its process is ended.
        told: called after each piece of work.
        keep: called with each failure, and the folder of its case.
        command: what a worker is.

    Returns:
        What came out; Ctrl-C ends the run, and what came out so far is told all the same.
    """
    todo = deque((first, min(first + _AT_ONCE, numbers.stop)) for first in range(numbers.start, numbers.stop, _AT_ONCE))
    tally = Tally(seed)
    with selectors.DefaultSelector() as waiting:
        started = 0

        def start() -> None:
            nonlocal started
            worker = _Worker(seed, seeds, place / f"worker-{started}", command)
            started += 1
            assert worker.process.stdout
            waiting.register(worker.process.stdout, selectors.EVENT_READ, worker)
            worker.give(*todo.popleft())

        def stop(worker: _Worker) -> None:
            waiting.unregister(worker.process.stdout)  # type: ignore[arg-type]
            worker.kill()
            shutil.rmtree(worker.place, ignore_errors=True)

        def failed(worker: _Worker, why: str) -> None:
            number = worker.first if worker.at is None else worker.at
            result = {
                "number": number,
                "kind": "crash",
                "code": None,
                "wrong": why,
                "said": worker.errors.decode(errors="replace"),
            }
            tally.add(result)
            keep(result, worker.place / "case")
            if number + 1 < worker.end:
                todo.appendleft((number + 1, worker.end))
            stop(worker)

        try:
            while todo or waiting.get_map():
                while todo and len(waiting.get_map()) < workers:
                    start()
                for key, _ in waiting.select(1):
                    worker = key.data
                    for line in worker.hear():
                        if line == "dead":
                            code = worker.process.wait()
                            failed(worker, f"the process ended with {code}")
                        elif line == "done":
                            told(tally)
                            if todo:
                                worker.give(*todo.popleft())
                            else:
                                stop(worker)
                        elif line.startswith("{"):
                            result = json.loads(line)
                            tally.add(result)
                            worker.at = result["number"] + 1
                            if "wrong" in result:
                                keep(result, worker.place / f"failed-{result['number']}")
                        else:
                            worker.at, worker.limit = map(int, line.split())
                for key in list(waiting.get_map().values()):
                    if time.monotonic() - key.data.heard > key.data.limit + patience:
                        failed(key.data, f"silent for more than {key.data.limit + patience:.0f} s")
        except KeyboardInterrupt:
            tally.interrupted = True
        finally:
            for key in list(waiting.get_map().values()):
                stop(key.data)
    return tally
