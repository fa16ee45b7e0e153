"""Whether anything is left in noisy baskets."""

from __future__ import annotations

from shoal.audit.emptiness import Emptiness
from shoal.release.noisy_baskets import NoisyBaskets


def emptiness(release: NoisyBaskets) -> tuple[Emptiness, ...]:
    """What makes the release worth nothing; its structure was found to be right."""
    return () if release.n_rows else (Emptiness("total loss", "no basket is published"),)
