"""The audit of a bucketized release: every part of its promise that the evidence allows to check.

X. Xiao, Y. Tao: Anatomy, VLDB 2006; T. Li, N. Li: Injector, 2008. Written from the definitions; it shares no code with
the publishers, and counts negative rules itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.audit.bucketized import diversity, groups, matching
from shoal.audit.bucketized.against_table import check_original
from shoal.audit.not_tried import LeftOut
from shoal.audit.verdict import Check, Verdict, not_checked
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.promises import MatchingDiversity
from shoal.release.bucketized import Bucketized
from shoal.release.evidence import Evidence
from shoal.run import DEFAULT_RUN, Run

_STAGES = ("structure", "values of groups", "valid values", "original")


def check(release: Bucketized, evidence: Evidence, run: Run = DEFAULT_RUN) -> Verdict:
    """The audit with the evidence that it can use."""
    return audit(
        release,
        background=evidence.rules,
        original=evidence.table,
        hierarchies=evidence.hierarchies,
        run=run,
    )


def audit(
    release: Bucketized,
    *,
    background: Background | None = None,
    original: Table | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    run: Run = DEFAULT_RUN,
) -> Verdict:
    """Check the promise of a bucketized release and, with the original, that the release was made from it.

    Args:
        release: The release, as read from its folder. It may be damaged or hostile in any way that its shape allows;
            the audit then ends with a verdict that does not hold.
        background: The negative rules that the promise names. By default those that the release discloses, or those
            counted in the original.
        original: The table it was made from. Adds the checks that nothing was added and nothing lost, and that the
            given or disclosed rules are all that the table has.
        hierarchies: The trees that the rules are counted with, for the columns that the promise names.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One entry for each condition, with a witness for each that does not hold. Conditions that cannot be checked with
        this evidence are reported as left out.

    Raises:
        InputError: The rules, the original or a hierarchy do not match the columns of the release.

    Reference:
        Xiao, Tao, VLDB 2006, definitions 2 and 3; Li, Li 2008, definition 1.

    Deviations:
        A value is valid for a row only if the row itself can take it; figure 1 of Li and Li omits this.
    """
    if original is not None:
        require_columns(release, original)
    if not isinstance(release.promise, MatchingDiversity) and (background is not None or hierarchies):
        raise InputError(
            "the promise of this release names no rules, so none can be checked: shoal attack shows what an adversary "
            "who knows them learns"
        )
    if original is None and hierarchies:
        raise InputError("hierarchies only serve to count rules in the original: give the original, too")
    return Verdict.of_stages(_stages(release, background, original, hierarchies or {}), _STAGES, run)


def require_columns(release: Bucketized, original: Table) -> None:
    """Refuse a table that lacks a column of the release."""
    for name in (*release.quasi.names, release.sensitive):
        original.column(name)


def _stages(
    release: Bucketized,
    background: Background | None,
    original: Table | None,
    hierarchies: Mapping[str, Hierarchy],
) -> Iterator[tuple[str, list[Check | LeftOut]]]:
    matched = isinstance(release.promise, MatchingDiversity)
    structure = list(groups.check_structure(release))
    yield "structure", [*structure]
    if not all(check.holds for check in structure if check.name != "order"):
        why = "the structure of the release is wrong"
        yield "values of groups", [not_checked("different values", groups.SKIPPED, why)]
        yield "valid values", [matching.skipped()] if matched else []
        yield "original", [] if original is None else [not_checked("rows of the original", groups.SKIPPED, why)]
        return
    shares = [] if matched else [diversity.check_share(release)]
    yield "values of groups", [diversity.check_distinct(release), *shares]
    if release.reproducible:
        why = (
            "the groups were drawn from a seed: anyone who has it can undo them, so this release must not be published"
        )
        yield "values of groups", [LeftOut("chance", why)]
    if matched:
        yield "valid values", list(matching.check_matching(release, background, original, hierarchies))
    if original is not None:
        yield "original", [*check_original(release, original, matching.allowance(release))]
