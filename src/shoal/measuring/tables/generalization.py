"""The loss of detail in a generalized release, from the release alone.

* Discernibility: R. Bayardo, R. Agrawal, ICDE 2005: rows that look alike; a suppressed row looks like all rows.
* Average class size (C_AVG): K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian, ICDE 2006.
* NCP, the normalized certainty penalty: J. Xu et al., KDD 2006. Columns of numbers are treated like all others: a node
  counts by the values of the hierarchy below it, not by the width of a range, which a label need not show.
* Hidden cells: the measure of the paper on hidden Q-S associations.

Trees count the values of the whole hierarchy even if they are cut to what is published, so that all metrics are the
same whether or not a release discloses its hierarchies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.measuring.metric import Metric, share
from shoal.measuring.metrics import Metrics
from shoal.release.generalized import Generalized, GeneralizedColumn


@dataclass(frozen=True)
class Generalization(Metrics):
    """All metrics of a generalized release that need no original; ``report["NCP"]`` is one of them."""

    rows: int
    """The number of rows that are published with values."""
    suppressed: int
    """The number of rows that are published without any."""
    groups: int
    method: str

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        return {**vars(self), "metrics": [metric.as_dict() for metric in self.metrics]}

    @property
    def head(self) -> str:
        """What was measured, in one line."""
        return f"{self.rows:,} rows in {self.groups:,} groups, {self.suppressed:,} suppressed, {self.method}"


def generalization(release: Generalized) -> Generalization:
    """Measure the loss of detail in a generalized release, without its original.

    Returns:
        Discernibility, average class size, NCP and hidden cells (these two also for each column), each with its
        direction, its range and its definition.

    Example:
        >>> import shoal
        >>> from shoal.data.node_tree import NodeTree
        >>> from shoal.data.table import Role
        >>> from shoal.promises import KAnonymity
        >>> from shoal.release.generalized import GeneralizedColumn
        >>> tree = NodeTree.from_hierarchy(shoal.Hierarchy.from_rows([("f", "*"), ("m", "*")]))
        >>> column = GeneralizedColumn("sex", Role.QUASI, tree, np.array([0, 0, 1, 1], np.int32))
        >>> release = Generalized("bottom-up", KAnonymity(2, ("sex",)), (column,), np.array([0, 2, 4]))
        >>> generalization(release)["NCP"]
        Metric(NCP = 0.5, 0 to 1, lower is better)
    """
    metrics = (_discernibility(release), _class_size(release), *_penalties(release), *_hidden_cells(release))
    return Generalization(metrics, release.n_rows, release.suppressed, release.n_groups, release.method)


def _discernibility(release: Generalized) -> Metric:
    n = release.n_rows + release.suppressed
    total = sum(size * size for size in release.group_sizes.tolist()) + release.suppressed * n
    return Metric(
        "discernibility",
        share(total, n * n),
        "lower is better",
        (0.0, 1.0),
        "the mean over rows of the share of all rows that look the same as a row: those of its group, and for a "
        "suppressed row all of them",
        "nothing: there are no rows",
        details={"sum_over_rows": total, "of": n * n},
    )


def _class_size(release: Generalized) -> Metric:
    k = release.promise.k
    return Metric(
        "average class size",
        release.n_rows / release.n_groups / k if release.n_groups else None,
        "lower is better",
        (1 / k, max(1.0, release.n_rows / k)),
        "rows with values divided by groups, divided by k (C_AVG): 1 if every group has exactly k rows",
        "nothing: there is no group; suppressed rows are in none, and do not count",
        details={"rows": release.n_rows, "groups": release.n_groups, "k": k},
    )


def _penalties(release: Generalized) -> Iterator[Metric]:
    """NCP of all quasi-identifiers, and of each."""
    n = release.n_rows + release.suppressed
    by_column = {column.name: _lost(column) + release.suppressed for column in release.quasi}
    for name, lost in {"": sum(by_column.values(), Fraction(0)) / max(1, len(by_column)), **by_column}.items():
        yield Metric(
            "NCP",
            float(lost / n) if n else None,
            "lower is better",
            (0.0, 1.0),
            "the mean over quasi-identifier cells of (v - 1) / (all - 1), where a cell represents v of all values of "
            "its hierarchy; a suppressed row counts 1",
            "nothing: there are no rows; 0/0, a hierarchy of one value, counts as 0",
            part=name,
            details={"cells_of_several_values": _general_cells(release, name), "suppressed_rows": release.suppressed},
        )


def _lost(column: GeneralizedColumn) -> Fraction:
    """The sum of the penalties of a column's cells, exactly: whole numbers with one denominator."""
    leaves = column.tree.leaves
    every = int(leaves[0])
    # Python integers: rows times values may exceed 64 bits.
    held = zip(column.counts.tolist(), leaves.tolist(), strict=True)
    return Fraction(sum(rows * (below - 1) for rows, below in held), max(1, every - 1))


def _general_cells(release: Generalized, name: str) -> int:
    chosen = [column for column in release.quasi if name in ("", column.name)]
    return sum(int(column.counts[column.tree.leaves > 1].sum()) for column in chosen)


def _hidden_cells(release: Generalized) -> Iterator[Metric]:
    """The share of hidden cells of all sensitive columns, and of each."""
    by_column = {column.name: int(np.count_nonzero(column.is_general)) for column in release.sensitive}
    cells = release.n_rows * len(by_column)
    for name, hidden in {"": sum(by_column.values()), **by_column}.items():
        of = release.n_rows if name else cells
        yield Metric(
            "hidden cells",
            share(hidden, of),
            "lower is better",
            (0.0, 1.0),
            "the share of sensitive cells, in rows with values, that hold a node with several possible values",
            "nothing: there is no sensitive cell",
            part=name,
            details={"hidden": hidden, "of": of},
        )
