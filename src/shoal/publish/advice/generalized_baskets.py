"""What to change if all baskets would have the same categories."""

from __future__ import annotations

from shoal.errors import EmptyKind
from shoal.publish.advice.sentences import either, smaller
from shoal.release.generalized_baskets import GeneralizedBaskets


def advice(release: GeneralizedBaskets, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    del kind  # no promise of this shape is empty
    k, m, items = release.promise.k, release.promise.m, int(release.tree.leaves[0])
    parts = [
        "a hierarchy with more levels, or one that joins rare items with rare ones (shoal generate hierarchy "
        "--items --kind frequency)",
        *smaller("k", k, 2),
        *smaller("m", m, 1),
        f"fewer of the {items:,} items, without the rarest",
        "another method (shoal compare)",
    ]
    return f"A few rare items can cause this if only the root is above them. Try {either(parts)}."
