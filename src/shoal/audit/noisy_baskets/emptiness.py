"""Whether noisy baskets have any utility left."""

from __future__ import annotations

from shoal.audit.emptiness import Emptiness
from shoal.release.noisy_baskets import NoisyBaskets


def emptiness(release: NoisyBaskets) -> tuple[Emptiness, ...]:
    """The reasons why the release is worthless; its structure was found valid."""
    return () if release.n_rows else (Emptiness("total loss", "no basket is published"),)
