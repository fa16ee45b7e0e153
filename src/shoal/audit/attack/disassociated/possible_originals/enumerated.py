"""Every possible original of a small tree, and the most records that each set of items has in any of them.

Terrovitis et al., VLDB 2012, sections 3 and 5 (Guarantee 1 over all reconstructions). Records of a leaf are identical
until something is put on them, so the enumeration covers how many records get what: how many copies of each shared
subrecord go to each leaf, and inside a leaf how many records of each kind take each subrecord. Every such table
represents a known number of possible originals. Term items need no enumeration: every record may hold all of its
leaf's, and the ways to distribute them without an empty record are counted by inclusion and exclusion. Items that are
in the same term chunks and in the same subrecords everywhere are one item. Trees that differ only in the names of items
share an answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations

from shoal.audit.attack.disassociated.possible_originals.leaf_tables import (
    Answer,
    compositions,
    leaf_worlds,
    n_subsets,
    sign,
)
from shoal.audit.attack.disassociated.possible_originals.renamed_trees import (
    Rows,
    Shape,
    Shared,
    first_names,
    members,
    shape_of,
)
from shoal.audit.attack.disassociated.possible_originals.tree import Tree
from shoal.audit.budget import Budget, OutOfBudget

BUDGET = 200_000
"""The most steps for one tree: tables made, and sets of items counted in them."""
_DEPTH = 100
"""The most leaves, chunks or distinct subrecords of a tree: the enumeration recurses over them."""
_BITS = 20_000
"""The most bits of the number of ways to distribute a leaf's term items."""


@dataclass(frozen=True)
class Exact:
    """The properties of the possible originals of a tree."""

    worlds: int
    """How many there are: records numbered, every term item in some of its leaf's records, no record empty."""
    smallest: int
    """The smallest number of records that the worst set of items can reach; zero without possible originals."""
    witness: tuple[int, ...]
    """A smallest set that reaches no more."""
    _largest: Mapping[int, int] = field(repr=False)
    _bit: Mapping[int, int] = field(repr=False)
    """The bit of every item; items that always go together share one."""

    def support(self, itemset: Iterable[int]) -> int:
        """The most records that hold these items in one world; zero if no record of any world does."""
        mask = 0
        for code in itemset:
            if code not in self._bit:
                return 0
            mask |= 1 << self._bit[code]
        return self._largest.get(mask, 0)

    def below(self, k: int) -> list[tuple[tuple[int, ...], int]]:
        """The sets that can occur but reach fewer than k records, with the number they reach; one of each kind."""
        name = first_names(self._bit)
        return [(members(mask, name), most) for mask, most in sorted(self._largest.items()) if most < k]

    def like(self, itemset: Iterable[int], most_known: int) -> Iterator[tuple[int, ...]]:
        """All sets of up to ``most_known`` items of the same kind: their records are the same in every world."""
        kinds = sorted({self._bit[code] for code in itemset})
        twins = [sorted(code for code, bit in self._bit.items() if bit == kind) for kind in kinds]

        def grow(number: int, room: int) -> Iterator[tuple[int, ...]]:
            if number == len(twins):
                yield ()
                return
            for size in range(1, min(room - (len(twins) - number - 1), len(twins[number])) + 1):
                for chosen in combinations(twins[number], size):
                    for rest in grow(number + 1, room - size):
                        yield chosen + rest

        return grow(0, most_known)


class Enumerator:
    """Enumerates trees one after the other, within one budget, and caches the shapes it has seen."""

    def __init__(self, most_known: int, budget: float = BUDGET, total: float = math.inf) -> None:
        """Prepare for sets of up to ``most_known`` items, so many steps a tree, and so many in all."""
        self.most_known = most_known
        self.budget = budget
        self.left = total
        self._answers: dict[Shape, Answer | None] = {}

    def exact(self, tree: Tree) -> Exact | None:
        """The answer for one tree, or None if a budget is not enough."""
        shape, bit = shape_of(tree)
        if shape not in self._answers:
            self._answers[shape] = self._solve(shape)
        answer = self._answers[shape]
        return None if answer is None else Exact(answer.worlds, *_worst(answer.largest, bit), answer.largest, bit)

    def _solve(self, shape: Shape) -> Answer | None:
        allowance = min(self.budget, self.left)
        if not _estimate(shape, self.most_known) <= allowance:
            return None
        purse = Budget(allowance)
        try:
            return _solve(shape, self.most_known, purse)
        except OutOfBudget:
            return None
        finally:
            self.left -= allowance - max(purse.left, 0)


def exact(tree: Tree, most_known: int, budget: float = BUDGET) -> Exact | None:
    """Enumerate the possible originals of one tree; None if the budget is not enough."""
    return Enumerator(most_known, budget).exact(tree)


