"""From a release to a verdict: open it, and pass it to the auditor of its shape together with the evidence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from shoal.audit.not_tried import LeftOut
from shoal.audit.residual import by_severity
from shoal.audit.verdict import Check, Verdict
from shoal.errors import DamagedRelease
from shoal.io.opening import as_text
from shoal.io.release_folder import DO_NOT_PUBLISH, EMPTY, Opened, manifest_entries, open_release
from shoal.io.unknown_entries import unknown_entries
from shoal.pipeline.evidence import require_evidence
from shoal.release import Release
from shoal.release.evidence import NOTHING, Evidence
from shoal.resources import told_apart
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

OTHER_RELEASES = "other releases of these people (do not publish)"
"""The part that a verdict leaves out if a release is marked as one of several."""
OTHER_FILES = "other files in the folder"
"""The part that a verdict leaves out if a folder contains more than a release."""
UNKNOWN_ENTRIES = "unknown entries of the manifest"
"""The part that a verdict leaves out if a manifest says more than manifests do."""
_NAMED = 3


def verify(
    release: str | os.PathLike[str] | Release,
    evidence: Evidence = NOTHING,
    *,
    trusted: bool = False,
    run: Run = DEFAULT_RUN,
) -> Verdict:
    """Check from a published folder alone whether it keeps its promise.

    Args:
        release: its folder, open or not. Or a release in memory; then checks that need files are left out.
        evidence: what is known beside it. With the original, ``verify`` also finds what was invented or lost.
        trusted: whether you made the folder yourself. Other people's files are decoded in a separate process, which is
            all that a malicious file can damage.
        run: threads and progress (:class:`shoal.Run`).

    Returns:
        The verdict: what was checked, how much of it, and on failure a witness.

    Raises:
        InputError: there is no such folder, or the evidence does not apply to such a release.
        OutOfResources: the machine lacks the resources for the check, which says nothing about the release.
    """
    with told_apart():
        if isinstance(release, Release):
            require_evidence(release, evidence, "this")
            return _with_residuals(_with_emptiness(_audited(release, evidence, run), release, None), release)
        with open_release(release, trusted=trusted) as found:
            return audit(found, run, evidence, beyond=True)


def audit(folder: Opened, run: Run, evidence: Evidence | None = None, *, beyond: bool = False) -> Verdict:
    """Check a folder that is open; see :func:`verify`. ``beyond``: also report what no promise covers."""
    what = "the manifest and its files are whole, unchanged since publication, and have the shape of a release"
    run.report("read back", 0, 1)
    try:
        release, manifest = folder.release, folder.manifest
    except DamagedRelease as damage:
        return Verdict((Check("folder", what, 0, False, str(damage)),))
    run.report("read back", 1, 1)
    rows = sum(part["rows"] for part in manifest["files"])
    evidence = evidence or Evidence()
    require_evidence(release, evidence, folder)
    texts = SHAPES[release.shape].load("texts")
    verdict = _audited(release, replace(evidence, texts=texts and partial(texts, folder)), run)
    first = (Check("folder", what, rows, True, None), _check_words(release, manifest))
    others = _others(folder.files.names(), {folder.manifest_name, *(part["name"] for part in manifest["files"])})
    left_out = (*verdict.left_out, *_marked(manifest), *_unknown(release, manifest), *others)
    found = replace(verdict, checks=(*first, *verdict.checks), left_out=left_out)
    found = _with_emptiness(found, release, manifest)
    return _with_residuals(found, release) if beyond else found


def _audited(release: Release, evidence: Evidence, run: Run) -> Verdict:
    """The verdict of the auditor of its shape, and what it is about."""
    verdict: Verdict = SHAPES[release.shape].load("audit")(release, evidence, run)
    return replace(verdict, promised=tuple(promise.words for promise in release.promises))


def _with_residuals(verdict: Verdict, release: Release) -> Verdict:
    """Add the risks that the release shows directly; for a release that breaks its promise nothing else matters.

    For some shapes nothing is known without sampling people or counting associations: ``shoal attack`` does.
    """
    at_first_sight = SHAPES[release.shape].load("at_first_sight")
    if at_first_sight is None or not verdict.holds:
        return verdict
    return replace(verdict, residuals=by_severity(at_first_sight(release)))


def _with_emptiness(verdict: Verdict, release: Release, manifest: dict[str, Any] | None) -> Verdict:
    """Say why a release is worthless, if it is; a manifest that says so must agree with the files."""
    if not verdict.holds:
        return verdict
    empty = SHAPES[release.shape].load("emptiness")(release)
    if manifest is None or EMPTY not in manifest:  # from other tools, or an older release
        return replace(verdict, empty=empty)
    shown = [str(one) for one in empty]
    witness = None if manifest[EMPTY] == shown else f"the files show: {'; '.join(shown) or 'no such thing'}"
    what = "the manifest says why the release is worthless as its files show it"
    check = Check("manifest says what is empty", what, len(shown), witness is None, witness)
    first, words, *others = verdict.checks
    return replace(verdict, checks=(first, words, check, *others), empty=empty)


def _others(names: list[str], known: set[str]) -> Iterator[LeftOut]:
    """Other files in the folder are published with it, and nobody has checked what they reveal."""
    found = sorted(as_text(name) for name in names if name not in known)
    if found:
        yield LeftOut(OTHER_FILES, f"{_listed(found)}: not part of the release, so their content was not checked")


def _unknown(release: Release, manifest: dict[str, Any]) -> Iterator[LeftOut]:
    """Other entries of a manifest are published, too, and a later reader may take them to mean something."""
    empty = manifest.get(EMPTY)  # it has its own check
    meant = manifest_entries(
        release, manifest["files"], manifest.get(DO_NOT_PUBLISH), empty if isinstance(empty, list) else ()
    )
    found = list(unknown_entries(manifest, meant))
    if found:
        yield LeftOut(
            UNKNOWN_ENTRIES, f"{_listed(found)}: not an entry of such a release, so the content was not checked"
        )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


def _marked(manifest: dict[str, Any]) -> Iterator[LeftOut]:
    """What a manifest says of its own release; in our words, because the manifest could say anything."""
    if DO_NOT_PUBLISH in manifest:
        yield LeftOut(
            OTHER_RELEASES,
            "the manifest says that this is one of several releases of the same people, which is not to be published: "
            "what they reveal together was not checked, and no promise covers it",
        )


def _check_words(release: Release, manifest: dict[str, Any]) -> Check:
    """People read the sentences of a manifest, and the audit its numbers: they must agree."""
    stated = [(entry.get("words"), entry.get("not_promised")) for entry in manifest["promises"]]
    meant = [(promise.words, list(promise.not_promised)) for promise in release.promises]
    witness = None if stated == meant else f"the promise of these numbers is: {' '.join(words for words, _ in meant)}"
    what = "the manifest says in words what its numbers promise, and what they do not"
    return Check("manifest words", what, len(meant), witness is None, witness)
