"""The mean relative error of random counting queries on a release of a table.

T. Li, N. Li: Injector, 2008, section VI.D, after X. Xiao, Y. Tao: Anatomy, VLDB 2006. A query counts the rows that have
one of some values in each of ``dim`` quasi columns, and one of some sensitive values. For a column of d values it names
a number of values from 1 to sel * d, uniformly, and each set of that size is equally likely. So do sensitive values,
about which the paper says nothing.

Deviations: the paper draws from 0 on. A query that names no value matches no row, so it has no relative error, and
drawing from 1 on is the same as leaving it out. sel * d is rounded up, so that every column can be queried. Queries
that match no row of the original are left out for the same reason, and counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Float64
from shoal.errors import InputError
from shoal.limits import require_share, require_whole
from shoal.measuring.metric import Metric
from shoal.measuring.tables.reconstructed import Reconstructed
from shoal.mining.support import as_written
from shoal.randomness import generator
from shoal.run import DEFAULT_RUN, Run

Drawn = tuple[dict[int, Bools], Bools]

_BATCH = 64


@dataclass(frozen=True, eq=False)
class QueryErrors:
    """The relative errors of the queries that match some row of the original."""

    errors: Float64
    queries: int
    """The number of queries."""
    rows: int
    """The number of rows of the original."""

    def metric(self) -> Metric:
        """The mean relative error."""
        answered = len(self.errors)
        return Metric(
            "query error",
            float(self.errors.mean()) if answered else None,
            "lower is better",
            (0.0, float(max(1, self.rows - 1))),
            "the mean over random queries of |r - q| / q, where q rows of the original match the query, and r by the "
            "release",
            "nothing: no query matches a row of the original; queries that match no row are left out",
            details={
                "queries": self.queries,
                "answered": answered,
                "median": float(np.median(self.errors)) if answered else None,
                "left_out_with_no_row": self.queries - answered,
            },
        )


def query_errors(
    original: Reconstructed,
    release: Reconstructed,
    *,
    dim: int,
    sel: float,
    queries: int,
    run: Run = DEFAULT_RUN,
) -> QueryErrors:
    """Draw queries, and answer them from the original and from the release."""
    require_whole("queries", queries, least=1)
    require_share("sel", sel)
    require_whole("dim", dim, least=1)
    if dim > len(original.quasi):
        raise InputError(f"dim is {dim}: there are only {len(original.quasi)} quasi columns")
    report = run.report
    chance = generator(run.chance)
    errors = []
    for at, (wanted, sensitive) in enumerate(_drawn(original, dim, sel, queries, chance)):
        if at % _BATCH == 0:
            report("answer queries", at, queries)
        truth = original.count(wanted, sensitive)
        if truth:
            errors.append(abs(release.count(wanted, sensitive) - truth) / truth)
    report("answer queries", queries, queries)
    return QueryErrors(np.array(errors, np.float64), queries, original.n_rows)


def _drawn(original: Reconstructed, dim: int, sel: float, queries: int, chance: np.random.Generator) -> Iterator[Drawn]:
    most = [math.ceil(as_written(sel) * spread.n_values) for spread in original.quasi]
    most_sensitive = math.ceil(as_written(sel) * original.n_sensitive)
    for _ in range(queries):
        places = chance.choice(len(original.quasi), dim, replace=False).tolist()
        wanted = {place: _some(original.quasi[place].n_values, most[place], chance) for place in sorted(places)}
        yield wanted, _some(original.n_sensitive, most_sensitive, chance)


def _some(n: int, most: int, chance: np.random.Generator) -> Bools:
    """A random nonempty subset of n values."""
    chosen = np.zeros(n, bool)
    chosen[chance.choice(n, int(chance.integers(1, most + 1)), replace=False)] = True
    return chosen