def count_simple(size: int, chunks: Iterable[tuple[int, ...]], n_terms: int) -> int:
    """The number of worlds of a simple cluster of any size, from how often its distinct subrecords occur."""
    ways, filled = 1, []
    for counts in chunks:
        filled.append(sum(counts))
        ways *= math.factorial(filled[-1])
        for count in counts:
            ways //= math.factorial(count)
    # Inclusion and exclusion over the records that stay empty; all others are unrestricted.
    total: int = ways * sum(
        sign(empty)
        * math.comb(size, empty)
        * math.prod(math.comb(size - empty, count) for count in filled)
        * (2 ** (size - empty) - 1) ** n_terms
        for empty in range(size + 1)
    )
    return total


def _estimate(shape: Shape, most_known: int) -> float:
    """About how many steps a tree takes: ways to share out, times tables of the leaf with the most."""
    if max(map(len, (shape.sizes, shape.shared, *chain(*shape.own), *shape.shared))) > _DEPTH:
        return math.inf
    if any(size * max(n_terms, 1) > _BITS for size, n_terms in zip(shape.sizes, shape.n_terms, strict=True)):
        return math.inf
    shares = sum(
        _log_choose(count + max(len(takers), 1) - 1, count) for rows in shape.shared for _, count, takers in rows
    )
    leaves = []
    for leaf, size in enumerate(shape.sizes):
        tables, kinds = 0.0, 1
        bits = shape.terms[leaf].bit_count()
        for rows in shape.own[leaf]:
            tables += sum(_log_choose(count + kinds - 1, count) for _, count in rows)
            kinds = min(size, kinds * (len(rows) + 1))
            bits += max(mask.bit_count() for mask, _ in rows)
        leaves.append(tables + math.log(kinds * max(n_subsets(bits, most_known), 1)))
    steps = shares + max(leaves)
    return math.exp(steps) if steps < 700 else math.inf


def _log_choose(count: int, chosen: int) -> float:
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1) if chosen else 0.0


def _solve(shape: Shape, most_known: int, budget: Budget) -> Answer:
    leaves: dict[object, Answer] = {}
    worlds, largest = 0, dict[int, int]()
    for given in _allocations(shape.shared, shape.sizes, budget):
        answers = []
        for leaf, size in enumerate(shape.sizes):
            chunks = (*shape.own[leaf], *(rows for rows in given[leaf] if rows))
            key = (leaf, chunks)
            if key not in leaves:
                leaves[key] = leaf_worlds(size, chunks, shape.terms[leaf], shape.n_terms[leaf], most_known, budget)
            answers.append(leaves[key])
            if not answers[-1].worlds:
                break
        if not answers[-1].worlds:
            continue
        worlds += math.prod(answer.worlds for answer in answers)
        # Given the allocation to each leaf, leaves are independent: their maxima add up.
        together: dict[int, int] = dict(answers[0].largest)
        for answer in answers[1:]:
            budget.spend(len(answer.largest))
            for mask, most in answer.largest.items():
                together[mask] = together.get(mask, 0) + most
        for mask, most in together.items():
            if most > largest.get(mask, 0):
                largest[mask] = most
    return Answer(worlds, largest)


def _allocations(shared: tuple[Shared, ...], sizes: tuple[int, ...], budget: Budget) -> Iterator[list[list[Rows]]]:
    """Every way to give the subrecords of all shared chunks to leaves: for each leaf, its part of each chunk."""
    if not shared:
        yield [[] for _ in sizes]
        return
    for rest in _allocations(shared[1:], sizes, budget):
        for one in _allocate(shared[0], list(sizes), budget):
            yield [[tuple(mine), *others] for mine, others in zip(one, rest, strict=True)]


def _allocate(rows: Shared, free: list[int], budget: Budget) -> Iterator[list[list[tuple[int, int]]]]:
    """Every way to give the subrecords of one shared chunk to leaves that have so many records free."""
    if not rows:
        yield [[] for _ in free]
        return
    mask, count, takers = rows[0]
    for shares in compositions([free[leaf] for leaf in takers], count):
        budget.spend(len(free))
        left = list(free)
        for leaf, share in zip(takers, shares, strict=True):
            left[leaf] -= share
        for given in _allocate(rows[1:], left, budget):
            for leaf, share in zip(takers, shares, strict=True):
                if share:
                    given[leaf].insert(0, (mask, share))
            yield given


def _worst(largest: Mapping[int, int], bit: Mapping[int, int]) -> tuple[int, tuple[int, ...]]:
    """The smallest number, and a smallest set that has it."""
    if not largest:
        return 0, ()
    mask = min(largest, key=lambda mask: (largest[mask], mask.bit_count(), mask))
    return largest[mask], members(mask, first_names(bit))
