"""The audit of a randomized release: checks of chance from the release alone, and with the original.

S. Rizvi, J. Haritsa, VLDB 2002 (MASK); J.-L. Lin, J. Liu, SAC 2007 (fake transactions); A. Mohaisen et al., 2010.
Written from the promise; it shares no code with the publishers. Checks of chance fail only if the published data would
be next to impossible under the promise, and state the chance of a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.budget import OutOfBudget
from shoal.audit.not_tried import LeftOut
from shoal.audit.randomized import flip_rate
from shoal.audit.randomized.certain_rows import check_rows
from shoal.audit.randomized.original_baskets import REAL_ROWS, check_baskets, check_real_rows, match_baskets
from shoal.audit.randomized.published_rows import (
    Bounds,
    check_items,
    check_lengths,
    count_items,
    lengths_from_counts,
    lengths_from_folder,
)
from shoal.audit.verdict import Check, Verdict, not_checked
from shoal.data.arrays import Int64
from shoal.data.transactions import Transactions
from shoal.release.evidence import Evidence
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run

FAKES = "fake transactions"
_ITEMS, _LENGTHS = "frequencies", "lengths"
_ORIGINAL_ITEMS, _ORIGINAL_LENGTHS = "frequencies in the original", "lengths in the original"
_STAGES = ("rows", "chance", "original")
_SKIPPED = "makes sense only for a release of the right shape"


def check(release: Randomized, evidence: Evidence, run: Run = DEFAULT_RUN) -> Verdict:
    """The audit with the evidence that it can use."""
    return audit(release, original=evidence.baskets, run=run)


def audit(release: Randomized, *, original: Transactions | None = None, run: Run = DEFAULT_RUN) -> Verdict:
    """Check the promise of a randomized release, as far as the evidence allows.

    Args:
        release: The release, as read from its folder. It may be damaged or hostile in any way that its shape allows;
            the audit then ends with a verdict that does not hold.
        original: The data it was made from. Only they show how often items were flipped, and which rows are fake.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One entry for each condition, with a witness for each that does not hold. Checks that the folder alone does not
        allow are reported as left out. A correctly made release fails with a chance below one in a billion.

    Reference:
        Hoeffding, JASA 1963, theorem 1, for the chances of counts.
    """
    return Verdict.of_stages(_stages(release, original), _STAGES, run)


def _stages(release: Randomized, original: Transactions | None) -> Iterator[tuple[str, list[Check | LeftOut]]]:
    structure = list(check_rows(release))
    yield "rows", [*structure]
    if not all(check.holds for check in structure if check.name in ("sizes", "rows")):
        why = "the sizes or the rows of the release are wrong"
        yield "chance", [not_checked(name, _SKIPPED, why) for name in (_ITEMS, _LENGTHS)]
        yield "original", [] if original is None else [not_checked(_ORIGINAL_ITEMS, _SKIPPED, why)]
        return
    counts = count_items(release)
    yield "chance", list(_from_folder(release, counts))
    yield "original", list(_without(release) if original is None else _with(release, original, counts))


def _from_folder(release: Randomized, counts: Int64) -> Iterator[Check | LeftOut]:
    promise, real = release.promise, float(release.n_records)
    bounds = Bounds(
        np.full(release.n_items, promise.flip_prob * real), np.full(release.n_items, promise.keep_prob * real)
    )
    what = (
        "every item is in no more rows than if all real ones had held it, nor in fewer than if none had, up to chance"
    )
    yield check_items(release, counts, bounds, _ITEMS, what)
    what = "rows are as long as records of at least one item" + (
        "" if release.privacy is None else f" and at most {release.privacy.max_basket:,}"
    )
    try:
        what += " and fake transactions of the stated lengths can become" if promise.fakes else " can become"
        yield check_lengths(release, lengths_from_folder(release), _LENGTHS, what)
    except OutOfBudget:
        yield _too_much(_LENGTHS)
    if release.reproducible:
        why = (
            "the rows were drawn from a seed: anyone who has it can undo everything, so this release must not be "
            "published"
        )
        yield LeftOut("chance", why)


def _without(release: Randomized) -> Iterator[LeftOut]:
    """What only the original shows."""
    if release.promise.keep_prob < 1:
        yield LeftOut(
            flip_rate.NAME,
            "a release alone does not show how often items were flipped: this needs the data (--original FILE)",
        )
    if release.promise.fakes:
        yield LeftOut(
            FAKES, "a release alone does not show which rows are fake, and how they were made: this needs the data"
        )


def _with(release: Randomized, original: Transactions, counts: Int64) -> Iterator[Check | LeftOut]:
    baskets = match_baskets(release, original)
    of_this = list(check_baskets(release, baskets, original))
    yield from of_this
    flipped = release.promise.keep_prob < 1
    names = (flip_rate.NAME if flipped else REAL_ROWS, _ORIGINAL_ITEMS, _ORIGINAL_LENGTHS)
    if not all(check.holds for check in of_this):
        why = "the release is of other records or items"
        yield from (not_checked(name, "makes sense only for the right original", why) for name in names)
        return
    n, keep = release.n_items, release.promise.keep_prob
    expected = baskets.expected_supports(n)
    if flipped:
        yield flip_rate.check_flip_rate(release, counts, baskets.supports(n), expected)
        what = "every item is in as many rows as flips" + (" and fake transactions" if release.n_fakes else "")
        what += " make of the records that held it, up to chance"
    else:
        yield check_real_rows(release, baskets)
        what = "every item is equally frequent in the rows that must be fake transactions, up to chance"
    real = release.promise.flip_prob * release.n_records + (2 * keep - 1) * expected
    yield check_items(release, counts, Bounds(real, real), _ORIGINAL_ITEMS, what)
    what = "as many rows have each length, or more, or less, as chance makes of the lengths of the records" + (
        " and the stated ones of fake transactions" if release.n_fakes else ""
    )
    try:
        lengths = lengths_from_counts(np.bincount(baskets.lengths, minlength=n + 1), release)
        yield check_lengths(release, lengths, _ORIGINAL_LENGTHS, what)
    except OutOfBudget:
        yield _too_much(_ORIGINAL_LENGTHS)


def _too_much(name: str) -> Check:
    why = "so many lengths of so many items would take too much work"
    return not_checked(name, "rows are as long as chance makes them", why)
