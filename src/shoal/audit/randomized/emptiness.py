"""Whether anything is left in a randomized release."""

from __future__ import annotations

from shoal.audit.emptiness import Emptiness
from shoal.release.randomized import Randomized


def emptiness(release: Randomized) -> tuple[Emptiness, ...]:
    """What makes the release worth nothing; its structure was found to be right."""
    if len(release.items):
        return ()
    return (Emptiness("total loss", f"none of {release.n_rows:,} published rows holds an item"),)
