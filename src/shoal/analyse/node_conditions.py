"""Which nodes of a hierarchy meet conditions: surely, perhaps, and in which share of the values below them.

A release lists of each node how many values of the hierarchy it stands for, but the tree itself may be cut at what rows
hold. Each node therefore has, beside its children, a *rest*: so many values below it that are below none of them. A
value that is listed meets a condition or does not. Of a rest,

* a condition on values (``=``, ``!=``, ``in {...}``) says all or nothing: what it names is listed, and a node that it
  names is named with all that is below;
* a condition on numbers is answered by the label, if that is written as a range (``label_ranges``). The bounds take
  the range as it is written; the share counts whole numbers in a column in which all numbers are, else lengths, and
  leaves out what the children's ranges cover. Of any other label nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.analyse import label_ranges
from shoal.analyse.conditions import Clause, OneOf, Query, Word, is_number
from shoal.analyse.label_ranges import Interval
from shoal.analyse.meeting import Bools, bounds
from shoal.data.node_tree import NodeTree
from shoal.data.table import MISSING
from shoal.errors import InputError
from shoal.release.generalized import GeneralizedColumn

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

# Among more labels than these, looking for the one that may have been meant would take long.
_MOST_LOOKED_AT = 100_000
_SHOWN = 10


class Meets(NamedTuple):
    """For each node of a tree."""

    surely: Bools
    """Whether all values that it stands for meet the conditions."""
    may: Bools
    """Whether some may."""
    share: Float64
    """Which part of them does; nan where nothing tells."""


class Nodes:
    """The nodes of a column that is asked about: what their labels say is found once, however many queries there are.

    Raises:
        InputError: these are no nodes of a tree, as in a release that was damaged.
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
        listed = np.ones(len(self.tree), bool)
        numbers: Interval | None = None
        for clause in clauses:
            asked = self._numbers(clause, query)
            if asked is not None:
                numbers = asked if numbers is None else numbers & asked
            else:
                assert isinstance(clause, OneOf)
                listed &= self._listed(clause, query)
        rest, tree = self.rest, self.tree
        if numbers is None:
            surely = may = listed
            share = listed.astype(np.float64)
        else:
            surely, may, share = self._within(numbers)
            surely, may, share = surely & listed, may & listed, np.where(may & listed, share, 0.0)
        there = rest > 0
        all_do = _below(tree, there & ~surely) == 0
        some_may = _below(tree, there & may) > 0
        part = np.clip(_below(tree, np.where(there, rest * share, 0.0)) / tree.leaves, 0.0, 1.0)
        return Meets(all_do, some_may, np.where(all_do, 1.0, np.where(some_may, part, 0.0)))

    def _listed(self, clause: OneOf, query: Query) -> Bools:
        """Which nodes are, or are below, one of those that a clause names; or none of them, where it is negated."""
        inside = np.zeros(len(self.tree), bool)
        for word in clause.values:
            node = self._node(word)
            if node is None:
                query.refuse(word.at, self._unknown(word.text))
            inside[node : self.tree.ends[node]] = True
        return ~inside if clause.negated else inside

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
                f"column {self.name!r} holds no numbers, and only these are compared by size: use =, != or in {{...}}",
            )
        low, high = bounds(clause, query, Decimal)
        return Interval(low, high, clause.open and low is not None, clause.open and high is not None)

    def _within(self, asked: Interval) -> tuple[Bools, Bools, Float64]:
        """Of each value, and of the rest of each other node, whether it lies in a range of numbers."""
        n = len(self.tree)
        surely, may, share = np.zeros(n, bool), np.ones(n, bool), np.full(n, math.nan)
        for node in np.flatnonzero(self.is_value).tolist():
            own = self.ranges[node]
            part = 0.0 if own is None else own.share(asked, whole=self.whole)
            surely[node], share[node] = own is not None and own.within(asked), part
            may[node] = own is not None and own.meets(asked)
        for node, (own, children) in self._uncovered.items():
            surely[node], may[node] = own.within(asked), own.meets(asked)
            share[node] = _share_of_rest(own, children, asked, whole=self.whole)
        return surely, may, share

    def _node(self, word: Word) -> int | None:
        """The node that a word names: by its label or, for a value, as a number."""
        node = self.known.get(word.text)
        if node is None and is_number(word.text):
            wanted = label_ranges.point(word.text)
            node = next((at for at in np.flatnonzero(self.is_value).tolist() if self.ranges[at] == wanted), None)
        return node

    def _unknown(self, text: str) -> str:
        folded = {label.casefold(): label for label in self.tree.labels[:_MOST_LOOKED_AT]}
        close = get_close_matches(text.casefold(), list(folded), n=1)
        meant = f"; did you mean {folded[close[0]]!r}?" if close else ""
        if self.lists_all:
            return f"column {self.name!r} has no value and no node {text!r} in the release{meant}"
        if not close:
            shown = [label for label, rest in zip(self.tree.labels, self.rest.tolist(), strict=True) if rest][:_SHOWN]
            meant = f": ask for what is, such as {', '.join(map(repr, shown))}"
        ranged = ", or for a range of numbers" if is_number(text) and self.may_hold_numbers else ""
        return (
            f"{text!r} is not listed in column {self.name!r} of the release, which may have it below a generalized "
            f"value{meant}{ranged}"
        )


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
        raise InputError(
            f"the hierarchy of column {column.name!r} is no tree in which children stand for parts of what their "
            "parent does: this is no release that anything can be asked of; see shoal verify"
        )
    return rest
