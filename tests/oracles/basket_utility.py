"""What generalized baskets and noisy counts tell of their original, by definition, slowly. Standard library only.

A node of a hierarchy is the frozenset of the items below it, and so is written as what it stands for; ``paths`` lead
from each item to the root. A row of generalized baskets is a frozenset of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, product

from tests.oracles import utility

Item = str
Node = frozenset[Item]
Record = frozenset[Item]
Row = frozenset[Node]
Paths = Mapping[Item, Sequence[str]]


def nodes(paths: Paths) -> dict[tuple[int, str], Node]:
    """All nodes by level and label."""
    found: dict[tuple[int, str], set[Item]] = {}
    for item, path in paths.items():
        for level, label in enumerate(path):
            found.setdefault((level, label), set()).add(item)
    return {place: frozenset(items) for place, items in found.items()}


def published(item: Item, raised: Collection[Node]) -> Node:
    """What an item becomes: the largest of the nodes that are published in the place of what is below them."""
    return max((node for node in raised if item in node), key=len, default=frozenset([item]))


def generalized(records: Sequence[Record], raised: Collection[Node]) -> list[Row]:
    return [frozenset(published(item, raised) for item in record) for record in records]


def named(rows: Sequence[Row]) -> list[Record]:
    """The rows with the items only that stand for themselves."""
    return [frozenset(item for node in row if len(node) == 1 for item in node) for row in rows]


def one_each(row: Row) -> list[Record]:
    """All records with one item of each node of a row: each as likely, by even division."""
    return [frozenset(chosen) for chosen in product(*map(sorted, row))]


def possible(row: Row) -> Iterator[Record]:
    """All records that become this row."""
    parts = [
        [frozenset(some) for size in range(1, len(node) + 1) for some in combinations(sorted(node), size)]
        for node in row
    ]
    for chosen in product(*parts):
        yield frozenset(chain.from_iterable(chosen))


def holds(record: Record, asked: Collection[Node]) -> bool:
    """Whether a record has something of every node that is asked for."""
    return all(record & node for node in asked)


def bounds(rows: Sequence[Row], asked: Collection[Node]) -> tuple[int, int]:
    """The fewest and the most records that hold it, over all possible originals."""
    answers = [[holds(record, asked) for record in possible(row)] for row in rows]
    return sum(all(answer) for answer in answers), sum(any(answer) for answer in answers)


def mean_and_variance(rows: Sequence[Row], asked: Collection[Node]) -> tuple[Fraction, Fraction]:
    """Of the number of records that hold it, by even division."""
    chances = []
    for row in rows:
        filled = one_each(row)
        chances.append(Fraction(sum(holds(record, asked) for record in filled), len(filled)))
    return sum(chances, Fraction(0)), sum((chance * (1 - chance) for chance in chances), Fraction(0))


def pair_support(rows: Sequence[Row]) -> Callable[[Record], Fraction]:
    """How many records hold both items of a pair, by even division."""
    return lambda pair: mean_and_variance(rows, [frozenset([item]) for item in pair])[0]


def at_all_levels(rows: Sequence[Row], paths: Paths) -> list[frozenset[tuple[int, str]]]:
    """At each level below the root, the labels that are above nodes of a row; those of items are marked as theirs."""
    height = len(next(iter(paths.values()))) - 1
    root = next(iter(paths.values()))[-1]
    return [
        frozenset(
            (level, label)
            for (at, label), below in nodes(paths).items()
            if at == level and (label != root or level == 0) and any(node <= below for node in row)
        )
        for level in range(height)
        for row in rows
    ]


def repeated(baskets: Mapping[Record, int]) -> list[Record]:
    return [basket for basket, count in baskets.items() for _ in range(count)]


def pairs_kept(original: Sequence[Record], told: Callable[[Record], Fraction | int | float]) -> float | None:
    """The sum of min(s, t) by that of s over all pairs that occur."""
    every = {frozenset(pair) for record in original for pair in combinations(sorted(record), 2)}
    supports = {pair: utility.support(original, pair) for pair in every}
    if not every:
        return None
    return float(sum(min(s, max(0, told(pair))) for pair, s in supports.items()) / sum(supports.values()))


def sigmas(true: Collection[Record], found: Collection[Record]) -> tuple[float | None, float | None]:
    """Sets found that are not frequent, and frequent ones that were not found, by those that are frequent."""
    if not true:
        return None, None
    return len(set(found) - set(true)) / len(true), len(set(true) - set(found)) / len(true)


def frequent(records: Sequence[Record], share: Fraction, n: int) -> set[Record]:
    """The itemsets in at least that share of n records, of which some may be left out because nothing is seen."""
    return {items for items, count in utility.counts(records).items() if count >= share * n}


def estimated(supports: Mapping[Record, Fraction], share: Fraction) -> list[Record]:
    """The sets whose estimate, and those of all of their subsets, reach a share; the greatest first, then as usual."""
    reached = {items for items, support in supports.items() if support >= share}
    found = [items for items in reached if all(other in reached for other in supports if other < items)]
    return sorted(found, key=lambda items: (-supports[items], len(items), sorted(items)))


def tkd_of_estimates(original: Sequence[Record], supports: Mapping[Record, Fraction], k: int) -> float:
    """The top sets by estimates; the threshold is halved from the original's last one until there are so many."""
    wanted = utility.top(original, k)
    share = Fraction(utility.support(original, wanted[-1]), len(original))
    while len(found := estimated(supports, share)) < k and share > Fraction(1, len(original)):
        share = max(share / 2, Fraction(1, len(original)))
    return sum(items not in found[:k] for items in wanted) / len(wanted)


def ncp(records: Sequence[Record], raised: Collection[Node], n_items: int) -> float:
    """The mean over occurrences of items of the share of all items that each became; of one that stayed, 0."""
    sizes = [len(published(item, raised)) for record in records for item in record]
    return sum(size for size in sizes if size > 1) / n_items / len(sizes)
