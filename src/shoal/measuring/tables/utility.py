"""What a release of a table cost: errors of association rules and of counting queries, and loss by generalization.

T. Li, N. Li: Injector, 2008, sections VI.C and VI.D. The paper gives percentages; these are shares. It does not state
its thresholds of support and conviction, nor the number of columns of a rule: the defaults here are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.keywords import taken
from shoal.limits import require_whole
from shoal.measuring.metric import Metric, share
from shoal.measuring.metrics import Metrics
from shoal.measuring.tables.queries import query_errors
from shoal.measuring.tables.reconstructed import Reconstructed, of_generalized, of_original, schema_of
from shoal.measuring.tables.rules import NO_RULES, rule_errors
from shoal.quoting import given
from shoal.release import TableRelease
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

MIN_SUPPORT = 0.01
MIN_CONVICTION = 1.05
MAX_ATTRIBUTES = 1
DIM = 3
SEL = 0.1
QUERIES = 1000


@dataclass(frozen=True)
class TableUtility(Metrics):
    """All metrics of one release of a table; ``utility["query error"]`` is one of them."""

    rows: int
    """The number of rows of the original."""
    method: str
    """How the release was made: anatomy, injector, bottom-up, mondrian, or generalized for any table."""
    sensitive: str
    """The sensitive column in rules and queries; empty for a release without any."""
    max_attributes: int
    min_support: float
    min_conviction: float
    dim: int
    sel: float
    queries: int

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        return {**vars(self), "metrics": [metric.as_dict() for metric in self.metrics]}

    @property
    def head(self) -> str:
        """What was measured, in one line."""
        columns = "one column" if self.max_attributes == 1 else f"up to {self.max_attributes} columns"
        rows = (
            f"{self.min_support:,} rows" if isinstance(self.min_support, int) else f"{self.min_support:g} of the rows"
        )
        secret = f" and {self.sensitive}" if self.sensitive else ""
        return (
            f"{self.rows:,} rows, {self.method}; rules of {columns}, in {rows} or more, conviction "
            f"{self.min_conviction:g} or more; {self.queries:,} queries on {self.dim} columns{secret}, "
            f"up to {self.sel:g} of their values"
        )


@dataclass(frozen=True, eq=False)
class Compared:
    """An original and a release of it, in one form; slow steps are done once for many measurements."""

    original: Reconstructed
    release: Reconstructed
    method: str
    sensitive: str
    """The sensitive column; empty if there is none."""


def compared(
    original: Table,
    release: TableRelease | Table,
    *,
    quasi: str | Iterable[str] | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Compared:
    """An original and a release, ready for repeated measurements; arguments as in ``table_utility``."""
    schema = schema_of(original, release, quasi=quasi, sensitive=sensitive)
    before, secret = of_original(schema), schema.sensitive.name
    if isinstance(release, TableRelease):
        after = SHAPES[release.shape].load("table_form").rows(release, schema, hierarchies or {}, secret or None)
        return Compared(before, after, release.method, secret)
    return Compared(before, of_generalized(release, schema, hierarchies or {}), "generalized", secret)


def rule_metrics(
    both: Compared,
    *,
    max_attributes: int = MAX_ATTRIBUTES,
    min_support: float = MIN_SUPPORT,
    min_conviction: float = MIN_CONVICTION,
    run: Run = DEFAULT_RUN,
) -> list[Metric]:
    """Confidence error, sigma+ and sigma- (figures 6 and 7 of the paper)."""
    require_whole("max_attributes", max_attributes, least=1)
    if isinstance(min_conviction, bool) or not isinstance(min_conviction, int | float) or not min_conviction > 0:
        raise InputError(f"min_conviction is {given(min_conviction)}: it must be a number above 0")
    if not both.sensitive:
        return [replace(metric, reason="the release has no sensitive column") for metric in NO_RULES.metrics()]
    return rule_errors(
        both.original,
        both.release,
        max_attributes=max_attributes,
        min_support=min_support,
        min_conviction=min_conviction,
        run=run,
    ).metrics()


def query_metric(
    both: Compared,
    *,
    dim: int | None = None,
    sel: float = SEL,
    number: int = QUERIES,
    run: Run = DEFAULT_RUN,
) -> Metric:
    """The error of random queries (figure 8 of the paper)."""
    return query_errors(
        both.original,
        both.release,
        dim=_dim(both, dim),
        sel=sel,
        queries=number,
        run=run,
    ).metric()


class Options(TypedDict, total=False):
    """The fields of :class:`Asked`, as keywords."""

    max_attributes: int
    min_support: float
    min_conviction: float
    dim: int | None
    sel: float
    queries: int


@dataclass(frozen=True)
class Asked:
    """Which rules and queries are compared; :func:`table_utility` says what each field means."""

    max_attributes: int = MAX_ATTRIBUTES
    min_support: float = MIN_SUPPORT
    min_conviction: float = MIN_CONVICTION
    dim: int | None = None
    sel: float = SEL
    queries: int = QUERIES


def table_utility(
    original: Table,
    release: TableRelease | Table,
    *,
    quasi: str | Iterable[str] | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    run: Run = DEFAULT_RUN,
    **options: Unpack[Options],
) -> TableUtility:
    """Measure what a release of a table has lost of its original.

    Args:
        original: the table that was published.
        release: a bucketized or a generalized release, or any table whose quasi values may be nodes of
            hierarchies.
        quasi: the quasi columns; by default those of a release, or those of the original with that role.
        sensitive: the sensitive column in rules and queries; by default likewise, and the first if there are several.
        hierarchies: for a generalized release or table, by column: the hierarchies whose nodes it has. A row counts for
            each leaf below its node in equal parts. For a release, only those given when it was published are needed.
        max_attributes: the maximum number of quasi columns in a rule X => Y.
        min_support: the least number of rows with both X and Y: a share, or a whole number from 1 on.
        min_conviction: P(X) P(not Y) / P(X and not Y), at least.
        dim: the number of quasi columns of a query; by default 3, or all if there are fewer.
        sel: the largest share of a column's values in a query.
        queries: the number of queries.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        The metrics, each with its direction, its range, its definition and the counts behind it.

    Raises:
        InputError: an argument is out of range; a column does not exist; the release is not of these data.
        Infeasible: there are too many possible rules.

    Example:
        >>> import pyarrow as pa, shoal
        >>> rows = pa.table({"age": [29, 22, 27, 43] * 5, "ill": ["flu", "cold", "cough", "cold"] * 5})
        >>> original = shoal.read_table(rows, quasi="age", sensitive="ill")
        >>> shoal.measure(original, original, min_support=.1, run=shoal.Run(chance=1))["confidence error"]
        Metric(confidence error = 0, 0 to 9, lower is better)
    """
    both = compared(original, release, quasi=quasi, sensitive=sensitive, hierarchies=hierarchies)
    asked = taken(Asked, options, "measure")
    n_columns = _dim(both, asked.dim)
    found = []
    if isinstance(release, TableRelease):
        found += SHAPES[release.shape].load("table_form").own_metrics(release, both.original, both.release)
    found += rule_metrics(
        both,
        max_attributes=asked.max_attributes,
        min_support=asked.min_support,
        min_conviction=asked.min_conviction,
        run=run,
    )
    found.append(query_metric(both, dim=n_columns, sel=asked.sel, number=asked.queries, run=run))
    found.append(_rows_kept(both))
    n_rows = both.original.n_rows
    return TableUtility(
        tuple(found),
        n_rows,
        both.method,
        both.sensitive,
        asked.max_attributes,
        asked.min_support,
        asked.min_conviction,
        n_columns,
        asked.sel,
        asked.queries,
    )


def _dim(both: Compared, dim: int | None) -> int:
    return min(DIM, len(both.original.quasi)) if dim is None else dim


def _rows_kept(both: Compared) -> Metric:
    kept, n = both.release.n_rows, both.original.n_rows
    return Metric(
        "rows kept",
        share(kept, n),
        "higher is better",
        (0.0, 1.0),
        "the share of the original's rows that the release is about",
        "nothing: the original has no rows",
        details={"kept": kept, "of": n},
    )
