"""What to change if no basket would be frequent enough."""

from __future__ import annotations

from shoal.errors import EmptyKind
from shoal.publish.advice.sentences import SPENT
from shoal.release.noisy_baskets import NoisyBaskets


def advice(release: NoisyBaskets, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    del kind  # no promise of this shape is empty
    return (
        f"No basket was frequent enough. Try an --epsilon above {release.promise.epsilon:g}, or a hierarchy of fewer "
        f"than {release.n_items:,} items. {SPENT}"
    )
