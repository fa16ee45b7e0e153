"""From a folder to a verdict: read it, and hand what it holds to the auditor of its shape."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from shoal.audit.emptiness import emptiness
from shoal.audit.left_out import LeftOut
from shoal.audit.verdict import Check, Verdict
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import DamagedRelease, InputError
from shoal.io.file_texts import texts_of
from shoal.io.opening import as_text
from shoal.io.release_folder import DO_NOT_PUBLISH, EMPTY, OpenRelease, manifest_entries, opened
from shoal.io.unknown_entries import unknown_entries
from shoal.release import BasketRelease, Release
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized
from shoal.resources import told_apart

Progress = Callable[[str, int, int], None]
OTHER_RELEASES = "other releases of these people (do not publish)"
"""What is left out of a verdict on a release that is marked as one of several."""
OTHER_FILES = "other files in the folder"
"""What is left out of a verdict on a folder that has more in it than a release."""
UNKNOWN_ENTRIES = "unknown entries of the manifest"
"""What is left out of a verdict on a release whose manifest says more than manifests do."""
_NAMED = 3


def verify(
    folder: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    hierarchy: Hierarchy | None = None,
    trusted: bool = False,
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
        trusted: whether you made the folder yourself. The files of others are decoded in a process of their own, which
            is all that a file can hurt that was made for it.
        progress: called with (stage, done, total).

    Returns:
        The verdict: what was checked, how much of it, and on failure a witness.

    Raises:
        InputError: there is no such folder.
        OutOfResources: the machine does not give what checking takes, which says nothing about the release.
    """
    with told_apart(), opened(folder, trusted=trusted) as found:
        return audit(
            found,
            progress,
            original=original,
            background=background,
            hierarchies=hierarchies,
            hierarchy=hierarchy,
            beyond=True,
        )


def audit(
    folder: OpenRelease,
    progress: Progress | None,
    *,
    original: Transactions | Table | None = None,
    background: Background | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    hierarchy: Hierarchy | None = None,
    beyond: bool = False,
) -> Verdict:
    """Check a folder that is open; see :func:`verify`. ``beyond``: say also what no promise covers."""
    what = "the manifest and its files are whole, unchanged since publication, and have the shape of a release"
    report(progress, "read back", 0, 1)
    try:
        release, manifest = folder.release, folder.manifest
    except DamagedRelease as damage:
        return Verdict((Check("folder", what, 0, False, str(damage)),))
    report(progress, "read back", 1, 1)
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
        from shoal.audit.generalized.suppressed_values import FileText

        texts = (FileText(*text) for text in texts_of(folder))
        verdict = generalized.audit(release, original=original, hierarchies=hierarchies, texts=texts, progress=progress)
    else:
        from shoal.audit import bucketized

        verdict = bucketized.audit(
            release, background=background, original=original, hierarchies=hierarchies, progress=progress
        )
    first = (Check("folder", what, rows, True, None), _check_words(release, manifest))
    others = _others(folder.files.names(), {folder.manifest_name, *(part["name"] for part in manifest["files"])})
    left_out = (*verdict.left_out, *_marked(manifest), *_unknown(release, manifest), *others)
    promised = tuple(promise.words for promise in release.promises)
    found = Verdict((*first, *verdict.checks), left_out, verdict.figures, promised=promised)
    if not found.holds:
        return found  # of a release that does not keep its promise nothing else is news
    found = _with_emptiness(found, release, manifest)
    if not (beyond and found.holds):
        return found
    from shoal.audit.attack.first_sight import at_first_sight

    return replace(found, residuals=at_first_sight(release))


def _with_emptiness(verdict: Verdict, release: Release, manifest: dict[str, Any]) -> Verdict:
    """Say why a release is worth nothing, if so; a manifest that says so must say what the files show."""
    empty = emptiness(release)
    if EMPTY not in manifest:  # of other tools, and of older releases
        return replace(verdict, empty=empty)
    shown = [str(one) for one in empty]
    witness = None if manifest[EMPTY] == shown else f"the files show: {'; '.join(shown) or 'no such thing'}"
    what = "the manifest says why the release is worth nothing as its files show it"
    check = Check("manifest says what is empty", what, len(shown), witness is None, witness)
    first, words, *others = verdict.checks
    return replace(verdict, checks=(first, words, check, *others), empty=empty)


def _others(names: list[str], known: set[str]) -> Iterator[LeftOut]:
    """Whatever else lies in the folder is given away with it, and nobody has looked at what it tells."""
    found = sorted(as_text(name) for name in names if name not in known)
    if found:
        yield LeftOut(
            OTHER_FILES, f"{_listed(found)}: not part of the release, so that nobody checked what is told there"
        )


def _unknown(release: Release, manifest: dict[str, Any]) -> Iterator[LeftOut]:
    """Whatever else a manifest says is published, too, and a later reader may take it to mean something."""
    empty = manifest.get(EMPTY)  # which has a check of its own
    meant = manifest_entries(
        release, manifest["files"], manifest.get(DO_NOT_PUBLISH), empty if isinstance(empty, list) else ()
    )
    found = list(unknown_entries(manifest, meant))
    if found:
        yield LeftOut(
            UNKNOWN_ENTRIES, f"{_listed(found)}: no entry of such a release, so that nobody checked what is told there"
        )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


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
