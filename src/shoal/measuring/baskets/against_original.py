"""A release compared with its original, with one numbering of the items; other data are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.analyse.node_rows.item_nodes import ItemNodes, item_nodes
from shoal.data.arrays import Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import neighbours
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized
from shoal.run import Run

_NAMED = 10


@dataclass(frozen=True, eq=False)
class Compared:
    """An original, its release, and the mapping between their items."""

    original: Transactions
    release: Disassociated
    codes: Int32
    """The original's code of each item of the release's vocabulary; -1 for a word that the release does not use."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def release_codes(self) -> Int32:
        """The release's code of each item of the original; -1 for what was dropped."""
        codes = np.full(self.original.n_items, -1, np.int32)
        used = np.flatnonzero(self.codes >= 0)
        codes[self.codes[used]] = used
        return codes

    def chunks(self) -> Transactions:
        """The subrecords of all record and shared chunks, as if each were a record, in the original's codes."""
        rows = np.repeat(np.arange(self.release.n_subrecords), np.diff(self.release.subrecord_offsets))
        return as_records(rows, self.codes[self.release.items], self.original.vocabulary)

    def reconstructions(self, n: int, *, run: Run) -> Iterator[Transactions]:
        """Possible originals, drawn at random, in the original's codes."""
        from shoal.analyse.disassociated.reconstruct import reconstruct
        from shoal.analyse.disassociated.term_chunks import DRAWN

        for drawn in reconstruct(self.release, n, term_items=DRAWN, run=run):
            rows = np.repeat(np.arange(len(drawn)), drawn.lengths)
            yield as_records(rows, self.codes[drawn.items], self.original.vocabulary)


def as_records(rows: Int64, codes: npt.NDArray[np.integer], vocabulary: pa.Array) -> Transactions:
    """Records from (row, item) pairs in any order; rows without a pair are left out, and words may stay unused.

    The order of the vocabulary breaks ties, so data that are compared must share one vocabulary, used or not.
    """
    n_items = max(1, len(vocabulary))
    keys = rows * n_items + codes
    if (keys[1:] <= keys[:-1]).any():
        keys.sort()  # sorting beats np.unique, which hashes
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    lengths = np.bincount(keys // n_items)
    offsets = np.concatenate([[0], np.cumsum(lengths[lengths > 0])]).astype(np.int64)
    return Transactions(offsets, (keys % n_items).astype(np.int32), vocabulary)


def compare(original: Transactions, release: Disassociated) -> Compared:
    """Match the items of a release with those of its original by name.

    Raises:
        InputError: the release cannot be made from these data; the message lists the mismatches.
    """
    trouble = _records(original, release)
    used = np.zeros(len(release.vocabulary), bool)
    used[release.items] = True
    used[release.term_items] = True
    found = pc.index_in(release.vocabulary.cast(pa.string()), original.vocabulary)
    codes = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int32)
    strange = np.flatnonzero(used & (codes < 0))
    if len(strange):
        trouble.append(f"in the release, but not in the original ({len(strange):,}): {_names(release, strange)}")
    codes[~used] = -1
    trouble += _missing(original, release, codes)
    if not trouble:
        trouble += _too_often(original, release, codes)
    _refuse(trouble)
    return Compared(original, release, codes)


def codes_in(original: Transactions, release: Randomized) -> Int32:
    """The number of each item of the original in the list of a randomized release.

    Raises:
        InputError: the release cannot be made from these data. Randomization hides most mismatches: checked are sizes,
            the list of items and, if nothing is flipped, how often items occur.
    """
    trouble = []
    if len(original) != release.n_records:
        trouble.append(f"the original has {_counted(len(original), 'record')}, the release {release.n_records:,}")
    found = pc.index_in(original.vocabulary, release.vocabulary)
    codes: Int32 = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int32)
    strange = np.flatnonzero(codes < 0)
    if len(strange):
        trouble.append(f"in the original, but not in the list of items ({len(strange):,}): {_names(original, strange)}")
    elif release.promise.keep_prob == 1:
        more = np.flatnonzero(original.supports > release.supports[codes])
        if len(more):
            trouble.append(f"in more records of the original than rows of the release: {_names(original, more)}")
    _refuse(trouble)
    return codes


