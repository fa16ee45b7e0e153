"""Horizontal partitioning: group records into clusters (VLDB 2012, section 4, Algorithm HORPART).

Deviations from the paper:

* Every cluster has at least k records (and at least l, if there are sensitive items). The printed algorithm splits down
  to single records, which are then published unchanged. Here splitting stops when no unused item occurs in that many
  records; a part that is still too large is chopped, and a smaller leftover joins the cluster before it.
* Sensitive items are ignored when splitting, sorting and chopping. Afterwards records are swapped, and if that does not
  help, a sensitive item is struck out of a record, until no sensitive item belongs to more than one in l records of a
  cluster. Records that hold only sensitive items are distributed over clusters of other records.
* Nothing depends on the order of the input.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Bools, Int32, Int64, UInt8
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.publish.disassociation.kept_itemsets import Wanted

# How many clusters on either side are searched for a record to swap with: near clusters share items.
SWAP_REACH = 16


@dataclass(frozen=True, eq=False)
class Clustering:
    """Records put into clusters: cluster p is rows[bounds[p]:bounds[p + 1]] of the ragged array (offsets, items)."""

    offsets: Int64
    items: Int32
    rows: Int64
    bounds: Int64
    struck: int = 0
    """How many occurrences of sensitive items were struck out."""
    emptied: int = 0
    """How many records held nothing else and were removed with them."""
    records: Int64 | None = None
    """The record of the data for each row of the ragged array; None: they are in the same order."""


def cluster_records(data: Transactions, *, least: int, most: int, wanted: Wanted | None = None) -> Clustering:
    """Put similar records into clusters of at least ``least`` and at most ``most`` records.

    Those that hold a ``wanted`` set of items come into clusters of their own.
    """
    nothing = (np.zeros(len(data) + 1, np.int64), np.empty(0, np.int32))
    group = wanted.groups(len(data), least) if wanted else None
    parts = _clusters(data.offsets, data.items, *nothing, data.n_items, least, most, group)
    return Clustering(parts.offsets, parts.items, parts.order, parts.bounds, records=parts.rows)


def cluster_and_spread(
    data: Transactions,
    sensitive: UInt8,
    *,
    share: int,
    least: int,
    most: int,
    wanted: Wanted | None = None,
) -> Clustering:
    """Cluster by the other items, then keep each sensitive one to one in ``share`` records of a cluster."""
    from shoal.kernels.spread import spread_items

    offsets, items = data.offsets, data.items
    is_sensitive = sensitive.astype(bool)[items]
    plain = _only(offsets, items, ~is_sensitive)
    has_plain = np.diff(plain[0]) > 0
    hosts = np.flatnonzero(has_plain)
    group = wanted.among(hosts).groups(len(hosts), least) if wanted else None
    rows, bounds = _cluster_around(
        *plain, *_only(offsets, items, is_sensitive), has_plain, data.n_items, group, least=least, most=most
    )
    rows = _in_canonical_order(data, rows, bounds)
    while True:
        # Striking an item out may empty a record. Its cluster is then smaller: check the shares again.
        marked = _only(offsets, items, is_sensitive)
        struck = spread_items(*marked, data.n_items, rows, bounds, has_plain.astype(np.uint8), share, SWAP_REACH)
        if not struck.any():
            break
        keep = np.ones(len(items), bool)
        keep[np.flatnonzero(is_sensitive)[struck.astype(bool)]] = False
        offsets, items = _only(offsets, items, keep)
        is_sensitive = is_sensitive[keep]
        # Every cluster still keeps ``least`` records: at least so many of its records hold plain items.
        filled = np.diff(offsets)[rows] > 0
        bounds = np.concatenate([[0], np.cumsum(filled)])[bounds]
        rows = rows[filled]
    return Clustering(offsets, items, rows, bounds, len(data.items) - len(items), len(data) - len(rows))


@dataclass(frozen=True, eq=False)
class _Parts:
    """Records in the order of their clusters: cluster p is order[bounds[p]:bounds[p + 1]]."""

    rows: Int64
    """The number of each record among the given ones."""
    offsets: Int64
    items: Int32
    order: Int64
    bounds: Int64


def _clusters(
    offsets: Int64,
    items: Int32,
    spread_offsets: Int64,
    spread_items: Int32,
    n_items: int,
    least: int,
    most: int,
    group: Int64 | None,
) -> _Parts:
    """Split each group, join parts that are too small, chop parts that are too large."""
    from shoal.kernels.chop import chop_parts
    from shoal.kernels.horizontal import split_records
    from shoal.kernels.rows import take_rows

    if group is None:
        rows, ends = split_records(offsets, items, n_items, most, least)
    else:
        some_rows, some_ends, before = [], [], 0
        for number in range(int(group.max()) + 1):
            here = np.flatnonzero(group == number)
            found, last = split_records(*take_rows(offsets, items, here), n_items, most, least)
            some_rows.append(here[found])
            some_ends.append(before + last)
            before += len(here)
        rows, ends = np.concatenate(some_rows), np.concatenate(some_ends)
    # From here on the records of a cluster are adjacent in memory.
    offsets, items = take_rows(offsets, items, rows)
    spread = take_rows(spread_offsets, spread_items, rows)
    order = np.arange(len(rows))
    bounds = chop_parts(offsets, items, *spread, order, _fold(np.concatenate([[0], ends]), least), most)
    return _Parts(rows, offsets, items, order, bounds)


def _fold(bounds: Int64, least: int) -> Int64:
    """Join every part of fewer than ``least`` rows to the part before it; the first part is never that small."""
    return np.append(bounds[:-1][np.diff(bounds) >= least], bounds[-1])


def _only(offsets: Int64, items: Int32, keep: Bools) -> tuple[Int64, Int32]:
    """The same rows with only the kept entries."""
    return np.concatenate([[0], np.cumsum(keep)])[offsets].astype(np.int64), items[keep]


def _cluster_around(
    plain_offsets: Int64,
    plain_items: Int32,
    marked_offsets: Int64,
    marked_items: Int32,
    has_plain: Bools,
    n_items: int,
    group: Int64 | None,
    *,
    least: int,
    most: int,
) -> tuple[Int64, Int64]:
    """Cluster the records with a plain item; distribute the others over these clusters, equal ones to different ones.

    A cluster of only sensitive items would force each of its records to hold one.
    """
    from shoal.kernels.rows import sorted_rows, take_rows

    hosts, guests = np.flatnonzero(has_plain), np.flatnonzero(~has_plain)
    room = most * len(hosts) // max(1, len(has_plain))
    if len(hosts) < least or (len(guests) and room < 2 * least - 1):
        raise Infeasible(
            f"{len(guests):,} of {len(has_plain):,} records hold only sensitive items: too many to hide among "
            f"the others in clusters of {least} to {most} records. Mark fewer items as sensitive, or allow "
            "larger clusters."
        )
    host_lengths = np.diff(plain_offsets)[hosts]
    offsets = np.concatenate([[0], np.cumsum(host_lengths)]).astype(np.int64)
    spread_offsets, spread_items = take_rows(marked_offsets, marked_items, hosts)
    limit = room if len(guests) else most
    parts = _clusters(offsets, plain_items, spread_offsets, spread_items, n_items, least, limit, group)
    rows, bounds = hosts[parts.rows[parts.order]], parts.bounds
    if len(guests) == 0:
        return rows, bounds
    guests = guests[sorted_rows(*take_rows(marked_offsets, marked_items, guests))]
    # Each cluster takes guests in proportion to its size: first one for every cluster, then a second one, ...
    upto = bounds * len(guests) // len(hosts)
    take = np.diff(upto)
    cluster = np.repeat(np.arange(len(take)), take)
    turn = np.arange(len(guests)) - np.repeat(upto[:-1], take)
    slots = np.lexsort((cluster, turn))
    seated = np.empty(len(guests), np.int64)
    seated[slots] = guests
    merged = np.insert(rows, np.repeat(bounds[1:], take), seated)
    return merged, bounds + upto


def _in_canonical_order(data: Transactions, rows: Int64, bounds: Int64) -> Int64:
    """Sort the rows of each cluster by content, so that moving rows does not depend on the order of the input."""
    from shoal.kernels.rows import sorted_rows

    rank = np.empty(len(rows), np.int64)
    rank[sorted_rows(data.offsets, data.items)] = np.arange(len(rows))
    cluster = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return rows[np.lexsort((rank[rows], cluster))]
