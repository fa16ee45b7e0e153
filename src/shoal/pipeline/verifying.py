"""From a folder to a verdict: read it, and hand what it holds to the auditor of its shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.audit.left_out import LeftOut
from shoal.audit.verdict import Check, Verdict
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import DamagedRelease, InputError
from shoal.io.opening import as_text
from shoal.io.release_folder import DO_NOT_PUBLISH, MANIFEST, read_manifest, read_release
from shoal.release import BasketRelease, Release
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

Progress = Callable[[str, int, int], None]
OTHER_RELEASES = "other releases of these people (do not publish)"
"""What is left out of a verdict on a release that is marked as one of several."""
OTHER_FILES = "other files in the folder"
"""What is left out of a verdict on a folder that has more in it than a release."""
_NAMED = 3


def verify(
    folder: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    hierarchy: Hierarchy | None = None,
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
        hierarchy: of a release of generalized baskets, what it was generalized with, to compare it with the original.
        progress: called with (stage, done, total).

    Returns:
        The verdict: what was checked, how much of it, and on failure a witness.

    Raises:
        InputError: there is no such folder.
    """
    return audit(
        Path(folder),
        MANIFEST,
        progress,
        original=original,
        background=background,
        hierarchies=hierarchies,
        hierarchy=hierarchy,
    )


def audit(
    folder: Path,
    manifest_name: str,
    progress: Progress | None,
    *,
    original: Transactions | Table | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    hierarchy: Hierarchy | None = None,
) -> Verdict:
    """Check a folder whose manifest bears a given name; see :func:`verify`."""
    what = "the manifest and its files are whole, unchanged since publication, and have the shape of a release"
    report(progress, "read back", 0, 1)
    try:
        release = read_release(folder, manifest_name=manifest_name)
    except DamagedRelease as damage:
        return Verdict((Check("folder", what, 0, False, str(damage)),))
    report(progress, "read back", 1, 1)
    manifest = read_manifest(folder, manifest_name=manifest_name)
    rows = sum(part["rows"] for part in manifest["files"])
    if hierarchy is not None and not isinstance(release, GeneralizedBaskets):
        raise InputError(f"{folder} was not made with a hierarchy of items that could be compared with it")
    if isinstance(release, BasketRelease):
        refuse_tables(folder, original, background, hierarchies)
        assert not isinstance(original, Table)
        verdict = _audit_baskets(release, original, hierarchy, progress)
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
    others = _others(folder, {manifest_name, *(part["name"] for part in manifest["files"])})
    return Verdict((*first, *verdict.checks), (*verdict.left_out, *_marked(manifest), *others), verdict.figures)


def _others(folder: Path, known: set[str]) -> Iterator[LeftOut]:
    """Whatever else lies in the folder is given away with it, and nobody has looked at what it tells."""
    found = sorted(as_text(path.name) for path in folder.iterdir() if path.name not in known)
    if found:
        named = ", ".join(found[:_NAMED]) + (f" and {len(found) - _NAMED:,} more" if len(found) > _NAMED else "")
        yield LeftOut(OTHER_FILES, f"{named}: not part of the release, so that nobody checked what is told there")


def _marked(manifest: dict[str, Any]) -> Iterator[LeftOut]:
    """What a manifest says of its own release; in our words: those in it could say anything."""
    if DO_NOT_PUBLISH in manifest:
        yield LeftOut(
            OTHER_RELEASES,
            "the manifest says that this is one of several releases of the same people, which is not to be published: "
            "what they tell together was not checked, and no promise covers it",
        )


def _audit_baskets(
    release: BasketRelease, original: Transactions | None, hierarchy: Hierarchy | None, progress: Progress | None
) -> Verdict:
    if isinstance(release, GeneralizedBaskets):
        from shoal.audit import generalized_baskets

        return generalized_baskets.audit(release, original=original, hierarchy=hierarchy, progress=progress)
    if isinstance(release, NoisyBaskets):
        from shoal.audit import noisy_baskets

        return noisy_baskets.audit(release, original=original, progress=progress)
    if isinstance(release, Randomized):
        from shoal.audit import randomized

        return randomized.audit(release, original=original, progress=progress)
    from shoal.audit import disassociated

    return disassociated.audit(release, original=original, progress=progress)


def refuse_tables(folder: str | os.PathLike[str], original: Transactions | Table | None, *others: object) -> None:
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


def report(progress: Progress | None, stage: str, done: int, total: int) -> None:
    """Tell whoever listens."""
    if progress:
        progress(stage, done, total)
