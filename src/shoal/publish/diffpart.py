"""DiffPart: baskets with noisy counts, found from the top of a hierarchy of items downwards.

R. Chen, N. Mohammed, B. C. M. Fung, B. C. Desai, L. Xiong: Publishing Set-Valued Data via Differential Privacy, PVLDB
4(11), 2011. A partition is a cut, which is a set of nodes of the hierarchy, with the records that have something below
each of these nodes, and nothing else. The first partition has only the root, and all records. A partition is split at
one inner node of its cut: there is a sub-partition for each non-empty set of the node's children. A sub-partition is
split further if its noisy count is large enough. If all nodes of a cut are items, the cut is a basket, and it is
published with its noisy count if that is large enough.

Why it keeps its promise: sub-partitions of a partition share no record. So one record more or less changes one count of
each split, along one path, and the budgets along a path add up to exactly epsilon, in whole units of 2^-40. Only noisy
counts decide what happens: node, threshold and budget follow from the cut, and an empty sub-partition is treated as any
other, only faster. The gaps between those that reach the threshold are drawn, and then by how much each exceeds it,
from the law of the noise given that it has reached the threshold. The number of records is used nowhere. The limit on
the number of partitions is no exception: it counts all that passed, with or without records, so it is also a function
of noisy counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Int32, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import FANOUT, neighbours
from shoal.data.kinds import require_baskets
from shoal.data.node_tree import NodeTree
from shoal.data.ragged import expand
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible, InputError
from shoal.kernels.compiling import announced
from shoal.limits import MOST_EPSILON, require_number
from shoal.promises import UnboundedDifferentialPrivacy
from shoal.publish.discrete_noise import UNIT_BITS, gaps, geometric, two_sided
from shoal.publish.taxonomy import Taxonomy
from shoal.quoting import shown
from shoal.randomness import Numbers
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import DEFAULT_RUN, Progress, Run

MOST_CHILDREN = 20
"""The largest number of children of a node: more have too many sets."""
MOST_PARTITIONS = 2_000_000
"""The largest number of partitions that pass at one level, with or without records, and of baskets in all."""
LEAST_UNITS = 2**20
"""A split that could spend less than 2^-20 is refused: its noise would be in the millions."""

# The constants of the authors' program, 6.75 and 2.75, times the square root of 2, in units.
_SPLIT = math.isqrt(2 * 27**2 * 4**UNIT_BITS // 16)
_BASKET = math.isqrt(2 * 11**2 * 4**UNIT_BITS // 16)


def diffpart(
    data: Transactions,
    epsilon: float,
    *,
    hierarchy: Hierarchy | None = None,
    fanout: int = FANOUT,
    items: Iterable[str] | None = None,
    run: Run = DEFAULT_RUN,
) -> NoisyBaskets:
    """Publish baskets with noisy counts under differential privacy.

    Args:
        data: the baskets.
        epsilon: the whole budget; adding or removing one record makes no release more than exp(epsilon) times as
            likely, nor as unlikely.
        hierarchy: a hierarchy of items that was not made from these data; it is published. Without it, neighbours in
            the order of the items are joined.
        fanout: how many neighbours are joined, where no hierarchy is given.
        items: the list of items, if no hierarchy is given. By default it is read from the data, which epsilon does
            not cover: the promise says so.
        run: threads, progress and chance (:class:`shoal.Run`). With a fixed chance the release is for experiments only:
            anyone who has that number can undo the randomization.

    Returns:
        The release. Nothing is checked here: ``write`` verifies what it has written.

    Raises:
        InputError: an argument is out of range, or an item has no place in the hierarchy or list.
        Infeasible: the hierarchy is too large for the budget, a node has too many children, or the noise made too many
            partitions. The first two follow from the hierarchy and epsilon alone. The last is an outcome of the noise
            like any other, so seeing it costs no more than epsilon; another try costs as much again.

    Deviations:
        The noise is a whole number (see ``discrete_noise``), so thresholds are rounded up. The authors' program splits
        at a random one of the highest nodes of the cut; here it is the first of them in the order of the hierarchy, so
        the path of a basket is public. The constants C1 and C2 are those of that program, 6.75 and 2.75. A basket is
        counted once, by the split that makes it, with all of the remaining budget. So the budget alpha of a split (what
        remains of the half for splits, divided by the number of inner nodes at or below the cut) is spent only on
        sub-partitions that are split again. That program assumes that the number of records is known; Shoal does not.

    Example:
        >>> import shoal
        >>> release = diffpart(shoal.read([{"tea", "milk"}] * 500 + [{"tea"}] * 300), 1.0, run=shoal.Run(chance=1))
        >>> release
        NoisyBaskets(2 different baskets, 798 in all, 2 items)
    """
    require_baskets(data)
    require_number("epsilon", epsilon, least=0, most=MOST_EPSILON)
    if hierarchy is not None and items is not None:
        raise InputError("a hierarchy lists the items already: give either hierarchy or items")
    report = run.report
    grown = hierarchy or neighbours(data.words if items is None else items, fanout=fanout)
    taxonomy = Taxonomy.of(NodeTree.from_hierarchy(grown))
    total = math.floor(epsilon * 2**UNIT_BITS)
    _require_budget(taxonomy, total)
    places = _places(data, grown, taxonomy.tree)
    with announced(lambda: report("compile", 0, 1)):
        baskets = partition(
            taxonomy,
            total,
            data.offsets,
            places[data.items],
            np.zeros(len(data.offsets) - 1, np.int64),
            chance=Numbers(run.chance, purpose="diffpart"),
            report=report,
        )
    return NoisyBaskets(
        UnboundedDifferentialPrivacy(float(epsilon), "data" if hierarchy is None and items is None else "given"),
        taxonomy.tree,
        baskets.offsets,
        baskets.nodes,
        baskets.counts,
        reproducible=run.chance is not None,
    )


@dataclass(frozen=True, eq=False)
class Cuts:
    """Sets of nodes as flat arrays, ascending in each set, and which run each belongs to."""

    offsets: Int64
    nodes: Int32
    runs: Int64


@dataclass(frozen=True, eq=False)
class Baskets(Cuts):
    """Cuts of items, with their noisy counts."""

    counts: Int64


def partition(
    taxonomy: Taxonomy,
    total: int,
    offsets: Int64,
    items: Int32,
    runs: Int64,
    *,
    n_runs: int = 1,
    chance: Numbers,
    report: Progress,
) -> Baskets:
    """The noisy baskets of records, in the order of runs and contents.

    Args:
        taxonomy: the hierarchy.
        total: the whole budget, in units.
        offsets: where records begin.
        items: their items, as nodes of the hierarchy.
        runs: which run each record is part of. Runs are whole releases of their own, side by side.
        n_runs: how many of them there are.
        chance: where the random numbers come from.
        report: called with (stage, done, total).
    """
    splits = total // 2
    going = Cuts(np.arange(n_runs + 1), np.zeros(n_runs, np.int32), np.arange(n_runs))
    budgets = np.full(n_runs, splits, np.int64)
    records, owners = np.arange(len(offsets) - 1), runs
    found: list[Baskets] = []
    while len(going.runs):
        report("partition", len(offsets) - 1 - len(records), len(offsets) - 1)
        split = _Split.of(taxonomy, going, budgets, total - splits + budgets)
        masks = _masks(taxonomy, offsets, items, records, split.nodes[owners])
        keys, group, sizes = np.unique(owners << MOST_CHILDREN | masks, return_inverse=True, return_counts=True)
        parts = split.parts(keys >> MOST_CHILDREN, keys & (2**MOST_CHILDREN - 1))
        noisy = sizes + two_sided(parts.units, chance)
        passed = np.flatnonzero(noisy >= parts.thresholds)
        empty, excess = _without_records(split, parts, len(passed), chance)
        chosen = parts.take(passed).joined(empty)
        counts = np.concatenate([noisy[passed], empty.thresholds + excess])
        baskets = chosen.is_basket
        cuts = _cuts(taxonomy, going, split, chosen)
        found.append(Baskets(*_taken(cuts, np.flatnonzero(baskets)), counts[baskets]))
        _require_few(sum(len(part.counts) for part in found))
        # Records stay where their sub-partition goes on, under its new number.
        number = np.where(baskets, -1, np.cumsum(~baskets) - 1)
        new = np.full(len(keys), -1, np.int64)
        new[passed] = number[: len(passed)]
        owners = new[group.reshape(-1)]
        records, owners = records[owners >= 0], owners[owners >= 0]
        budgets = (budgets - split.units)[chosen.owners[~baskets]]
        going = Cuts(*_taken(cuts, np.flatnonzero(~baskets)))
    report("partition", len(offsets) - 1, len(offsets) - 1)
    return _in_order(found)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Sub-partitions: their partition, their children, and the budget and threshold of their counts."""

    owners: Int64
    masks: Int64
    is_basket: np.ndarray[tuple[int], np.dtype[np.bool_]]
    units: Int64
    thresholds: Int64

    def take(self, which: Int64) -> _Parts:
        """Some of them."""
        return _Parts(
            self.owners[which], self.masks[which], self.is_basket[which], self.units[which], self.thresholds[which]
        )

    def joined(self, other: _Parts) -> _Parts:
        """These, and others behind them."""
        return _Parts(
            np.concatenate([self.owners, other.owners]),
            np.concatenate([self.masks, other.masks]),
            np.concatenate([self.is_basket, other.is_basket]),
            np.concatenate([self.units, other.units]),
            np.concatenate([self.thresholds, other.thresholds]),
        )


