"""The least, the greatest and the average number of a column among the rows that meet some conditions.

N. Koudas, D. Srivastava, T. Yu, Q. Zhang: Aggregate Query Answering on Anonymized Tables, ICDE 2007, ask for bounds of
such aggregates over all possible originals of permuted groups. In a group (see ``table_counts``) some number k of rows
between two bounds meets the conditions, and which k of the candidates they are is open: of the rows, if the column is a
quasi-identifier, of the values, if it is the sensitive one. That makes all bounds here exact.

The least average takes, in every group, the smallest candidates: those that must be there, and of the others of all
groups, in ascending order, as many as bring the average down. The greatest one is its mirror image.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.analyse.reader import reader_of
from shoal.analyse.tables.counts import Urns, urns_of
from shoal.analyse.tables.matching_rows import Asked, Met
from shoal.data.arrays import Bools, Float64, Int64
from shoal.data.table import Column, names_in
from shoal.errors import InputError
from shoal.quoting import named
from shoal.release.bucketized import Bucketized
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

Number = int | float


@dataclass(frozen=True)
class Range:
    """Between which numbers something lies in every possible original.

    Example:
        >>> print(Range(22, 29), "and", Range(7.5, 7.5), "and", Range(0, 7.5).exact)
        22 to 29 and 7.5 and False
    """

    least: Number
    most: Number

    @property
    def exact(self) -> bool:
        """Whether all possible originals agree."""
        return self.least == self.most

    def __str__(self) -> str:
        return _shown(self.least) if self.exact else f"{_shown(self.least)} to {_shown(self.most)}"


@dataclass(frozen=True)
class Aggregate:
    """The numbers of a column among the rows that meet a query, as far as a release determines them.

    The ranges are over the possible originals in which some row meets the query and has a number; they are None where
    no original has one.

    Example:
        >>> print(Aggregate("age", 1, 3, Range(22, 29), Range(29, 43), Range(25.5, 36), 31.25))
        age: minimum 22 to 29, maximum 29 to 43, average 25.5 to 36 (31.25 expected)
    """

    column: str
    least_rows: int
    """At least so many rows meet the query and have a number; 0: it may be that none does."""
    most_rows: int
    minimum: Range | None
    maximum: Range | None
    average: Range | None
    expected_average: float | None
    """The expected sum by the expected count: near the expectation of the average, and not the same."""

    def __str__(self) -> str:
        if self.minimum is None:
            return f"{self.column}: no row can meet the conditions and have a number"
        return (
            f"{self.column}: minimum {self.minimum}, maximum {self.maximum}, average {self.average} "
            f"({_shown(self.expected_average)} expected)"
            + ("" if self.least_rows else "; or no row at all: none is certain to meet the conditions")
        )


class _Candidates(NamedTuple):
    """The numbers that may count, group after group and ascending in each."""

    codes: Int64
    """Which value each of them is, in the order of the column's values."""
    groups: Int64
    ranks: Int64
    """How many of the group come before it."""
    after: Int64
    """How many of the group come after it."""


def aggregate(release: Bucketized, query: str, *, of: str) -> Aggregate:
    """The minimum, the maximum and the average of a column over the rows that meet a query.

    Args:
        release: what was published.
        query: conditions, as in :func:`shoal.query`.
        of: a column of numbers; rows in which it is missing do not count.

    Raises:
        InputError: the query cannot be read, or a column is not there or holds no numbers.
    """
    return aggregate_rows(release, [query], of=of)[0]


def aggregate_rows(
    release: Bucketized, queries: Iterable[str], *, of: str, run: Run = DEFAULT_RUN
) -> tuple[Aggregate, ...]:
    """The same for many queries; ``run`` says how it runs (:class:`shoal.Run`)."""
    if "of" not in reader_of(release).query_options:
        raise InputError(
            "aggregates are about releases in which numbers stand as they are, and this is "
            f"{SHAPES[release.shape].called}: give one that anatomy or injector made"
        )
    wanted = names_in(queries)
    report = run.report
    asked = Asked(release)
    column = asked.column(of)
    if not column.is_number:
        raise InputError(f"column {named(of)} holds no numbers, so that it has no minimum, maximum and average")
    found = []
    for at, text in enumerate(wanted):
        report("aggregate", at, len(wanted))
        found.append(_aggregate(release, column, asked.met(text, has_number=of)))
    report("aggregate", len(wanted), len(wanted))
    return tuple(found)


