"""Bottom-up generalization from the definitions: every candidate tried on all rows, at every step.

A tree is a dict from each node to its parent, the root's being None, parents before children. A row is a tuple of
leaves, one a column.
"""

import math
from collections import Counter
from collections.abc import Sequence

Tree = dict[str, str | None]
Row = tuple[str, ...]


def path(tree: Tree, node: str) -> list[str]:
    """A node and all above it."""
    found = [node]
    while (up := tree[found[-1]]) is not None:
        found.append(up)
    return found


def parting(tree: Tree, values: Counter[str]) -> dict[str, list[str]]:
    """The nodes that part values of the data, each with the nodes that it stands above next; values part nothing."""
    below = {node: frozenset(value for value in values if node in path(tree, value)) for node in tree}
    # Of nodes that stand for the same values the lowest counts, which comes last.
    lowest = {covered: node for node, covered in below.items() if covered}
    nodes = [node for node in tree if lowest.get(below[node]) == node]
    children: dict[str, list[str]] = {}
    for node in nodes:
        above = next((other for other in path(tree, node)[1:] if other in nodes), None)
        if above is not None:
            children.setdefault(above, []).append(node)
    return children


def smallest(sizes: Sequence[int], allowance: int) -> int:
    """The smallest group once as many rows as allowed are gone, smallest groups first."""
    left = allowance
    for size in sorted(sizes):
        left -= size
        if left < 0:
            return size
    raise AssertionError("more rows are allowed to go than there are")


def generalized(row: Row, cuts: Sequence[set[str]], trees: Sequence[Tree]) -> Row:
    """A row with each cell as the highest node of the cut above it."""
    return tuple(
        next((node for node in reversed(path(tree, cell)) if node in cut), cell)
        for cell, cut, tree in zip(row, cuts, trees, strict=True)
    )


def bottom_up(
    rows: Sequence[Row],
    trees: Sequence[Tree],
    k: int,
    *,
    allowance: int = 0,
    loss: str = "entropy",
    leaves: Sequence[dict[str, int]] = (),
    weights: tuple[float, float] = (1.0, 1.0),
    take_back: bool = True,
) -> list[Row | None]:
    """Each row as it is published; None if it is suppressed."""
    values = [Counter(row[column] for row in rows) for column in range(len(trees))]
    children = [parting(tree, counts) for tree, counts in zip(trees, values, strict=True)]
    cuts: list[set[str]] = [set() for _ in trees]
    order = [{node: at for at, node in enumerate(tree)} for tree in trees]

    def sizes(cuts: Sequence[set[str]]) -> list[int]:
        return list(Counter(generalized(row, cuts, trees) for row in rows).values())

    def with_node(column: int, node: str) -> list[set[str]]:
        return [cut | {node} if at == column else cut for at, cut in enumerate(cuts)]

    def held(column: int, node: str) -> int:
        return sum(times for value, times in values[column].items() if node in path(trees[column], value))

    steps: list[tuple[int, str]] = []
    while (least := smallest(sizes(cuts), allowance)) < k:
        candidates = [
            (column, node)
            for column in range(len(trees))
            for node in sorted(children[column], key=order[column].__getitem__)
            if node not in cuts[column]
            and all(c in cuts[column] or c not in children[column] for c in children[column][node])
        ]
        growth = {key: smallest(sizes(with_node(*key)), allowance) - least for key in candidates}
        growing = any(growth.values())
        best, greatest = candidates[0], -math.inf
        for column, node in candidates:
            if growing and not growth[column, node]:
                continue
            parts = [held(column, child) for child in children[column][node]]
            if loss == "entropy":
                lost = -sum(part * math.log2(part / sum(parts)) for part in parts)
            elif loss == "ncp":
                below = leaves[column]
                more = [
                    part * (below[node] - below[child])
                    for part, child in zip(parts, children[column][node], strict=True)
                ]
                lost = sum(more) / (below[next(iter(trees[column]))] - 1)
            else:
                lost = len(parts) - 1.0
            score = weights[0] * math.log(growth[column, node]) if growing else 0.0
            score = round(score - weights[1] * math.log(lost), 9)
            if score > greatest:
                best, greatest = (column, node), score
        cuts[best[0]].add(best[1])
        steps.append(best)
    for column, node in reversed(steps) if take_back else ():
        if any(above in cuts[column] for above in path(trees[column], node)[1:]):
            continue
        without = [cut - {node} if at == column else cut for at, cut in enumerate(cuts)]
        if smallest(sizes(without), allowance) >= k:
            cuts = without
    published = [generalized(row, cuts, trees) for row in rows]
    counts = Counter(published)
    return [row if counts[row] >= k else None for row in published]
