"""Write a release to a folder that appears only after it has been read back and verified.

Publishing fails closed. A release is made in a private folder next to its name, under a temporary manifest name that no
reader accepts; it is read back from disk and audited there. Only then does its manifest get its name.

* A new release is moved to its name first, and its manifest named last. A killed run leaves no release.
* With ``force`` the manifest is named first, then old and new exchange their names in one step, and the old release is
  deleted. The name always leads to a whole release. A killed run can leave the other one, whole, in the private
  folder: the next command that publishes, verifies or describes the release reports it
  (:mod:`shoal.pipeline.leftovers`). Where the system cannot exchange names, two renames are used, and a run killed
  between them leaves both releases there.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from shoal.atomic.renames import exchange
from shoal.audit.verdict import Verdict
from shoal.errors import EmptyRelease, Infeasible, InputError, InternalError
from shoal.interruption import uninterrupted
from shoal.io.manifest import claims_to_be_ours, require_outside_releases
from shoal.io.release_folder import MANIFEST, UNVERIFIED_MANIFEST, Opened, part_names, to_disk, write_release
from shoal.pipeline.leftovers import private_folder
from shoal.pipeline.verifying import audit
from shoal.promises import MatchingDiversity
from shoal.quoting import named
from shoal.release import Release
from shoal.release.evidence import Evidence
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES


def write(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    force: bool = False,
    even_if_empty: bool = False,
    mark: str | None = None,
    run: Run = DEFAULT_RUN,
) -> Verdict:
    """Write a release to a new folder, read it back, verify it, and only then let it appear.

    Args:
        release: the result of a publishing method.
        folder: the release folder. Must not exist, or be empty, unless ``force`` is given.
        force: replace an existing release.
        even_if_empty: publish a release even if it is worthless, because nothing is left of the data or a promise about
            sensitive values is empty: its manifest and every verdict on it begin with that.
        mark: why this release must not be published, if it is one of several of the same people: its manifest says so,
            and so does every verdict on it.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The auditor's verdict on what was written; it holds, or this function would have raised an error.

    Raises:
        InputError: the folder exists, or cannot be written; the rules in the promise are missing.
        Infeasible: what was written would take more work to verify than an audit may. Nothing was published.
        EmptyRelease: it is worthless, and ``even_if_empty`` is not given: nothing is left of the data, or a promise
            about sensitive values is empty. Nothing was published.
        InternalError: what was written does not keep its promise. Nothing was published.
    """
    target = Path(folder).absolute()
    require_free(target, force=force)
    rules, shape = release.rules_at_hand, SHAPES[release.shape]
    if rules is None and isinstance(release.promise, MatchingDiversity):
        raise InputError(
            f"cannot write {target}: the rules in the promise are missing, as in a release that was read from a folder "
            "without them, so nobody could check it. Copy the folder, or publish again."
        )
    with _clear_errors(target), private_folder(target) as private:
        staged = private / target.name
        staged.mkdir()
        run.report("write", 0, 1)
        empty = [str(one) for one in shape.load("emptiness")(release)] if even_if_empty else []
        write_release(release, staged, manifest_name=UNVERIFIED_MANIFEST, mark=mark, empty=empty)
        run.report("write", 1, 1)
        with Opened(staged, manifest_name=UNVERIFIED_MANIFEST, trusted=True) as back:
            verdict = audit(back, run, Evidence(rules=rules))
        if verdict.failures and all(check.refused for check in verdict.failures):
            raise Infeasible(
                "Nothing was published: an audit may not take as much work as checking this release would. Try "
                f"{shape.less_work}.\n{verdict.failures[0]}"
            )
        if not verdict.holds:
            raise InternalError(
                "Nothing was published: what Shoal made does not keep its own promise. This is a bug in Shoal; "
                f"please report it.\n{verdict}"
            )
        if verdict.empty and not even_if_empty:
            first = verdict.empty[0]
            raise EmptyRelease(first.kind, first.words, shape.load("advice")(release, first.kind))
        require_free(target, force=force)  # another run may have been faster
        with uninterrupted():
            _let_appear(staged, target, replacing=force and os.path.lexists(target))
    return verdict


def require_free(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse a target that is inside a release, or exists, unless it is an empty folder or a release to replace."""
    target = Path(folder).absolute()
    with _clear_errors(target):
        if not target.parent.is_dir():
            raise InputError(f"cannot write {target}: there is no folder {target.parent}; make it first")
        if not os.access(target.parent, os.W_OK | os.X_OK):  # better now than after hours of work
            raise InputError(f"cannot write {target}: the folder {target.parent} is not writable")
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
    """Why a folder must not be deleted: it must be a release, whole or damaged, and contain nothing else."""
    entries = {path.name for path in target.iterdir()}
    if not any(claims_to_be_ours(target / name) for name in (MANIFEST, UNVERIFIED_MANIFEST)):
        return "is not a release"
    strange = sorted(entries - {MANIFEST, UNVERIFIED_MANIFEST, *part_names()})
    return f"contains {named(strange[0])}, which is not part of a release" if strange else None


@contextlib.contextmanager
def _clear_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # Arrow wraps the system's words in its own, over several lines.
        reason = os.strerror(error.errno) if error.errno else str(error).splitlines()[0]
        raise InputError(f"cannot write {target}: {reason}. Nothing was published.") from error


def _let_appear(staged: Path, target: Path, *, replacing: bool) -> None:
    """Give a verified folder its name; what had the name before is then at the folder's old place."""
    mode = _writable_by_owner_only(staged)
    for part in staged.iterdir():
        part.chmod(_writable_by_owner_only(part))
    if replacing:
        (staged / UNVERIFIED_MANIFEST).rename(staged / MANIFEST)
        staged.chmod(mode)
        to_disk(staged)
        _replace(staged, target)
    else:
        staged.chmod(0o700)
        staged.rename(target)  # fails over anything but an empty folder
        try:
            (target / UNVERIFIED_MANIFEST).rename(target / MANIFEST)
            target.chmod(mode)  # last, so that nobody else can look into anything but a release
            to_disk(target)
            to_disk(target.parent)
        except OSError:
            shutil.rmtree(target, ignore_errors=True)
            raise


def _writable_by_owner_only(path: Path) -> int:
    """The mode from the umask, without write permission for others."""
    return stat.S_IMODE(path.stat().st_mode) & ~0o022


def _replace(staged: Path, target: Path) -> None:
    """Give a folder the name of another, in one step if the system can."""
    if exchange(staged, target):
        try:
            to_disk(target.parent)
        except OSError:
            exchange(staged, target)
            raise
        return
    aside = staged.with_name("old" if staged.name != "old" else "older")
    target.rename(aside)
    try:
        staged.rename(target)
        to_disk(target.parent)
    except OSError:
        if target.exists():
            target.rename(staged)
        aside.rename(target)
        raise
