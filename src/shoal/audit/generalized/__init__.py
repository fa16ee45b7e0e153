"""The audit of a generalized release: its whole promise, counted from what is published.

L. Sweeney: k-anonymity, 2002, and the paper on hidden Q-S associations. Written from the definitions; it shares no code
with the publishers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from shoal.audit import node_trees
from shoal.audit.generalized import agreeing_groups
from shoal.audit.generalized.figures import diversity
from shoal.audit.generalized.hidden import NAME, allowance, check_hidden
from shoal.audit.generalized.named_values import check_named
from shoal.audit.generalized.original_places import place_columns
from shoal.audit.generalized.recoded_rows import CELLS, check_recoded
from shoal.audit.not_tried import LeftOut
from shoal.audit.verdict import Check, Figure, Verdict, not_checked
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release.evidence import Evidence, FileText
from shoal.release.generalized import Generalized
from shoal.run import DEFAULT_RUN, Run

_STAGES = ("structure", "groups", "associations", "diversity", "original")
_SKIPPED = "makes sense only for a release of the right shape"
_WRONG = "the columns, trees or groups of the release are wrong"


def check(release: Generalized, evidence: Evidence, run: Run = DEFAULT_RUN) -> Verdict:
    """The audit with the evidence that it can use."""
    return audit(
        release,
        original=evidence.table,
        hierarchies=evidence.hierarchies,
        texts=None if evidence.texts is None else evidence.texts(),
        run=run,
    )


def audit(
    release: Generalized,
    *,
    original: Table | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    texts: Iterable[FileText] | None = None,
    run: Run = DEFAULT_RUN,
) -> Verdict:
    """Check the promise of a generalized release and, with the original, that the release was made from it.

    Args:
        release: The release, as read from its folder. It may be damaged or hostile in any way that its shape allows;
            the audit then ends with a verdict that does not hold.
        original: The table it was made from. Adds the checks that no row was lost or added, that every cell is the
            value of the original or a node above it, that no file contains a value that only suppressed rows have, and
            that trees made from the data name no value of fewer than k rows.
        hierarchies: The trees it was made with, by column; needed if values that the release does not show were
            generalized to nodes below the root.
        texts: The texts in the files of the folder, to search for values that only suppressed rows have; by default the
            cells and the labels of the release.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One entry for each condition, with a witness for each that does not hold; conditions that need a missing
        hierarchy; and figures of how diverse the groups are, which do not affect the verdict.

    Raises:
        InputError: The original lacks a column, or a hierarchy is for no column or lacks a value.

    Reference:
        Sweeney 2002, definition 3; the definition of associations is that of HiddenAssociations.
    """
    if original is not None:
        require_columns(release, original)
    if original is None and hierarchies:
        raise InputError("hierarchies only serve to compare cells with the original: give the original, too")
    for name in hierarchies or {}:
        release.column(name)
    return Verdict.of_stages(_stages(release, original, hierarchies or {}, texts), _STAGES, run)


def _labels(release: Generalized) -> Iterator[FileText]:
    """The texts of a release that is not in a folder: the cells are among the labels."""
    return (FileText("hierarchies", label, c.name) for c in release.columns for label in c.tree.labels)


def require_columns(release: Generalized, original: Table) -> None:
    """Refuse a table that lacks a column of the release."""
    for column in release.columns:
        original.column(column.name)


def check_shape(release: Generalized) -> Iterator[Check]:
    """Columns, trees and groups have the structure that all other checks need."""
    columns = agreeing_groups.check_columns(release)
    yield columns
    if columns.holds:
        yield from node_trees.check_trees(release)
        yield agreeing_groups.check_offsets(release)


def _stages(
    release: Generalized,
    original: Table | None,
    hierarchies: Mapping[str, Hierarchy],
    texts: Iterable[FileText] | None,
) -> Iterator[tuple[str, list[Check | LeftOut | Figure]]]:
    shape = list(check_shape(release))
    yield "structure", [*shape]
    if not all(check.holds for check in shape if check.name != node_trees.UNUSED):
        yield "groups", [not_checked(agreeing_groups.SIZE, _SKIPPED, _WRONG)]
        yield "associations", [] if release.hidden is None else [not_checked(NAME, _SKIPPED, _WRONG)]
        yield "original", [] if original is None else [not_checked(CELLS, _SKIPPED, _WRONG)]
        return
    groups = list(agreeing_groups.check_groups(release))
    yield "groups", [*groups]
    if release.hidden is not None:
        yield "associations", [*check_hidden(release, release.hidden, allowance(release))]
    yield "diversity", [*diversity(release)]
    if original is None:
        return
    if groups[0].holds and groups[1].holds:
        places = place_columns(release, original, hierarchies)
        told = _labels(release) if texts is None else texts
        compared = [*check_recoded(release, original, places, allowance(release), told)]
        yield "original", [*compared, *check_named(release, original)]
    else:
        yield "original", [not_checked(CELLS, _SKIPPED, "rows of a group differ, or groups are out of order")]
