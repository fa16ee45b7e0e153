"""The published nodes of a hierarchy, and what every such hierarchy must be."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fuzz.oracle.folder import demand

Node = tuple[str, str | None, int]
"""A label, that of the node above it, and how many values it stands for."""


def check_tree(nodes: Sequence[Node], *, whole: bool, held: set[str] | None) -> None:
    """The nodes stand in the order of a walk and count their values; ``held``: those in rows, where that matters."""
    demand(nodes and nodes[0][1] is None, "the root comes first")
    labels = [label for label, _, _ in nodes]
    demand(len(set(labels)) == len(labels), "a label twice")
    path: list[str] = []
    below: dict[str, list[int]] = {label: [] for label in labels}
    for label, parent, leaves in nodes:
        demand(leaves >= 1, "a node of no values")
        if parent is None:
            demand(not path, "a second root")
            path = [label]
            continue
        demand(parent in path, "not the order of a walk")
        path = [*path[: path.index(parent) + 1], label]
        below[parent].append(leaves)
    for label, parent, leaves in nodes:
        under = below[label]
        demand(sum(under) <= leaves, f"{label} stands for less than what is below it")
        if whole:
            demand(sum(under) == leaves if under else leaves == 1, f"{label} stands for more than what is below it")
        if parent is not None and len(under) == 1:
            demand(under[0] < leaves, f"{label} stands for no more than the node below it")
    if not whole and held is not None:
        needed = set(labels[:1])
        above = {label: parent for label, parent, _ in nodes}
        for label in held:
            up: str | None = label
            while up is not None:
                needed.add(up)
                up = above[up]
        demand(needed == set(labels), f"nodes that no row holds: {sorted(set(labels) - needed)}")


def above_of(nodes: Sequence[Node]) -> dict[str, str | None]:
    """The tree as a dictionary, with a value of its own for all values of a node that are not named."""
    tree = {label: parent for label, parent, _ in nodes}
    for label, _, leaves in nodes:
        under = [one for one in nodes if one[1] == label]
        if under and sum(one[2] for one in under) < leaves:
            tree[f"\0other {label}"] = label
    return tree
