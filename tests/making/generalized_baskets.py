"""Generalized baskets and noisy counts for tests: out of plain records, and drawn by Hypothesis."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.promises import KmGeneralized, UnboundedDifferentialPrivacy
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from tests.making.disassociated_releases import flat
from tests.oracles import basket_utility as oracle


def hierarchy_of(paths: oracle.Paths) -> Hierarchy:
    return Hierarchy.from_rows([tuple(path) for path in paths.values()], name="items")


def items_below(tree: NodeTree) -> list[frozenset[str]]:
    """The items that each node of a whole tree stands for."""
    bottom = tree.is_bottom.tolist()
    return [
        frozenset(tree.labels[at] for at in range(node, end) if bottom[at])
        for node, end in enumerate(tree.ends.tolist())
    ]


def generalized_baskets(
    records: Sequence[frozenset[str]],
    hierarchy: Hierarchy,
    raised: Collection[oracle.Node],
    *,
    k: int = 2,
    m: int = 2,
    whole: bool = True,
) -> GeneralizedBaskets:
    """Records in which what is below some nodes, written as the items below them, became these nodes."""
    tree = NodeTree.from_hierarchy(hierarchy)
    place: dict[frozenset[str], int] = {}
    for number, below in enumerate(items_below(tree)):
        place.setdefault(below, number)
    rows = sorted(sorted(place[node] for node in row) for row in oracle.generalized(records, raised))
    offsets, nodes = flat(rows)
    if not whole:
        used = np.zeros(len(tree), bool)
        used[nodes] = True
        tree, at = tree.cut(used)
        nodes = at[nodes]
    return GeneralizedBaskets(KmGeneralized(k, m), tree, offsets, nodes, discloses_hierarchy=whole)


def noisy_baskets(
    counts: Mapping[frozenset[str], int], hierarchy: Hierarchy, *, epsilon: float = 1.0, reproducible: bool = False
) -> NoisyBaskets:
    """Baskets with their counts."""
    tree = NodeTree.from_hierarchy(hierarchy)
    place = {label: number for number, label in enumerate(tree.labels)}
    rows = sorted((sorted(place[item] for item in basket), count) for basket, count in counts.items())
    offsets, items = flat(row for row, _ in rows)
    often = np.array([count for _, count in rows], np.int64)
    return NoisyBaskets(UnboundedDifferentialPrivacy(epsilon), tree, offsets, items, often, reproducible)


@dataclass(frozen=True)
class Recoded:
    """Records, a hierarchy over their items and maybe others, and what was raised."""

    records: list[frozenset[str]]
    paths: dict[str, tuple[str, ...]]
    raised: list[oracle.Node]

    @cached_property
    def rows(self) -> list[oracle.Row]:
        return oracle.generalized(self.records, self.raised)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        return hierarchy_of(self.paths)

    def release(self, *, whole: bool) -> GeneralizedBaskets:
        return generalized_baskets(self.records, self.hierarchy, self.raised, whole=whole)


@st.composite
def item_paths(draw: st.DrawFn, items: str = "abcdef") -> dict[str, tuple[str, ...]]:
    """Trees of two or three levels; a group may have a single item, or all."""
    group = {item: draw(st.integers(0, 2)) for item in items}
    above = [draw(st.integers(0, 1)) for _ in range(3)]
    tall = draw(st.booleans())
    return {item: (item, f"g{at}", *([f"h{above[at]}"] if tall else []), "*") for item, at in group.items()}


@st.composite
def recoded(draw: st.DrawFn, most_records: int = 8) -> Recoded:
    """Generalized baskets of any kind; no promise is kept but by chance."""
    paths = draw(item_paths())
    record = st.frozensets(st.sampled_from("abcde"), min_size=1, max_size=4)
    records = draw(st.lists(record, min_size=1, max_size=most_records))
    inner = sorted(set(oracle.nodes(paths).values()), key=sorted)
    raised = draw(st.lists(st.sampled_from(inner), max_size=3))
    return Recoded(records, paths, raised)


def noisy_counts(items: str = "abcdef", most: int = 4) -> st.SearchStrategy[dict[frozenset[str], int]]:
    """Different baskets with small counts."""
    basket = st.frozensets(st.sampled_from(items), min_size=1, max_size=4)
    return st.dictionaries(basket, st.integers(1, most), max_size=6)
