"""Measure what publishing cost: the one entry point, which calls the measures of the shape of the release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.release_folder import open_release
from shoal.keywords import require_known
from shoal.loading import loaded
from shoal.release import Release
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import BASKET_MEASURES, SHAPES, TABLE_MEASURES

if TYPE_CHECKING:
    from shoal.measuring.metrics import Metrics
    from shoal.release.trace import Trace


class Options(TypedDict, total=False):
    """All options of measuring; each shape of release uses some of them."""

    top: int
    ranges: Sequence[tuple[int, int]] | None
    reconstructions: int
    hierarchy: Hierarchy | None
    trace: Trace | str | os.PathLike[str] | None
    min_support: float | Sequence[float] | None
    max_length: int | None
    runs: int
    quasi: str | Iterable[str] | None
    sensitive: str | None
    hierarchies: Mapping[str, Hierarchy] | None
    max_attributes: int
    min_conviction: float
    dim: int | None
    sel: float
    queries: int


def measure(
    original: Transactions | Table | None,
    release: str | os.PathLike[str] | Release | Table,
    *,
    common: bool = False,
    run: Run = DEFAULT_RUN,
    **options: Unpack[Options],
) -> Metrics:
    """Measure what a release has lost of its original.

    Args:
        original: the data that were published; None: measure the release alone, if possible.
        release: a release, or its folder; or any table whose quasi values may be nodes of hierarchies.
        common: baskets: only the metrics that all releases of baskets have, to compare methods.
        run: threads, progress and chance (:class:`shoal.Run`).
        top: baskets: how many of the most frequent itemsets to compare. Default: 1000.
        ranges: baskets: ranks of items by descending support, from the first to before the last; re is the mean over
            the pairs of each range.
        reconstructions: disassociated: how many possible originals are drawn. Default: 10. The first gives tKd and re.
        hierarchy: baskets: a hierarchy of the items, for tKd-ML2; of generalized baskets, what they were made with.
        trace: disassociated: which record went to which cluster, or the file that ``disassociate(keep_trace=FILE)``
            wrote. ANR and ARE need it.
        min_support: a share of the records or (as a whole number) how many: of frequent itemsets; of a randomized
            release several may be given; of tables, of rules.
        max_length: randomized: the maximum number of items of an itemset. Default: any number.
        runs: randomized: how often to publish the same data again, in memory, for mean and spread.
        quasi: tables: the quasi columns; by default those of the release, or those of the original with that role.
        sensitive: tables: the sensitive column in rules and queries; by default likewise, the first.
        hierarchies: generalized tables: by column, the hierarchies whose nodes it has.
        max_attributes: tables: the maximum number of quasi columns in a rule. Default: 1.
        min_conviction: tables: the least conviction of a rule. Default: 1.05.
        dim: tables: the number of quasi columns of a query. Default: 3, or all.
        sel: tables: the largest share of a column's values in a query. Default: .1.
        queries: tables: the number of queries. Default: 1000.

    Returns:
        The metrics, each with its direction, its range, its definition and the counts behind it; if one could not be
        measured, the reason.

    Raises:
        InputError: an argument is out of range or does not apply to such a release; the release is not of these data;
            the trace is of another release.
        Infeasible: too many itemsets are frequent, there are too many possible rules, or there is no reconstruction.

    Example:
        >>> import shoal
        >>> original = shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}])
        >>> shoal.measure(original, shoal.disassociate(original, k=3, m=2), ranges=[(0, 3)])["re-closed 0-3"]
        Metric(re-closed 0-3 = 0.6667, 0 to 2, lower is better)
    """
    require_known(options, Options.__annotations__, "measure")
    if not isinstance(original, Transactions | Table | None) or not isinstance(
        release, str | os.PathLike | Release | Table
    ):
        raise InputError("measure needs the original, as it was read, and its release, in this order")
    if isinstance(release, str | os.PathLike):
        with open_release(release) as folder:
            release = folder.release
    given: dict[str, Any] = {
        name: value for name, value in options.items() if value is not None and not _is_empty(value)
    }
    if run.chance is not None:
        given["seed"] = run.chance  # refused like an option where nothing is drawn
    if isinstance(release, Table):
        return _measure_table(original, release, common, given, run)
    return _measure_release(original, release, common, given, run)


def _measure_table(
    original: Transactions | Table | None,
    release: Table,
    common: bool,
    given: dict[str, Any],
    run: Run,
) -> Metrics:
    """A generalized table that is not a release."""
    from shoal.measuring.tables.utility import table_utility

    _refuse(given, TABLE_MEASURES, "a table", common=common)
    if not isinstance(original, Table):
        raise InputError("a table is measured against its original, which must be a table, too")
    given.pop("seed", None)
    return table_utility(original, release, run=run, **given)


def _measure_release(
    original: Transactions | Table | None,
    release: Release,
    common: bool,
    given: dict[str, Any],
    run: Run,
) -> Metrics:
    shape = SHAPES[release.shape]
    if original is None:
        alone = shape.load("measure_alone")
        if alone is None:
            raise InputError(f"{shape.called} is measured against its original: give it")
        _refuse(given, frozenset(), f"{shape.called} without its original", common=common)
        found: Metrics = alone(release)
        return found
    if isinstance(original, Transactions) != (shape.data == "baskets"):
        raise InputError(f"this is {shape.called}: its original must be read as {_READ_AS[shape.data]}")
    if common and shape.data == "baskets":
        measured = loaded("shoal.measuring.baskets.common_utility:basket_utility")
        _refuse(given, BASKET_MEASURES, "metrics that all releases of baskets have")
    else:
        measured = shape.load("measure")
        _refuse(given, shape.measured_by, shape.called, common=common)
    given.pop("seed", None)
    if given.get("runs"):
        given["publish_again"] = shape.load("publish_again")
    if "trace" in given:
        given["trace"] = _trace(given["trace"], len(original))
    told: Metrics = measured(original, release, run=run, **given)
    return told


def _trace(given: object, records: int) -> Trace:
    """The trace, read if it is a file."""
    from shoal.io.traces import read_trace
    from shoal.release.trace import Trace

    if isinstance(given, str | os.PathLike):
        return read_trace(given, records)
    if not isinstance(given, Trace):
        raise InputError("trace must be a trace, or the file that disassociate(keep_trace=FILE) wrote")
    return given


_READ_AS = {"baskets": "baskets (shoal.read)", "table": "a table (shoal.read_table)"}


def _is_empty(value: object) -> bool:
    """Whether this is an empty mapping."""
    return isinstance(value, Mapping) and not value


def _refuse(given: Mapping[str, object], used: frozenset[str], called: str, *, common: bool = False) -> None:
    """Refuse options that do not apply to such a release, instead of ignoring them."""
    idle = sorted(set(given) - used) + ["common"] * common
    if idle:
        raise InputError(f"{', '.join(idle)}: not used for {called}: remove it")
