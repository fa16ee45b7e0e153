"""Whether a randomized release has any utility left."""

from __future__ import annotations

from shoal.audit.emptiness import Emptiness
from shoal.release.randomized import Randomized


def emptiness(release: Randomized) -> tuple[Emptiness, ...]:
    """The reasons why the release is worthless; its structure was found valid."""
    if len(release.items):
        return ()
    return (Emptiness("total loss", f"none of {release.n_rows:,} published rows holds an item"),)
