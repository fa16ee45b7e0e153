"""Figures of how diverse the groups of a generalized release are; they are reported and do not affect the verdict.

A. Machanavajjhala et al.: l-diversity, 2007, definitions 4.1 and 4.2 (entropy and recursive), N. Li et al.:
t-closeness, 2007, with equal distances between values. Labels count as published: a generalized one is one more value.
Suppressed rows are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.verdict import Figure
from shoal.release.generalized import Generalized, GeneralizedColumn


def diversity(release: Generalized) -> Iterator[Figure]:
    """The figures of each sensitive column, each that of the worst group."""
    if release.n_groups:
        for column in release.sensitive:
            yield from _of_column(release, column)


def _of_column(release: Generalized, column: GeneralizedColumn) -> Iterator[Figure]:
    size = len(column.tree)
    keys, count = np.unique(release.row_groups * size + column.nodes, return_counts=True)
    group, node = keys // size, keys % size
    starts = np.searchsorted(group, np.arange(release.n_groups))
    distinct = np.diff(np.append(starts, len(group)))
    fewest = int(distinct.min())
    yield Figure("distinct l-diversity", column.name, fewest, "the fewest different labels in a group")
    share = count / release.group_sizes[group]
    entropy = -np.add.reduceat(share * np.log(share), starts)
    said = "e to the power of the smallest entropy of a group's labels"
    yield Figure("entropy l-diversity", column.name, float(np.exp(entropy.min())), said)
    if fewest > 1:
        order = np.lexsort((-count, group))
        rank = np.arange(len(order)) - starts[group]
        tail = np.add.reduceat(np.where(rank >= fewest - 1, count[order], 0), starts)
        ratio = float((count[order][starts] / tail).max())
        said = f"recursive (c, {fewest})-diversity holds for every c above this"
        yield Figure("recursive c", column.name, ratio, said)
    overall = column.counts / release.n_rows
    # The shares that a group lacks, compared with all rows, equal the shares that it has too much of.
    above = np.add.reduceat(np.maximum(share - overall[node], 0), starts)
    said = "the largest distance of a group's shares of labels from those of all rows, at equal distances of labels"
    yield Figure("t-closeness", column.name, float(above.max()), said)
