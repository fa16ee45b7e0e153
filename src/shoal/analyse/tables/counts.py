"""How many rows meet some conditions, from a release alone: certain bounds, mean and standard deviation.

Here are those of bucketized releases; for generalized ones see ``generalized_counts``.

X. Xiao, Y. Tao: Anatomy, VLDB 2006, section 2, for the mean. A release says which sensitive values a group of n rows
has, and not which row has which: every way to hand them out is a possible original. If a rows of the group meet the
conditions on quasi-identifiers and c of its values those on the sensitive column, the rows that meet both are as many
as the marked ones among a draws from an urn of n, c of them marked (a hypergeometric number): from max(0, a + c - n) to
min(a, c), all of which are possible, on average a c / n. Groups are independent of each other, and uniform: a model,
which knows nothing of rules that exclude values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from shoal.analyse.answers import Support, Supports
from shoal.analyse.reader import reader_of
from shoal.analyse.tables.matching_rows import Asked, Met
from shoal.data.arrays import Float64, Int64
from shoal.data.table import names_in
from shoal.errors import InputError
from shoal.release import TableRelease
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Run

# Queries between two reports of progress.
_BATCH = 64


class Urns(NamedTuple):
    """For each group its rows, the rows that meet a query, and the values that do."""

    sizes: Int64
    rows: Int64
    values: Int64

    @property
    def least(self) -> Int64:
        """How many rows must meet both."""
        least: Int64 = np.maximum(0, self.rows + self.values - self.sizes)
        return least

    @property
    def most(self) -> Int64:
        """How many rows can meet both."""
        return np.minimum(self.rows, self.values)


def count(release: TableRelease, query: str) -> Support:
    """How many rows meet a query, as far as a release determines it.

    Args:
        release: what was published.
        query: conditions joined by ``and``: ``age in 30..40 and disease in {flu, "heart disease"}``. Operators are
            ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=`` and ``in``; a range may be open, as in ``30..``.

    Raises:
        InputError: the query cannot be read, or speaks of a column or a value that the release does not have.

    Of a generalized release, mean and standard deviation are nan where nothing says which values are below a node.

    Example:
        >>> import pyarrow as pa, shoal
        >>> people = pa.table({"age": [29, 22, 27, 43], "ill": ["flu", "cold", "flu", "cold"]})
        >>> again = shoal.Run(chance=1)
        >>> release = shoal.anatomy(shoal.read_table(people, quasi="age", sensitive="ill"), l=2, run=again)
        >>> print(count(release, "ill = flu"))
        2 for certain
    """
    return count_rows(release, [query])[0]


def count_rows(release: TableRelease, queries: Iterable[str], *, run: Run = DEFAULT_RUN) -> Supports:
    """The same for many queries at once; ``run`` says how it runs (:class:`shoal.Run`)."""
    if not isinstance(release, TableRelease):
        raise InputError("conditions are about the rows of a table, and this release has none: give one of a table")
    found = reader_of(release).query(names_in(queries), run=run).found
    assert isinstance(found, Supports)
    return found


def counts_of(
    ask: Callable[[str], tuple[int, float, float, int]],
    queries: Sequence[str],
    model: str,
    run: Run = DEFAULT_RUN,
) -> Supports:
    """What ``ask`` says of each query: the fewest rows, the mean, the standard deviation, and the most."""
    report = run.report
    least, most = np.empty((2, len(queries)), np.int64)
    expected, deviation = np.empty((2, len(queries)))
    for at, text in enumerate(queries):
        if at % _BATCH == 0:
            report("count rows", at, len(queries))
        least[at], expected[at], deviation[at], most[at] = ask(text)
    report("count rows", len(queries), len(queries))
    return Supports(least, most, expected, deviation, model)


def asking(release: Bucketized) -> Callable[[str], tuple[int, float, float, int]]:
    """What counts the rows of a bucketized release that meet a query."""
    asked = Asked(release)

    def ask(text: str) -> tuple[int, float, float, int]:
        urns = urns_of(release, asked.met(text))
        expected = float((urns.rows * urns.values / urns.sizes).sum())
        return int(urns.least.sum()), expected, float(np.sqrt(_variances(urns).sum())), int(urns.most.sum())

    return ask


def urns_of(release: Bucketized, met: Met) -> Urns:
    """For each group how many of its rows and of its values meet a query."""
    values = np.where(met.values[release.bucket_values], release.bucket_counts, 0)
    return Urns(release.group_sizes, _sums(met.rows, release.group_offsets), _sums(values, release.bucket_offsets))


def _sums(numbers: Int64 | np.ndarray[tuple[int], np.dtype[np.bool_]], offsets: Int64) -> Int64:
    """The sum over each part, of which some may be empty."""
    running = np.concatenate([[0], np.cumsum(numbers, dtype=np.int64)])
    sums: Int64 = running[offsets[1:]] - running[offsets[:-1]]
    return sums


def _variances(urns: Urns) -> Float64:
    """The variance of each hypergeometric number; as floats, because a product of four counts may be too great."""
    n, a, c = (part.astype(np.float64) for part in urns)
    variances: Float64 = a * c * (n - a) * (n - c) / (n * n * np.maximum(n - 1, 1))
    return variances
