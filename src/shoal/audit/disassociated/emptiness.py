"""Whether anything is left in a disassociated release."""

from __future__ import annotations

from shoal.audit.emptiness import Emptiness
from shoal.release.disassociated import Disassociated


def emptiness(release: Disassociated) -> tuple[Emptiness, ...]:
    """What makes the release worth nothing; its structure was found to be right."""
    if release.n_chunks:
        return ()
    words = (
        f"all {len(release.vocabulary):,} items of {release.n_records:,} records are in term chunks only, so "
        "that nothing tells how often an item occurs in a cluster, or which items occur together"
    )
    return (Emptiness("total loss", words),)
