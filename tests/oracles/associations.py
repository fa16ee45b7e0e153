"""What a group of rows gives away of its sensitive columns, from the definitions: values, rules, rules from absence.

A tree is a dict from each node to its parent, the root's being None. A row is a tuple of nodes, one a column. A
completion of a row replaces each cell by a value at or below it; what other cells become does not matter. A completion
of a group completes each of its rows. A share or a confidence is the least over all completions of the group in which
it is defined; nothing here knows a formula for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product

Tree = Mapping[str, str | None]
Row = Sequence[str]
Itemset = frozenset[tuple[int, str]]
Association = tuple[str, Itemset, Itemset]
"""Kind (value, rule, absence), antecedent, consequent; the antecedent of absence is what is absent."""


def at_or_below(tree: Tree, node: str, other: str) -> bool:
    """Whether a node is another one, or below it."""
    up: str | None = node
    while up is not None:
        if up == other:
            return True
        up = tree[up]
    return False


def surely(row: Row, trees: Sequence[Tree], items: Itemset) -> bool:
    """Whether a row holds all items as its cells are written."""
    return all(at_or_below(trees[column], row[column], node) for column, node in items)


def values_below(tree: Tree, node: str) -> list[str]:
    """The values that a cell may be: what has nothing below it."""
    inner = set(tree.values())
    return [value for value in tree if value not in inner and at_or_below(tree, value, node)]


def completions(row: Row, trees: Sequence[Tree]) -> Iterator[tuple[str, ...]]:
    """All rows of values that a row may be."""
    return product(*(values_below(tree, cell) for tree, cell in zip(trees, row, strict=True)))


def itemsets(trees: Sequence[Tree]) -> Iterator[Itemset]:
    """All sets of one node or more, each of another column, no root among them."""
    nodes = [[node for node, parent in tree.items() if parent is not None] for tree in trees]
    for length in range(1, len(trees) + 1):
        for columns in combinations(range(len(trees)), length):
            for chosen in product(*(nodes[column] for column in columns)):
                yield frozenset(zip(columns, chosen, strict=True))


class Group:
    """The rows of a group with all their completions. ``filled``: cells are taken as they are written."""

    def __init__(self, rows: Sequence[Row], trees: Sequence[Tree], *, filled: bool = False) -> None:
        self.rows = [tuple(row) for row in rows]
        self.may_be = {row: [row] if filled else list(completions(row, trees)) for row in set(self.rows)}

        @cache
        def holds(items: Itemset) -> dict[tuple[str, ...], list[bool]]:
            return {row: [surely(one, trees, items) for one in ones] for row, ones in self.may_be.items()}

        self.holds = holds

    def in_all(self, items: Itemset) -> list[bool]:
        """For each row, whether it holds all items in each of its completions."""
        return [all(self.holds(items)[row]) for row in self.rows]

    def least_confidence(self, antecedent: Itemset, consequent: Itemset, *, absence: bool = False) -> Fraction | None:
        """The least over all completions of the group in which the rule applies to a row; None if there is none.

        Of a completion only how many rows the rule applies to, and how many support it, matter: all pairs of these that
        some completion of the rows so far gives are kept, row after row.
        """
        reached = {(0, 0)}
        known, there = self.holds(antecedent), self.holds(consequent)
        for row in self.rows:
            ways = {(int(a != absence and b), int(a != absence)) for a, b in zip(known[row], there[row], strict=True)}
            reached = {(s + more, n + one) for s, n in reached for more, one in ways}
        return min((Fraction(s, n) for s, n in reached if n), default=None)


def associations(
    rows: Sequence[Row], trees: Sequence[Tree], min_support: float, min_confidence: float, *, filled: bool = False
) -> dict[Association, Fraction]:
    """All associations of a group with their least confidence. ``filled``: cells are taken as they are written."""
    n, group = len(rows), Group(rows, trees, filled=filled)
    least, rho = Fraction(str(min_support)) * n, Fraction(str(min_confidence))
    sure = {items: frozenset(i for i, holds in enumerate(group.in_all(items)) if holds) for items in itemsets(trees)}
    sure = {items: holders for items, holders in sure.items() if holders}
    found: dict[Association, Fraction | None] = {}
    for items, holders in sure.items():
        if len(items) == 1:
            found["value", frozenset(), items] = Fraction(len(holders), n)
        if len(holders) >= least:
            for length in range(1, len(items)):
                for part in map(frozenset, combinations(sorted(items), length)):
                    found["rule", part, items - part] = group.least_confidence(part, items - part)
    frequent = [items for items, holders in sure.items() if len(holders) >= least]
    for absent, there in product(frequent, frequent):
        apart = not {column for column, _ in absent} & {column for column, _ in there}
        if apart and len(sure[absent] & sure[there]) < least:
            found["absence", absent, there] = group.least_confidence(absent, there, absence=True)
    return {one: share for one, share in found.items() if share is not None and share >= rho}


def fill(rows: Sequence[Row], trees: Sequence[Tree]) -> list[tuple[str, ...]]:
    """Each hidden cell as the value below it that most rows show, the first in the order of the tree if several do."""
    filled = [list(row) for row in rows]
    for column, tree in enumerate(trees):
        inner = set(tree.values())
        values = [node for node in tree if node not in inner]
        shown = {value: sum(row[column] == value for row in rows) for value in values}
        for row in filled:
            if row[column] in inner:
                below = [value for value in values if at_or_below(tree, value, row[column]) and shown[value]]
                if below:
                    row[column] = max(below, key=lambda value: shown[value])  # the first of the greatest
    return [tuple(row) for row in filled]
