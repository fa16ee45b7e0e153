"""How much merging groups weakens their associations: the part Con of the score of a generalization.

The paper on hidden Q-S associations, definition 6. An association of a group exceeds the least confidence by
``supporting - confidence * applicable`` rows. Excesses of merged groups add up, so the excess after merging is known
exactly before it; the paper keeps intervals instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.node_tree import NodeTree
from shoal.mining.rule_counts import RuleCounts

# A smaller excess is a rounding error: the association is exactly at the threshold.
_NOTHING = 1e-9


class AssociationScores:
    """The associations of groups while these are merged."""

    def __init__(
        self,
        values: Sequence[Int32],
        trees: Sequence[NodeTree],
        group: Int64,
        min_support: float,
        min_confidence: float,
    ) -> None:
        """Count the associations of each group: ``values`` are the sensitive columns, ``group`` that of each row."""
        self._values, self._trees = values, trees
        self._thresholds = (min_support, min_confidence)
        self._group = group
        self._count()

    def _count(self) -> None:
        # Merging may create a confident rule that no part had: rules are searched again, since counts do not show it.
        order = np.argsort(self._group, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(np.bincount(self._group))]).astype(np.int64)
        counts = RuleCounts.of([column[order] for column in self._values], self._trees, offsets, *self._thresholds)
        self._excess = counts.excess
        self._above = np.maximum(self._excess, 0)
        self._found = counts.are_associations

    def regroup(self, group: Int64) -> None:
        """Update after groups were merged: these are the new groups of all rows."""
        if not np.array_equal(group, self._group):
            self._group = group
            self._count()

    def contribution(self, parts: Int64, merged: Int64) -> float:
        """How much merging lowers associations on average: group ``parts[i]`` becomes part of ``merged[i]``.

        The average is over all associations of groups that would be merged with others: 1 if none of the excess would
        be left, 0 if all of it would.
        """
        order = np.argsort(merged, kind="stable")
        rows, into = parts[order], merged[order]
        starts = np.flatnonzero(np.append(True, into[1:] != into[:-1]))
        several = np.diff(np.append(starts, len(into))) > 1
        if not several.any() or not self._found.shape[1]:
            return 0.0
        before = np.add.reduceat(self._above[rows], starts)
        after = np.maximum(np.add.reduceat(self._excess[rows], starts), 0)
        counted = np.logical_or.reduceat(self._found[rows], starts) & several[:, None] & (before > _NOTHING)
        if not counted.any():
            return 0.0
        return float((1 - after[counted] / before[counted]).mean())
