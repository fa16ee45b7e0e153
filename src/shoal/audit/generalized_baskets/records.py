"""Whether the rows of a release of generalized baskets are the records of an original, each item as its node.

That needs the hierarchy by which the items were replaced, unless the release discloses it. Without one, the audit can
still check that there are as many rows as records, that rows are no longer than records, and that items published
unchanged occur as often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.audit.equal_rows import kinds_of_rows
from shoal.audit.generalized_baskets.rows import nodes_shown
from shoal.audit.not_tried import LeftOut
from shoal.audit.trees import ends, leaves_of, tree_of
from shoal.audit.values import records_of_items
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, records, shorten
from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.release.generalized_baskets import GeneralizedBaskets

NUMBER, LENGTHS, AS_THEY_ARE = "records of the original", "lengths of the original", "items published as they are"
HIERARCHY, ITEMS, RECORDS = "hierarchy given", "items of the original", "rows of the original"


@dataclass(frozen=True, eq=False)
class Recoded:
    """An original in the nodes of a release."""

    offsets: Int64
    nodes: Int32
    """Ascending in each record, none twice; -1, first, for items without a published node above them."""
    missing: tuple[str, ...]
    """The items of these."""
    node_of: Int32
    """The node of each item of the original; -1 if there is none."""

    def __post_init__(self) -> None:
        freeze(self)


def check_original(
    release: GeneralizedBaskets, original: Transactions, hierarchy: Hierarchy | None
) -> Iterator[Check | LeftOut]:
    """The checks that an original allows; with its hierarchy, all of them."""
    what = "the release has as many rows as the original has records"
    witness = None
    if release.n_rows != len(original):
        witness = f"it has {release.n_rows:,}, and the original {records(len(original))}"
    number = decided(NUMBER, what, release.n_rows, witness)
    yield number
    tree = full_tree(release, original, hierarchy)
    if tree is None:
        yield from _without_hierarchy(release, original, number.holds)
        return
    strange = _not_of(release.tree, tree)
    what = "the hierarchy of the release is part of the given one: the same labels, below the same, of as many items"
    yield decided(HIERARCHY, what, len(release.tree), strange)
    if strange is not None:
        yield not_checked(ITEMS, "makes sense only for the right hierarchy", "the release was made with another one")
        return
    found = recode(release, original, tree)
    what = "every item of the original is a published node or below one"
    witness = None
    if found.missing:
        witness = f"{shorten(found.missing[0])} is below none" + and_more(len(found.missing) - 1, "items")
    yield decided(ITEMS, what, original.n_items, witness)
    what = "rows are the records of the original with each item replaced by its node, as often as they occur"
    yield decided(RECORDS, what, len(original), _different(release, found))


def full_tree(release: GeneralizedBaskets, original: Transactions, hierarchy: Hierarchy | None) -> NodeTree | None:
    """The tree with the items of the original, if available.

    Raises:
        InputError: an item of the original has no place in the given hierarchy.
    """
    if hierarchy is None:
        return release.tree if release.discloses_hierarchy else None
    leaves_of(original.words, hierarchy, numbers=False)
    return tree_of(hierarchy)


def recode(release: GeneralizedBaskets, original: Transactions, tree: NodeTree) -> Recoded:
    """Replace each item by the published node that it is at or below; ``tree`` has the items and the nodes."""
    there = {label: node for node, label in enumerate(tree.labels)}
    published = np.full(len(tree), -1, np.int32)
    last = ends(tree)
    for node in np.flatnonzero(release.is_held).tolist():
        at = there[release.tree.labels[node]]
        published[at : int(last[at])] = node
    node_of = np.array([published[there[word]] if word in there else -1 for word in original.words], np.int32)
    missing = tuple(word for word, node in zip(original.words, node_of.tolist(), strict=True) if node < 0)
    # Sorted and merged within each record; -1 comes first.
    span = len(release.tree) + 1
    keys = np.repeat(np.arange(len(original)), original.lengths) * span + node_of[original.items] + 1
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) != 0]
    offsets = np.searchsorted(keys, np.arange(len(original) + 1) * span).astype(np.int64)
    return Recoded(offsets, (keys % span - 1).astype(np.int32), missing, node_of)


def _different(release: GeneralizedBaskets, found: Recoded) -> str | None:
    """A row that occurs in the release more or less often than in the recoded original."""
    offsets = np.concatenate([release.offsets, found.offsets[1:] + release.offsets[-1]])
    nodes = np.concatenate([release.nodes, found.nodes])
    kinds = kinds_of_rows(offsets, nodes + 1, len(release.tree) + 1)  # from 0 on
    n = int(kinds.max(initial=-1)) + 1
    in_release, in_original = (
        np.bincount(some, minlength=n) for some in (kinds[: release.n_rows], kinds[release.n_rows :])
    )
    wrong = np.flatnonzero(in_release != in_original)
    if not len(wrong):
        return None
    row = int(np.flatnonzero(kinds == wrong[0])[0])
    held = nodes[offsets[row] : offsets[row + 1]].tolist()
    unknown = ", and an item without a node" * (held[:1] == [-1])
    return (
        f"{nodes_shown(release, [node for node in held if node >= 0])}{unknown} is in {in_release[wrong[0]]:,} "
        f"rows, and should be in {in_original[wrong[0]]:,}" + and_more(len(wrong) - 1, "different rows")
    )


def _not_of(part: NodeTree, tree: NodeTree) -> str | None:
    """A node of a tree that is missing or different in the other one."""
    there = {label: node for node, label in enumerate(tree.labels)}
    for node, label in enumerate(part.labels):
        if label not in there:
            return f"{shorten(label)} is not in it"
        at = there[label]
        above = None if node == 0 else part.labels[part.parents[node]]
        if above != (None if at == 0 else tree.labels[tree.parents[at]]):
            return f"{shorten(label)} is below {shorten(above)} in the release, and not there"
        if part.leaves[node] != tree.leaves[at]:
            return (
                f"{shorten(label)} represents {int(part.leaves[node]):,} items in the release, and "
                f"{int(tree.leaves[at]):,} there"
            )
    return None


def _without_hierarchy(release: GeneralizedBaskets, original: Transactions, as_many: bool) -> Iterator[Check | LeftOut]:
    what = "the longest row is no longer than the longest record, the second than the second, and so on"
    if as_many:
        rows, kept = np.sort(release.lengths), np.sort(original.lengths)
        longer = np.flatnonzero(rows > kept)
        witness = None
        if len(longer):
            rank = len(rows) - int(longer[-1])
            witness = f"by length, row {rank:,} has {rows[-rank]:,} nodes, and record {rank:,} {kept[-rank]:,} items"
        yield decided(LENGTHS, what, len(rows), witness)
    else:
        yield not_checked(LENGTHS, what, "there are not as many rows as records")
    supports = dict(zip(original.words, records_of_items(original).tolist(), strict=True))
    whole = np.flatnonzero(release.is_held & (release.tree.leaves == 1)).tolist()
    counts = release.supports
    wrong = [node for node in whole if supports.get(release.tree.labels[node], 0) != counts[node]]
    witness = None
    if wrong:
        label = release.tree.labels[wrong[0]]
        witness = f"{shorten(label)} is in {counts[wrong[0]]:,} rows, and in {records(supports.get(label, 0))}"
        witness += " of the original" + and_more(len(wrong) - 1, "items")
    what = "a published node that represents one item is in as many rows as that item in records"
    yield decided(AS_THEY_ARE, what, len(whole), witness)
    yield LeftOut(
        RECORDS,
        "only the hierarchy that the release was made with shows which node represents an item (--hierarchy FILE)",
    )


def recode_or_refuse(release: GeneralizedBaskets, original: Transactions, hierarchy: Hierarchy | None) -> Recoded:
    """The original in the nodes of the release, to look for its people there.

    Raises:
        InputError: there is no hierarchy for it, or the release was not made from this original with this hierarchy.
    """
    tree = full_tree(release, original, hierarchy)
    if tree is None:
        raise InputError(
            "finding people of the original needs the hierarchy that the release was made with: give it, too "
            "(--hierarchy FILE)"
        )
    if _not_of(release.tree, tree) is None:
        found = recode(release, original, tree)
        if not found.missing and _different(release, found) is None:
            return found
    raise InputError(
        "the release was not made from this original with this hierarchy (shoal verify --original --hierarchy says why)"
    )
