"""Run a job in a child process: its time and memory are the method's own, and if it dies, only one job is lost.

The original is sent through a pipe, never written to disk. The release is written to a folder that only its owner can
enter, and that is always deleted at the end, unless it is to be kept.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from shoal.errors import InputError
from shoal.methods import METHODS, Method
from shoal.run import DEFAULT_RUN, Run
from shoal.study.original import Original, send
from shoal.study.outcome import Job, Measuring, Outcome

PRIVATE = ".unpublished-"
"""The prefix of folders that hold a release during its job; they are deleted after it."""
_RELEASE = "release"


def run_job(
    job: Job,
    original: Original,
    measuring: Measuring,
    *,
    place: Path | None = None,
    keep: Path | None = None,
    mark: str | None = None,
    run: Run = DEFAULT_RUN,
) -> Outcome:
    """Publish, write, verify and measure in a separate process.

    Args:
        job: the method and its settings.
        original: the data to publish.
        measuring: how to measure.
        place: the folder for the release during the job; by default the system's folder for temporary
            files.
        keep: where to keep the release, on the same disk; by default it is deleted.
        mark: the reason, if the release is to be marked as not to be published.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The outcome: a method that is impossible, and a process that died, are outcomes too.

    Raises:
        InputError: that place is not writable.
    """
    with _private(place) as private:
        outcome = _in_a_child(job, original, measuring, private, mark, run)
        if keep is not None and outcome.state == "done":
            shutil.rmtree(keep, ignore_errors=True)  # from a run that was killed before it saved the outcome
            (private / _RELEASE).rename(keep)
        return outcome


@contextlib.contextmanager
def _private(place: Path | None) -> Iterator[Path]:
    """A folder that only its owner can enter; always deleted at the end."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=PRIVATE, dir=place)).absolute()
    except OSError as error:
        raise InputError(f"cannot write in {place or tempfile.gettempdir()}: {error.strerror or error}") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _in_a_child(
    job: Job, original: Original, measuring: Measuring, private: Path, mark: str | None, run: Run
) -> Outcome:
    asked = {
        "job": job.as_dict(),
        "measuring": measuring.as_dict(),
        "private": str(private),
        "name": _RELEASE,
        "mark": mark,
    }
    with _child(METHODS[job.method]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError, pa.ArrowException):  # it died: its exit code says more
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            send(original, process.stdin)
        outcome = None
        for line in process.stdout:
            if not line.endswith(b"\n"):
                break  # it died while it was writing
            message = json.loads(line)
            if "outcome" in message:
                outcome = Outcome.from_dict(message["outcome"])
            else:
                run.report(*message["progress"])
        # Only then is its standard input closed, at which it would end and clean up.
        code = process.wait()
    return outcome or Outcome(job, "failed", _ended(code), bug=True)


@contextlib.contextmanager
def _child(method: Method) -> Iterator[subprocess.Popen[bytes]]:
    """A child process with this same Shoal; it ends with the block."""
    paths = [*_homes("shoal", method.publish), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Arrow's own allocator keeps freed memory, which would count as the method's.
    environment = {"ARROW_DEFAULT_MEMORY_POOL": "system", **os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    process = subprocess.Popen(  # noqa: S603  (our own interpreter, module and method, and no shell)
        # -P: no module of the working directory may replace one of ours.
        [sys.executable, "-P", "-X", "faulthandler", "-m", "shoal.study.job_process", json.dumps(method.as_dict())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,  # Ctrl-C reaches only us, and we end it
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # unread input
                pipe.close()


def _homes(*names: str) -> list[str]:
    """The package folders of code named as text; a method added by others may be anywhere."""
    specs = [importlib.util.find_spec(name.partition(":")[0].partition(".")[0]) for name in names]
    places = [place for spec in specs if spec for place in (spec.submodule_search_locations or [spec.origin or ""])]
    return list(dict.fromkeys(str(Path(place).parent) for place in places))


def _ended(code: int) -> str:
    if code >= 0:
        return f"its process ended with code {code} before it was done; see its output above"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
        hint = ", perhaps by the system for lack of memory" if name == "SIGKILL" else ""
        return f"its process was ended by {name}{hint}"
    return f"its process was ended by signal {-code}"
