"""The audit of a release of generalized baskets: it counts every set of up to m published items that occurs.

M. Terrovitis, N. Mamoulis, P. Kalnis, VLDB 2008, definition 1. Written from the promise; it shares no code with the
publisher.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.budget import OutOfBudget
from shoal.audit.generalized_baskets.rare_sets import SetCounter
from shoal.audit.generalized_baskets.records import NUMBER, check_original
from shoal.audit.generalized_baskets.rows import GLOBAL, SHAPE, check_rows, nodes_shown
from shoal.audit.not_tried import LeftOut
from shoal.audit.verdict import Check, Verdict, decided, not_checked
from shoal.audit.wording import records
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.release.evidence import Evidence
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import DEFAULT_RUN, Run

SETS = "sets of items"
_STAGES = ("rows", "sets", "original")


def check(release: GeneralizedBaskets, evidence: Evidence, run: Run = DEFAULT_RUN) -> Verdict:
    """The audit with the evidence that it can use."""
    return audit(release, original=evidence.baskets, hierarchy=evidence.hierarchy, run=run)


def audit(
    release: GeneralizedBaskets,
    *,
    original: Transactions | None = None,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> Verdict:
    """Check the promise of a release of generalized baskets, from its content alone.

    Args:
        release: The release, as read from its folder. It may be damaged or hostile in any way that its shape allows;
            the audit then ends with a verdict that does not hold.
        original: The data it was made from: then also whether its rows are these records.
        hierarchy: The hierarchy it was made with. Without it, and if the release does not disclose it, the original can
            be compared in part only.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One entry for each condition, with a witness for each that does not hold.

    Raises:
        InputError: A hierarchy is given without an original, or has no place for one of its items.
    """
    if hierarchy is not None and original is None:
        raise InputError(
            "a hierarchy only serves to compare a release with its original: give the original, too (--original FILE)"
        )
    return Verdict.of_stages(_stages(release, original, hierarchy), _STAGES, run)


def _stages(
    release: GeneralizedBaskets, original: Transactions | None, hierarchy: Hierarchy | None
) -> Iterator[tuple[str, list[Check | LeftOut]]]:
    shape = list(check_rows(release))
    yield "rows", [*shape]
    sound = {check.name: check.holds for check in shape}
    if not all(sound[name] for name in SHAPE):
        why = "the hierarchy or the rows of the release are wrong"
        yield "sets", [not_checked(SETS, _what(release), why)]
        yield "original", [] if original is None else [not_checked(NUMBER, "makes sense only for rows of nodes", why)]
        return
    yield "sets", [_check_sets(release)]
    if original is None:
        yield "original", []
    elif sound[GLOBAL]:
        yield "original", list(check_original(release, original, hierarchy))
    else:
        why = "an item may be several nodes"
        yield "original", [not_checked(NUMBER, "makes sense only where an item is the same node in all rows", why)]


def _what(release: GeneralizedBaskets) -> str:
    k, m = release.promise.k, release.promise.m
    return f"every set of up to {m:,} published items that a row holds is held by at least {k:,} rows"


def _check_sets(release: GeneralizedBaskets) -> Check:
    k, m = release.promise.k, release.promise.m
    # No set is in more rows than the release has: a larger k changes nothing, and would overflow.
    counter = SetCounter(release.offsets, release.nodes, len(release.tree), min(k, release.n_rows + 1))
    try:
        rare = counter.find(m)
    except OutOfBudget:
        return not_checked(
            SETS, _what(release), f"sets of up to {m:,} of so many items would take too much work to count"
        )
    witness = None
    if rare is not None:
        witness = f"{nodes_shown(release, list(rare.items))} is held by {records(rare.count)} only"
    return decided(SETS, _what(release), release.n_rows, witness)
