"""Queries to generalized baskets: how many records hold some items or groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal.analyse.answers import Answers
from shoal.analyse.node_rows.supports import node_supports
from shoal.release.generalized_baskets import GeneralizedBaskets


def query(
    release: GeneralizedBaskets,
    queries: Sequence[tuple[str, ...]],
    *,
    progress: Callable[[str, int, int], None] | None = None,
) -> Answers:
    """Bounds and means of all queries; what rows hold is counted exactly."""
    del progress  # it takes no time worth reporting
    found = node_supports(release, queries)
    rows = tuple({"all_of": [*items], **found[at].as_dict()} for at, items in enumerate(queries))
    said = {"records": release.n_rows, "expected_if": found.model}
    return Answers(tuple(queries), found, said, "supports", rows)
