"""Utility of generalized releases from its definitions, cell by cell.

Standard library only. A tree is a dict from each node to its parent, the root's being None. A row is a dict from column
to value, or node; a release is a list of rows, the i-th of which was made of the i-th of the original, and None stands
for a suppressed one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product

Tree = Mapping[str, str | None]
Row = Mapping[str, str]
Trees = Mapping[str, Tree]


def root(tree: Tree) -> str:
    return next(node for node, parent in tree.items() if parent is None)


def values_below(tree: Tree, node: str) -> list[str]:
    """The values that a node stands for."""
    children = [child for child, parent in tree.items() if parent == node]
    return [node] if not children else [value for child in children for value in values_below(tree, child)]


def ncp(release: Sequence[Row | None], trees: Trees, columns: Sequence[str]) -> Fraction:
    total = Fraction(0)
    for row in release:
        for column in columns:
            every = len(values_below(trees[column], root(trees[column])))
            if row is None:
                total += 1
            elif every > 1:
                total += Fraction(len(values_below(trees[column], row[column])) - 1, every - 1)
    return total / (len(release) * len(columns))


def discernibility(release: Sequence[Row | None], quasi: Sequence[str]) -> int:
    """For each row how many rows it cannot be told apart from, itself among them."""
    total = 0
    for row in release:
        alike = [
            other
            for other in release
            if row is None or (other is not None and all(row[column] == other[column] for column in quasi))
        ]
        total += len(alike)
    return total


def average_class_size(release: Sequence[Row | None], quasi: Sequence[str], k: int) -> Fraction:
    there = [tuple(row[column] for column in quasi) for row in release if row is not None]
    return Fraction(len(there), len(set(there)) * k)


def hidden(release: Sequence[Row | None], trees: Trees, column: str) -> int:
    tree = trees[column]
    return sum(
        row is not None and (row[column] == root(tree) or len(values_below(tree, row[column])) > 1) for row in release
    )


def entropy_loss(
    original: Sequence[Row], release: Sequence[Row | None], tree: Tree, column: str
) -> tuple[float, float]:
    """The bits lost in a column, and those that would be lost if every cell were the root."""
    rows = Counter(row[column] for row in original)

    def bits(value: str, node: str) -> float:
        return -math.log2(rows[value] / sum(rows[below] for below in values_below(tree, node)))

    top = root(tree)
    lost = [
        bits(before[column], top if after is None else after[column])
        for before, after in zip(original, release, strict=True)
    ]
    return sum(lost), sum(bits(row[column], top) for row in original)


def counter(
    release: Sequence[Row | None], trees: Trees, sensitive: str
) -> Callable[[Mapping[str, Collection[str]], Collection[str] | None], Fraction]:
    """Expected counts: a row is, in equal parts, every row that its nodes allow; a suppressed one is none."""

    def count(left: Mapping[str, Collection[str]], right: Collection[str] | None) -> Fraction:
        wanted = dict(left) if right is None else {**left, sensitive: right}
        total = Fraction(0)
        for row in release:
            if row is not None:
                ways = list(product(*(values_below(trees[column], row[column]) for column in wanted)))
                hits = sum(
                    all(value in values for value, values in zip(way, wanted.values(), strict=True)) for way in ways
                )
                total += Fraction(hits, len(ways))
        return total

    return count


def originals_counted(
    release: Sequence[Row | None], trees: Trees, meets: Callable[[Row], bool]
) -> tuple[int, Fraction, Fraction, int]:
    """Over all ways to fill the cells with values below them: the fewest and the most rows that meet a query.

    Between them the mean and the variance of the rows that are not suppressed, each way being as likely.
    """
    least = most = 0
    mean = variance = Fraction(0)
    for row in release:
        nodes = {column: root(tree) for column, tree in trees.items()} if row is None else row
        below = [values_below(trees[column], nodes[column]) for column in trees]
        met = [meets(dict(zip(trees, way, strict=True))) for way in product(*below)]
        least, most = least + all(met), most + any(met)
        share = Fraction(sum(met), len(met))
        if row is not None or all(met):
            mean, variance = mean + share, variance + share * (1 - share)
    return least, mean, variance, most
