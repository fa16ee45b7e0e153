"""A report on a release: for its owner together with the original, or for anyone from the published folder alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal import pipeline
from shoal.audit.attack.adversary import Adversary
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.release_folder import DO_NOT_PUBLISH, Opened, manifest_entries, open_release
from shoal.release import Release
from shoal.release.evidence import Evidence
from shoal.reporting.contents import contents_section, size_key
from shoal.reporting.facts import facts_section, name_of, source_of
from shoal.reporting.page import Audience, Key, Report, Section
from shoal.reporting.promised import empty_keys, promise_section, residual_keys, verdict_key, verdict_section
from shoal.reporting.reading import reading_section
from shoal.reporting.remaining_risk import USUAL_K, risk_section
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.audit.attack.finding import Attacks
    from shoal.audit.verdict import Verdict
    from shoal.measuring.risk.baskets import BasketRisk


_BROKEN = "This release does not keep its promise, or is not what it says: do not use it, and do not publish it."
_MOST_KNOWN = 5
"""Maximum number of items that the risk of raw data can consider."""
_VICTIMS = 250
"""Number of people that attacks look for: this takes most of the time; shoal attack can look for more."""
_SEED = 0
"""A fixed seed, so that equal inputs make equal reports."""


def release_report(
    folder: str | os.PathLike[str] | Release,
    original: Transactions | Table | None = None,
    *,
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    background: Background | None = None,
    source: str | os.PathLike[str] | None = None,
    choices: Mapping[str, str] | None = None,
    run: Run = DEFAULT_RUN,
) -> Report:
    """Report everything about a release: what it promises, keeps, hides and costs, and how to read it.

    Args:
        folder: the release, its folder open or not, or a release in memory.
        original: the data that were published. With them the report is internal: it includes the risk before publishing
            and the cost of publishing. Without them it contains only what the folder shows to anyone.
        hierarchy: what the release was made with, to compare it with the original: of generalized baskets, the
            hierarchy of the items; of generalized tables, hierarchies by column. Of other baskets, categories of items,
            to measure itemsets of categories too.
        background: of a bucketized release, the negative rules in its promise, if it does not include them.
        source: the name of the file that was published, for an internal report.
        choices: how it was published, option by option, for an internal report: a release contains only what its reader
            needs.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The report: ``save`` writes it as one HTML page, ``save_charts`` its charts; ``as_dict`` returns it as data.

    Raises:
        InputError: there is no such folder, or the original is not that of the release; or there are choices and no
            original: a public report contains only what the folder shows.
        DamagedRelease: it is not a release.

    Example:
        >>> import shoal, tempfile
        >>> baskets = shoal.read([{"tea", "milk"}] * 6 + [{"tea", "caviar"}])
        >>> with tempfile.TemporaryDirectory() as place:
        ...     verdict = shoal.disassociate(baskets, k=3, m=2).write(f"{place}/release")
        ...     report = shoal.report(f"{place}/release")
        >>> report.audience, report.keys[0].value
        ('public', 'all 19 checks hold; 3 severe risks remain')
    """
    trees = hierarchy if isinstance(hierarchy, Mapping) else None
    items = hierarchy if isinstance(hierarchy, Hierarchy) else None
    with nullcontext(folder) if isinstance(folder, Release) else open_release(folder) as place:
        return report_with(place, Evidence(original, background, trees, items), source, choices, run)


def report_with(
    place: Opened | Release,
    evidence: Evidence,
    source: str | os.PathLike[str] | None = None,
    choices: Mapping[str, str] | None = None,
    run: Run = DEFAULT_RUN,
) -> Report:
    """See :func:`release_report`; takes the evidence as one value and the folder open."""
    manifest: Mapping[str, Any]
    if isinstance(place, Release):
        name, release, manifest = "release", place, manifest_entries(place, [])
    else:
        name, release, manifest = name_of(place.folder), place.release, place.manifest
    original, items = evidence.original, evidence.hierarchy
    _require_kind(release, original)
    if choices and original is None:
        raise InputError("choices of publishing are not in the release, so that a public report cannot contain them")
    shape = SHAPES[release.shape]
    usual_hierarchy = shape.load("usual_hierarchy")
    if items is None and original is not None and usual_hierarchy is not None:
        items = usual_hierarchy(release, original)
    # Others are not made with a hierarchy, or their promise does not mention it: it only measures their cost.
    used = replace(evidence, hierarchy=items if "hierarchy" in shape.evidence else None)
    verdict = _verdict(place, used, run)
    audience: Audience = "public" if original is None else "internal"
    title = f"Report on {name}"
    promised = promise_section(release, marked=DO_NOT_PUBLISH in manifest)
    facts = facts_section(
        release, manifest, None if original is None else source_of(source, _size(original)), choices or {}
    )
    if not verdict.holds:
        # Anything else would be based on wrong assumptions.
        told = promised, verdict_section(verdict), facts
        return Report(title, audience, _BROKEN, (verdict_key(verdict),), told, alarms=True)
    attacks = _attacks(place, release, used, run)
    residuals = verdict.residuals if attacks is None else attacks.residuals
    risks, risk = risk_section(release, original, _risk_before(release, original, run), attacks)
    costs, cost = _costs(release, replace(evidence, hierarchy=items), run)
    sections = (
        promised,
        verdict_section(verdict, residuals),
        risks,
        contents_section(release, with_supports=original is None),
        *costs,
        reading_section(release, name),
        facts,
    )
    last = tuple(key for key in (cost, size_key(release)) if key is not None)
    keys = (*empty_keys(verdict), verdict_key(verdict, residuals), *residual_keys(residuals), *risk, *last)
    empty = (f"{one}."[:1].upper() + f"{one}."[1:] for one in verdict.empty)
    lead = " ".join([*empty, "Promised:", *(promise.words for promise in release.promises)])
    return Report(title, audience, lead, keys, sections)


def _require_kind(release: Release, original: Transactions | Table | None) -> None:
    if original is None:
        return
    wanted, given = SHAPES[release.shape].data, "baskets" if isinstance(original, Transactions) else "table"
    if wanted != given:
        called = {"baskets": "baskets", "table": "a table"}
        raise InputError(f"this is a release of {called[wanted]}, and the original was read as {called[given]}")


def _verdict(folder: Opened | Release, evidence: Evidence, run: Run) -> Verdict:
    """The verdict from the files, including the comparison with the original if there is one."""
    verdict = pipeline.verify(folder, evidence, run=run)
    if evidence.original is None or verdict.holds:
        return verdict
    if not pipeline.verify(folder, Evidence(rules=evidence.rules)).holds:
        return verdict
    listed = "".join(f"\n  {check.name}: {check.witness}" for check in verdict.failures)
    raise InputError(
        f"this is not the original of this release:{listed}\ngive the data from which it was published"
        + (", and the hierarchies" if evidence.hierarchy is not None or evidence.hierarchies else "")
    )


def _attacks(folder: Opened | Release, release: Release, evidence: Evidence, run: Run) -> Attacks | None:
    """Run every attack for which enough evidence is given."""
    shape = SHAPES[release.shape]
    if shape.attack is None:
        return None  # none is known
    adversary = Adversary(victims=_VICTIMS if "knows" in shape.adversary else None)
    if (attacked_with := shape.load("report_attack")) is not None:
        evidence, adversary = attacked_with(release, evidence, adversary)
    return pipeline.attack(folder, evidence, adversary, run=run.drawing(_SEED if "seed" in shape.adversary else None))


def _risk_before(release: Release, original: Transactions | Table | None, run: Run) -> BasketRisk | None:
    if not isinstance(original, Transactions):
        return None
    from shoal.pipeline.risk import risk

    promise = release.promise
    k, m = getattr(promise, "k", USUAL_K), getattr(promise, "m", 2)
    return risk(original, k=k, m=min(m + 1, _MOST_KNOWN), run=run.drawing(_SEED))


def _costs(release: Release, evidence: Evidence, run: Run) -> tuple[list[Section], Key | None]:
    """What publishing cost, compared with the original; without it, other possible settings, if there are any."""
    shape = SHAPES[release.shape]
    if evidence.original is not None:
        section, key = shape.load("report_costs")(release, evidence, run)
        return [section], key
    alternatives = shape.load("report_alternatives")
    return ([] if alternatives is None else [Section("cost", "What to expect", (alternatives(release),))]), None


def _size(original: Transactions | Table) -> str:
    if isinstance(original, Transactions):
        return f"{len(original):,} records of {original.n_items:,} different items"
    return f"{len(original):,} rows"
