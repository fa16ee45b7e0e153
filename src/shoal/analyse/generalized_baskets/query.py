"""Queries to generalized baskets: how many records hold some items or groups."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.analyse.answers import Answers
from shoal.analyse.node_rows.supports import node_supports
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import DEFAULT_RUN, Run


def query(
    release: GeneralizedBaskets,
    queries: Sequence[tuple[str, ...]],
    *,
    run: Run = DEFAULT_RUN,
) -> Answers:
    """Bounds and means of all queries; what rows hold is counted exactly."""
    del run  # it takes no time worth reporting
    found = node_supports(release, queries)
    rows = tuple({"all_of": [*items], **found[at].as_dict()} for at, items in enumerate(queries))
    said = {"records": release.n_rows, "expected_if": found.model}
    return Answers(tuple(queries), found, said, "supports", rows)
