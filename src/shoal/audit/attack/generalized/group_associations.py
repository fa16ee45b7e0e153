"""What the groups of a generalized release disclose without further knowledge: from X, an adversary infers Y.

The definition is that of :class:`~shoal.promises.HiddenAssociations`; without that promise, its default thresholds are
used, and the findings do not break a promise.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.attack.finding import Finding, LeftOut, Row
from shoal.audit.budget import OutOfBudget
from shoal.audit.generalized.associations import ABSENCE, RULE, VALUE, Associations, find_associations
from shoal.audit.generalized.hidden import allowance, describe, sides, strongest
from shoal.audit.generalized.shown_rows import ShownRows
from shoal.audit.residual import Residual
from shoal.release.generalized import Generalized

NAME = "associations"
MIN_SUPPORT, MIN_CONFIDENCE = 0.1, 0.5
"""The thresholds used without a promise (the paper's second experiment)."""
LISTED = 5
_CUT = 40


def thresholds(release: Generalized) -> tuple[float, float]:
    """The least support and confidence: those of the promise, or the defaults."""
    if release.hidden is None:
        return MIN_SUPPORT, MIN_CONFIDENCE
    return release.hidden.min_support, release.hidden.min_confidence


def attack_associations(release: Generalized, shown: ShownRows) -> Finding | LeftOut:
    """List what groups disclose, the strongest first."""
    support, confidence = thresholds(release)
    least = ""
    try:
        found = find_associations(shown, support, confidence, allowance(release))
    except OutOfBudget:
        least = "at least "  # finding one per group is less work
        try:
            found = find_associations(shown, support, confidence, allowance(release), every=False)
        except OutOfBudget:
            return LeftOut(NAME, "so many sets of values in groups would take too much work")
    promised = release.hidden is not None
    said = f"at least {confidence:.0%} confidence, rules from a support of {support:.0%} on"
    if len(found):
        groups = len(np.unique(found.group))
        sentence = (
            f"{groups:,} of {release.n_groups:,} groups disclose an association ({said}). The strongest of {least}"
            f"{len(found):,}: {describe(release, found, int(strongest(found)[0]))}."
        )
        sentence += "" if promised else " The release promises nothing about this."
    else:
        sentence = f"No group shows a value, a rule or a rule from absence above the thresholds ({said})."
    numbers = {**counted(release, found), "strongest": listed(release, found)}
    share = float(release.group_sizes[np.unique(found.group)].sum()) / release.n_rows
    residual = Residual(share, "rows", f"are in groups that disclose a value or rule at {confidence:.0%} confidence")
    return Finding(NAME, sentence, numbers, promised and len(found) > 0, None if promised else residual)


def counted(release: Generalized, found: Associations) -> dict[str, int | float]:
    """How many associations there are of each kind, and how many rows are in a group with one."""
    kinds = np.bincount(found.kind, minlength=3).tolist()
    groups = np.unique(found.group)
    return {
        "associations": len(found),
        "values": kinds[VALUE],
        "rules": kinds[RULE],
        "rules_from_absence": kinds[ABSENCE],
        "groups": len(groups),
        "rows_share": float(release.group_sizes[groups].sum()) / release.n_rows,
    }


def listed(release: Generalized, found: Associations) -> list[Row]:
    """The strongest few."""
    entries: list[Row] = []
    for place in strongest(found)[:LISTED].tolist():
        knowing, inferred = sides(release.sensitive, found, place)
        entries.append(
            {
                "group": int(found.group[place]),
                "rows": int(release.group_sizes[found.group[place]]),
                "knowing": _cut(knowing) or None,
                "infers": _cut(inferred),
                "confidence_share": float(found.confidence[place]),
            }
        )
    return entries


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else text[:_CUT] + "..."
