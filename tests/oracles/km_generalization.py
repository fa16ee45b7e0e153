"""k^m-anonymity by generalization, word for word: all sets listed, all choices tried, losses summed over records."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

Path = tuple[str, ...]
"""The nodes from one to the root."""


def counts_of_sets(rows: list[frozenset[str]], m: int) -> Counter[frozenset[str]]:
    """How many rows hold each set of up to m items that one holds."""
    return Counter(
        frozenset(items) for row in rows for size in range(1, m + 1) for items in combinations(sorted(row), size)
    )


def rare_sets(rows: list[frozenset[str]], k: int, m: int) -> dict[frozenset[str], int]:
    """The sets of up to m items that some row holds, and fewer than k do."""
    return {items: count for items, count in counts_of_sets(rows, m).items() if count < k}


def holds(rows: list[frozenset[str]], k: int, m: int) -> bool:
    """Whether every set of up to m items that occurs, occurs k times."""
    return not rare_sets(rows, k, m)


def recoded(records: list[frozenset[str]], cut: dict[str, str]) -> list[frozenset[str]]:
    """Records with each item replaced by its node."""
    return [frozenset(cut[item] for item in record) for record in records]


def raised(cut: dict[str, str], paths: dict[str, Path], chosen: Path) -> dict[str, str]:
    """The cut in which everything below a chosen node is that node, if it was not above it before."""
    after = {}
    for item, node in cut.items():
        path = paths[item]
        after[item] = max([node, *(one for one in chosen if one in path)], key=path.index)
    return after


def loss(records: list[frozenset[str]], cut: dict[str, str], paths: dict[str, Path]) -> int:
    """NCP times the number of items of the hierarchy, summed over all occurrences."""
    size = Counter(node for path in paths.values() for node in path)
    return sum(size[cut[item]] for record in records for item in record if cut[item] != item)


def generalize(
    records: list[frozenset[str]], paths: dict[str, Path], order: list[str], k: int, m: int
) -> dict[str, str]:
    """The node of each item, by the greedy algorithm: size by size, set by set in the order of the nodes.

    ``paths`` has all items of the hierarchy, ``order`` all its nodes.
    """
    rank = {node: place for place, node in enumerate(order)}
    above = {path[at]: path[at:] for path in paths.values() for at in range(len(path))}
    cut = {item: item for item in paths}
    for size in range(1, m + 1):
        before = recoded(records, cut)
        rare = [sorted(items, key=rank.get) for items in rare_sets(before, k, size) if len(items) == size]
        begun = dict(cut)
        for items in sorted(rare, key=lambda items: [rank[item] for item in items]):
            now = {begun[item]: cut[item] for item in begun}
            held = [now[item] for item in items]
            if len(set(held)) < size or support(recoded(records, cut), held) >= k:
                continue
            best = None
            for chosen in product(*(above[node] for node in held)):
                after = raised(cut, paths, chosen)
                became = {next(after[item] for item in cut if cut[item] == node) for node in held}
                if support(recoded(records, after), became) >= k:
                    cost = loss(records, after, paths)
                    if best is None or cost < best[0]:
                        best = (cost, after)
            cut = best[1]
    return cut


def support(rows: list[frozenset[str]], items: list[str] | set[str]) -> int:
    """How many rows hold all of some items."""
    return sum(set(items) <= row for row in rows)
