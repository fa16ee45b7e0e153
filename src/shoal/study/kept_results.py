"""The folder of a study: the request, and outcomes as they come, so that an interrupted study resumes.

It holds numbers about the original that no promise covers: internal, not for publication. A job whose outcome is there
is not repeated; another request is refused or, with ``force``, starts anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.atomic.files import OWNER_ONLY, atomic_file
from shoal.errors import InputError
from shoal.study.outcome import Outcome
from shoal.study.running import PRIVATE

RESULTS, RELEASES, README = "results", "releases", "README.txt"
WARNING = "DO-NOT-PUBLISH.txt"
MARK = (
    "one of several releases of the same people, made to compare methods: anyone who holds two of them learns more "
    "than any of them promises to hide. Choose a method, delete these, and publish anew."
)
_ABOUT = (
    "Numbers about the original, kept by Shoal while methods are compared. Internal, not for publication: no promise "
    "covers them.\n"
)


@dataclass(frozen=True)
class KeptResults:
    """Outcomes of a study on disk; without a folder nothing is kept."""

    folder: Path | None

    def outcome(self, label: str) -> Outcome | None:
        """The saved outcome of a job, if there is one."""
        if self.folder is None:
            return None
        try:
            return Outcome.from_dict(json.loads((self.folder / RESULTS / f"{label}.json").read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # missing, or not ours: the job is repeated

    def keep(self, outcome: Outcome) -> None:
        """Save the outcome of a job, if repeating the job would give the same outcome."""
        if self.folder is not None and outcome.lasting:
            _write(self.folder / RESULTS / f"{outcome.job.label}.json", outcome.as_dict())

    def release(self, label: str) -> Path:
        """The folder for a release that is kept, and marked as not to be published."""
        assert self.folder is not None
        releases = self.folder / RELEASES
        releases.mkdir(mode=0o700, exist_ok=True)
        if not (releases / WARNING).exists():
            _write_text(releases / WARNING, f"Do not publish these folders: each is {MARK}\n")
        return releases / label


@contextlib.contextmanager
def results_in(
    folder: str | os.PathLike[str] | None, name: str, request: Mapping[str, Any], *, force: bool = False
) -> Iterator[KeptResults]:
    """The results of a study, new or resumed; the folder is locked meanwhile.

    Args:
        folder: where they are; with None nothing is kept.
        name: the kind of study: the name of the file that holds the request.
        request: everything that outcomes depend on, as plain values.
        force: delete the results of another request.

    Raises:
        InputError: the folder is something else, holds the results of another request, or is in use.
    """
    if folder is None:
        yield KeptResults(None)
        return
    target = Path(folder).absolute()
    try:
        made = _make(target, name)
        with _alone(target):
            _go_on(target, name, request, made=made, force=force)
            yield KeptResults(target)
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from None


def asked_before(folder: str | os.PathLike[str] | None, name: str) -> Mapping[str, Any]:
    """The request of a folder, if it can be read; else an empty one."""
    if folder is None:
        return {}
    try:
        found = json.loads((Path(folder) / f"{name}.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def seed_again(given: object, before: object) -> int:
    """The given seed, or that of a resumed run, or a new one."""
    for seed in (given, before):
        if isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0:
            return seed
    return secrets.randbits(64)


def _make(target: Path, name: str) -> bool:
    """Make the folder if it does not exist, and refuse one that is something else; returns whether it is new."""
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}; make it first")
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} exists already and is a file; choose another name")
    if target.exists() and any(not path.name.startswith(".") for path in target.iterdir()):
        if not (target / f"{name}.json").is_file():
            raise InputError(f"{target} exists already and holds no {name}; choose another name")
        return False
    target.mkdir(mode=0o700, exist_ok=True)
    return True


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[None]:
    handle = os.open(target, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{target} is in use by another run: wait for it, or choose another name") from None
        yield
    finally:
        os.close(handle)


def _go_on(target: Path, name: str, request: Mapping[str, Any], *, made: bool, force: bool) -> None:
    """Make sure that the folder is for this request, and delete what a killed run left in it."""
    for left in target.glob(f"{PRIVATE}*"):
        shutil.rmtree(left, ignore_errors=True)
    path = target / f"{name}.json"
    wanted = json.loads(json.dumps(request))
    if not made:
        different = _difference(path, wanted)
        if different and not force:
            raise InputError(
                f"{target} holds the {name} of another request ({different}): choose another name, or --force to "
                "replace it"
            )
        if different:
            # Before the new request is written: results of another request must never pass for results of this one.
            for old in (target / RESULTS, target / RELEASES):
                if old.exists():
                    shutil.rmtree(old)
    # The request first: a run that is killed here must recognize its own folder again.
    _write(path, wanted)
    _write_text(target / README, _ABOUT)
    (target / RESULTS).mkdir(mode=0o700, exist_ok=True)


def _difference(path: Path, wanted: Mapping[str, Any]) -> str:
    """The differences between the request of a folder and this one; empty if they are the same."""
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return "it cannot be read"
    if not isinstance(found, dict):
        return "it cannot be read"
    differing = [key for key in {**found, **wanted} if found.get(key) != wanted.get(key)]
    return f"it differs in {', '.join(differing)}" if differing else ""


def _write(path: Path, value: Mapping[str, Any]) -> None:
    _write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _write_text(path: Path, text: str) -> None:
    with atomic_file(path, OWNER_ONLY) as file:
        file.write(text.encode())