def nodes_in(original: Transactions, release: GeneralizedBaskets, hierarchy: Hierarchy | None) -> Int32:
    """The node that replaces each item of the original in the rows of a release of generalized baskets.

    Without a hierarchy it comes from the release if that has all of it, or else from the hierarchy that publishing
    builds from the items' names, if it fits.

    Raises:
        InputError: the release cannot be made from these data, or not with this hierarchy. Everything that is
            published about single nodes is compared: generalization is deterministic.
    """
    nodes = _known(original, release, hierarchy).nodes_of(original.words)
    trouble = []
    if len(original) != release.n_rows:
        trouble.append(f"the original has {_counted(len(original), 'record')}, the release {release.n_rows:,}")
    strange = np.flatnonzero(nodes < 0)
    if len(strange):
        trouble.append(f"in the original, but below no published node ({len(strange):,}): {_names(original, strange)}")
    else:
        rows = np.repeat(np.arange(len(original)), original.lengths)
        held = np.unique(rows * len(release.tree) + nodes[original.items]) % len(release.tree)
        supports = np.bincount(held, minlength=len(release.tree))
        other = np.flatnonzero(supports != release.supports)
        if len(other):
            node = int(other[0])
            trouble.append(
                f"{shown(release.tree.labels[node])} is in {_counted(int(release.supports[node]), 'row')} of the "
                f"release, and should be in {supports[node]:,}"
            )
    _refuse(trouble)
    return nodes


def _known(original: Transactions, release: GeneralizedBaskets, hierarchy: Hierarchy | None) -> ItemNodes:
    """The items below each node: from the given hierarchy, or from the names of the items."""
    try:
        return item_nodes(release, hierarchy)
    except InputError:
        if hierarchy is None:
            with suppress(InputError):
                return item_nodes(release, neighbours(original.words))
        raise


def refuse_strange(original: Transactions, release: NoisyBaskets) -> None:
    """Refuse an original with items that the hierarchy of a release of noisy counts does not have."""
    named = pa.array(np.array(release.tree.labels, object)[release.tree.is_bottom], pa.string())
    strange = np.flatnonzero(pc.index_in(original.vocabulary, named).is_null().to_numpy(zero_copy_only=False))
    if len(strange):
        _refuse([f"in the original, but not in the hierarchy ({len(strange):,}): {_names(original, strange)}"])


def _refuse(trouble: list[str]) -> None:
    if trouble:
        listed = "".join(f"\n  {line}" for line in trouble)
        raise InputError(
            f"this is not the original of this release:{listed}\ngive the data from which it was published"
        )


def _records(original: Transactions, release: Disassociated) -> list[str]:
    emptied = release.dropped.emptied_records
    if len(original) == release.n_records + emptied:
        return []
    dropped = f", after {_counted(emptied, 'record')} had been dropped" if emptied else ""
    return [f"the original has {_counted(len(original), 'record')}, the release {release.n_records:,}{dropped}"]


def _missing(original: Transactions, release: Disassociated, codes: Int32) -> list[str]:
    """Items may be missing only if the release says that something was dropped."""
    dropped = release.dropped
    missing = np.ones(original.n_items, bool)
    missing[codes[codes >= 0]] = False
    lost = np.flatnonzero(missing)
    most = dropped.rare_items + dropped.sensitive_instances + dropped.linking_instances
    if len(lost) <= most:
        return []
    said = f", of which at most {most:,} can have been dropped" if most else ""
    return [f"in the original, but not in the release ({len(lost):,}{said}): {_names(original, lost)}"]


def _too_often(original: Transactions, release: Disassociated, codes: Int32) -> list[str]:
    """An item is in at least as many records as there are subrecords and term chunks with it."""
    published = np.bincount(release.items, minlength=len(codes)) + np.bincount(release.term_items, minlength=len(codes))
    used = np.flatnonzero(codes >= 0)
    more = used[published[used] > original.supports[codes[used]]]
    if not len(more):
        return []
    first = int(more[0])
    name, count = release.vocabulary[first].as_py(), int(original.supports[codes[first]])
    others = f", and so with {_counted(len(more) - 1, 'other item')}" if len(more) > 1 else ""
    return [
        f"{shown(name)} is {published[first]:,} times in the release, but in {_counted(count, 'record')} here{others}"
    ]


def _names(holder: Transactions | Disassociated, codes: npt.NDArray[np.integer]) -> str:
    names = holder.vocabulary.take(pa.array(codes[:_NAMED])).to_pylist()
    return ", ".join(map(shown, names)) + (", ..." if len(codes) > _NAMED else "")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
