"""Published trees that were made from the data: made from the kept rows only, and without values of few people.

A tree made from a column lists its values, including those of suppressed rows, and its labels may be values of single
people. Once the kept rows are known, the tree is made again over their values only. It joins the same values, so the
groups of rows do not change. Only the nodes above values get new names:

* an interval begins at the number with the fewest significant digits between the values that it separates, and at one
  of these values only if k kept rows hold it; the first and the last interval are open. Ends of ranges stay unchanged
  if no row has this value, or k kept rows have it;
* a mask is as long as the longest kept text;
* a group of values names only values that k kept rows hold.

A hierarchy that was given and completed has values of the data directly below its root. Values that no kept row has are
removed again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.balanced_intervals import interval_label
from shoal.data.column_values import exact
from shoal.data.hierarchy import ROOT, Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.round_numbers import roundest
from shoal.data.table import Column
from shoal.quoting import named

_LISTED = 3


@dataclass(frozen=True, eq=False)
class KeptTree:
    """A tree over the values of kept rows, and the new numbers of the nodes of the tree of all rows."""

    tree: NodeTree
    place: Int32
    """The new number of each node of the tree of all rows; -1: no kept row has a value at or below it."""
    held: Int64
    """For each node of the new tree, how many kept rows have a value at or below it."""
    given: Bools
    """Which of its nodes the publisher gave."""

    def disclosable(self, k: int) -> Bools:
        """The nodes that may be listed even if no row shows them: given, or above values of k kept rows or more."""
        return np.asarray(self.given | (self.held >= k))


def of_kept_rows(hierarchy: Hierarchy, before: NodeTree, column: Column, kept: Bools, k: int) -> KeptTree:
    """Make a tree again from the rows that are kept.

    Args:
        hierarchy: what was made from the column, with all its rows.
        before: the same as a tree of nodes.
        column: the column.
        kept: which rows are kept; at least one.
        k: how many kept rows must hold a value that is named in a label.
    """
    rows = np.bincount(column.codes[kept], minlength=len(column.values)).astype(np.int64)
    if hierarchy.making == "completed":
        return _of_completed(before, before.places(column, hierarchy), rows)
    codes = np.flatnonzero(rows)
    leaves = hierarchy.places(column)
    named = _named(hierarchy, column, rows, codes, leaves, k)
    after = Hierarchy.from_rows(named, name=hierarchy.name)
    tree = NodeTree.from_hierarchy(after)
    known = {label: node for node, label in enumerate(tree.labels)}
    there = np.array([known[after.leaves[place]] for place in range(after.n_leaves)], np.int32)
    old = before.places(column, hierarchy)[codes]
    held = np.zeros(len(tree), np.int64)
    held[there] = rows[codes]
    held = _at_or_below(tree, held)
    return KeptTree(tree, _places(before, old, tree, there), held, np.zeros(len(tree), bool))


def _of_completed(before: NodeTree, places: Int32, rows: Int64) -> KeptTree:
    """A completed tree without the values directly below its root that no kept row has."""
    held = np.zeros(len(before), np.int64)
    np.add.at(held, places, rows)
    held = _at_or_below(before, held)
    added = before.is_bottom & (before.parents == 0)
    gone = added & (held == 0)
    tree, place = before.cut(~gone)
    leaves = tree.leaves.copy()
    leaves[0] -= np.count_nonzero(gone)
    return KeptTree(NodeTree(tree.labels, tree.parents, leaves), place, held[~gone], ~added[~gone])


def _named(
    hierarchy: Hierarchy, column: Column, rows: Int64, codes: Int64, leaves: Int32, k: int
) -> list[tuple[str, ...]]:
    """The path of each kept value, with new names for the nodes above it."""
    inner = range(1, hierarchy.height)
    above = [[hierarchy.labels[level][at] for at in hierarchy.codes[level, leaves[codes]]] for level in inner]
    texts = [hierarchy.leaves[leaf] for leaf in leaves[codes].tolist()]
    if hierarchy.making in ("intervals", "ranges"):
        above = _intervals(column, rows, codes, above, k, fixed=hierarchy.making == "ranges")
    elif hierarchy.making == "prefixes":
        longest = max(map(len, hierarchy.leaves))
        needless = longest - max(map(len, texts))
        if needless:
            above = [[_unmasked(*pair, needless) for pair in zip(labels, texts, strict=True)] for labels in above]
    elif hierarchy.making == "groups":
        common = {text for text, number in zip(texts, rows[codes].tolist(), strict=True) if number >= k}
        above = _groups(texts, above, common)
    return list(zip(texts, *above, [hierarchy.root] * len(texts), strict=True))


def _intervals(
    column: Column, rows: Int64, codes: Int64, above: list[list[str]], k: int, *, fixed: bool
) -> list[list[str]]:
    """The labels of each value's intervals, level by level; ``fixed``: ends that are no row's value stay unchanged."""
    there = len(column.values) - column.values.null_count
    values = [exact(value, f"column {named(column.name)}") for value in column.values[:there].to_pylist()]
    rare = {value for value, number in zip(values, rows.tolist(), strict=False) if number < k}
    kept = [values[code] for code in codes.tolist() if code < there]
    paths = []
    cuts: dict[int, Decimal] = {}
    for labels in above:
        level: list[str] = []
        starts = [at for at in range(len(kept)) if not at or labels[at] != labels[at - 1]]
        for first, end in zip(starts, [*starts[1:], len(kept)], strict=True):
            if labels[first] == ROOT:
                level += [ROOT] * (end - first)
                continue
            ends = _ends(labels[first]) if fixed else (None, None)
            low, high = (end if end is not None and end not in rare else None for end in ends)
            if first:
                low = cuts.setdefault(first, _cut(kept, first, rare, low))
            if end < len(kept):
                high = cuts.setdefault(end, _cut(kept, end, rare, high))
            level += [ROOT if low is high is None else interval_label(low, high)] * (end - first)
        paths.append(level + labels[len(kept) :])
    return paths


def _cut(kept: Sequence[Decimal], at: int, rare: Collection[Decimal], wanted: Decimal | None) -> Decimal:
    return roundest(kept[at - 1], kept[at], rare) if wanted is None else wanted


def _ends(label: str) -> tuple[Decimal | None, Decimal | None]:
    """The ends of an interval, read from a label that Shoal made."""
    if label.startswith("< "):
        return None, Decimal(label[2:])
    if label.startswith(">= "):
        return Decimal(label[3:]), None
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return Decimal(low), Decimal(high)
    return None, None


def _unmasked(label: str, text: str, needless: int) -> str:
    return label if label in (text, ROOT) else label[:-needless]


def _groups(texts: list[str], above: list[list[str]], common: Collection[str]) -> list[list[str]]:
    """Labels of groups of values, different for different groups on any level."""
    named = []
    labels: dict[tuple[str, ...], str] = {(text,): text for text in texts}
    taken = {ROOT, *texts}
    for level in above:
        members: dict[str, list[str]] = {}
        for text, label in zip(texts, level, strict=True):
            members.setdefault(label, []).append(text)
        for label, group in members.items():
            key = tuple(group)
            if label != ROOT and key not in labels:
                labels[key] = _free(_listed(group, common), taken)
                taken.add(labels[key])
        named.append([label if label == ROOT else labels[tuple(members[label])] for label in level])
    return named


def _listed(group: list[str], common: Collection[str]) -> str:
    names = [text for text in group if text in common][:_LISTED]
    more = len(group) - len(names)
    if not names:
        return f"{{{more} values}}"
    return f"{{{', '.join(names)}{f', ... and {more} more' if more else ''}}}"


def _free(label: str, taken: Collection[str]) -> str:
    number, free = 1, label
    while free in taken:
        number += 1
        free = f"{label} #{number}"
    return free


def _places(before: NodeTree, old: Int32, tree: NodeTree, there: Int32) -> Int32:
    """For each node of a tree, the lowest node in the tree of kept values that is above as many of them."""
    kept = np.zeros(len(before), np.int64)
    kept[old] = 1
    kept = _at_or_below(before, kept)
    some = np.full(len(before), -1, np.int32)
    some[old] = there
    place = np.full(len(before), -1, np.int32)
    for node in range(len(before) - 1, 0, -1):
        if kept[node]:
            at = some[node]
            while tree.leaves[at] < kept[node]:
                at = tree.parents[at]
            place[node] = at
            some[before.parents[node]] = at
    place[0] = 0
    return place


def _at_or_below(tree: NodeTree, numbers: Int64) -> Int64:
    before = np.concatenate([[0], np.cumsum(numbers)])
    return np.asarray(before[tree.ends] - before[:-1])
