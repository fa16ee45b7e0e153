"""Where the records of a release can get each item from, and with what chance: the model of random reconstructions.

Terrovitis et al., VLDB 2012, section 3: an original is put together again by giving the subrecords of every chunk to
different records. The model: every chunk is placed independently of the others and uniformly over the placements that
are possible (``layout``), an item of a term chunk over the records of its cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.analyse.disassociated.layout import Layout, lay_out
from shoal.analyse.disassociated.restricted import Placed, place_mixed, ways_of
from shoal.analyse.disassociated.term_chunks import most_possible
from shoal.data.arrays import Int64
from shoal.data.frozen import frozen
from shoal.data.ragged import expand
from shoal.kernels.joint_supports import Ways
from shoal.kernels.supports import OWN, TERM, Sources
from shoal.release.disassociated import Disassociated


class Index(NamedTuple):
    """What ``kernels.supports`` reads."""

    sources: Sources
    ways: Ways

    @property
    def mixed(self) -> bool:
        """Whether there are chunks whose subrecords can go to different leaves."""
        return bool((self.ways.records < 0).any())


class Stretches(NamedTuple):
    """Neighbouring leaves that get an item, or all items of a chunk, from the same."""

    of: Int64
    first: Int64
    beyond: Int64
    region: Int64


def index_of(release: Disassociated) -> Index:
    """Find the sources of every item."""
    n_items, n_chunks = len(release.vocabulary), release.n_chunks
    layout = lay_out(release)
    leaf_size = np.diff(layout.leaf_first)

    # The entries of chunks: each item of each chunk, with the subrecords that hold it.
    row = np.repeat(np.arange(release.n_subrecords, dtype=np.int32), np.diff(release.subrecord_offsets))
    chunk_of_row = np.repeat(np.arange(n_chunks), np.diff(release.chunk_offsets))
    keys = chunk_of_row[row] * n_items + release.items
    by_entry = np.argsort(keys, kind="stable")
    keys = keys[by_entry]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    entry_chunk, entry_item = keys[starts] // n_items, keys[starts] % n_items
    post_offsets, post_rows = np.append(starts, len(keys)), row[by_entry]
    entries_upto = np.searchsorted(entry_chunk, np.arange(n_chunks + 1))

    mixed = {chunk: place_mixed(layout, chunk) for chunk in layout.mixed}
    open_to = _open_stretches(release, layout)
    which, entry = expand(entries_upto[open_to.of], entries_upto[open_to.of + 1])
    some = [Stretches(entry, *(column[which] for column in open_to[1:]))]
    for number, placed in mixed.items():
        for at in range(entries_upto[number], entries_upto[number + 1]):
            rows = post_rows[post_offsets[at] : post_offsets[at + 1]] - release.chunk_offsets[number]
            some.append(_mixed_stretches(at, placed, rows))
    entry, first, beyond, region = (np.concatenate(column) for column in zip(*some, strict=True))

    term_leaf = np.searchsorted(layout.leaf_first, layout.first[n_chunks:])
    term_most = most_possible(release)
    item = np.concatenate([entry_item[entry], release.term_items])
    first, beyond = np.concatenate([first, term_leaf]), np.concatenate([beyond, term_leaf + 1])
    chunk = np.concatenate([entry_chunk[entry], np.full(len(term_leaf), TERM)])
    entry = np.concatenate([entry, term_most])
    region = np.concatenate([region, term_most])
    order = np.argsort(item * len(leaf_size) + first)
    sources = Sources(
        offsets=np.searchsorted(item[order], np.arange(n_items + 1)),
        first=first[order].astype(np.int32),
        beyond=beyond[order].astype(np.int32),
        chunk=chunk[order].astype(np.int32),
        entry=entry[order],
        region=region[order],
        records_upto=layout.leaf_first,
        squares_upto=np.concatenate([[0], np.cumsum(leaf_size**2)]),
        tree_beyond=np.searchsorted(layout.leaf_tree, layout.leaf_tree, side="right"),
        post_offsets=post_offsets,
        post_rows=post_rows,
    )
    ways = ways_of(release, layout, mixed)
    return Index(Sources._make(map(frozen, sources)), Ways._make(map(frozen, ways)))


def _open_stretches(release: Disassociated, layout: Layout) -> Stretches:
    """The leaves that each chunk can go to: all below its cluster but the gaps. Mixed ones are left out."""
    gaps, chunks = layout.gaps, np.arange(release.n_chunks)
    begin, end = layout.first[chunks], layout.first[chunks] + release.cluster_size[release.chunk_owner]
    # Each stretch lies between the beginning, or the end of a gap, and the next gap, or the end.
    of = np.concatenate([chunks, gaps.part])
    first, beyond = np.concatenate([begin, gaps.beyond]), np.concatenate([end, gaps.first])
    of, first, beyond = np.sort(of), first[np.lexsort((first, of))], beyond[np.lexsort((beyond, of))]
    kept = (first < beyond) & ~np.isin(of, list(layout.mixed))
    of, first, beyond = of[kept], first[kept], beyond[kept]
    region = np.where(release.chunk_shared[of], 0, OWN)
    return Stretches(of, np.searchsorted(layout.leaf_first, first), np.searchsorted(layout.leaf_first, beyond), region)


def _mixed_stretches(entry: int, placed: Placed, rows: Int64) -> Stretches:
    """The leaves that an item of a mixed chunk, which is in these of its subrecords, can go to."""
    reached = placed.allowed[np.unique(placed.row_class[rows])].any(axis=0)
    region = np.where(reached, placed.region, -1)
    starts = np.flatnonzero(np.diff(region, prepend=-2))
    beyond = np.append(starts[1:], len(region))
    kept = region[starts] >= 0
    leaf = placed.first_leaf
    return Stretches(np.full(int(kept.sum()), entry), leaf + starts[kept], leaf + beyond[kept], region[starts[kept]])
