"""Whether a release keeps its promise over all its possible originals, tree by tree, and how this was decided.

Terrovitis et al., VLDB 2012, Guarantee 1: for every set of up to m items that may be in a record there is a possible
original in which k records hold it. A small tree is enumerated (`enumerated`); for any other it may be enough that a
bound reaches k (`bound`). Undecided sets are examined one by one, in the whole release, since other trees may
compensate for one: a set is safe if enough records are shown to be able to hold it (`candidates`), if necessary by a
possible original that was found (`sampled`), and it breaks the promise if it can occur and its ceiling is below k
(`ceilings`). All others remain undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import islice

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.bound import Bound, lower_bounds
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.ceilings import at_most
from shoal.audit.attack.disassociated.possible_originals.enumerated import BUDGET, Enumerator, Exact, count_simple
from shoal.audit.attack.disassociated.possible_originals.sampled import cells, largest_seen
from shoal.audit.attack.disassociated.possible_originals.suspects import Itemset, suspects
from shoal.audit.attack.disassociated.possible_originals.tree import Tree
from shoal.audit.attack.disassociated.possible_originals.trees import Trees
from shoal.audit.disassociated.km import Limits
from shoal.audit.wording import item_name
from shoal.errors import InputError
from shoal.quoting import bare
from shoal.release.disassociated import Disassociated

_COUNTED = 20_000
"""The possible originals of a simple cluster with more pairs (record, term item) are not counted."""


class Way(Enum):
    """How a tree was decided."""

    EXACTLY = "exactly"
    BOUND = "by a bound"
    SAMPLE = "by a world that was found"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Effort:
    """How much work the decision may take."""

    trees: int | None = None
    """How many trees may be examined one by one, small ones first; by default all that no bound decides."""
    leaves: int = 8
    """Trees with at most this many leaves are enumerated, if that is little work."""
    steps: float = BUDGET
    """How many steps enumerating one tree may take."""
    all_steps: float = 20_000_000
    """How many steps enumerating all trees may take."""
    sets: int = 500
    """How many sets of items are examined in one tree."""
    all_sets: int = 4_000
    """How many sets of items are examined one by one in all trees."""
    draws: int = 4
    """How many possible originals are drawn for a set."""
    cells: int = 1_000_000_000
    """How many pairs (subrecord, record) may be examined to draw possible originals, in total."""
    limits: Limits | None = None
    """How much may be spent on counting itemsets; by default it grows with the release."""


@dataclass(frozen=True)
class Violation:
    """A set of items that can be in a record of a tree, but in fewer than k records of it in any possible original."""

    items: tuple[str, ...]
    codes: Itemset
    most: int
    """The most records that hold it: of a whole possible original, or of the tree if other trees help."""
    root: int
    """The root cluster of the tree in which it was found."""
    worlds: int | None
    """How many possible originals that tree has, if they were counted."""

    def __str__(self) -> str:
        known = "" if self.worlds is None else f" ({in_digits(self.worlds)} possible originals of its tree)"
        items = ", ".join(map(bare, self.items))
        return f"{{{items}}} is in at most {self.most} records, below root cluster {self.root}{known}"


@dataclass(frozen=True)
class Decided:
    """How the trees of a release were decided."""

    k: int
    most_known: int
    trees: dict[Way, int]
    """How many trees were decided in each way."""
    leaves: dict[Way, int]
    """How many clusters of records these trees have."""
    violations: tuple[Violation, ...]
    """One for each tree that breaks the promise: no possible original has k records with the set."""
    impossible: int
    """How many trees have no possible original at all."""
    compared: int
    """The number of enumerated trees for which the bound was compared with the exact answer."""
    unsafe: int
    """For how many of these the bound was above it; anything but zero is a bug."""
    helped: tuple[Violation, ...] = ()
    """One for each tree in which some set stays below k, but other trees compensate for it: no breach of the
    promise."""

    @property
    def holds(self) -> bool:
        """Whether every tree was decided, and the promise holds."""
        return not (self.violations or self.impossible or self.unsafe or self.trees[Way.UNDECIDED])

    def share(self, way: Way) -> float:
        """The share of the clusters of records that were decided in one way."""
        return self.leaves[way] / max(sum(self.leaves.values()), 1)


def decide(
    release: Disassociated,
    chance: np.random.Generator,
    *,
    most_known: int | None = None,
    effort: Effort | None = None,
) -> Decided:
    """Decide for every tree whether each set of items that may be in a record may be in k records at once.

    Args:
        release: The release; of the right shape, as an audit checks first.
        chance: Where the chance comes from that sampled worlds need.
        most_known: How many items of a record the adversary knows; by default the m of the promise.
        effort: How much work it may take.

    Returns:
        The outcome. It is about the reconstructions of the release, as the promise is, and about nothing else.

    Raises:
        InputError: The release does not have the structure of a disassociation.
    """
    if most_known is not None and most_known < 1:
        raise InputError(f"the number of known items must be at least 1, got {most_known}")
    return _Deciding(Trees.of(release), most_known or release.promise.m, effort or Effort(), chance).run()


def in_digits(number: int) -> str:
    """A number in full, or its order of magnitude if it is long."""
    return f"{number:,}" if number < 10**12 else f"about 10^{int(math.log10(number))}"


class _Deciding:
    """The state of one decision."""

    def __init__(self, trees: Trees, most_known: int, effort: Effort, chance: np.random.Generator) -> None:
        self.trees, self.effort, self.chance = trees, effort, chance
        # No set has more records than the release, nor more items: larger k and m change nothing.
        self.k = min(trees.release.promise.k, trees.release.n_records + 1)
        self.most_known = min(most_known, len(trees.release.vocabulary))
        self.bound: Bound = lower_bounds(trees, self.most_known, self.k, effort.limits)
        self.candidates = Candidates(trees)
        self.sets_left, self.cells_left = effort.all_sets, effort.cells
        self.violations: list[Violation] = []
        self.helped: list[Violation] = []
        self.impossible = self.compared = self.unsafe = 0

    def run(self) -> Decided:
        """Decide one tree after the other, small ones first."""
        n_leaves = np.diff(self.trees.first_of_tree)
        ways = [Way.BOUND] * self.trees.n_trees
        enumerator = Enumerator(self.most_known, self.effort.steps, self.effort.all_steps)
        looked_at = 0
        for number in np.argsort(n_leaves, kind="stable").tolist():
            small = n_leaves[number] <= self.effort.leaves
            weak = self.bound.tree[number] < self.k
            if not small and not weak:
                continue
            if looked_at == self.effort.trees:
                ways[number] = Way.UNDECIDED if weak else Way.BOUND
                continue
            looked_at += 1
            tree = self.trees.one(number)
            exact = enumerator.exact(tree) if small else None
            if exact is not None:
                ways[number] = self._enumerated(tree, exact)
            elif weak:
                listed, complete = suspects(
                    self.candidates, self.bound, tree, self.k, self.most_known, self.effort.sets
                )
                ways[number] = self._judged(tree, listed, complete, Way.BOUND, None)
        return Decided(
            self.trees.release.promise.k,
            self.most_known,
            {way: ways.count(way) for way in Way},
            {way: int(n_leaves[[one is way for one in ways]].sum()) for way in Way},
            tuple(self.violations),
            self.impossible,
            self.compared,
            self.unsafe,
            tuple(self.helped),
        )

    def _enumerated(self, tree: Tree, exact: Exact) -> Way:
        if exact.worlds == 0:
            self.impossible += 1
            return Way.EXACTLY
        self.compared += 1
        self.unsafe += int(self.bound.tree[tree.number] > min(exact.smallest, self.k))
        if exact.smallest >= self.k:
            return Way.EXACTLY
        below = (one for kind, _ in exact.below(self.k) for one in exact.like(kind, self.most_known))
        listed = list(islice(below, self.effort.sets + 1))
        complete = len(listed) <= self.effort.sets
        listed.sort(key=lambda itemset: (sum(map(self.candidates.index.n_leaves, itemset)), itemset))
        return self._judged(tree, listed[: self.effort.sets], complete, Way.EXACTLY, exact)

    def _judged(self, tree: Tree, itemsets: Iterable[Itemset], complete: bool, way: Way, exact: Exact | None) -> Way:
        """Examine sets one by one, until one breaks the promise."""
        helped: Violation | None = None
        for itemset in itemsets:
            if self.sets_left == 0:
                return Way.UNDECIDED
            self.sets_left -= 1
            reach = self._reach(tree, itemset, None if exact is None else exact.support(itemset))
            way = Way.SAMPLE if reach.sampled else way
            if reach.occurs and reach.most < self.k:
                self.violations.append(self._violation(tree, itemset, reach.most, exact))
                return way
            if reach.occurs and reach.most_here < self.k and helped is None:
                helped = self._violation(tree, itemset, reach.most_here, exact)
            complete &= reach.least >= self.k or reach.most_here == 0
        if complete and helped is not None:
            self.helped.append(helped)
        return way if complete else Way.UNDECIDED

    def _reach(self, tree: Tree, itemset: Itemset, exact: int | None) -> _Reach:
        """How many records can hold a set, in this tree and in all."""
        here = self.candidates.at_least(itemset, tree.number) if exact is None else exact
        most_here = at_most(self.candidates, itemset, tree.number) if exact is None else exact
        elsewhere = self.candidates.at_least(itemset) - self.candidates.at_least(itemset, tree.number)
        # Ceilings are expensive; one is needed only if too few records were shown.
        most, short = elsewhere + most_here, elsewhere + here < self.k
        if short and most_here:
            most = at_most(self.candidates, itemset) - at_most(self.candidates, itemset, tree.number) + most_here
        sampled = False
        if exact is None and most_here and (here == 0 or (short and most >= self.k)):
            self.cells_left -= self.effort.draws * cells(tree)
            if self.cells_left >= 0:
                enough = max(self.k - elsewhere, 1)
                seen = largest_seen(tree, [itemset], enough, self.chance, self.effort.draws)[itemset]
                here, sampled = max(here, seen), seen > here
        return _Reach(elsewhere + here, most, most_here, here > 0, sampled)

    def _violation(self, tree: Tree, itemset: Itemset, most: int, exact: Exact | None) -> Violation:
        worlds = exact.worlds if exact is not None else None
        if worlds is None and len(tree.sizes) == 1 and tree.sizes[0] * len(tree.terms[0]) < _COUNTED:
            worlds = count_simple(tree.sizes[0], [part.counts for part in tree.parts], len(tree.terms[0]))
        names = tuple(item_name(self.trees.release.vocabulary, code) for code in itemset)
        root = int(self.trees.roots[tree.number])
        return Violation(names, itemset, most, root, worlds)


@dataclass(frozen=True)
class _Reach:
    """How many records can hold a set."""

    least: int
    """So many of all can, in one possible original."""
    most: int
    """No more than so many of all; not known to be less than k where ``least`` is not."""
    most_here: int
    """No more than so many of the tree."""
    occurs: bool
    """Whether it was shown that a record of the tree can hold it."""
    sampled: bool
    """Whether that took a world that was found."""
