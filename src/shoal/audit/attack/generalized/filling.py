"""Fill the hidden cells of a generalized release by guessing, and measure what that recovers.

Two adversaries: one fills a cell with the value below it that most rows of its group show; a promise may cover this
one. The other has learnt from all visible cells. With the original, the right guesses are counted. Rows have no
numbers: the rows of the original are matched to published rows that they fit, perhaps in one of several ways. For the
first adversary, if hidden cells are roots, rows fit one group only and none is suppressed, all ways give the same
number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.audit.attack.finding import Finding, LeftOut
from shoal.audit.attack.generalized.group_associations import counted, listed, thresholds
from shoal.audit.attack.generalized.learnt_cells import NAME as LEARNT
from shoal.audit.attack.generalized.learnt_cells import learn_cells
from shoal.audit.budget import OutOfBudget
from shoal.audit.generalized.associations import Associations, find_associations
from shoal.audit.generalized.filling import is_value, most_frequent
from shoal.audit.generalized.hidden import allowance
from shoal.audit.generalized.original_places import Places
from shoal.audit.generalized.shown_rows import ShownRows, gather, gather_counted
from shoal.audit.residual import Residual
from shoal.data.arrays import Bools, Int64
from shoal.release.generalized import Generalized

NAME = "filling"


@dataclass(frozen=True, eq=False)
class Truth:
    """The rows of the original that the published rows may come from."""

    place: Int64
    """For each row of the original the published row it was matched to; -1: it is suppressed."""
    columns: tuple[Places, ...]
    """One for each sensitive column."""

    def named(self, nodes: Int64) -> Int64:
        """Published nodes, one set per line, as nodes of the trees with all values of the original."""
        return np.column_stack([column.published[nodes[:, j]] for j, column in enumerate(self.columns)])


@dataclass(frozen=True, eq=False)
class Filling:
    """A release whose hidden cells are guessed, and the rows of the original matched to its rows."""

    release: Generalized
    shown: ShownRows
    truth: Truth | None

    @cached_property
    def hidden(self) -> Bools:
        """Which cells of the different rows are hidden."""
        columns = [~is_value(tree)[self.shown.nodes[:, j]] for j, tree in enumerate(self.shown.trees)]
        return np.column_stack(columns)

    @cached_property
    def _before(self) -> Associations | None:
        """The associations of the original's rows in these groups."""
        if self.truth is None:
            return None
        rows = np.flatnonzero(self.truth.place >= 0)
        columns = [column.values[rows] for column in self.truth.columns]
        trees = [column.whole for column in self.truth.columns]
        true = gather(self.shown.group[self.truth.place[rows]], columns, trees, self.shown.sizes)[0]
        return find_associations(true, *thresholds(self.release), allowance(self.release), filled=True)

    def _after(self, guess: Int64) -> Associations:
        """The associations of the filled release."""
        columns = [guess[:, column] for column in range(guess.shape[1])]
        rows = gather_counted(self.shown.group, columns, self.shown.count, self.shown.trees, self.shown.sizes)[0]
        return find_associations(rows, *thresholds(self.release), allowance(self.release), filled=True)

    def by_most_frequent(self) -> Finding | LeftOut:
        """The adversary that a promise may cover."""
        return self._finding(NAME, "with the most frequent value below it in its group", most_frequent(self.shown))

    def by_learning(self) -> Finding | LeftOut:
        """The adversary who learns from all visible cells."""
        guess = learn_cells(self.release, self.shown)
        if isinstance(guess, LeftOut):
            return guess
        return self._finding(
            LEARNT, "with the value that a naive Bayes classifier, learnt from all visible cells, predicts", guess
        )

    def _finding(self, name: str, how: str, guess: Int64) -> Finding | LeftOut:
        cells = int((self.hidden.sum(1) * self.shown.count).sum())
        if not cells:
            return LeftOut(name, "no sensitive cell is hidden, so there is nothing to fill")
        try:
            found = self._after(guess)
            before = self._before
        except OutOfBudget:
            return LeftOut(name, "so many sets of values in groups would take too much work")
        promised = self.release.hidden is not None and self.release.hidden.resists_filling and name == NAME
        changed = (guess != self.shown.nodes) & self.hidden
        numbers: dict[str, int | float] = {
            "hidden_cells": cells,
            "filled_cells": int((changed.sum(1) * self.shown.count).sum()),
        }
        said = f"When each of the {cells:,} hidden cells is filled {how}, groups show {len(found):,} associations"
        if before is not None and self.truth is not None:
            sets = {name: self.truth.named(getattr(found, name)) for name in ("antecedent", "consequent")}
            back = _common(replace(found, **sets), before)
            right, everywhere = self._right(guess), self._right(self._everywhere)
            said += (
                f"; of the {len(before):,} that the original has in these groups, {back:,} are recovered, and "
                f"{right:.1%} of the hidden cells are right. With the most frequent value of all rows {everywhere:.1%} "
                "are."
            )
            numbers |= {
                "right_share": right,
                "most_frequent_of_all_share": everywhere,
                "associations_of_original": len(before),
                "associations_back": back,
                "associations_back_share": back / len(before) if len(before) else 0.0,
            }
        else:
            said += ". Only the original shows how many cells are right (--original FILE)."
        if promised:
            said += " The promise says that there are none." if len(found) else " The promise covers this."
        else:
            said += " The promise does not cover this."
        residual = None
        if (share := numbers.get("right_share")) is not None:
            residual = Residual(float(share), "hidden cells", f"are right once each is filled {how}")
        return Finding(
            name,
            said,
            {**numbers, **counted(self.release, found), "strongest": listed(self.release, found)},
            breaks_promise=promised and len(found) > 0,
            residual=residual,
        )

    @cached_property
    def _everywhere(self) -> Int64:
        one = ShownRows(
            self.shown.trees,
            np.zeros(len(self.shown), np.int64),
            self.shown.nodes,
            self.shown.count,
            np.array([self.shown.sizes.sum()]),
        )
        return most_frequent(one)

    def _right(self, guess: Int64) -> float:
        assert self.truth is not None
        rows = np.flatnonzero(self.truth.place >= 0)
        place = self.truth.place[rows]
        values = np.column_stack([column.values[rows] for column in self.truth.columns])
        asked = self.hidden[place]
        right = asked & (self.truth.named(guess)[place] == values)
        return float(np.count_nonzero(right)) / float(np.count_nonzero(asked))


def _common(some: Associations, others: Associations) -> int:
    """How many are in both."""
    every = np.concatenate([some.keys, others.keys])
    return len(every) - len(np.unique(every, axis=0)) if len(every) else 0
