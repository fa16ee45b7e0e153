"""The values, rules and rules from absence that the groups of a generalized release disclose about sensitive columns.

The definition is that of :class:`~shoal.promises.HiddenAssociations`. A row surely holds a node that its cell is or is
below; it may also hold one that its cell is above. A set of nodes has one node per column; the root means no condition:
every row surely holds a root. Hidden cells may be anything below them, independently of the others, and a confidence is
the least that they allow: a row that may but need not hold A counts against A => B if it need not hold B, and does not
count if it surely does, because with A it would support the rule. The same applies to nodes that may but need not be
absent.

The search counts distinct rows. In each group a node that too few rows surely hold is in no frequent set, so a cell may
be replaced by the lowest frequent node above it, if it is recorded whether it was: below that node a replaced cell may
hold nothing frequent, and one that was not replaced may hold anything. Few distinct rows remain, and the frequent sets
are grown from them column by column. The rules of a set that are hardest to hide lead to a single node: what counts
against such a rule counts against those that lead to this node and others, too. These are enough to decide whether
there is any rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.audit.budget import Budget
from shoal.audit.generalized.prefix_tree import PrefixTree, Upwards, upwards
from shoal.audit.generalized.shares import at_least, at_most_from
from shoal.audit.generalized.shown_rows import ShownRows, gather_counted
from shoal.audit.parts import expand
from shoal.audit.trees import ends
from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.frozen import freeze

VALUE, RULE, ABSENCE = range(3)
KINDS = ("value", "rule", "absence")
_BLOCK = 200_000
"""How many distinct rows are processed together."""
_PAIRS = 2_000_000
"""How many pairs of sets, or of a set and a row, are held together."""
_KEEPING = 50
"""The cost of keeping an association that was found."""


@dataclass(frozen=True, eq=False)
class Associations:
    """Associations of groups; sets are lines of one node per column, the root for no condition."""

    kind: Int64
    """Index into ``KINDS``."""
    group: Int64
    antecedent: Int64
    """What is known: nothing for a value; what is absent, for absence."""
    consequent: Int64
    holders: Int64
    """Rows that surely support it."""
    applies: Int64
    """Rows that it applies to if hidden cells make its confidence least. If these can be none, and then all rows that
    it may apply to surely support it, both numbers are those rows."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def confidence(self) -> Float64:
        """The rows that support it, divided by those it applies to."""
        return np.asarray(self.holders / self.applies)

    def take(self, places: npt.NDArray[np.integer] | Bools) -> Associations:
        """Some of the associations."""
        return Associations(*(array[places] for array in vars(self).values()))

    @property
    def keys(self) -> Int64:
        """Kind, group, and both sets: the same line for the same association, in any release with these trees."""
        return np.column_stack([self.kind, self.group, self.antecedent, self.consequent])


def join(parts: Sequence[Associations], n_columns: int) -> Associations:
    """All associations of several."""
    if not parts:
        none, sets = np.zeros(0, np.int64), np.zeros((0, n_columns), np.int64)
        return Associations(none, none, sets, sets, none, none)
    fields = zip(*(vars(part).values() for part in parts), strict=True)
    return Associations(*(np.concatenate(arrays) for arrays in fields))


def find_associations(
    shown: ShownRows,
    min_support: float,
    min_confidence: float,
    budget: Budget,
    *,
    filled: bool = False,
    every: bool = True,
) -> Associations:
    """Find the associations that groups disclose.

    Args:
        shown: The rows of groups.
        min_support: The least share of a group's rows for a rule to count.
        min_confidence: The least confidence for it to count.
        budget: Paid for each set, and each pair of sets or of a set and a row, that is examined.
        filled: Whether rows that may hold a set surely do.
        every: Whether to find all of them, rather than at least one if there are any.

    Returns:
        The associations, group after group.

    Raises:
        OutOfBudget: It would take too much work.
    """
    n_columns = shown.nodes.shape[1]
    found: list[Associations] = []
    ways = [upwards(tree) for tree in shown.trees]
    # No group is in two blocks.
    starts = np.flatnonzero(np.diff(shown.group, prepend=-1))
    cuts = np.unique(np.searchsorted(starts, np.arange(0, len(shown) + _BLOCK, _BLOCK)))
    bounds = [*(int(starts[cut]) for cut in cuts if cut < len(starts)), len(shown)]
    for start, end in pairwise(bounds):
        block = _Block.of(
            shown, slice(start, end), ways, min_support, min_confidence, budget, filled=filled, every=every
        )
        for part in block.associations(every=every):
            budget.spend(_KEEPING * len(part))
            found.append(part)
    whole = join([part for part in found if len(part)], n_columns)
    return whole.take(np.argsort(whole.group, kind="stable"))


