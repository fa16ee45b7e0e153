"""Queries to a generalized release: how many rows meet conditions."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.analyse.answers import Answers
from shoal.analyse.tables.counts import counts_of
from shoal.analyse.tables.generalized_counts import AskedRows
from shoal.release.generalized import Generalized
from shoal.run import DEFAULT_RUN, Run

_FILLED = "every value below a generalized cell is as likely, whatever stands beside it"


def query(release: Generalized, queries: Sequence[str], *, run: Run = DEFAULT_RUN) -> Answers:
    """Bounds and means of all queries."""
    counts = counts_of(AskedRows(release).count, queries, _FILLED, run)
    rows = tuple({"query": text, **counts[at].as_dict()} for at, text in enumerate(queries))
    said = {"rows": release.n_rows, "suppressed_rows": release.suppressed, "expected_if": counts.model}
    return Answers(tuple(queries), counts, said, "counts", rows)
