"""A job in a process of its own: publish, write, verify, measure, and say what came of it.

Run by :mod:`shoal.study.running` as ``python -m shoal.study.job_process ENTRY``, with the entry of a method as JSON. It
loads the method's kernels first; if any had to be compiled, it starts again, so that the memory of the compiler is not
counted. Then it reads the job as a line of JSON and the original as a stream from standard input, and writes lines of
JSON to standard output: how far it is, and at the end the outcome. It lives no longer than standard input is open:
whoever started it may die, and nothing of it stays.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from shoal import pipeline
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import EmptyRelease, Infeasible, InputError, InternalError
from shoal.measuring.metric import Metric
from shoal.methods import METHODS, Method
from shoal.pipeline.measuring import measure
from shoal.pipeline.verifying import OTHER_RELEASES
from shoal.release import Release
from shoal.shapes import SHAPES
from shoal.study.original import Original, receive
from shoal.study.outcome import Costs, Job, Measuring, Outcome

Progress = Callable[[str, int, int], None]
# Seconds between two reports of one stage.
_PAUSE = 0.05
_INTERRUPTED = 130


def do(
    job: Job,
    original: Original,
    measuring: Measuring,
    folder: Path,
    mark: str | None = None,
    tell: Progress | None = None,
) -> Outcome:
    """Publish, write, verify and measure; whatever goes wrong is the outcome.

    Args:
        job: the method and its settings.
        original: what is to be published.
        measuring: how to measure.
        folder: where the release is to be written.
        mark: if it is to be marked as not to be published, why.
        tell: called with (stage, done, total).

    Returns:
        What came of it. The release is in the folder if it is done.
    """
    method = METHODS[job.method]
    step = tell or _silent
    try:
        before = _peak_memory(from_now=True)
        started = time.process_time()
        try:
            release = method.make(original, job.settings, step)
        except InputError as error:  # what the method lacks in these data: the request itself was checked before
            return Outcome(job, "impossible", str(error))
        seconds, peak = time.process_time() - started, _peak_memory()
        pipeline.write(release, folder, mark=mark, progress=step)
        started = time.process_time()
        verdict = pipeline.verify(
            folder, original=original.data, **_evidence(release, original), trusted=True, progress=step
        )
        audit = time.process_time() - started
        size = sum(path.stat().st_size for path in folder.iterdir())
        done = Outcome(
            job,
            "done",
            promises=tuple(promise.words for promise in release.promises),
            not_promised=tuple(dict.fromkeys(text for promise in release.promises for text in promise.not_promised)),
            checks=len(verdict.checks),
            failures=tuple(str(check) for check in verdict.failures),
            left_out=tuple(str(entry) for entry in verdict.left_out if entry.name != OTHER_RELEASES),
            costs=Costs(seconds, audit, peak, before, size),
        )
        try:
            return replace(done, metrics=_measure(original, release, measuring, step))
        except (InputError, Infeasible) as error:
            return replace(done, reason=f"not measured: {error}")
    except EmptyRelease as error:
        return Outcome(job, error.kind, error.reason)
    except Infeasible as error:
        return Outcome(job, "impossible", str(error))
    except InputError as error:
        return Outcome(job, "failed", str(error))
    except MemoryError:
        return Outcome(job, "failed", "not enough memory for these data on this machine")
    except Exception as error:  # noqa: BLE001  (the last line of defence: the other jobs go on)
        traceback.print_exc()
        said = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
        return Outcome(job, "failed", f"a bug in Shoal: {said}", bug=True)


def _evidence(release: Release, original: Original) -> dict[str, Any]:
    """What a release was generalized with, without which it cannot be compared with the original."""
    shape = SHAPES[release.shape]
    needed = shape.evidence & shape.measured_by & {"hierarchy", "hierarchies"}
    return {name: getattr(original, name) for name in needed}


def _measure(original: Original, release: Release, measuring: Measuring, step: Progress) -> tuple[Metric, ...]:
    options = _evidence(release, original)
    if SHAPES[release.shape].data == "baskets":
        options |= {"common": True, "hierarchy": original.hierarchy, "top": measuring.top}
    return measure(
        original.data, release, min_support=measuring.min_support, seed=measuring.seed, progress=step, **options
    ).metrics


def _warm_up(method: Method, step: Progress) -> bool:
    """Publish a few made-up records: loading kernels is no part of what a method costs; whether any was compiled."""
    few: Transactions | Table
    if method.about == "baskets":
        few = Transactions.from_records([["a", "b"], ["a", "b", "c"]] * 4)
    else:
        import pyarrow as pa

        rows = pa.table({"q": [1, 2, 3, 4] * 4, "s": [*"abcd"] * 4})
        few = Table.from_arrow(rows, quasi="q", sensitive="s")
    few_settings = {"k": 2, "m": 2, "l": 2, "sensitive": ["c"]}
    compiled = []

    def compiling_only(stage: str, done: int, total: int) -> None:
        if stage == "compile":
            compiled.append(stage)
            step(stage, done, total)

    step("load", 0, 1)
    with contextlib.suppress(InputError, Infeasible):  # what was to be loaded is loaded
        method.make(Original.of(few), method.settings(few_settings), compiling_only)
    step("load", 1, 1)
    return bool(compiled)


def _peak_memory(*, from_now: bool = False) -> int:
    """The most memory that this process had, in bytes: ever, or since it was asked for the first time.

    Not what getrusage says where there is something better: on Linux that begins with the peak of the parent, which
    holds the original, too. ``from_now`` forgets what compiling took, where the system allows that.
    """
    if from_now:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # proc(5): reset the peak
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report progress to nobody."""


class _Lines:
    """Standard output as lines of JSON; whatever else prints goes to standard error, and garbles nothing."""

    def __init__(self) -> None:
        self._out: TextIO = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        self._last = ("", 0.0)

    def progress(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        last, at = self._last
        if stage == last and done < total and now - at < _PAUSE:
            return
        self._last = (stage, now)
        self._say({"progress": [stage, done, total]})

    def outcome(self, outcome: Outcome) -> None:
        self._say({"outcome": outcome.as_dict()})

    def give_back(self) -> None:
        """Make standard output what it was."""
        os.dup2(self._out.fileno(), sys.stdout.fileno())

    def _say(self, message: dict[str, Any]) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()


def _end_with(descriptor: int, private: Path) -> None:
    """Wait until standard input is closed, which is when nobody waits for the outcome any more, and leave nothing."""
    while os.read(descriptor, 1 << 16):
        pass
    for _ in range(100):  # another thread may be writing there
        shutil.rmtree(private, ignore_errors=True)
        if not private.exists():
            break
        time.sleep(0.01)
    os._exit(_INTERRUPTED)


def main() -> None:
    """Do the job that standard input describes."""
    lines = _Lines()
    entry, *again = sys.argv[1:]
    method = Method.from_dict(json.loads(entry))
    METHODS[method.name] = method  # it may have been added to the list by whoever asks
    if _warm_up(method, lines.progress) and not again:
        lines.give_back()
        # Once: where nothing can be cached, it would be compiled again and again.
        os.execv(sys.executable, [*sys.orig_argv, "again"])  # noqa: S606  (this very program)
    source = sys.stdin.buffer
    asked = json.loads(source.readline())
    original = receive(source)
    private = Path(asked["private"])
    threading.Thread(target=_end_with, args=(source.fileno(), private), daemon=True).start()
    outcome = do(
        Job(**asked["job"]),
        original,
        Measuring(**asked["measuring"]),
        private / asked["name"],
        asked["mark"],
        lines.progress,
    )
    lines.outcome(outcome)


if __name__ == "__main__":
    main()