@dataclass(frozen=True, eq=False)
class _Split:
    """The node at which each partition is split, with budgets and thresholds: all follow from cut and budget."""

    nodes: Int32
    units: Int64
    """The budget that a split spends on a sub-partition that is split again."""
    thresholds: Int64
    basket_units: Int64
    """The budget that it spends on a basket: all of the rest."""
    basket_thresholds: Int64
    baskets_end: Int64
    """Sets of children with a lower number are baskets, together with the rest of the cut."""
    end: Int64
    """The end of the numbers of sets of children."""

    @classmethod
    def of(cls, taxonomy: Taxonomy, going: Cuts, budgets: Int64, rest: Int64) -> _Split:
        """Split each partition at the highest node of its cut, or at the first of several."""
        n, starts = len(taxonomy.tree), going.offsets[:-1]
        highest = np.maximum.reduceat(taxonomy.heights[going.nodes] * n - going.nodes, starts)
        nodes = (-highest % n).astype(np.int32)
        inner = np.add.reduceat(taxonomy.inner[going.nodes], starts)
        units = budgets // inner
        alone = inner == taxonomy.inner[nodes]
        return cls(
            nodes,
            units,
            _over(_SPLIT * taxonomy.heights[nodes], units),
            rest,
            _over(_BASKET, rest),
            np.where(alone, 1 << taxonomy.n_items[nodes], 1),
            1 << taxonomy.n_children[nodes],
        )

    def parts(self, owners: Int64, masks: Int64) -> _Parts:
        """Sub-partitions by their partitions and the numbers of their sets of children."""
        baskets = masks < self.baskets_end[owners]
        units = np.where(baskets, self.basket_units[owners], self.units[owners])
        thresholds = np.where(baskets, self.basket_thresholds[owners], self.thresholds[owners])
        return _Parts(owners, masks, baskets, units, thresholds)


