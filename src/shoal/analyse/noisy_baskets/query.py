"""Queries to noisy counts: sums of the counts of the baskets with some items or groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from shoal.analyse.answers import Answers
from shoal.analyse.node_rows.supports import noisy_counts
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import DEFAULT_RUN, Run


def query(
    release: NoisyBaskets,
    queries: Sequence[tuple[str, ...]],
    *,
    run: Run = DEFAULT_RUN,
) -> Answers:
    """Noisy counts for all queries, with the errors that noise brings about."""
    del run  # it takes no time worth reporting
    found = noisy_counts(release, queries)
    rows = tuple(
        {"all_of": [*items], **asdict(one), "error": one.error if math.isfinite(one.error) else None}
        for items, one in zip(queries, found, strict=True)
    )
    return Answers(tuple(queries), found, {"records": release.n_records}, "counts", rows)
