"""Top-down local recoding, row by row, as it is described. Standard library only.

A tree is a list of the parents of its nodes, -1 for the root, which is node 0; ``leaves`` say how many values each node
stands for. A row is a tuple of nodes, one a column.
"""

from collections import Counter, deque
from collections.abc import Sequence

Row = tuple[int, ...]


def path(tree: Sequence[int], node: int) -> list[int]:
    """The nodes from the root down to a node."""
    up = [node]
    while tree[up[-1]] >= 0:
        up.append(tree[up[-1]])
    return up[::-1]


def child_above(tree: Sequence[int], node: int, value: int) -> int | None:
    """The child of a node that is above a value, or is it."""
    below = path(tree, value)
    depth = len(path(tree, node))
    return below[depth] if len(below) > depth else None


def ncp(leaves: Sequence[int], node: int) -> float:
    """What a cell with this node has lost, from 0 to 1."""
    return (leaves[node] - 1) / (leaves[0] - 1) if leaves[0] > 1 else 0.0


def recode(
    rows: Sequence[Row], trees: Sequence[Sequence[int]], leaves: Sequence[Sequence[int]], k: int, allowance: int = 0
) -> list[Row | None]:
    """The nodes that each row is published with; None for a suppressed one."""
    published: list[Row | None] = [None] * len(rows)
    columns = range(len(trees))
    # Like rows stay together, and the first of a part says when it comes.
    everybody = sorted(range(len(rows)), key=lambda i: rows[i])
    waiting = deque([(everybody, (0,) * len(trees))])
    while waiting:
        part, nodes = waiting.popleft()

        def children(column: int, node: int, part: list[int] = part) -> Counter[int | None]:
            return Counter(child_above(trees[column], node, rows[i][column]) for i in part)

        # Rows that are all in one child go down for free.
        down = list(nodes)
        for column in columns:
            while len(found := children(column, down[column])) == 1 and None not in found:
                down[column] = next(child for child in found if child is not None)
        lost = 0.0
        for column in columns:
            lost += ncp(leaves[column], down[column])

        best: tuple[float, int, set[int], bool] | None = None
        for column in columns:
            sizes = {child: size for child, size in children(column, down[column]).items() if child is not None}
            if not sizes:
                continue
            going = {child for child, size in sizes.items() if size >= k}
            few = sum(size for size in sizes.values() if size < k)

            def saved(going: set[int], column: int = column, sizes: dict[int, int] = sizes, down: Row = down) -> float:
                known = leaves[column]
                total = sum(sizes[child] * (known[down[column]] - known[child]) for child in going)
                return total / (known[0] - 1)

            options = [(going, False)]
            if going and 0 < few < k:
                smallest = min(going, key=lambda child: (sizes[child], child))
                options = [(going - {smallest}, False)]
                if few <= allowance:
                    options.append((going, True))
            for option, suppresses in options:
                gain = saved(option) - (few * (len(trees) - lost) if suppresses else 0)
                if gain > (best[0] if best else 0):
                    best = (gain, column, option, suppresses)
        if best is None:
            for i in part:
                published[i] = tuple(down)
            continue
        _, column, going, suppresses = best
        parts: dict[int | None, list[int]] = {}
        stay = []
        for i in part:
            child = child_above(trees[column], down[column], rows[i][column])
            if child in going:
                parts.setdefault(child, []).append(i)
            else:
                stay.append(i)
        for child, members in parts.items():
            waiting.append((members, (*down[:column], child, *down[column + 1 :])))
        if suppresses:
            allowance -= len(stay)
        elif stay:
            waiting.append((stay, tuple(down)))
    return published
