"""Queries to a randomized release: estimates of how many records hold some items."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.analyse.answers import Answers
from shoal.analyse.randomized.supports import estimated_supports
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run


def query(
    release: Randomized,
    queries: Sequence[tuple[str, ...]],
    *,
    run: Run = DEFAULT_RUN,
) -> Answers:
    """Estimates for all queries, with their errors and intervals."""
    found = estimated_supports(release, queries, run=run)
    estimates = found.to_arrow().to_pylist()
    rows = tuple({"all_of": [*items], **row} for items, row in zip(queries, estimates, strict=True))
    return Answers(tuple(queries), found, {"records": release.n_records}, "estimates", rows)
