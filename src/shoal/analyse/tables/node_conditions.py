"""Which nodes of a hierarchy meet conditions: surely, perhaps, and in which share of the values below them.

A release lists of each node how many values of the hierarchy it stands for, but the tree itself may be cut at what rows
hold. Each node therefore has, beside its children, a *rest*: so many values below it that are below none of them. A
value that is listed meets a condition or does not. Of a rest,

* a condition on values (``=``, ``!=``, ``in {...}``) says all or nothing, if what it names is listed; a node is named
  with all that is below it. A value that is not listed may be in any rest, and in which part of it is unknown;
* a condition on numbers is answered by the label, if that is written as a range (``label_ranges``). Bounds take a range
  as it is written, if it says exactly where it ends and no number that is listed below it lies outside. The share
  counts whole numbers in a column in which all numbers are, else lengths, and leaves out what the children's ranges
  cover. Of any other label nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.analyse.tables import label_ranges
from shoal.analyse.tables.conditions import Clause, OneOf, Query, Word, is_number
from shoal.analyse.tables.label_ranges import Interval
from shoal.analyse.tables.matching_rows import bounds
from shoal.data.arrays import Bools, Float64, Int64
from shoal.data.node_tree import NodeTree
from shoal.data.table import MISSING
from shoal.errors import DamagedRelease
from shoal.quoting import named, shown
from shoal.release.generalized import GeneralizedColumn
from shoal.suggestions import did_you_mean


class Meets(NamedTuple):
    """Of each node of a tree, or of what is at or in the rest of it only."""

    surely: Bools
    """Whether all values that it stands for meet the conditions."""
    may: Bools
    """Whether some may."""
    share: Float64
    """Which part of them does; nan where that is unknown."""


class Nodes:
    """The nodes of a column that is asked about: what their labels say is found once, however many queries there are.

    Raises:
        DamagedRelease: these are no nodes of a tree.
    """

    def __init__(self, column: GeneralizedColumn) -> None:
        self.name, self.tree = column.name, column.tree
        self.rest = _rest(column)
        self.known = {label: node for node, label in enumerate(self.tree.labels)}
        # The root of a column with one value only may still be hidden: it is never a value itself.
        is_value = self.tree.is_bottom & (self.tree.leaves == 1) & (np.arange(len(self.tree)) > 0)
        self.is_value: Bools = is_value
        self.lists_all = not bool((self.rest[~is_value] > 0).any())
        self.ranges = [
            (label_ranges.point(label) if value else None) or label_ranges.read(label)
            for label, value in zip(self.tree.labels, is_value.tolist(), strict=True)
        ]
        ends = [end for part in self.ranges if part is not None for end in (part.low, part.high) if end is not None]
        self.whole = all(end == end.to_integral_value() for end in ends)
        # A missing value is no text among numbers.
        texts = {label for label, value in zip(self.tree.labels, is_value.tolist(), strict=True) if value} - {MISSING}
        self.may_hold_numbers = bool(ends) or not texts
        self._exact = [
            part is not None and label_ranges.is_exact(label) and self._agrees(node, part)
            for node, (label, part) in enumerate(zip(self.tree.labels, self.ranges, strict=True))
        ]
        self._uncovered: dict[int, tuple[Interval, list[Interval]]] = {}
        for node in np.flatnonzero((self.rest > 0) & ~is_value).tolist():
            own = self.ranges[node]
            if own is not None:
                children = [self.ranges[child] for child in np.flatnonzero(self.tree.parents == node).tolist()]
                known = [part for part in children if part is not None]
                self._uncovered[node] = own, known if len(known) == len(children) else []

    def meeting(self, clauses: Iterable[Clause], query: Query) -> Meets:
        """Which nodes meet all of some clauses about this column.

        Raises:
            InputError: a clause names what the release does not have, or compares with numbers where there are none.
        """
        parts: list[Meets] = []
        numbers: Interval | None = None
        for clause in clauses:
            asked = self._numbers(clause, query)
            if asked is not None:
                # Several ranges of one column are one: .5 and .5 of a rest need not be .25 of it.
                numbers = asked if numbers is None else numbers & asked
            else:
                assert isinstance(clause, OneOf)
                parts.append(self._one_of(clause, query))
        if numbers is not None:
            parts.append(self._within(numbers))
        surely = np.all([part.surely for part in parts], axis=0)
        may = np.all([part.may for part in parts], axis=0)
        share = np.where(may, np.prod([part.share for part in parts], axis=0), 0.0)
        tree, there = self.tree, self.rest > 0
        all_do = _below(tree, there & ~surely) == 0
        some_may = _below(tree, there & may) > 0
        mean = np.clip(_below(tree, np.where(there, self.rest * share, 0.0)) / tree.leaves, 0.0, 1.0)
        return Meets(all_do, some_may, np.where(all_do, 1.0, np.where(some_may, mean, 0.0)))

    def _one_of(self, clause: OneOf, query: Query) -> Meets:
        """Of each value, and of the rest of each other node, whether it is one of those that a clause names."""
        inside, may = np.zeros((2, len(self.tree)), bool)
        for word in clause.values:
            node = self._node(word)
            if node is not None:
                inside[node : self.tree.ends[node]] = True
                continue
            if self.lists_all or word.text.casefold() in self._folded:
                query.refuse(word.at, self._unknown(word.text))
            number = label_ranges.point(word.text)
            may |= self._within(number).may if number is not None and self.may_hold_numbers else ~self.is_value
        may |= inside
        if clause.negated:
            inside, may = ~may, ~inside
        return Meets(inside, may, np.where(inside == may, inside, math.nan))

    def _numbers(self, clause: Clause, query: Query) -> Interval | None:
        """The numbers that a clause asks for; None if it asks for what is listed."""
        if isinstance(clause, OneOf):
            (word, *more) = clause.values
            number = label_ranges.point(word.text)
            if more or clause.negated or number is None or self.lists_all or self._node(word) is not None:
                return None
            return number if self.may_hold_numbers else None
        if not self.may_hold_numbers:
            query.refuse(
                clause.column.at,
                f"column {named(self.name)} holds no numbers, and only these are compared by size: use =, != or in "
                f"{{...}}",
            )
        low, high = bounds(clause, query, Decimal)
        return Interval(low, high, clause.open and low is not None, clause.open and high is not None)

    def _within(self, asked: Interval) -> Meets:
        """Of each value, and of the rest of each other node, whether it lies in a range of numbers."""
        n = len(self.tree)
        if asked.empty:
            return Meets(np.zeros(n, bool), np.zeros(n, bool), np.zeros(n))
        surely, may, share = np.zeros(n, bool), np.ones(n, bool), np.full(n, math.nan)
        for node in np.flatnonzero(self.is_value).tolist():
            held = self.ranges[node]
            may[node], share[node] = held is not None, 0.0 if held is None else held.share(asked, whole=self.whole)
        for node, (own, children) in self._uncovered.items():
            share[node] = _share_of_rest(own, children, asked, whole=self.whole)
        for node, (held, exact) in enumerate(zip(self.ranges, self._exact, strict=True)):
            if held is not None and exact:
                surely[node], may[node] = held.within(asked), held.meets(asked)
        return Meets(surely, may, share)

    def _agrees(self, node: int, label: Interval) -> bool:
        """Whether all numbers that are listed below a node are in the range that its label says."""
        below = range(node, int(self.tree.ends[node]))
        held = (self.ranges[other] for other in below if self.is_value[other])
        return all(value is None or value.within(label) for value in held)

    def _node(self, word: Word) -> int | None:
        """The node that a word names: by its label or, for a value, as a number."""
        node = self.known.get(word.text)
        if node is None and is_number(word.text):
            wanted = label_ranges.point(word.text)
            node = next((at for at in np.flatnonzero(self.is_value).tolist() if self.ranges[at] == wanted), None)
        return node

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(label.casefold() for label in self.tree.labels)

    def _unknown(self, text: str) -> str:
        meant = did_you_mean(text, self.tree.labels) or f" ({len(self.tree):,} labels)"
        return f"column {named(self.name)} has no value and no node {shown(text)} in the release{meant}"


def _share_of_rest(own: Interval, children: list[Interval], asked: Interval, *, whole: bool) -> float:
    """The share of a range that is asked for, without the parts of it that children cover."""
    if not children:
        return own.share(asked, whole=whole)
    if own.within(asked) or not own.meets(asked):
        return float(own.within(asked))
    size = own.size(whole=whole) - sum(part.size(whole=whole) for part in children)
    both = (own & asked).size(whole=whole) - sum((part & asked).size(whole=whole) for part in children)
    if not 0 < size < math.inf:
        return own.share(asked, whole=whole)
    return min(1.0, max(0.0, both / size))


def _below(tree: NodeTree, numbers: Int64 | Float64 | Bools) -> Float64:
    """The sum over all that is at or below each node; nan if one of them is, and no other one."""
    unknown = np.isnan(numbers)
    running = np.concatenate([[0.0], np.cumsum(np.where(unknown, 0, numbers))])
    gaps = np.concatenate([[0], np.cumsum(unknown)])
    places = np.arange(len(tree))
    sums: Float64 = running[tree.ends] - running[places]
    return np.where(gaps[tree.ends] > gaps[places], math.nan, sums)


def _rest(column: GeneralizedColumn) -> Int64:
    """How many values each node stands for that are below none of its children in the tree."""
    tree = column.tree
    path: list[int] = []
    ordered = len(tree) > 0 and int(tree.parents[0]) == -1
    for node, parent in enumerate(tree.parents.tolist()):
        while path and path[-1] != parent:
            path.pop()
        ordered = ordered and (bool(path) or node == 0)
        path.append(node)
    rest = tree.leaves.astype(np.int64)
    np.subtract.at(rest, tree.parents[1:], tree.leaves[1:])
    # A node of which all is listed may have nothing left, and a value of its own never has.
    if not ordered or (tree.leaves < 1).any() or (rest < 0).any():
        raise DamagedRelease(
            f"the hierarchy of column {named(column.name)} is no tree in which children stand for parts of what their "
            "parent does: this is no release that anything can be asked of; see shoal verify"
        )
    return rest
