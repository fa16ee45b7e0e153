"""The values of an original that the nodes of a generalized release represent.

The trees of a release may be cut to the published nodes. The given hierarchy then says which values are below a node,
and it is checked as far as the release allows: every label must be there, and represent as many values. If a tree was
built from the data, its labels are enough: intervals contain numbers, masked texts contain the texts with that
beginning. Values of suppressed rows, which such a tree does not count, are assumed to be below its nodes, too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from decimal import Decimal

import numpy as np

from shoal.analyse.tables import label_ranges
from shoal.data import hierarchy_builders
from shoal.data.arrays import Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.ragged import expand
from shoal.data.table import Column
from shoal.errors import InputError
from shoal.measuring.tables.reconstructed import Reconstructed, Schema, Spread, listed
from shoal.quoting import named, shown
from shoal.release.generalized import Generalized, GeneralizedColumn

_TOLD = ("intervals", "ranges", "prefixes", "values")
"""Ways to build trees whose labels show what is below them."""


def of_release(
    release: Generalized, schema: Schema, hierarchies: Mapping[str, Hierarchy], sensitive: str | None
) -> Reconstructed:
    """A generalized release: a node, quasi or sensitive, represents each value below it in equal parts.

    Args:
        release: the release.
        schema: the columns of the original, in the order of the release.
        hierarchies: by column, what the release was made with; needed only if it cannot be built from the original.
        sensitive: the sensitive column; None if the release has none, and the schema a column of one value.

    Raises:
        InputError: it is not a release of this original, or not one made with these hierarchies.
    """
    names = {column.name for column in release.columns}
    strange = [name for name in hierarchies if name not in names]
    if strange:
        raise InputError(f"a hierarchy is given for {named(strange[0])}, which is not a column of the release")
    if release.n_rows + release.suppressed != len(schema.sensitive):
        raise InputError(
            f"this is not a release of this original: it has {release.n_rows:,} rows and {release.suppressed:,} "
            f"suppressed ones, and the original {len(schema.sensitive):,}"
        )
    quasi = tuple(
        spread_of(release.column(column.name), column, hierarchies.get(column.name)) for column in schema.quasi
    )
    n = len(schema.sensitive.values)
    if sensitive is None:
        every = np.zeros(release.n_rows, np.int64)
        return Reconstructed(quasi, every, np.arange(2), np.zeros(1, np.int32), np.ones(1), n)
    secret = spread_of(release.column(sensitive), schema.sensitive, hierarchies.get(sensitive))
    # Rows with one node are a group, in which the values below are equally likely. A value that is not in the original
    # takes its part, but is never queried and so left out.
    there = secret.values < n
    shares = np.repeat(1 / secret.sizes, secret.sizes)[there]
    offsets = np.concatenate([[0], np.cumsum(there)])[secret.offsets]
    return Reconstructed(quasi, secret.nodes.astype(np.int64), offsets, secret.values[there], shares, n)


def spread_of(published: GeneralizedColumn, original: Column, hierarchy: Hierarchy | None) -> Spread:
    """The values of an original that each node of a published column represents.

    Raises:
        InputError: the hierarchy is another one, or the original has fewer rows below a node than are published.
    """
    told = published.making in _TOLD and (hierarchy is None or hierarchy.making not in (None, "completed"))
    made = _told(published, original) if told else hierarchy or _whole(published) or hierarchy_builders.flat(original)
    uncounted = told or published.making == "completed"
    if uncounted:  # values of suppressed rows are not in the release
        made = made.check_against(original, complete=True)
    tree = NodeTree.from_hierarchy(made)
    known = {label: place for place, label in enumerate(tree.labels)}
    unknown = [label for label in published.tree.labels if label not in known]
    if unknown:
        raise InputError(f"{_other(published, given=hierarchy is not None)}: it has no {listed(unknown)}")
    places = np.array([known[label] for label in published.tree.labels])
    sizes = tree.leaves[places]
    wrong = np.flatnonzero(sizes < published.tree.leaves if uncounted else sizes != published.tree.leaves)
    if len(wrong):
        first = int(wrong[0])
        raise InputError(
            f"{_other(published, given=hierarchy is not None)}: {shown(published.tree.labels[first])} represents "
            f"{int(sizes[first]):,} values there, and {int(published.tree.leaves[first]):,} in the release"
        )
    codes = np.full(len(tree), len(original.values), np.int32)
    codes[tree.places(original, made)] = np.arange(len(original.values))
    before = np.concatenate([[0], np.cumsum(tree.is_bottom)])
    _, entries = expand(before[places], before[tree.ends[places]])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    spread = Spread(published.nodes, offsets, codes[tree.is_bottom][entries], len(original.values))
    _require_no_more(published, spread, original)
    return spread


def rows_below(spread: Spread, counts: Int64) -> Int64:
    """The number of rows of the original below each node, given the number of rows of each value."""
    running = np.concatenate([[0], np.cumsum(np.append(counts, 0)[spread.values])])
    rows: Int64 = running[spread.offsets[1:]] - running[spread.offsets[:-1]]
    return rows


def _whole(published: GeneralizedColumn) -> Hierarchy | None:
    """The hierarchy of a tree that lists all its values; None if it is cut."""
    tree = published.tree
    bottoms = np.flatnonzero(tree.is_bottom)
    if len(bottoms) != tree.leaves[0] or len(tree) == 1:
        return None
    height = int(tree.depths.max())
    rows = []
    for leaf in bottoms.tolist():
        above = [tree.labels[node] for node in tree.ancestors(leaf)]
        rows.append((*[tree.labels[leaf]] * (height + 1 - len(above)), *above))
    return Hierarchy.from_rows(rows, name=published.name)


def _told(published: GeneralizedColumn, original: Column) -> Hierarchy:
    """The hierarchy of the values of an original, from the labels of a tree built from the data."""
    tree = published.tree
    known = {label: node for node, label in enumerate(tree.labels) if tree.leaves[node] == 1 and node}
    places = np.zeros(len(original.values), np.int64)
    there = len(original.values) - original.values.null_count
    if published.making == "prefixes":
        places[:there] = _masked(tree, original.texts[:there])
    elif published.making != "values" and original.is_number:
        places[:there] = _within(tree, [Decimal(text) for text in original.texts[:there]])
    height = int(tree.depths.max()) + 1
    rows = []
    for text, place in zip(original.texts, places.tolist(), strict=True):
        above = [tree.labels[node] for node in tree.ancestors(known[text])] if text in known else []
        above = above or [tree.labels[node] for node in (place, *tree.ancestors(place))]
        rows.append((*[text] * (height + 1 - len(above)), *above))
    return Hierarchy.from_rows(rows, name=published.name)


def _within(tree: NodeTree, numbers: list[Decimal]) -> Int64:
    """The lowest interval that contains each number; numbers ascend."""
    places = np.zeros(len(numbers), np.int64)
    for node, label in enumerate(tree.labels):
        interval = label_ranges.read(label)
        if interval is not None:
            first = 0 if interval.low is None else bisect_left(numbers, interval.low)
            end = len(numbers) if interval.high is None else bisect_left(numbers, interval.high)
            places[first:end] = node
    return places


def _masked(tree: NodeTree, texts: list[str]) -> Int64:
    """The node with the longest prefix of each text."""
    begins = {label.rstrip("*"): node for node, label in enumerate(tree.labels) if node and label.endswith("*")}
    found = ([begins[text[:end]] for end in range(len(text) - 1, 0, -1) if text[:end] in begins] for text in texts)
    return np.array([nodes[0] if nodes else 0 for nodes in found], np.int64)


def _other(published: GeneralizedColumn, *, given: bool) -> str:
    if given:
        return (
            f"the hierarchy of column {named(published.name)} is not the one that the release was made with, or the "
            "original is another one"
        )
    return (
        f"the release was made with a hierarchy of column {named(published.name)} that is not the one built from this "
        f"original: give it (--hierarchy {published.name}=FILE)"
    )


def _require_no_more(published: GeneralizedColumn, spread: Spread, original: Column) -> None:
    """At and below a node there are no more rows than in the original; fewer, if some are at a node above."""
    running = np.concatenate([[0], np.cumsum(published.counts)])
    held = running[published.tree.ends] - running[:-1]
    most = rows_below(spread, original.counts)
    more = np.flatnonzero(held > most)
    if len(more):
        first = int(more[0])
        raise InputError(
            f"this is not a release of this original: {int(held[first]):,} of its rows have "
            f"{shown(published.tree.labels[first])} or a value below it in column {named(published.name)}, and only "
            f"{int(most[first]):,} of the original's"
        )
