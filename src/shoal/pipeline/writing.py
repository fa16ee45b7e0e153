"""Write a release to a folder that appears only after it has been read back and verified.

Publishing fails closed. A release is staged in a hidden sibling folder that only its owner can enter, under a temporary
manifest name that no reader accepts; it is read back from disk and audited there; then it is moved into place, and the
renaming of its manifest is the one moment at which it becomes a release. A run that dies earlier leaves none.

With ``force`` the old release is first moved into a hidden sibling (``.NAME.old-*/NAME``), and deleted when the new one
stands. A run that is killed between the two (Ctrl-C waits for them) leaves the old release there, whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from shoal.audit.verdict import Verdict
from shoal.errors import Infeasible, InputError, InternalError
from shoal.io.manifest import MAX_MANIFEST_BYTES, require_outside_releases
from shoal.io.release_folder import MANIFEST, PART_NAMES, UNVERIFIED_MANIFEST, to_disk, write_release
from shoal.pipeline.verifying import Progress, audit, report
from shoal.promises import MatchingDiversity
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.manifest import FORMAT
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

_LESS_WORK = {
    Disassociated: "a smaller m or a smaller --max-cluster-size",
    Bucketized: "fewer rules: a higher --min-expectation or a smaller --max-attributes",
    Generalized: "fewer sensitive columns or a higher --support",
    Randomized: "fewer rows",
    GeneralizedBaskets: "a smaller m",
    NoisyBaskets: "a smaller hierarchy",
}


def write(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    mark: str | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Write a release to a new folder, read it back, verify it, and only then let it appear.

    Args:
        release: what a publishing method returned.
        folder: where it is to appear. Must not exist, or be empty, unless ``force`` is given.
        force: replace a release that is there already.
        mark: why this release must not be published, if so, as one of several of the same people: its manifest says it,
            and so does every verdict on it.
        progress: called with (stage, done, total).

    Returns:
        The auditor's verdict on what was written; it holds, or this function would have raised.

    Raises:
        InputError: the folder exists, or cannot be written; the rules that the promise speaks of are not at hand.
        Infeasible: what was written would take more work to verify than an audit may. Nothing was published.
        InternalError: what was written does not keep its promise. Nothing was published.
    """
    target = Path(folder).absolute()
    require_free(target, force=force)
    background = release.background if isinstance(release, Bucketized) else None
    if background is None and isinstance(release.promise, MatchingDiversity):
        raise InputError(
            f"cannot write {target}: the promise speaks of rules that are not at hand, as in a release that was read "
            "from a folder without them, so nobody could check it. Copy the folder, or publish again."
        )
    with _clear_errors(target), _staging(target) as staged:
        report(progress, "write", 0, 1)
        write_release(release, staged, manifest_name=UNVERIFIED_MANIFEST, mark=mark)
        report(progress, "write", 1, 1)
        verdict = audit(staged, UNVERIFIED_MANIFEST, progress, background=background)
        if verdict.failures and all(check.refused for check in verdict.failures):
            raise Infeasible(
                "Nothing was published: nobody could check the release with the work that an audit may take. Try "
                f"{_LESS_WORK[type(release)]}.\n{verdict.failures[0]}"
            )
        if not verdict.holds:
            raise InternalError(
                "Nothing was published: what Shoal made does not keep its own promise. This is a bug in Shoal; "
                f"please report it.\n{verdict}"
            )
        require_free(target, force=force)  # another run may have been faster
        _move_into_place(staged, target, force=force)
    return verdict


def require_free(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse a target that is inside of a release, or exists, unless it is an empty folder or a release to replace."""
    target = Path(folder).absolute()
    with _clear_errors(target):
        if not target.parent.is_dir():
            raise InputError(f"cannot write {target}: there is no folder {target.parent}; make it first")
        if not os.access(target.parent, os.W_OK | os.X_OK):  # better said now than after hours of work
            raise InputError(f"cannot write {target}: nothing may be written in {target.parent}")
        require_outside_releases(Path(folder), replacing=True)
        if not os.path.lexists(target):
            return
        if target.is_symlink():
            raise InputError(f"{target} is a link: name the folder that it leads to, or choose another name")
        if not target.is_dir():
            raise InputError(f"{target} exists already and is a file; choose another name for the release")
        if not any(target.iterdir()):
            return
        strange = _not_ours(target)
    if strange is None and force:
        return
    if strange is None:
        raise InputError(f"{target} exists already; choose another name, or --force to replace it")
    raise InputError(
        f"{target} exists already and {strange}" + (", so --force does not replace it" if force else "") + "; choose "
        "another name"
    )


def _not_ours(target: Path) -> str | None:
    """Why a folder may not be deleted: it must be a release, whole or damaged, and hold nothing else."""
    entries = {path.name for path in target.iterdir()}
    if not any(_is_manifest(target / name) for name in (MANIFEST, UNVERIFIED_MANIFEST)):
        return "is not a release"
    strange = sorted(entries - {MANIFEST, UNVERIFIED_MANIFEST, *PART_NAMES})
    return f"holds {strange[0]!r}, which is not part of a release" if strange else None


def _is_manifest(path: Path) -> bool:
    # Many programs keep a manifest.json: the name alone does not make a folder ours to delete.
    try:
        if not path.is_file() or path.stat().st_size > MAX_MANIFEST_BYTES:
            return False
        manifest = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT


@contextlib.contextmanager
def _clear_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # Arrow wraps the system's words in its own, over several lines.
        reason = os.strerror(error.errno) if error.errno else str(error).splitlines()[0]
        raise InputError(f"cannot write {target}: {reason}. Nothing was published.") from error


@contextlib.contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A folder beside the target that only its owner can enter; gone at the end, whatever happens."""
    staged = _sibling(target, "staging")
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _sibling(target: Path, what: str) -> Path:
    # Cut, because a name may be long already and the system allows it 255 bytes.
    return Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.{what}-", dir=target.parent))


def _move_into_place(staged: Path, target: Path, *, force: bool) -> None:
    """Move a verified folder to its name; ``force``: what was there is set aside, and put back if the move fails."""
    with _uninterrupted():
        aside = None
        if force and os.path.lexists(target):
            aside = _sibling(target, "old")
            target.rename(aside / target.name)
        moved = False
        try:
            staged.rename(target)  # fails over anything but an empty folder
            moved = True
            (target / UNVERIFIED_MANIFEST).rename(target / MANIFEST)
            target.chmod(0o777 & ~_umask())  # last, so that nobody else ever looks into anything but a release
            to_disk(target)
            to_disk(target.parent)
        except OSError:
            if moved:
                shutil.rmtree(target, ignore_errors=True)
            if aside:
                (aside / target.name).rename(target)
                aside.rmdir()
            raise
        if aside:
            shutil.rmtree(aside, ignore_errors=True)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the few renames that either all happen or none; a moment later there is nothing to stop."""
    before = signal.getsignal(signal.SIGINT)
    # Python interrupts the main thread only, and a handler that is not Python's cannot be put back.
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _umask() -> int:
    # It can only be read by setting it: for this instant other threads create private files, never open ones.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
