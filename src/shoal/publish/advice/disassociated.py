"""What to change if everything would be in term chunks."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import EmptyKind
from shoal.publish.advice.sentences import either, smaller
from shoal.release.disassociated import Disassociated


def advice(release: Disassociated, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    del kind  # no promise of this shape is empty
    return f"Try {either(list(_changes(release)))}."


def _changes(release: Disassociated) -> Iterator[str]:
    k, sizes = release.promise.k, release.cluster_size[release.is_leaf]
    yield from smaller("k", k, 2)
    if release.links is not None:
        yield "leaving out --cover-safe"
    if release.diversity is not None:
        yield f"fewer sensitive items than {len(release.diversity.sensitive):,}, or an -l below {release.diversity.l:,}"
    if len(sizes) > 1:
        yield (
            f"larger clusters (--max-cluster-size): the largest of {len(sizes):,} holds {int(sizes.max()):,} of "
            f"{release.n_records:,} records"
        )
    yield f"coarser items: there are {len(release.vocabulary):,} for {release.n_records:,} records"
