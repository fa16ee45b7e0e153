"""From a release in memory to a folder that may leave the house, and from such a folder to a verdict.

Publishing fails closed. A release is staged in a hidden sibling folder that only its owner can enter, under a temporary
manifest name that no reader accepts; it is read back from disk and audited there; then it is moved into place, and the
renaming of its manifest is the one moment at which it becomes a release. A run that dies earlier leaves none.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from shoal.audit.disassociated import audit
from shoal.audit.verdict import Check, Verdict
from shoal.data.transactions import Transactions
from shoal.errors import DamagedRelease, InputError, InternalError
from shoal.io.release_folder import MANIFEST, UNVERIFIED_MANIFEST, read_release, write_release
from shoal.release.disassociated import Disassociated

Progress = Callable[[str, int, int], None]


def write(
    release: Disassociated, folder: str | os.PathLike[str], *, force: bool = False, progress: Progress | None = None
) -> Verdict:
    """Write a release to a new folder, read it back, verify it, and only then let it appear.

    Args:
        release: what a publishing method returned.
        folder: where it is to appear. Must not exist, or be empty, unless ``force`` is given.
        force: replace a release that is there already.
        progress: called with (stage, done, total).

    Returns:
        The auditor's verdict on what was written; it holds, or this function would have raised.

    Raises:
        InputError: the folder exists, or cannot be written.
        InternalError: what was written does not keep its promise. Nothing was published.
    """
    target = Path(folder).absolute()
    require_free(target, force=force)
    with _clear_errors(target), _staging(target) as staged:
        _report(progress, "write", 0, 1)
        write_release(release, staged, manifest_name=UNVERIFIED_MANIFEST)
        _report(progress, "write", 1, 1)
        verdict = _audit(staged, UNVERIFIED_MANIFEST, None, progress)
        if not verdict.holds:
            raise InternalError(
                "Nothing was published: what Shoal made does not keep its own promise. This is a bug in Shoal; "
                f"please report it.\n{verdict}"
            )
        _move_into_place(staged, target)
    return verdict


def verify(
    folder: str | os.PathLike[str], *, original: Transactions | None = None, progress: Progress | None = None
) -> Verdict:
    """Check from a published folder alone whether it keeps what it promises.

    Args:
        folder: the release.
        original: the data it was made from, if they are at hand: then also whether anything was invented or lost.
        progress: called with (stage, done, total).

    Returns:
        The verdict: what was checked, how much of it, and on failure a witness.

    Raises:
        InputError: there is no such folder.
    """
    return _audit(Path(folder), MANIFEST, original, progress)


def _audit(folder: Path, manifest_name: str, original: Transactions | None, progress: Progress | None) -> Verdict:
    what = "the manifest and its files are whole, unchanged since publication, and have the shape of a release"
    _report(progress, "read back", 0, 1)
    try:
        release = read_release(folder, manifest_name=manifest_name)
    except DamagedRelease as damage:
        return Verdict((Check("folder", what, 0, False, str(damage)),))
    _report(progress, "read back", 1, 1)
    rows = release.n_clusters + release.n_chunks + release.n_subrecords
    verdict = audit(release, original=original, progress=progress)
    return Verdict((Check("folder", what, rows, True, None), *verdict.checks))


def _report(progress: Progress | None, stage: str, done: int, total: int) -> None:
    if progress:
        progress(stage, done, total)


def require_free(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse a target that exists, unless ``force`` is given and it is a release."""
    target = Path(folder).absolute()
    if not target.parent.is_dir():
        raise InputError(f"{target.parent}: no such folder; make it first")
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return
    is_ours = target.is_dir() and any((target / name).is_file() for name in (MANIFEST, UNVERIFIED_MANIFEST))
    if force and is_ours:
        return
    if force:
        raise InputError(f"{target} exists and is not a release, so --force does not replace it; choose another name")
    raise InputError(f"{target} exists already; choose another name" + (", or --force to replace it" if is_ours else ""))


@contextlib.contextmanager
def _clear_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot write {target}: {reason}. Nothing was published.") from error


@contextlib.contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """A folder beside the target that only its owner can enter; gone at the end, whatever happens."""
    staged = Path(tempfile.mkdtemp(prefix=f".{target.name}.staging-", dir=target.parent))
    try:
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _move_into_place(staged: Path, target: Path) -> None:
    """Move a verified folder to its name; what was there is set aside first, and put back if the move fails."""
    os.chmod(staged, 0o777 & ~_umask())
    aside = None
    if os.path.lexists(target):
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.old-", dir=target.parent))
        os.rename(target, aside / target.name)
    try:
        os.rename(staged, target)
        os.rename(target / UNVERIFIED_MANIFEST, target / MANIFEST)
    except OSError:
        if aside:
            shutil.rmtree(target, ignore_errors=True)
            os.rename(aside / target.name, target)
            os.rmdir(aside)
        raise
    if aside:
        shutil.rmtree(aside, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
