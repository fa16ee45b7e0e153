"""What a group of rows gives away of its sensitive columns, from the definitions: values, rules, rules from absence.

A tree is a dict from each node to its parent, the root's being None. A row is a tuple of nodes, one a column. A row
surely holds a node that its cell is, or is below; it may also hold one that its cell is above.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
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
    """Whether a row holds all items, whatever its hidden cells are."""
    return all(at_or_below(trees[column], row[column], node) for column, node in items)


def may(row: Row, trees: Sequence[Tree], items: Itemset) -> bool:
    """Whether a row holds all items for some values of its hidden cells."""
    return all(
        at_or_below(trees[column], row[column], node) or at_or_below(trees[column], node, row[column])
        for column, node in items
    )


def itemsets(trees: Sequence[Tree]) -> Iterator[Itemset]:
    """All sets of one node or more, each of another column, no root among them."""
    nodes = [[node for node, parent in tree.items() if parent is not None] for tree in trees]
    for length in range(1, len(trees) + 1):
        for columns in combinations(range(len(trees)), length):
            for chosen in product(*(nodes[column] for column in columns)):
                yield frozenset(zip(columns, chosen, strict=True))


def associations(
    rows: Sequence[Row], trees: Sequence[Tree], min_support: float, min_confidence: float, *, filled: bool = False
) -> dict[Association, Fraction]:
    """All associations of a group with their confidence. ``filled``: rows that may hold A are those that surely do."""
    n = len(rows)
    least, rho = Fraction(str(min_support)) * n, Fraction(str(min_confidence))
    possibly = surely if filled else may
    sure = {items: frozenset(i for i, row in enumerate(rows) if surely(row, trees, items)) for items in itemsets(trees)}
    sure = {items: holders for items, holders in sure.items() if holders}
    possible = {items: frozenset(i for i, row in enumerate(rows) if possibly(row, trees, items)) for items in sure}
    found: dict[Association, Fraction] = {}
    for items, holders in sure.items():
        if len(items) == 1 and len(holders) >= rho * n:
            found["value", frozenset(), items] = Fraction(len(holders), n)
        if len(holders) >= least:
            for length in range(1, len(items)):
                for part in map(frozenset, combinations(sorted(items), length)):
                    confidence = Fraction(len(holders), len(possible[part]))
                    if confidence >= rho:
                        found["rule", part, items - part] = confidence
    frequent = [items for items, holders in sure.items() if len(holders) >= least]
    for absent in frequent:
        for there in frequent:
            if {column for column, _ in absent} & {column for column, _ in there}:
                continue
            if len(sure[absent] & sure[there]) >= least:
                continue
            applies = n - len(sure[absent])
            if applies:
                confidence = Fraction(len(sure[there] - possible[absent]), applies)
                if confidence >= rho:
                    found["absence", absent, there] = confidence
    return found


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