def _aggregate(release: Bucketized, column: Column, met: Met) -> Aggregate:
    urns = urns_of(release, met)
    least_rows, most_rows = int(urns.least.sum()), int(urns.most.sum())
    if not most_rows:
        return Aggregate(column.name, 0, 0, None, None, None, None)
    sensitive = column.name == release.sensitive
    all_candidates = _candidates(release, column, met)
    there = urns.most[all_candidates.groups] > 0
    candidates = _Candidates(*(part[there] for part in all_candidates))
    numbers = column.values.drop_null().to_numpy(zero_copy_only=False).astype(np.float64)[candidates.codes]
    chances = ((urns.rows if sensitive else urns.values) / urns.sizes)[candidates.groups]
    extremes = [_number(column, code) for code in _extremes(candidates, urns.least[candidates.groups])]
    return Aggregate(
        column.name,
        least_rows,
        most_rows,
        Range(extremes[0], extremes[1]),
        Range(extremes[2], extremes[3]),
        _average(numbers, candidates, urns),
        float((numbers * chances).sum() / chances.sum()),
    )


def _candidates(release: Bucketized, column: Column, met: Met) -> _Candidates:
    if column.name == release.sensitive:
        times = np.where(met.values[release.bucket_values], release.bucket_counts, 0)
        codes = np.repeat(release.bucket_values, times).astype(np.int64)
        groups = np.repeat(release.bucket_groups, times)
    else:
        codes, groups = column.codes[met.rows].astype(np.int64), release.row_groups[met.rows]
    order = np.lexsort((codes, groups))
    codes, groups = codes[order], groups[order]
    sizes = np.bincount(groups, minlength=release.n_groups)
    starts = np.cumsum(sizes) - sizes
    ranks = np.arange(len(codes)) - starts[groups]
    return _Candidates(codes, groups, ranks, sizes[groups] - 1 - ranks)


def _extremes(candidates: _Candidates, least: Int64) -> tuple[int, int, int, int]:
    """The codes of the least and the greatest possible minimum, and of the least and the greatest maximum.

    A minimum is greatest if groups give no more than they must, and their greatest; where none must give any, a single
    candidate, the greatest, may be all there is.
    """
    codes = candidates.codes
    smallest, greatest = int(codes.min()), int(codes.max())
    if not least.any():
        return smallest, greatest, smallest, greatest
    top, bottom = codes[candidates.after < least], codes[candidates.ranks < least]
    return smallest, int(top.min()), int(bottom.max()), greatest


def _average(numbers: Float64, candidates: _Candidates, urns: Urns) -> Range:
    least = _least_average(numbers, candidates.ranks, urns, candidates.groups)
    most = -_least_average(-numbers, candidates.after, urns, candidates.groups)
    return Range(*sorted((least, most)))  # they may be the same number, summed up in another order


def _least_average(numbers: Float64, ranks: Int64, urns: Urns, groups: Int64) -> float:
    """The least average: what must be there, and the smallest of the rest as long as they lower it."""
    forced: Bools = ranks < urns.least[groups]
    rest = np.sort(numbers[~forced & (ranks < urns.most[groups])])
    start = int(np.count_nonzero(forced))
    sums = numbers[forced].sum() + np.concatenate([[0.0], np.cumsum(rest)])
    counts = start + np.arange(len(sums))
    nonempty = counts > 0
    return float((sums[nonempty] / counts[nonempty]).min())


def _number(column: Column, code: int) -> Number:
    value = column.values[code].as_py()
    return value if isinstance(value, int | float) else float(value)


def _shown(number: Number | None) -> str:
    return "nothing" if number is None else f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"
