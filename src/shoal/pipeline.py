"""From a release in memory to a folder that may leave the house, and from such a folder to a verdict or an attack.

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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.audit.verdict import Check, Verdict
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Int64, Transactions
from shoal.errors import DamagedRelease, Infeasible, InputError, InternalError
from shoal.io.manifest import MAX_MANIFEST_BYTES
from shoal.io.release_folder import (
    MANIFEST,
    PART_NAMES,
    UNVERIFIED_MANIFEST,
    read_disassociated,
    read_manifest,
    read_release,
    to_disk,
    write_release,
)
from shoal.promises import MatchingDiversity
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.manifest import FORMAT
from shoal.release.randomized import Randomized

if TYPE_CHECKING:
    from shoal.audit.attack.finding import Attacks

Progress = Callable[[str, int, int], None]


_LESS_WORK = {
    Disassociated: "a smaller m or a smaller --max-cluster-size",
    Bucketized: "fewer rules: a higher --min-expectation or a smaller --max-attributes",
    Generalized: "fewer sensitive columns or a higher --support",
    Randomized: "fewer rows",
}


def write(
    release: Release, folder: str | os.PathLike[str], *, force: bool = False, progress: Progress | None = None
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
        _report(progress, "write", 0, 1)
        write_release(release, staged, manifest_name=UNVERIFIED_MANIFEST)
        _report(progress, "write", 1, 1)
        verdict = _audit(staged, UNVERIFIED_MANIFEST, progress, background=background)
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


def verify(
    folder: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check from a published folder alone whether it keeps what it promises.

    Args:
        folder: the release.
        original: the data it was made from, if they are at hand: then also whether anything was invented or lost.
        background: of a bucketized release, the rules that its promise speaks of, unless they are to be counted in the
            original.
        hierarchies: of a release of a table, what its rules were counted with, or what it was generalized with, to
            compare it with the original.
        progress: called with (stage, done, total).

    Returns:
        The verdict: what was checked, how much of it, and on failure a witness.

    Raises:
        InputError: there is no such folder.
    """
    return _audit(Path(folder), MANIFEST, progress, original=original, background=background, hierarchies=hierarchies)


def attack(
    folder: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    other: str | os.PathLike[str] | None = None,
    knows: int | None = None,
    victims: int = 1_000,
    struck: float = 0.01,
    seed: int | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    min_expectation: float | None = None,
    min_confidence: float | None = None,
    max_attributes: int | None = None,
    fill: bool = False,
    progress: Progress | None = None,
) -> Attacks:
    """Play the adversary against a published folder: try to break its promise, and measure what it does not cover.

    Args:
        folder: the release.
        original: the data it was made from, if they are at hand: then people of these are looked for.
        other: a second release of the same people.
        knows: how many items of a person the adversary knows; by default the m of the promise.
        victims: how many people are looked for.
        struck: the share of people whose whole records the adversary knows.
        seed: draw the same people again; by default others every time. Of a randomized release (to which ``other`` to
            ``struck`` do not apply), draw the same flips and made-up rows again.
        background: of a bucketized release (to which ``other`` to ``seed`` do not apply), the negative rules that the
            adversary knows. Without them, those that it discloses or that are counted in the original.
        hierarchies: of a bucketized release, trees whose nodes the rules counted may speak of; of a generalized one,
            those it was made with.
        min_expectation: of a bucketized release, the expectation from which on rules are counted.
        min_confidence: of a bucketized release, the confidence from which on rules are counted.
        max_attributes: of a bucketized release, how many columns rules that are counted may speak of.
        fill: of a generalized release (to which nothing else but ``original`` and ``hierarchies`` applies), guess the
            hidden cells, and see what comes back.
        progress: called with (attack, done, total).

    Returns:
        One finding for each attack that was tried (a sentence, then numbers), and which were left out and why.

    Raises:
        InputError: there is no such folder, or a number is out of range.
        DamagedRelease: a folder is not a release.
    """
    counting = (min_expectation, min_confidence, max_attributes)
    release = read_release(folder)
    if isinstance(release, Generalized):
        from shoal.audit.attack import generalized

        if isinstance(original, Transactions) or any(
            given is not None for given in (other, knows, background, *counting)
        ):
            raise InputError(f"{folder} is a generalized release: baskets, another release and rules are not about it")
        return generalized.attack(release, fill=fill, original=original, hierarchies=hierarchies, progress=progress)
    if fill:
        raise InputError(f"{folder} has no hidden cells to fill: that is about generalized releases")
    if isinstance(release, Bucketized):
        from shoal.audit.attack import bucketized

        if isinstance(original, Transactions) or other is not None or knows is not None:
            raise InputError(f"{folder} is a release of a table: baskets, other and knows are not about it")
        return bucketized.attack(
            release,
            background=background,
            original=original,
            hierarchies=hierarchies,
            min_expectation=min_expectation,
            min_confidence=min_confidence,
            max_attributes=max_attributes,
            progress=progress,
        )
    _refuse_tables(folder, original, background, hierarchies, *counting)
    assert not isinstance(original, Table)
    if isinstance(release, Randomized):
        if other is not None or knows is not None:
            raise InputError(f"{folder} is a randomized release: other and knows are not about it")
        return _attack_randomized(release, original, seed, progress)
    from shoal.audit.attack import run  # much code, and nobody else needs it
    from shoal.publish.disassociation import disassociate
    from shoal.randomness import generator

    k, m = release.promise.k, release.promise.m

    def publish_as_one_cluster(data: Transactions) -> Disassociated:
        return disassociate(data, k, m, max_cluster_size=max(len(data), 2 * k - 1), refine_rounds=0, threads=1)

    return run.attack(
        release,
        generator=generator(seed),
        original=original,
        other=None if other is None else read_disassociated(other),
        knows=knows,
        n_victims=victims,
        struck=struck,
        publish=publish_as_one_cluster,
        progress=progress,
    )


