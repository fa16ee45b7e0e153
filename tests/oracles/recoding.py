"""Whether a table can be published as some generalized rows, by trying every way of dealing its rows to them."""

from collections.abc import Mapping, Sequence
from itertools import permutations

Tree = Mapping[str, str | None]


def at_or_above(tree: Tree, value: str) -> set[str]:
    """A value and all nodes above it."""
    nodes = {value}
    while (up := tree[value]) is not None:
        nodes.add(up)
        value = up
    return nodes


def is_recoded(
    published: Sequence[Sequence[str]], suppressed: int, original: Sequence[Sequence[str]], trees: Sequence[Tree]
) -> bool:
    """Whether rows of the original, each one once, stand behind all published rows, as many suppressed as are said."""
    if len(published) + suppressed != len(original):
        return False
    above = [[at_or_above(tree, value) for tree, value in zip(trees, row, strict=True)] for row in original]
    return any(
        all(
            all(cell in nodes for cell, nodes in zip(row, above[chosen], strict=True))
            for row, chosen in zip(published, dealt, strict=True)
        )
        for dealt in permutations(range(len(original)), len(published))
    )
