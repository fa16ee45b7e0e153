"""What to change if flipping would leave no item."""

from __future__ import annotations

from shoal.errors import EmptyKind
from shoal.publish.advice.sentences import SPENT
from shoal.release.randomized import Randomized


def advice(release: Randomized, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    del kind  # no promise of this shape is empty
    said = f"Try a --keep-prob above {release.promise.keep_prob:g}, or more records: there are {release.n_records:,}."
    return said if release.privacy is None else f"{said} {SPENT}"
