"""Count the associations of some groups in all groups: this gives the counts of merged groups before merging.

In the paper on hidden Q-S associations, section 4.3, confidences of merged groups are intervals. Here counts of merged
groups are sums, so no bounds are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.node_tree import NodeTree
from shoal.mining.group_associations import (
    KINDS,
    DistinctRows,
    GroupAssociations,
    Kind,
    Thresholds,
    find_associations,
)


@dataclass(frozen=True, eq=False)
class RuleCounts:
    """For each group and each rule, the rows that surely hold its sets: merging groups adds counts.

    This is correct for rows in which nothing is hidden.
    """

    rules: GroupAssociations
    """The different associations of all groups, each once."""
    sizes: Int64
    """Rows of each group."""
    known: Int64
    """Rows of each group, by rule, that hold the antecedent; all rows, for a value."""
    there: Int64
    """Rows that hold the consequent."""
    both: Int64
    """Rows that hold both."""
    min_support: float
    min_confidence: float

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def of(
        cls,
        nodes: Sequence[Int32],
        trees: Sequence[NodeTree],
        group_offsets: Int64,
        min_support: float,
        min_confidence: float,
        *,
        kinds: Sequence[Kind] = KINDS,
    ) -> RuleCounts:
        """Find the associations of all groups, and count each of them in each group."""
        found = find_associations(nodes, trees, group_offsets, min_support, min_confidence, kinds=kinds)
        keys = np.column_stack([found.kinds, found.antecedents, found.consequents])
        _, first = np.unique(keys, axis=0, return_index=True)
        rules = GroupAssociations(
            found.columns, found.trees, found.group_sizes,
            *(getattr(found, name)[first] for name in (
                "groups", "kinds", "antecedents", "consequents", "supporting", "applicable"
            )),
        )  # fmt: skip
        sides = [rules.antecedents, rules.consequents, np.maximum(rules.antecedents, rules.consequents)]
        sets, place = np.unique(np.concatenate(sides), axis=0, return_inverse=True)
        rows = DistinctRows.of(nodes, trees, group_offsets)
        cells = rows.nodes - rows.forest.start[:-1]
        group = np.repeat(np.arange(rows.n_groups), np.diff(rows.offsets))
        held = np.empty((rows.n_groups, len(sets)), np.int64)
        below = [tree.at_or_above for tree in trees]
        for at, items in enumerate(sets):
            holds = np.ones(len(cells), bool)
            for column in np.flatnonzero(items):
                holds &= below[column][items[column]][cells[:, column]]
            held[:, at] = np.bincount(group[holds], rows.counts[holds], minlength=rows.n_groups)
        known, there, both = np.split(place.reshape(-1), 3)
        return cls(rules, rows.group_sizes, held[:, known], held[:, there], held[:, both], min_support, min_confidence)

    def merged(self, into: Int64) -> RuleCounts:
        """The counts after group ``i`` became a part of group ``into[i]``."""
        n = int(into.max(initial=-1)) + 1

        def add(counts: Int64) -> Int64:
            sums = np.zeros((n, *counts.shape[1:]), np.int64)
            np.add.at(sums, into, counts)
            return sums

        return RuleCounts(
            self.rules, add(self.sizes), add(self.known), add(self.there), add(self.both),
            self.min_support, self.min_confidence,
        )  # fmt: skip

    @property
    def supporting(self) -> Int64:
        """Rows of each group that support each rule."""
        absence = self.rules.kinds == KINDS.index("absence")
        return np.where(absence, self.there - self.both, self.both)

    @property
    def applicable(self) -> Int64:
        """Rows of each group that each rule applies to."""
        absence = self.rules.kinds == KINDS.index("absence")
        return np.where(absence, self.sizes[:, None] - self.known, self.known)

    @property
    def excess(self) -> Float64:
        """By how many supporting rows a rule exceeds the least confidence; additive, and negative if it is below."""
        return self.supporting - float(self.min_confidence) * self.applicable

    @property
    def are_associations(self) -> Bools:
        """Whether each rule is an association of each group."""
        thresholds = Thresholds(self.sizes, self.min_support, self.min_confidence)
        least = np.array([thresholds.of(group).least for group in range(len(self.sizes))], np.int64)[:, None]
        value, rule, _ = (self.rules.kinds == kind for kind in range(3))
        often = np.where(rule, self.both >= least, np.minimum(self.known, self.there) >= least)
        often &= rule | (self.both < least) & (self.applicable > 0)
        confident: Bools = self.supporting >= thresholds.needed[self.applicable]
        found: Bools = confident & (often | value)
        return found
