"""Rows that are in both of two releases: without flips, real rows are, and most fake transactions are not.

J.-L. Lin, J. Liu, SAC 2007, and A. Mohaisen et al., 2010, count fake transactions of one release. Real rows are
published unchanged, so each of them is in every release; a row that one release holds more often than the other is
fake.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.attack.finding import Finding
from shoal.audit.equal_rows import kinds_of_rows
from shoal.audit.residual import Residual
from shoal.errors import InputError
from shoal.release.randomized import Randomized

NAME = "rows in both"


def attack_rows(first: Randomized, other: Randomized) -> Finding:
    """Sort out rows that are not in both; nothing was flipped in either.

    Raises:
        InputError: Fewer rows are in both than there are records, so the releases are of other baskets.
    """
    offsets = np.concatenate([first.offsets, other.offsets[1:] + first.offsets[-1]])
    kinds = kinds_of_rows(offsets, np.concatenate([first.items, other.items]), first.n_items)
    size = int(kinds.max(initial=-1)) + 1
    held, others = (np.bincount(part, minlength=size) for part in np.split(kinds, [first.n_rows]))
    both = int(np.minimum(held, others).sum())
    left = int(np.minimum(np.minimum(held, others), first.n_records).sum())
    if both < first.n_records:
        raise InputError(
            f"the other release is of other baskets: {both:,} rows are in both, and {first.n_records:,} are real"
        )
    gone = first.n_rows - left
    share = gone / first.n_fakes if first.n_fakes else 0.0
    before, after = first.n_records / first.n_rows, first.n_records / left
    sentence = (
        f"Real rows are in both releases. So {gone:,} of {first.n_fakes:,} fake transactions ({share:.1%}), which the "
        f"other release does not hold as often, are known to be fake: {after:.1%} of the remaining rows are real, "
        f"against {before:.1%} of all rows. The promise does not cover a second release."
    )
    numbers = {
        "rows": first.n_rows,
        "fake_transactions": first.n_fakes,
        "rows_left": left,
        "fake_transactions_removed_share": share,
        "real_of_all_rows_share": before,
        "real_of_rows_left_share": after,
    }
    return Finding(
        NAME, sentence, numbers, residual=Residual(share, "fake transactions", "are sorted out by both releases")
    )