def _attack_randomized(
    release: Randomized, original: Transactions | None, seed: int | None, progress: Progress | None
) -> Attacks:
    from shoal.audit.attack import randomized
    from shoal.publish.randomization import randomize_and_trace

    def again() -> tuple[Randomized, Int64]:
        assert original is not None
        promise = release.promise
        return randomize_and_trace(
            original,
            keep_prob=promise.keep_prob,
            fakes=promise.fakes,
            fake_length=dict(promise.fake_lengths) or None,
            max_basket=None if release.privacy is None else release.privacy.max_basket,
            items=release.vocabulary.to_pylist(),
            seed=seed,
            progress=progress,
        )

    return randomized.attack(release, original=original, again=again, progress=progress)


def _audit(
    folder: Path,
    manifest_name: str,
    progress: Progress | None,
    *,
    original: Transactions | Table | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Verdict:
    what = "the manifest and its files are whole, unchanged since publication, and have the shape of a release"
    _report(progress, "read back", 0, 1)
    try:
        release = read_release(folder, manifest_name=manifest_name)
    except DamagedRelease as damage:
        return Verdict((Check("folder", what, 0, False, str(damage)),))
    _report(progress, "read back", 1, 1)
    manifest = read_manifest(folder, manifest_name=manifest_name)
    rows = sum(part["rows"] for part in manifest["files"])
    if isinstance(release, Disassociated | Randomized):
        _refuse_tables(folder, original, background, hierarchies)
        assert not isinstance(original, Table)
        if isinstance(release, Randomized):
            from shoal.audit import randomized

            verdict = randomized.audit(release, original=original, progress=progress)
        else:
            from shoal.audit import disassociated

            verdict = disassociated.audit(release, original=original, progress=progress)
    elif isinstance(original, Transactions):
        raise InputError(f"{folder} is a release of a table, and the original was read as baskets")
    elif isinstance(release, Generalized):
        from shoal.audit import generalized

        if background is not None:
            raise InputError(f"{folder} is a generalized release, whose promise speaks of no negative rules")
        verdict = generalized.audit(release, original=original, hierarchies=hierarchies, progress=progress)
    else:
        from shoal.audit import bucketized

        verdict = bucketized.audit(
            release, background=background, original=original, hierarchies=hierarchies, progress=progress
        )
    first = (Check("folder", what, rows, True, None), _check_words(release, manifest))
    return Verdict((*first, *verdict.checks), verdict.left_out, verdict.figures)


def _refuse_tables(folder: str | os.PathLike[str], original: Transactions | Table | None, *others: object) -> None:
    """Refuse what is about tables where the release is of baskets."""
    if isinstance(original, Table) or any(other is not None for other in others):
        raise InputError(f"{folder} is a release of baskets: tables, rules and hierarchies are not about it")


def _check_words(release: Release, manifest: dict[str, Any]) -> Check:
    """People read the sentences of a manifest, and the audit its numbers: they must say the same."""
    stated = [(entry.get("words"), entry.get("not_promised")) for entry in manifest["promises"]]
    meant = [(promise.words, list(promise.not_promised)) for promise in release.promises]
    witness = None if stated == meant else f"the promise of these numbers is: {' '.join(words for words, _ in meant)}"
    what = "the manifest says in words what its numbers promise, and what they do not"
    return Check("manifest words", what, len(meant), witness is None, witness)


def _report(progress: Progress | None, stage: str, done: int, total: int) -> None:
    if progress:
        progress(stage, done, total)


def require_free(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse a target that exists, unless it is an empty folder, or ``force`` is given and it is a release."""
    target = Path(folder).absolute()
    with _clear_errors(target):
        if not target.parent.is_dir():
            raise InputError(f"cannot write {target}: there is no folder {target.parent}; make it first")
        if not os.access(target.parent, os.W_OK | os.X_OK):  # better said now than after hours of work
            raise InputError(f"cannot write {target}: nothing may be written in {target.parent}")
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
