"""What to change if all rows would be one group, or if hiding would hide nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.errors import EmptyKind
from shoal.publish.advice.coarser_values import coarser_values
from shoal.publish.advice.sentences import either, smaller
from shoal.quoting import called
from shoal.release.generalized import Generalized, GeneralizedColumn


def advice(release: Generalized, kind: EmptyKind) -> str:
    """What to change, in whole sentences."""
    return _coarser_values(release) if kind == "empty promise" else f"Try {either(list(_changes(release)))}."


def _coarser_values(release: Generalized) -> str:
    column = next(column for column in release.sensitive if 2 * _alone(column) > release.n_rows)
    shown = np.flatnonzero((column.counts > 0) & (column.tree.leaves == 1) & (np.arange(len(column.tree)) > 0))
    texts = [column.tree.labels[node] for node in shown.tolist()]
    return coarser_values(called(column.name), texts, column.counts[shown], release.n_rows, release.n_rows)


def _alone(column: GeneralizedColumn) -> int:
    """How many rows show a value that no other row shows."""
    return int(np.count_nonzero((column.counts == 1)[column.nodes] & ~column.is_general))


def _changes(release: Generalized) -> Iterator[str]:
    k, rows = release.promise.k, release.n_rows
    if rows < 2 * k:
        largest = rows // 2
        yield f"more rows: two groups of k = {k:,} need {2 * k:,}, and {rows:,} are published" + (
            f", which k = {largest:,} allows" if largest >= 2 else ""
        )
        return
    yield from smaller("k", k, 2)
    yield f"a larger --max-suppressed ({release.suppressed:,} of {rows + release.suppressed:,} rows are left out now)"
    if release.method == "bottom-up":
        yield "--strategy mondrian, which generalizes row by row"
    most = max(release.quasi, key=lambda column: int(column.tree.leaves[0]))
    values = int(most.tree.leaves[0])
    finer = "" if most.making not in (None, "values") else f" --hierarchy {called(most.name)}=FILE with more levels, or"
    dropped = f" leaving {called(most.name)} ({values:,} different values) out of --quasi"
    if len(release.quasi) > 1:
        yield (finer + dropped).strip()
    else:
        yield f"--hierarchy {called(most.name)}=FILE with more levels above its {values:,} values"
