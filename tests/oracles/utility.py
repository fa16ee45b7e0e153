"""Utility metrics by their definitions, slowly: Terrovitis et al., VLDB 2012, sections 6 and 7; see docs/papers.md.

Standard library only. Records are frozensets; clusters are written as in ``disassociation``: ``(size, chunks, terms)``
or ``(children, shared_chunks)``. Nothing to measure is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Set = frozenset[Any]


def counts(records: Sequence[Set]) -> Counter[Set]:
    """Every itemset that occurs, and in how many records."""
    return Counter(
        frozenset(chosen)
        for record in records
        for size in range(1, len(record) + 1)
        for chosen in combinations(sorted(record), size)
    )


def in_order(records: Sequence[Set]) -> list[tuple[Set, int]]:
    """All itemsets, the most frequent first, then the shorter, then by items."""
    return sorted(counts(records).items(), key=lambda pair: (-pair[1], len(pair[0]), sorted(pair[0])))


def top(records: Sequence[Set], k: int) -> list[Set]:
    return [items for items, _ in in_order(records)[:k]]


def ties_cut(records: Sequence[Set], k: int) -> int:
    """How many itemsets are as frequent as the k-th one and come after it."""
    every = in_order(records)
    return sum(count == every[k - 1][1] for _, count in every[k:])


def tkd(
    original: Sequence[Set], published: Sequence[Set], k: int, counted: Callable[[Set], bool] = lambda _: True
) -> float | None:
    """The share of the original's top itemsets, of those that are counted, which are not among the published ones."""
    wanted, found = top(original, k), set(top(published, k))
    here = [items for items in wanted if counted(items)]
    return sum(items not in found for items in here) / len(here) if here else None


def at_all_levels(records: Sequence[Set], paths: Mapping[Any, Sequence[str]]) -> list[Set]:
    """Each record at each level below the root, items and labels being marked with their level."""
    height = len(next(iter(paths.values()))) - 1
    return [
        frozenset((level, paths[item][level]) for item in record if paths[item][level] != paths[item][-1] or level == 0)
        for level in range(height)
        for record in records
    ]


def leaves_and_chunks(node: Any) -> Iterator[tuple[list[Any], list[Set]]]:
    """The subrecords of every chunk below a node, and the term chunks; each pair has one of both."""
    if len(node) == 3:
        yield [], list(node[2])
        for chunk in node[1]:
            yield [frozenset(row) for row in chunk], []
        return
    for child in node[0]:
        yield from leaves_and_chunks(child)
    for chunk in node[1]:
        yield [frozenset(row) for row in chunk], []


def subrecords(nodes: Sequence[Any]) -> list[Set]:
    return [row for node in nodes for rows, _ in leaves_and_chunks(node) for row in rows]


def term_items(nodes: Sequence[Any]) -> set[Any]:
    return {item for node in nodes for _, terms in leaves_and_chunks(node) for item in terms}


def support(records: Sequence[Set], items: Set) -> int:
    return sum(items <= record for record in records)


def expected_support(clusters: Sequence[Any], items: Set) -> Fraction:
    """The mean support of some items over all placements in simple clusters, where records may stay empty."""
    total = Fraction(0)
    for size, chunks, terms in clusters:
        parts = [[frozenset(row) for row in chunk] for chunk in chunks] + [[frozenset([item])] for item in terms]
        chance, left = Fraction(1), set(items)
        for rows in parts:
            wanted = items & frozenset().union(*rows)
            if wanted:
                chance *= Fraction(support(rows, wanted), size)
                left -= wanted
        total += 0 if left else size * chance
    return total


def ranked(records: Sequence[Set]) -> list[Any]:
    """The items by descending support, then by item."""
    supports = Counter(item for record in records for item in record)
    return sorted(supports, key=lambda item: (-supports[item], item))


def pairs(original: Sequence[Set], start: int, end: int) -> list[Set]:
    return [frozenset(pair) for pair in combinations(ranked(original)[start:end], 2)]


def relative_error(one: Fraction | int, other: Fraction | int) -> Fraction:
    return Fraction(0) if one == other == 0 else Fraction(abs(one - other)) / (Fraction(one + other) / 2)


def re(original: Sequence[Set], published: Callable[[Set], Fraction | int], start: int, end: int) -> float | None:
    """The mean relative error of the supports of the pairs of items from the start-th to before the end-th."""
    wrong = [relative_error(support(original, pair), published(pair)) for pair in pairs(original, start, end)]
    return float(sum(wrong) / len(wrong)) if wrong else None


def tlost(original: Sequence[Set], nodes: Sequence[Any], k: int) -> float | None:
    """The share of the items in more than k records that are in no subrecord."""
    frequent = [item for item in ranked(original) if support(original, frozenset([item])) > k]
    kept = frozenset().union(*subrecords(nodes))
    return sum(item not in kept for item in frequent) / len(frequent) if frequent else None


def pairs_kept(original: Sequence[Set], nodes: Sequence[Any]) -> float | None:
    def count(rows: Sequence[Set]) -> int:
        return sum(1 for row in rows for _ in combinations(row, 2))

    return count(subrecords(nodes)) / count(original) if count(original) else None