def _without_records(split: _Split, there: _Parts, n_passed: int, chance: Numbers) -> tuple[_Parts, Int64]:
    """The empty sub-partitions whose noise reaches the threshold, and by how much it exceeds that.

    ``n_passed`` sub-partitions with records passed. The limit counts both kinds: only noisy counts may decide what is
    refused, and which sub-partitions are empty is a fact of the data.
    """
    n = len(split.nodes)
    present = np.bincount(there.owners, minlength=n)
    present_baskets = np.bincount(there.owners[there.is_basket], minlength=n)
    # For each partition the baskets, then the others: numbers of sets of children ascend, without those with records.
    n_baskets = split.baskets_end - 1 - present_baskets
    n_others = split.end - split.baskets_end - (present - present_baskets)
    owners = np.tile(np.arange(n), 2)
    first, limits = np.concatenate([np.zeros(n, np.int64), n_baskets]), np.concatenate([n_baskets, n_others])
    units = np.concatenate([split.basket_units, split.units])
    thresholds = np.concatenate([split.basket_thresholds, split.thresholds])
    places = np.zeros(2 * n, np.int64)
    active = np.flatnonzero(limits)
    hits, at = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    _require_few(n_passed)
    while len(active):
        places[active] += gaps(units[active], thresholds[active], (limits - places)[active], chance)
        active = active[places[active] < limits[active]]
        hits.append(active)
        at.append(first[active] + places[active])
        places[active] += 1
        _require_few(n_passed + sum(map(len, hits)))
    hit, missing = np.concatenate(hits), np.concatenate(at)
    # The number of the k-th missing set: k, plus the number of present sets before it.
    starts = np.cumsum(present) - present
    rank = there.masks - 1 - (np.arange(len(there.masks)) - starts[there.owners])
    wanted = owners[hit]
    before = (
        np.searchsorted(there.owners << MOST_CHILDREN | rank, wanted << MOST_CHILDREN | missing, side="right")
        - starts[wanted]
    )
    parts = split.parts(wanted, missing + 1 + before)
    excess = np.zeros(len(hit), np.int64)
    excess[parts.is_basket] = geometric(parts.units[parts.is_basket], chance)
    return parts, excess


