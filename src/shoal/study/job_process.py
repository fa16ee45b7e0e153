"""A job in its own process: publish, write, verify, measure, and report the outcome.

Run by :mod:`shoal.study.running` as ``python -m shoal.study.job_process ENTRY``, with the entry of a method as JSON. It
loads the method's kernels first; if any had to be compiled, it starts again, so that the memory of the compiler is not
counted. Then it reads the job as a line of JSON and the original as a stream from standard input, and writes lines of
JSON to standard output: its progress, and at the end the outcome. It ends when standard input is closed: if its
parent dies, nothing of it stays.
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
from shoal.release.evidence import Evidence
from shoal.run import Progress, Run, silent
from shoal.shapes import SHAPES
from shoal.study.original import Original, receive
from shoal.study.outcome import Costs, Job, Measuring, Outcome

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
    """Publish, write, verify and measure; failures become outcomes.

    Args:
        job: the method and its settings.
        original: the data to publish.
        measuring: how to measure.
        folder: where to write the release.
        mark: the reason, if the release is to be marked as not to be published.
        tell: called with (stage, done, total).

    Returns:
        The outcome. If the job is done, the release is in the folder.
    """
    method = METHODS[job.method]
    step = tell or silent
    try:
        before = _peak_memory(from_now=True)
        started = time.process_time()
        try:
            release = method.make(original, job.settings, Run(progress=step))
        except InputError as error:  # something is missing in these data: the request itself was checked before
            return Outcome(job, "impossible", str(error))
        seconds, peak = time.process_time() - started, _peak_memory()
        pipeline.write(release, folder, mark=mark, run=Run(progress=step))
        started = time.process_time()
        verdict = pipeline.verify(
            folder,
            Evidence(original=original.data, **_evidence(release, original)),
            trusted=True,
            run=Run(progress=step),
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
    """The hierarchies of the release, without which it cannot be compared with the original."""
    shape = SHAPES[release.shape]
    needed = shape.evidence & shape.measured_by & {"hierarchy", "hierarchies"}
    return {name: getattr(original, name) for name in needed}


def _measure(original: Original, release: Release, measuring: Measuring, step: Progress) -> tuple[Metric, ...]:
    options = _evidence(release, original)
    if SHAPES[release.shape].data == "baskets":
        options |= {"common": True, "hierarchy": original.hierarchy, "top": measuring.top}
    return measure(
        original.data,
        release,
        min_support=measuring.min_support,
        run=Run(progress=step, chance=measuring.seed),
        **options,
    ).metrics


def _warm_up(method: Method, step: Progress) -> bool:
    """Publish a few fake records to load the kernels, which are not counted as a cost; returns whether any compiled."""
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
    with contextlib.suppress(InputError, Infeasible):  # the kernels are loaded now
        method.make(Original.of(few), method.settings(few_settings), Run(progress=compiling_only))
    step("load", 1, 1)
    return bool(compiled)


def _peak_memory(*, from_now: bool = False) -> int:
    """The peak memory of this process, in bytes: since its start, or since the first call.

    Not from getrusage if there is something better: on Linux its value starts with the peak of the parent, which also
    holds the original. ``from_now`` leaves out the memory of compiling, where the system allows that.
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


class _Lines:
    """Standard output as lines of JSON; other output goes to standard error, so that it garbles nothing."""

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
        """Restore standard output."""
        os.dup2(self._out.fileno(), sys.stdout.fileno())

    def _say(self, message: dict[str, Any]) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()


def _end_with(descriptor: int, private: Path) -> None:
    """Wait until standard input is closed, which means that the parent no longer waits, then clean up and end."""
    while os.read(descriptor, 1 << 16):
        pass
    for _ in range(100):  # another thread may be writing there
        shutil.rmtree(private, ignore_errors=True)
        if not private.exists():
            break
        time.sleep(0.01)
    os._exit(_INTERRUPTED)


def main() -> None:
    """Do the job given on standard input."""
    lines = _Lines()
    entry, *again = sys.argv[1:]
    method = Method.from_dict(json.loads(entry))
    METHODS[method.name] = method  # the caller may have added it to the list
    if _warm_up(method, lines.progress) and not again:
        lines.give_back()
        # Only once: if nothing can be cached, it would compile again and again.
        os.execv(sys.executable, [*sys.orig_argv, "again"])  # noqa: S606  (this same program)
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
