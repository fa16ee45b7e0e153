"""DiffPart from its definition: paths, budgets and the exact chances of what is published, for small hierarchies.

A hierarchy is a dictionary from each inner node to its children, the root first; records are sets of items. Budgets are
whole units of 2^-40; chances are decimals of 60 digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import ceil, isqrt

Tree = Mapping[str, Sequence[str]]
Items = frozenset[str]

DIGITS = 60
UNIT = Fraction(1, 2**40)


def exponential(x: Fraction, digits: int = DIGITS) -> Fraction:
    """exp(x) for x >= 0, right to so many digits: its series, on a small part of x, and squared again."""
    halvings = 0
    while x / 2**halvings > 1:
        halvings += 1
    scale = 10 ** (digits + 20)
    small = int(x * scale / 2**halvings)
    total = term = scale
    n = 1
    while term:
        term = term * small // (scale * n)
        total += term
        n += 1
    for _ in range(halvings):
        total = total * total // scale
    return Fraction(total, scale)


def pmf(units: int, n: int) -> Fraction:
    """The chance of noise n: proportional to exp(-rate |n|)."""
    r = 1 / exponential(units * UNIT)
    return _short((1 - r) / (1 + r) / exponential(units * UNIT * abs(n)))


def at_least(units: int, n: int) -> Fraction:
    """The chance of noise n or more."""
    r = 1 / exponential(units * UNIT)
    beyond = _short(1 / exponential(units * UNIT * (n if n > 0 else 1 - n)) / (1 + r))
    return beyond if n > 0 else 1 - beyond


def _short(x: Fraction) -> Fraction:
    """A fraction of few digits that is the same to all that count: others would grow without end."""
    scale = 10 ** (3 * DIGITS)
    return Fraction(round(x * scale), scale)


def walk(tree: Tree, node: str | None = None) -> Iterator[str]:
    """All nodes, each before what is below it."""
    node = next(iter(tree)) if node is None else node
    yield node
    for child in tree.get(node, ()):
        yield from walk(tree, child)


def height(tree: Tree, node: str) -> int:
    return 1 + max(height(tree, child) for child in tree[node]) if node in tree else 0


def inner(tree: Tree, node: str) -> int:
    """How many inner nodes are at or below a node."""
    return sum(below in tree for below in walk(tree, node))


def threshold(constant: Fraction, height: int, units: int) -> int:
    """The smallest whole number that is at least sqrt(2) C height / budget."""
    squared = 2 * (constant * height / (units * UNIT)) ** 2
    root = isqrt(ceil(squared))
    return root if root * root >= squared else root + 1


class Split:
    """How a partition is split: everything follows from its cut and from what is left of the budget."""

    def __init__(self, tree: Tree, cut: Items, half: int, rest: int) -> None:
        order = {node: place for place, node in enumerate(walk(tree))}
        self.tree, self.cut, self.half, self.rest = tree, cut, half, rest
        self.node = min((node for node in cut if node in tree), key=lambda node: (-height(tree, node), order[node]))
        self.units = half // sum(inner(tree, node) for node in cut)

    def parts(self) -> Iterator[Items]:
        """The cuts of all sub-partitions."""
        children = self.tree[self.node]
        for size in range(1, len(children) + 1):
            for some in combinations(children, size):
                yield self.cut - {self.node} | set(some)

    def part(self, basket: Items) -> Items:
        """The one that a basket goes to."""
        children = (child for child in self.tree[self.node] if basket & set(walk(self.tree, child)))
        return self.cut - {self.node} | set(children)

    def is_basket(self, part: Items) -> bool:
        return not any(node in self.tree for node in part)

    def spent(self, part: Items) -> int:
        return self.rest if self.is_basket(part) else self.units

    def threshold(self, part: Items) -> int:
        if self.is_basket(part):
            return threshold(Fraction(11, 4), 1, self.rest)
        return threshold(Fraction(27, 4), height(self.tree, self.node), self.units)

    def below(self, part: Items) -> Split:
        return Split(self.tree, part, self.half - self.units, self.rest - self.units)


def first(tree: Tree, total: int) -> Split:
    """The split of all records."""
    return Split(tree, frozenset([next(iter(tree))]), total // 2, total)


def path(tree: Tree, total: int, basket: Items) -> list[tuple[Split, Items]]:
    """The splits that a basket goes through, and where each leads to."""
    split, steps = first(tree, total), []
    while True:
        part = split.part(basket)
        steps.append((split, part))
        if split.is_basket(part):
            return steps
        split = split.below(part)


def marginal(tree: Tree, total: int, records: Sequence[Items], basket: Items) -> tuple[Fraction, int, Fraction]:
    """The chance that a basket is published; the least count; the chance that it is published with that."""
    chance = Fraction(1)
    for split, part in path(tree, total, basket):
        records = [record for record in records if split.part(record) == part]
        needed = split.threshold(part)
        if split.is_basket(part):
            exactly = pmf(split.rest, needed - len(records))
            return chance * at_least(split.rest, needed - len(records)), needed, chance * exactly
        chance = _short(chance * at_least(split.units, needed - len(records)))
    raise AssertionError("a path ends in a basket")


def chance_of(tree: Tree, total: int, records: Sequence[Items], output: Mapping[Items, int]) -> Fraction:
    """The chance that exactly these baskets are published, with these counts."""
    return _chance_below(first(tree, total), records, output)


def _chance_below(split: Split, records: Sequence[Items], output: Mapping[Items, int]) -> Fraction:
    chance = Fraction(1)
    for part in split.parts():
        inside = [record for record in records if split.part(record) == part]
        wanted = {basket: count for basket, count in output.items() if split.part(basket) == part}
        needed = split.threshold(part) - len(inside)
        if split.is_basket(part):
            if wanted:
                count = wanted[part]
                chance *= pmf(split.rest, count - len(inside)) if count >= split.threshold(part) else 0
            else:
                chance *= 1 - at_least(split.rest, needed)
        else:
            passes = at_least(split.units, needed)
            below = _chance_below(split.below(part), inside, wanted)
            chance *= passes * below + (0 if wanted else 1 - passes)
    return _short(chance)


def logarithm(x: Fraction) -> Decimal:
    """ln(x), to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        return Decimal(x.numerator).ln() - Decimal(x.denominator).ln()