def _cuts(taxonomy: Taxonomy, going: Cuts, split: _Split, parts: _Parts) -> Cuts:
    """The cuts of sub-partitions: some of its children replace the node that was split."""
    n = len(taxonomy.tree)
    owner, place = expand(going.offsets[parts.owners], going.offsets[parts.owners + 1])
    old = going.nodes[place]
    stays = old != split.nodes[parts.owners][owner]
    keys = [owner[stays] * n + old[stays]]
    first = taxonomy.first_child[split.nodes[parts.owners]]
    for bit in range(int(parts.masks.max(initial=0)).bit_length()):
        has = np.flatnonzero(parts.masks >> bit & 1)
        keys.append(has * n + taxonomy.children[first[has] + bit])
    cells = np.sort(np.concatenate(keys))
    lengths = np.bincount(cells // n, minlength=len(parts.owners))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Cuts(offsets, (cells % n).astype(np.int32), going.runs[parts.owners])


def _taken(cuts: Cuts, which: Int64) -> tuple[Int64, Int32, Int64]:
    """The arrays of some of the cuts."""
    _, place = expand(cuts.offsets[which], cuts.offsets[which + 1])
    lengths = np.diff(cuts.offsets)[which]
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), cuts.nodes[place], cuts.runs[which]


def _in_order(found: list[Baskets]) -> Baskets:
    """All baskets, in the order of runs, then of contents, item by item."""
    from shoal.kernels.laid_rows import lay_in_order

    offsets, nodes, order = lay_in_order([(part.offsets, part.nodes) for part in found])
    runs = np.concatenate([part.runs for part in found])[order]
    counts = np.concatenate([part.counts for part in found])[order]
    if not runs.any():
        return Baskets(offsets, nodes, runs, counts)
    by_run = np.argsort(runs, kind="stable")
    return Baskets(*_taken(Cuts(offsets, nodes, runs), by_run), counts[by_run])


def _masks(taxonomy: Taxonomy, offsets: Int64, items: Int32, records: Int64, nodes: Int32) -> Int64:
    from shoal.kernels.child_masks import mark_children

    masks = np.empty(len(records), np.int64)
    mark_children(offsets, items, records, nodes, taxonomy.tree.parents, taxonomy.tree.ends, taxonomy.bits, masks)
    return masks


def _over(numbers: Int64 | int, units: Int64) -> Int64:
    """The smallest whole numbers that are at least the quotients."""
    return -(-numbers // units)


def _places(data: Transactions, hierarchy: Hierarchy, tree: NodeTree) -> Int32:
    """The node of each item of the data."""
    known = {label: place for place, label in enumerate(tree.labels)}
    leaves = hierarchy.leaves
    return np.array([known[leaves[place]] for place in hierarchy.places(data.words)], np.int32)


def _require_budget(taxonomy: Taxonomy, total: int) -> None:
    """Refuse a hierarchy that is too large for the budget. The first split has the smallest budget."""
    widest = int(taxonomy.n_children.argmax())
    if taxonomy.n_children[widest] > MOST_CHILDREN:
        raise Infeasible(
            f"{shown(taxonomy.tree.labels[widest])} has {int(taxonomy.n_children[widest]):,} nodes directly below "
            f"it, more than {MOST_CHILDREN}: every set of them needs its own noise. Insert a level between, or "
            f"join at most {MOST_CHILDREN} (--fanout)"
        )
    inner = int(taxonomy.inner[0])
    if total // 2 // inner < LEAST_UNITS:
        raise Infeasible(
            f"an epsilon of {total / 2**UNIT_BITS:g} is too small for a hierarchy of {inner:,} inner nodes: half of "
            "it, spread over so many splits, leaves noise in the millions. Raise epsilon, or publish fewer items"
        )


def _require_few(number: int) -> None:
    if number > MOST_PARTITIONS:
        raise Infeasible(
            f"more than {MOST_PARTITIONS:,} partitions or baskets passed their thresholds. Another try spends epsilon "
            "again: use a hierarchy of fewer items for the next try, or a smaller epsilon"
        )
