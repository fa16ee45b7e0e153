"""Guess hidden cells from everything a generalized release shows: naive Bayes, learnt from the visible cells.

The chance of a value in a group comes from the rows of the group that show one, plus one pseudo-row distributed by what
the quasi-identifiers' nodes predict across all groups. The row's other visible sensitive cells then count by how they
occur with the value in all rows. Each label of a column starts with one row of each value (Laplace).
"""

from __future__ import annotations

import numpy as np

from shoal.audit.attack.finding import LeftOut
from shoal.audit.generalized.filling import is_value
from shoal.audit.generalized.shown_rows import ShownRows
from shoal.audit.trees import ends
from shoal.data.arrays import Bools, Float64, Int64
from shoal.release.generalized import Generalized

NAME = "learnt filling"
_LARGEST = 2**25
"""The most chances that are held."""
_AT_ONCE = 2**22


def learn_cells(release: Generalized, shown: ShownRows) -> Int64 | LeftOut:
    """The nodes of the rows, hidden ones replaced by the likeliest value below them that the release shows."""
    guess = shown.nodes.copy()
    for column, tree in enumerate(shown.trees):
        values = np.flatnonzero(is_value(tree))
        hidden = np.flatnonzero(~is_value(tree)[shown.nodes[:, column]])
        if not len(values) or not len(hidden):
            continue
        widest = max([release.n_groups, *(len(other.tree) for other in release.columns)])
        if widest * len(values) > _LARGEST:
            name = release.sensitive[column].name
            return LeftOut(
                NAME, f"{len(values):,} values of {name} in {release.n_groups:,} groups are too many to learn"
            )
        scores = _Scores(release, shown, column, values)
        step = max(1, _AT_ONCE // len(values))
        for start in range(0, len(hidden), step):
            rows = hidden[start : start + step]
            node = shown.nodes[rows, column]
            below = (node[:, None] <= values) & (values < ends(tree)[node][:, None])
            score = np.where(below, scores.of(rows), -np.inf)
            guess[rows, column] = np.where(below.any(1), values[score.argmax(1)], node)
    return guess


class _Scores:
    """What was learnt about one sensitive column."""

    def __init__(self, release: Generalized, shown: ShownRows, column: int, values: Int64) -> None:
        number = np.full(len(shown.trees[column]), -1)
        number[values] = np.arange(len(values))
        self.shown, self.n_values = shown, len(values)
        self.value = number[shown.nodes[:, column]]
        self.seen = np.flatnonzero(self.value >= 0)
        first = release.group_offsets[:-1]
        across = np.log(self._counts(np.zeros(len(shown), np.int64), 1) + 1).repeat(release.n_groups, 0)
        for quasi in release.quasi:
            nodes = quasi.nodes[first].astype(np.int64)
            across += self._log_chances(nodes[shown.group], len(quasi.tree))[nodes]
        across = np.exp(across - across.max(1, keepdims=True))
        across /= across.sum(1, keepdims=True)
        own = self._counts(shown.group, release.n_groups)
        self.prior = np.log((own + across) / (own.sum(1, keepdims=True) + 1))
        self.others = []
        for other, tree in enumerate(shown.trees):
            if other != column:
                visible = np.append(is_value(tree), False)
                table = self._log_chances(shown.nodes[:, other], len(tree), visible)
                self.others.append((other, np.where(visible[:-1, None], table, 0.0)))  # hidden cells carry no evidence

    def of(self, rows: Int64) -> Float64:
        """For each of these rows the chance of each value, as a logarithm up to a constant."""
        score: Float64 = self.prior[self.shown.group[rows]]
        for other, table in self.others:
            score = score + table[self.shown.nodes[rows, other]]
        return score

    def _counts(self, codes: Int64, size: int, visible: Bools | None = None) -> Float64:
        """How many rows that show the value have each code with each value."""
        seen = self.seen if visible is None else self.seen[visible[codes[self.seen]]]
        keys = codes[seen] * self.n_values + self.value[seen]
        counts = np.bincount(keys, self.shown.count[seen], minlength=size * self.n_values)
        return counts.reshape(size, self.n_values).astype(np.float64)

    def _log_chances(self, codes: Int64, size: int, visible: Bools | None = None) -> Float64:
        table = self._counts(codes, size, visible) + 1
        return np.asarray(np.log(table / table.sum(0)))
