"""Whether a disassociated release has any utility left."""

from __future__ import annotations

from shoal.audit.emptiness import Emptiness
from shoal.release.disassociated import Disassociated


def emptiness(release: Disassociated) -> tuple[Emptiness, ...]:
    """The reasons why the release is worthless; its structure was found valid."""
    if release.n_chunks:
        return ()
    words = (
        f"all {len(release.vocabulary):,} items of {release.n_records:,} records are in term chunks only, so the "
        "release shows neither how often an item occurs in a cluster nor which items occur together"
    )
    return (Emptiness("total loss", words),)
