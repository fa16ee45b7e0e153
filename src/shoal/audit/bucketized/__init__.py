"""The audit of a bucketized release: everything it promises that can be checked with what is at hand.

X. Xiao, Y. Tao: Anatomy, VLDB 2006; T. Li, N. Li: Injector, 2008. Written from the definitions; it shares no code with
the publishers, and counts negative rules itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.audit.bucketized import diversity, groups, matching
from shoal.audit.bucketized.against_table import check_original
from shoal.audit.not_tried import LeftOut
from shoal.audit.verdict import Check, Progress, Verdict, not_checked
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.promises import MatchingDiversity
from shoal.release.bucketized import Bucketized
from shoal.release.evidence import Evidence

_STAGES = ("structure", "values of groups", "valid values", "original")


def check(release: Bucketized, evidence: Evidence, progress: Progress | None = None) -> Verdict:
    """The audit with whatever is at hand of what it can use."""
    return audit(
        release,
        background=evidence.rules,
        original=evidence.table,
        hierarchies=evidence.hierarchies,
        progress=progress,
    )


def audit(
    release: Bucketized,
    *,
    background: Background | None = None,
    original: Table | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check what a bucketized release promises, and with the original at hand, that it is a release of it.

    Args:
        release: The release, as read back from its folder. It may be damaged or hostile in any way that its shape
            allows; the audit then ends with a verdict that does not hold.
        background: The negative rules that the promise speaks of. Without them those that the release discloses are
            taken, or those counted in the original.
        original: The table it was made from. Adds the checks that nothing was invented and nothing lost, and that
            rules that were given or disclosed are all that the table has.
        hierarchies: The trees that the rules are counted with, for the columns that the promise names.
        progress: Called after each stage with its name, the stages done, and their number.

    Returns:
        One entry for each condition, with a witness for each that does not hold. What the promise asks for and cannot
        be told from what is at hand is left out, and said so.

    Raises:
        InputError: The rules, the original or a hierarchy are not about the columns of the release.

    Reference:
        Xiao, Tao, VLDB 2006, definitions 2 and 3; Li, Li 2008, definition 1.

    Deviations:
        A value is valid for a row only if the row itself can take it, which figure 1 of Li and Li forgets.
    """
    if original is not None:
        require_columns(release, original)
    if not isinstance(release.promise, MatchingDiversity) and (background is not None or hierarchies):
        raise InputError(
            "the promise of this release speaks of no rules, so that none can be checked: shoal attack tells what one "
            "learns who knows them"
        )
    if original is None and hierarchies:
        raise InputError("hierarchies are for counting rules in the original: give that, too")
    return Verdict.of_stages(_stages(release, background, original, hierarchies or {}), _STAGES, progress)


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
        why = "a seed stood in for chance: whoever has it can undo the groups, so this is not to be published"
        yield "values of groups", [LeftOut("chance", why)]
    if matched:
        yield "valid values", list(matching.check_matching(release, background, original, hierarchies))
    if original is not None:
        yield "original", [*check_original(release, original, matching.allowance(release))]
