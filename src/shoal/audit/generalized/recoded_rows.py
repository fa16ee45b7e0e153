"""Whether a generalized release was made from a given table: no row lost or added, every cell at or above its value.

Rows have no numbers, so the check is whether the rows of the original can be matched to the published rows, one to each
with the suppressed ones left over, so that each published cell is the value or a node above it. Rows whose values are
at the same places are merged. The groups they fit are found by walking up in each column through the tree of published
prefixes. A row that fits one group only may be matched to a published row of the same places: any other row that could
have it can take the row's alternative. The rest is one maximum flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.generalized.agreeing_groups import group_name
from shoal.audit.generalized.original_places import Places
from shoal.audit.generalized.prefix_tree import PrefixTree, plant
from shoal.audit.generalized.shown_rows import ShownRows, rows_shown
from shoal.audit.generalized.suppressed_values import check_suppressed_values
from shoal.audit.not_tried import LeftOut
from shoal.audit.parts import expand, steps
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import row_name, shorten
from shoal.data.arrays import Int64
from shoal.data.table import Table
from shoal.quoting import called, named
from shoal.release.evidence import FileText
from shoal.release.generalized import Generalized

ROWS, TREES, CELLS = "rows of the original", "trees of the original", "cells of the original"


@dataclass(frozen=True, eq=False)
class Matching:
    """Rows of an original matched to published rows, as many as possible; equal ones together."""

    shown: ShownRows
    """The published rows."""
    nodes: Int64
    """For each kind of row of the original, the places of its sensitive values."""
    first: Int64
    """A row of the original of each kind."""
    kind: Int64
    """With ``place`` and ``amount``: so many rows of a kind are matched to a published row."""
    place: Int64
    amount: Int64
    supply: Int64
    """How many rows are of each kind."""
    homeless: Int64
    """Rows of the original that fit no group."""
    row_place: Int64
    """For each row of the original the published row it is matched to; -1: none. Equal rows are matched in their
    order."""

    @property
    def unserved(self) -> Int64:
        """How many of each published row have no match in the original."""
        served = np.zeros(len(self.shown), np.int64)
        np.add.at(served, self.place, self.amount)
        return np.asarray(self.shown.count - served)

    @property
    def left_over(self) -> Int64:
        """How many rows of each kind are not matched."""
        dealt = np.zeros(len(self.supply), np.int64)
        np.add.at(dealt, self.kind, self.amount)
        return np.asarray(self.supply - dealt)


def check_recoded(
    release: Generalized, original: Table, places: Sequence[Places], budget: Budget, texts: Iterable[FileText] = ()
) -> Iterator[Check | LeftOut]:
    """Compare a release, with a structure found valid, with its supposed table.

    ``texts``: the texts in the files of its folder, to search for values of suppressed rows.
    """
    what = "the published and the suppressed rows together are as many as those of the original"
    witness = None
    if release.n_rows + release.suppressed != len(original):
        witness = (
            f"{release.n_rows:,} rows are published and {release.suppressed:,} suppressed, and the original has "
            f"{len(original):,}"
        )
    yield decided(ROWS, what, len(original), witness)
    wrong = [
        f"column {named(column.name)}: {place.wrong}"
        for column, place in zip(release.columns, places, strict=True)
        if place.wrong is not None
    ]
    compared = sum(place.compared for place in places)
    if compared:
        what = "the published trees are subtrees of the given hierarchies"
        yield decided(TREES, what, compared, wrong[0] if wrong else None)
    what = (
        "the rows of the original can be matched to the published rows, with the suppressed ones left over, so that "
        "each cell is the value or a node above it"
    )
    if wrong:
        yield not_checked(CELLS, what, "the trees are not those of the original")
        return
    try:
        matching = match_rows(release, places, budget)
    except OutOfBudget:
        yield not_checked(CELLS, what, "rows that fit so many groups would take too much work")
        return
    yield decided(CELLS, what, release.n_rows, _misfit(release, original, matching))
    yield from check_suppressed_values(release, original, matching.homeless, texts)
    yield from (place.left_out for place in places if place.left_out is not None)


def _misfit(release: Generalized, original: Table, matching: Matching) -> str | None:
    unserved = np.flatnonzero(matching.unserved)
    if not len(unserved):
        return None
    at = int(unserved[0])
    shown, group = matching.shown, int(matching.shown.group[unserved[0]])
    cells = zip(release.sensitive, shown.nodes[at].tolist(), strict=True)
    named = "".join(f", {called(c.name)} {shorten(c.tree.labels[node])}" for c, node in cells)
    number = int(matching.unserved.sum())
    witness = f"no row of the original matches {number:,} of the published rows, for example {named[2:] or 'one'} "
    witness += f"in group {group} ({group_name(release, group)})"
    lost = np.concatenate([matching.homeless, matching.first[matching.left_over > 0]])
    if len(lost):
        columns = tuple(original.column(column.name) for column in release.columns)
        left = len(matching.homeless) + int(matching.left_over.sum())
        witness += (
            f"; {left:,} rows of the original are left over, but {release.suppressed:,} are suppressed; one left over "
            f"is {row_name(Table(columns), int(lost[0]))}"
        )
    return witness


def match_rows(release: Generalized, places: Sequence[Places], budget: Budget) -> Matching:
    """Match as many rows of the original to published rows as possible.

    Raises:
        OutOfBudget: Rows fit too many groups.
    """
    n_quasi = len(release.quasi)
    quasi, sensitive = places[:n_quasi], places[n_quasi:]
    shown = rows_shown(release)[0]
    spans = [len(column.tree) + 1 for column in release.columns]
    n_rows = len(places[0].lowest)
    fits_all = plant(np.zeros(n_rows, np.int64), [place.lowest for place in quasi], spans[:n_quasi])[1]
    first = _first(fits_all)
    owner, group = fitting_groups(release, quasi, first, budget)
    number = np.bincount(owner, minlength=len(first))
    # Rows that fit one group are distinguished by it, others by their quasi-identifiers.
    label = np.arange(len(first)) + release.n_groups
    alone = number[owner] == 1
    label[owner[alone]] = group[alone]
    housed = np.flatnonzero(number[fits_all] > 0)
    own = np.unique(label[fits_all[housed]], return_inverse=True)[1].reshape(-1)
    kind_of = plant(own, [place.lowest[housed] for place in sensitive], spans[n_quasi:])[1]
    start = housed[_first(kind_of)]
    supply = np.bincount(kind_of, minlength=len(start)).astype(np.int64)
    nodes = np.column_stack([place.lowest[start] for place in sensitive] or [np.zeros((len(start), 0), np.int64)])
    published = plant(
        shown.group, [shown.nodes[:, j] for j in range(len(sensitive))], [s - 1 for s in spans[n_quasi:]]
    )[0]
    own = label[fits_all[start]]
    same = _find(published, np.where(own < release.n_groups, own, -1), nodes)
    equal = np.flatnonzero(same >= 0)
    amount = np.minimum(supply[equal], shown.count[same[equal]])
    kind, place = equal, same[equal]
    left, wanted = supply.copy(), shown.count.copy()
    left[kind] -= amount
    wanted[place] -= amount
    starts = np.searchsorted(owner, fits_all[start])
    ends = np.searchsorted(owner, fits_all[start], side="right")
    some = np.flatnonzero(left > 0)
    arcs = _arcs(published, sensitive, nodes, wanted, some, (starts[some], ends[some]), group, budget)
    more = _flow(left, wanted, *arcs, budget)
    dealt = [np.concatenate(pair) for pair in zip((kind, place, amount), more, strict=True)]
    homeless = np.flatnonzero(number[fits_all] == 0)
    row_place = np.full(n_rows, -1)
    by_kind, in_order = np.argsort(dealt[0], kind="stable"), np.argsort(kind_of, kind="stable")
    times = np.bincount(dealt[0], dealt[2], minlength=len(supply)).astype(np.int64)
    taken = np.repeat(np.cumsum(supply) - supply, times) + steps(times)
    row_place[housed[in_order[taken]]] = np.repeat(dealt[1][by_kind], dealt[2][by_kind])
    return Matching(shown, nodes, start, dealt[0], dealt[1], dealt[2], supply, homeless, row_place)


def _first(place: Int64) -> Int64:
    """The first entry of each number."""
    first = np.zeros(int(place.max(initial=-1)) + 1, np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return first


def fitting_groups(release: Generalized, quasi: Sequence[Places], rows: Int64, budget: Budget) -> tuple[Int64, Int64]:
    """Which of these rows fit which groups, as pairs in the order of the rows."""
    starts = release.group_offsets[:-1]
    columns = [column.nodes[starts] for column in release.quasi]
    tree, number = plant(np.zeros(len(starts), np.int64), columns, [len(column.tree) for column in release.quasi])
    groups = np.zeros(len(starts), np.int64)
    groups[number] = np.arange(len(starts))
    owner, prefix = np.arange(len(rows)), np.zeros(len(rows), np.int64)
    for level, place in enumerate(quasi):
        owner, prefix = _climb(tree, level, place, place.lowest[rows], owner, prefix, budget)
    return owner, groups[prefix]


def _climb(
    tree: PrefixTree, level: int, place: Places, lowest: Int64, owner: Int64, prefix: Int64, budget: Budget
) -> tuple[Int64, Int64]:
    """One column further, with each node that a cell may hold."""
    node = lowest[owner]
    of, at = expand(place.ways.offsets[node], place.ways.offsets[node + 1])
    budget.spend(4 * len(of))
    longer = tree.down(level, prefix[of], place.ways.nodes[at])
    found = longer >= 0
    return owner[of[found]], longer[found]


def _find(tree: PrefixTree, start: Int64, nodes: Int64) -> Int64:
    if tree.levels:
        return tree.find(start, nodes)
    return start  # without sensitive columns a group is one published row


def _arcs(
    tree: PrefixTree,
    sensitive: Sequence[Places],
    nodes: Int64,
    wanted: Int64,
    kinds: Int64,
    fits: tuple[Int64, Int64],
    group: Int64,
    budget: Budget,
) -> tuple[Int64, Int64]:
    """Which kinds of rows fit which published rows that are not fully matched."""
    owner, at = expand(*fits)
    budget.spend(len(owner))
    owner, prefix = kinds[owner], group[at]
    for level, place in enumerate(sensitive):
        owner, prefix = _climb(tree, level, place, nodes[:, level], owner, prefix, budget)
    open_ones = wanted[prefix] > 0
    return owner[open_ones], prefix[open_ones]


def _flow(supply: Int64, demand: Int64, kind: Int64, place: Int64, budget: Budget) -> tuple[Int64, Int64, Int64]:
    """The maximum flow along these arcs: from which kind, to which published row, how many."""
    if not len(kind):
        none = np.zeros(0, np.int64)
        return none, none, none
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    kinds, left = np.unique(kind, return_inverse=True)
    shown, right = np.unique(place, return_inverse=True)
    left, right = left.reshape(-1), right.reshape(-1)
    n_left, nodes = len(kinds), len(kinds) + len(shown)
    # A flow may pass through the smaller side many times.
    budget.spend(len(kind) * float(min(len(kinds), len(shown))) ** 0.5)
    rows = np.concatenate([left, np.full(n_left, nodes), np.arange(n_left, nodes)]).astype(np.int32)
    columns = np.concatenate([n_left + right, np.arange(n_left), np.full(len(shown), nodes + 1)]).astype(np.int32)
    room = np.concatenate([np.minimum(supply[kind], demand[place]), supply[kinds], demand[shown]]).astype(np.int32)
    graph = csr_array((room, (rows, columns)), shape=(nodes + 2, nodes + 2))
    flow = maximum_flow(graph, nodes, nodes + 1).flow.tocoo()
    used = (flow.data > 0) & (flow.row < n_left)
    return (
        kinds[flow.row[used]],
        shown[flow.col[used].astype(np.int64) - n_left],
        flow.data[used].astype(np.int64),
    )
