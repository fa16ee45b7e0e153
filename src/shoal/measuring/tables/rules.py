"""Errors of association rules X => Y of an original when they are counted in a release.

T. Li, N. Li: Injector, 2008, section VI.C. X is a value of each of some quasi columns, Y a sensitive value. A rule is
*interesting* if enough rows have X and Y and its conviction (S. Brin et al., SIGMOD 1997) is high enough:
P(X) P(not Y) / P(X and not Y), infinite where X is never without Y. Counts of a release are expected counts
(``reconstructed``).

Values in too few rows, in the original and in the release, are in no interesting rule of either, and left out first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import Bools, Float64, Int64
from shoal.data.ragged import expand
from shoal.errors import Infeasible
from shoal.measuring.metric import Metric
from shoal.measuring.tables.reconstructed import Reconstructed, Spread
from shoal.mining.support import least_count
from shoal.run import DEFAULT_RUN, Run

MAX_RULES = 2**23
"""Maximum number of possible rules of one set of columns: they are all in memory at once."""
_BLOCK = 2**21
# Expected counts are sums of fractions: a value this little below a threshold counts as at it.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class RuleErrors:
    """The differences between the interesting rules of an original and of a release."""

    rules: int
    """Interesting rules of the original."""
    published: int
    """Interesting rules of the release."""
    both: int
    possible: int
    """All combinations of values that could form rules."""
    error: float
    """The sum over the original's rules of the relative error of their confidence."""
    vanished: int
    """Rules of the original whose X is in no row of the release; their confidence there counts as 0."""
    greatest: float
    """The maximum relative error of a confidence."""

    def metrics(self) -> list[Metric]:
        """Confidence error, and the two identification errors."""
        edges = "nothing: the original has no interesting rule"
        counts = {"rules_of_the_original": self.rules, "rules_of_the_release": self.published}
        invented, lost = self.published - self.both, self.rules - self.both

        def by_rules(number: float) -> float | None:
            return number / self.rules if self.rules else None

        return [
            Metric(
                "confidence error",
                by_rules(self.error),
                "lower is better",
                (0.0, self.greatest),
                "the mean over the original's interesting rules of |c' - c| / c, where c is the confidence of the rule "
                "in the original and c' by the release",
                f"{edges}; a rule whose left side is in no row of the release has c' = 0",
                details={"rules_of_the_original": self.rules, "left_side_in_no_row": self.vanished},
            ),
            Metric(
                "sigma+",
                by_rules(invented),
                "lower is better",
                (0.0, max(1.0, (by_rules(self.possible - self.rules) or 0.0))),
                "interesting rules of the release that are not of the original, divided by those of the original",
                edges,
                details={"invented": invented, **counts},
            ),
            Metric(
                "sigma-",
                by_rules(lost),
                "lower is better",
                (0.0, 1.0),
                "the share of the original's interesting rules that are not interesting in the release",
                edges,
                details={"lost": lost, **counts},
            ),
        ]


NO_RULES = RuleErrors(0, 0, 0, 0, 0.0, 0, 1.0)
"""The result if no rule is possible."""


class _Kept(NamedTuple):
    """The values of a column that may be in rules."""

    places: Int64
    """For each value of the original its place among the kept ones, or -1; a last -1 for any other value."""
    number: int


class _Counts(NamedTuple):
    """Expected counts: of X, of Y, and of both, for all X of one set of columns and all Y."""

    left: Float64
    right: Float64
    both: Float64
    rows: int
    least: int

    def interesting(self, min_conviction: float) -> Bools:
        """Which rules have enough support and conviction."""
        wrong = self.left[:, None] - self.both
        by_chance = self.left[:, None] * (self.rows - self.right)
        never = wrong <= _ROUNDING * self.left[:, None]
        found: Bools = self.both >= self.least * (1 - _ROUNDING)
        found &= never | (by_chance >= min_conviction * self.rows * wrong * (1 - _ROUNDING))
        return found

    def confidences(self) -> Float64:
        left = np.maximum(self.left, np.finfo(np.float64).tiny)[:, None]
        return np.where(self.left[:, None] > 0, self.both / left, 0.0)


