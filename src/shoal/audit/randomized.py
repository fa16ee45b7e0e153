"""Check a randomized release: what can be told of chance from the release alone, and with the original."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shoal.audit.left_out import LeftOut
from shoal.audit.verdict import Check, Verdict, decided
from shoal.data.transactions import Transactions
from shoal.release.randomized import Randomized

Progress = Callable[[str, int, int], None]


def audit(release: Randomized, *, original: Transactions | None = None, progress: Progress | None = None) -> Verdict:
    """Check a release.

    Args:
        release: the release, as it was read from its folder.
        original: the data it was made from, if they are at hand.
        progress: called with (stage, done, total).

    Returns:
        The verdict.
    """
    del original, progress
    checks = tuple(_structure(release))
    left_out = (LeftOut("chance", "a seed stood in for chance: this is not to be published"),)
    return Verdict(checks, left_out if release.reproducible else ())


def _structure(release: Randomized) -> Iterator[Check]:
    fakes = release.promise.fakes_for(release.n_records)
    wrong = None if release.n_fakes == fakes else f"{release.n_fakes:,} rows are made up, not {fakes:,}"
    yield decided("sizes", "there are as many rows as the promise says", release.n_rows, wrong)
    inside = np.ones(len(release.items), bool)
    starts = release.offsets[:-1]
    inside[starts[starts < len(inside)]] = False
    bad = np.flatnonzero(inside[1:] & (np.diff(release.items) <= 0))
    what = "the items of a row ascend"
    yield decided("rows", what, release.n_rows, None if not len(bad) else f"items {bad[0]} and {bad[0] + 1} do not")
