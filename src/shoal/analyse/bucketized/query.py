"""Queries to a bucketized release: how many rows meet conditions, and the numbers of a column among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from shoal.analyse.answers import Answers
from shoal.analyse.tables.aggregates import aggregate_rows
from shoal.analyse.tables.counts import asking, counts_of
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Run

_HANDED_OUT = "every way to hand a group's values to its rows is as likely"


def query(
    release: Bucketized,
    queries: Sequence[str],
    *,
    of: str | None = None,
    run: Run = DEFAULT_RUN,
) -> Answers:
    """Bounds and means of all queries, and the minimum, maximum and average of the column ``of``."""
    counts = counts_of(asking(release), queries, _HANDED_OUT, run)
    aggregates = () if of is None else aggregate_rows(release, queries, of=of, run=run)
    rows: list[dict[str, Any]] = [{"query": text, **counts[at].as_dict()} for at, text in enumerate(queries)]
    for row, found in zip(rows, aggregates, strict=False):
        row["of"] = asdict(found)
    said = {"rows": release.n_rows, "expected_if": counts.model}
    return Answers(tuple(queries), counts, said, "counts", tuple(rows), aggregates)