@dataclass(frozen=True, eq=False)
class _Sets:
    """The frequent sets of the groups of a block, the empty one among them."""

    tree: PrefixTree
    group: Int64
    nodes: Int64
    sure: Int64
    columns: Int64
    """The columns that each set restricts, as bits."""


@dataclass(frozen=True, eq=False)
class _Block:
    """Groups that are counted together, numbered from 0."""

    shown: ShownRows
    """Their rows; each cell is the lowest frequent node at or above it."""
    exact: Bools
    """Whether each cell was that node."""
    names: Int64
    """The numbers of the groups in the release."""
    sets: _Sets
    values: Associations
    min_confidence: float
    filled: bool
    budget: Budget

    @classmethod
    def of(
        cls,
        whole: ShownRows,
        part: slice,
        ways: Sequence[Upwards],
        min_support: float,
        min_confidence: float,
        budget: Budget,
        *,
        filled: bool,
        every: bool,
    ) -> _Block:
        """Count single nodes, and grow the frequent sets."""
        names, group = np.unique(whole.group[part], return_inverse=True)
        group, sizes = group.reshape(-1), whole.sizes[names]
        shown = ShownRows(whole.trees, group, whole.nodes[part], whole.count[part], sizes)
        least, sure = at_least(min_support, sizes), at_least(min_confidence, sizes)
        codes, values = [], []
        asked = np.ones(len(names), bool)
        n_columns = shown.nodes.shape[1]
        for column, way in enumerate(ways):
            size = len(shown.trees[column])
            held, inverse = np.unique(group * size + shown.nodes[:, column], return_inverse=True)
            inverse = inverse.reshape(-1)
            times = _sums(inverse, shown.count, len(held))
            owner, place = expand(way.offsets[held % size], way.offsets[held % size + 1])
            budget.spend(len(owner))
            nodes, at = np.unique((held // size)[owner] * size + way.nodes[place], return_inverse=True)
            holders = _sums(at.reshape(-1), times[owner], len(nodes))
            of, node = nodes // size, nodes % size
            many = (holders >= sure[of]) & (node > 0)
            values.append(_values(names[of[many]], column, node[many], n_columns, holders[many], sizes[of[many]]))
            asked[of[many]] &= every
            lowest = _lowest(held, nodes[holders >= least[of]], shown.trees[column].parents, size)
            exact = (lowest == held % size) & (not filled)
            codes.append((2 * lowest + exact)[inverse])
        spans = [2 * len(tree) for tree in shown.trees]
        kept = asked[group]  # a group that discloses a value needs no second witness
        codes = [code[kept] for code in codes]
        coded = gather_counted(group[kept], codes, shown.count[kept], shown.trees, sizes, spans=spans)[0]
        exact = (coded.nodes & 1).astype(bool)
        rows = replace(coded, nodes=coded.nodes >> 1)
        sets = _grow(rows, ways, least, budget)
        return cls(rows, exact, names, sets, join(values, n_columns), min_confidence, filled, budget)

    def associations(self, *, every: bool) -> Iterator[Associations]:
        """Everything above the thresholds; or at least one association of each group that has any."""
        asked = np.ones(len(self.names), bool)
        for parts in ((self.values,), self._rules(asked, every=every), self._absences(asked)):
            for part in parts:
                yield part
                if not every:
                    asked[np.searchsorted(self.names, part.group)] = False

    def _rules(self, asked: Bools, *, every: bool) -> Iterator[Associations]:
        sets, n_columns = self.sets, self.shown.nodes.shape[1]
        for led in range(1, 2**n_columns) if every else (1 << column for column in range(n_columns)):
            chosen = ((sets.columns & led) == led) & (sets.columns != led) & asked[sets.group]
            chosen = np.flatnonzero(chosen)
            self.budget.spend(len(sets.group) + n_columns * len(chosen))
            kept = np.array([not led >> column & 1 for column in range(n_columns)])
            known = np.where(kept, sets.nodes[chosen], 0)
            antecedent = sets.tree.find(sets.group[chosen], known)  # every part of a frequent set is frequent
            likely = sets.sure[chosen] >= at_least(self.min_confidence, sets.sure[antecedent])
            chosen, antecedent, known = chosen[likely], antecedent[likely], known[likely]
            consequent = sets.tree.find(sets.group[chosen], sets.nodes[chosen] - known)
            applies = sets.sure[antecedent] + self._against(antecedent, consequent)
            holds = sets.sure[chosen] >= at_least(self.min_confidence, applies)
            chosen, known = chosen[holds], known[holds]
            group, nodes = self.names[sets.group[chosen]], sets.nodes[chosen]
            yield Associations(
                np.full(len(chosen), RULE), group, known, nodes - known, sets.sure[chosen], applies[holds]
            )

    def _against(self, antecedent: Int64, consequent: Int64) -> Int64:
        """For each pair of sets, how many rows may but need not hold the first, and need not hold the second."""
        against = np.zeros(len(antecedent), np.int64)
        # Only cells that are above a frequent node may hold more than they surely do.
        open_rows = np.flatnonzero(self._is_open)
        if self.filled or not len(open_rows):
            return against
        distinct, inverse = np.unique(antecedent, return_inverse=True)
        order = np.argsort(inverse.reshape(-1), kind="stable")
        of = inverse.reshape(-1)[order]
        for first, owner, row in self._rows_of(self.sets.group[distinct], open_rows):
            one = distinct[first + owner]
            more = self._may_hold(one, row) & ~self._surely_hold(one, row)
            owner, row = first + owner[more], row[more]
            start, end = np.searchsorted(owner, of), np.searchsorted(owner, of, side="right")
            for some, last in _parts(end - start, _PAIRS):
                pair, place = expand(start[some:last], end[some:last])
                self.budget.spend(len(pair) * len(self.shown.trees))
                pair, held = order[some + pair], row[place]
                need_not = ~self._surely_hold(consequent[pair], held)
                np.add.at(against, pair[need_not], self.shown.count[held[need_not]])
        return against

    @property
    def _is_open(self) -> Bools:
        flags = np.zeros(len(self.shown), bool)
        for column, tree in enumerate(self.shown.trees):
            nodes = self.shown.nodes[:, column]
            flags |= self.exact[:, column] & (ends(tree)[nodes] > nodes + 1)
        return flags

    def _rows_of(self, group: Int64, rows: Int64) -> Iterator[tuple[int, Int64, Int64]]:
        """All rows, from some, of each group asked for, in parts: the first one asked for, which one, the row."""
        start = np.searchsorted(self.shown.group[rows], group)
        end = np.searchsorted(self.shown.group[rows], group, side="right")
        for first, last in _parts(end - start, _PAIRS):
            owner, place = expand(start[first:last], end[first:last])
            self.budget.spend(len(owner) * len(self.shown.trees))
            yield first, owner, rows[place]

    def _surely_hold(self, sets: Int64, rows: Int64) -> Bools:
        flags = np.ones(len(sets), bool)
        for column, tree in enumerate(self.shown.trees):
            node, cell = self.sets.nodes[sets, column], self.shown.nodes[rows, column]
            flags &= (node <= cell) & (cell < ends(tree)[node])
        return flags

    def _may_hold(self, sets: Int64, rows: Int64) -> Bools:
        flags = np.ones(len(sets), bool)
        for column, tree in enumerate(self.shown.trees):
            node, cell = self.sets.nodes[sets, column], self.shown.nodes[rows, column]
            below = (node <= cell) & (cell < ends(tree)[node])
            flags &= below | (self.exact[rows, column] & (cell <= node) & (node < ends(tree)[cell]))
        return flags

    def _absences(self, asked: Bools) -> Iterator[Associations]:
        """Not A => B. Rows that hold B must be many among those without A, so only few pairs need checking."""
        sets, sizes = self.sets, self.shown.sizes
        order = np.lexsort((-sets.sure, sets.group))
        order = order[(sets.columns[order] > 0) & asked[sets.group[order]]]
        if not len(order):
            return
        most = int(sizes.max()) + 1
        rank = sets.group[order] * (most + 1) + most - sets.sure[order]
        size = sizes[sets.group[order]]
        fewest = np.maximum(size - at_most_from(self.min_confidence, sets.sure[order]), 0)
        start = np.searchsorted(sets.group[order], sets.group[order])
        end = np.searchsorted(rank, sets.group[order] * (most + 1) + most - fewest, side="right")
        everything = np.arange(len(self.shown))
        for first, last in _parts(np.maximum(end - start, 0), _PAIRS):
            owner, place = expand(start[first:last], np.maximum(end, start)[first:last])
            self.budget.spend(len(owner))
            there, absent = order[first + owner], order[place]
            apart = ((sets.columns[there] & sets.columns[absent]) == 0) & (
                sets.sure[absent] < sizes[sets.group[absent]]
            )
            there, absent = there[apart], absent[apart]
            self.budget.spend(len(there) * len(self.shown.trees))
            rare = sets.tree.find(sets.group[there], sets.nodes[there] + sets.nodes[absent]) < 0
            there, absent = there[rare], absent[rare]
            holders, spared = np.zeros(len(there), np.int64), np.zeros(len(there), np.int64)
            for start_at, pair, row in self._rows_of(sets.group[there], everything):
                held = self._surely_hold(there[start_at + pair], row)
                pair, row = pair[held], row[held]
                one = absent[start_at + pair]
                surely = self._surely_hold(one, row)
                without = ~(surely if self.filled else self._may_hold(one, row))
                np.add.at(holders, start_at + pair[without], self.shown.count[row[without]])
                either = ~without & ~surely
                np.add.at(spared, start_at + pair[either], self.shown.count[row[either]])
            applies = sizes[sets.group[absent]] - sets.sure[absent] - spared
            holds = holders >= at_least(self.min_confidence, applies)
            none = applies == 0  # then every row that need not hold the absent node surely holds the consequent
            holders, applies = np.where(none, spared, holders), np.where(none, spared, applies)
            there, absent = there[holds], absent[holds]
            group, nodes = self.names[sets.group[there]], sets.nodes
            yield Associations(
                np.full(len(there), ABSENCE), group, nodes[absent], nodes[there], holders[holds], applies[holds]
            )


def _values(group: Int64, column: int, node: Int64, n_columns: int, holders: Int64, applies: Int64) -> Associations:
    sets = np.zeros((len(node), n_columns), np.int64)
    consequent = sets.copy()
    consequent[:, column] = node
    return Associations(np.full(len(node), VALUE), group, sets, consequent, holders, applies)


def _lowest(held: Int64, frequent: Int64, parents: Int32, size: int) -> Int64:
    """For each node of a group the lowest one at or above it that is frequent there; the root always is."""
    node, group = held % size, held // size
    left = np.arange(len(held))
    while len(left):
        keys = group[left] * size + node[left]
        place = np.minimum(np.searchsorted(frequent, keys), len(frequent) - 1)
        left = left[(frequent[place] != keys) & (node[left] > 0)]
        node[left] = parents[node[left]]
    return np.asarray(node)


def _grow(rows: ShownRows, ways: Sequence[Upwards], least: Int64, budget: Budget) -> _Sets:
    """Column by column: each prefix of a row with each node at or above the next cell, if enough rows hold it."""
    group = np.arange(len(rows.sizes))
    nodes = np.zeros((len(group), 0), np.int64)
    sure = rows.sizes
    owner, prefix, levels = np.arange(len(rows)), rows.group, []
    for column, way in enumerate(ways):
        size, cell = len(rows.trees[column]), rows.nodes[owner, column]
        of, place = expand(way.offsets[cell], way.offsets[cell + 1])
        budget.spend(4 * len(of))
        owner = owner[of]
        keys, inverse = np.unique(prefix[of] * size + way.nodes[place], return_inverse=True)
        inverse = inverse.reshape(-1)
        sure = _sums(inverse, rows.count[owner], len(keys))
        kept = sure >= least[group[keys // size]]
        number = np.cumsum(kept) - 1
        keys, sure = keys[kept], sure[kept]
        group, nodes = group[keys // size], np.column_stack([nodes[keys // size], keys % size])
        levels.append(keys)
        alive = kept[inverse]
        owner, prefix = owner[alive], number[inverse[alive]]
    bits = (nodes > 0) @ (1 << np.arange(nodes.shape[1]))
    return _Sets(PrefixTree(tuple(levels), tuple(len(tree) for tree in rows.trees)), group, nodes, sure, bits)


def _sums(places: Int64, amounts: Int64, number: int) -> Int64:
    # Sums of counts of rows are far below 2**53.
    return np.bincount(places, amounts, minlength=number).astype(np.int64)


def _parts(lengths: Int64, most: int) -> Iterator[tuple[int, int]]:
    """Runs of entries with lengths of about ``most`` in total."""
    total = np.cumsum(lengths)
    first = 0
    while first < len(lengths):
        before = int(total[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(total, before + most, side="right")))
        yield first, last
        first = last