def rule_errors(
    original: Reconstructed,
    release: Reconstructed,
    *,
    max_attributes: int,
    min_support: float,
    min_conviction: float,
    run: Run = DEFAULT_RUN,
) -> RuleErrors:
    """Compare the interesting rules of an original with those of a release, one set of columns after another."""
    report = run.report
    tables = (original, release)
    least = [least_count(min_support, table.n_rows) for table in tables]
    kept = [_frequent([table.quasi[place].counts() for table in tables], least) for place in range(len(original.quasi))]
    secret = _frequent([table.sensitive_counts for table in tables], least)
    totals = np.zeros(4, np.int64)
    error = 0.0
    possible = 0
    chosen = list(_sets_of_columns(len(kept), max_attributes))
    for at, places in enumerate(chosen):
        report("compare rules", at, len(chosen))
        possible += math.prod(original.quasi[place].n_values for place in places) * original.n_sensitive
        _require_few([kept[place].number for place in places], secret.number)
        before, after = (
            _counts(table, places, [kept[place] for place in places], secret, number)
            for table, number in zip(tables, least, strict=True)
        )
        wanted, found = before.interesting(min_conviction), after.interesting(min_conviction)
        truth = before.confidences()[wanted]
        error += float((np.abs(after.confidences()[wanted] - truth) / truth).sum())
        gone = (after.left <= 0)[:, None] & wanted
        totals += [np.count_nonzero(flags) for flags in (wanted, found, wanted & found, gone)]
    report("compare rules", len(chosen), len(chosen))
    rules, published, both, vanished = totals.tolist()
    greatest = max(1.0, original.n_rows / least[0] - 1)
    return RuleErrors(rules, published, both, possible, error, vanished, greatest)


def _sets_of_columns(n: int, most: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, min(n, most) + 1):
        yield from combinations(range(n), size)


def _frequent(counts: list[Float64], least: list[int]) -> _Kept:
    enough = np.logical_or(*(part >= number * (1 - _ROUNDING) for part, number in zip(counts, least, strict=True)))
    return _Kept(np.append(np.where(enough, np.cumsum(enough) - 1, -1), -1), int(np.count_nonzero(enough)))


def _require_few(numbers: list[int], secrets: int) -> None:
    if math.prod(numbers) * secrets > MAX_RULES:
        raise Infeasible(
            f"{len(numbers)} columns have {math.prod(numbers) * secrets:,} possible rules, more than {MAX_RULES:,}: "
            "raise min_support or lower max_attributes"
        )


def _counts(table: Reconstructed, places: tuple[int, ...], kept: list[_Kept], secret: _Kept, least: int) -> _Counts:
    """The counts of all combinations of kept values."""
    columns = [table.quasi[place] for place in places]
    n_left = math.prod(values.number for values in kept)
    left, both = np.zeros(n_left), np.zeros(n_left * secret.number)
    right = table.sensitive_counts[secret.places[:-1] >= 0]
    rows, times = _different_rows(table, columns)
    lists = [_kept_lists(column, values) for column, values in zip(columns, kept, strict=True)]
    in_bucket = secret.places[table.bucket_values]
    for block in _blocks(table, columns, lists, rows):
        row, weight, cell = rows[block], times[block].astype(np.float64), np.zeros(len(rows[block]), np.int64)
        for column, values, (offsets, codes) in zip(columns, kept, lists, strict=True):
            node = column.nodes[row]
            owner, entry = expand(offsets[node], offsets[node + 1])
            weight = (weight / column.sizes[node])[owner]
            cell = cell[owner] * values.number + codes[entry]
            row = row[owner]
        left += np.bincount(cell, weight, n_left)
        group = table.groups[row]
        owner, entry = expand(table.bucket_offsets[group], table.bucket_offsets[group + 1])
        weight, cell = weight[owner] * table.bucket_shares[entry], cell[owner] * secret.number + in_bucket[entry]
        there = in_bucket[entry] >= 0
        both += np.bincount(cell[there], weight[there], len(both))
    return _Counts(left, right, both.reshape(n_left, secret.number), table.n_rows, least)


def _different_rows(table: Reconstructed, columns: list[Spread]) -> tuple[Int64, Int64]:
    """One row for each combination of group and nodes, and the number of such rows."""
    keys = table.groups
    for column in columns:
        # Renumbered each time, so that the next product fits.
        _, keys = np.unique(keys * len(column.sizes) + column.nodes, return_inverse=True)
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    return first, times


def _kept_lists(column: Spread, kept: _Kept) -> tuple[Int64, Int64]:
    """The kept values of each node, as places among all kept values."""
    places = kept.places[column.values]
    running = np.concatenate([[0], np.cumsum(places >= 0)])
    return running[column.offsets], places[places >= 0]


def _blocks(
    table: Reconstructed, columns: list[Spread], lists: list[tuple[Int64, Int64]], rows: Int64
) -> Iterator[slice]:
    """Rows in parts that stay small when they are expanded to the values of their nodes and groups."""
    widths = np.diff(table.bucket_offsets)[table.groups[rows]].astype(np.float64)
    for column, (offsets, _) in zip(columns, lists, strict=True):
        widths *= np.maximum(np.diff(offsets)[column.nodes[rows]], 1)
    part = np.floor(np.cumsum(widths) / _BLOCK)
    cuts = np.flatnonzero(np.diff(part)) + 1
    bounds = [0, *cuts.tolist(), len(rows)]
    return (slice(start, end) for start, end in pairwise(bounds))
