"""Whether the promise of a bucketized release has any effect."""

from __future__ import annotations

import numpy as np

from shoal.audit.emptiness import Emptiness, nearly_unique, share_of_rows
from shoal.quoting import called
from shoal.release.bucketized import Bucketized


def emptiness(release: Bucketized) -> tuple[Emptiness, ...]:
    """The reasons why the release is worthless; its structure was found valid."""
    wanted = release.promise.l
    alone = own_values(release)
    if not nearly_unique(release.n_rows, alone):
        return ()
    words = (
        f"{share_of_rows(alone, release.n_rows)} have a value of {called(release.sensitive)} that no other row has: "
        f"any {wanted:,} of these rows have {wanted:,} different values, and each value, published exactly, belongs to "
        "one person"
    )
    return (Emptiness("empty promise", words),)


def own_values(release: Bucketized) -> int:
    """How many rows have a sensitive value that no other row has."""
    rows = np.zeros(len(release.values), np.int64)
    np.add.at(rows, release.bucket_values, release.bucket_counts)
    return int(np.count_nonzero(rows == 1))
