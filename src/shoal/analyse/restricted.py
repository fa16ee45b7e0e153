"""Which leaves the subrecords of a chunk can go to, and the chances that follow for one record and for two.

Subrecords of a chunk that can go to the same leaves are a class; leaves that can take the same classes are a region. A
record chunk, and a shared chunk without closed items, has one of each. The chances are those of a uniform choice among
all placements of the chunk that are possible. Where the classes' leaves are nested, as in every release that Shoal
makes, the most restricted class can be placed first and each next one uniformly over what is left, so that first and
second moments follow class by class. Otherwise the placements are counted, if there are not too many kinds of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import factorial, perm

import numpy as np
import numpy.typing as npt

from shoal.errors import Infeasible
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_MOST_KINDS = 200_000
"""How many kinds of placements may be counted one by one."""


@dataclass(frozen=True, eq=False)
class Closed:
    """Items of shared chunks and the leaves to which they are closed, side by side."""

    chunk: Int64
    item: Int64
    leaf: Int64
    support: Int64
    """In how many subrecords of the chunk the item is."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes and regions of all chunks, side by side, and their chances."""

    row_class: Int64
    offsets: Int64
    size: Int64
    n_regions: Int64
    one_offsets: Int64
    one: Float64
    """For each class and region of a chunk: the chance that a record there gets a subrecord of the class."""
    two_offsets: Int64
    two: Float64
    """For two (class, region): that of two records one gets the one and one the other."""
    open_records: Int64
    barred: Int64
    """``chunk * number of leaves + leaf`` where nothing of the chunk can go to the leaf, ascending."""
    special: Int64
    """``chunk * number of leaves + leaf`` where the region is not the first, ascending."""
    special_region: Int64
    n_leaves: int

    def reaches(self, chunk: Int64, leaf: Int64) -> Bools:
        """Whether anything of each chunk can go to each leaf."""
        keys = chunk * self.n_leaves + leaf
        at = np.minimum(np.searchsorted(self.barred, keys), max(len(self.barred) - 1, 0))
        return self.barred[at] != keys if len(self.barred) else np.ones(len(keys), bool)

    def region_of(self, chunk: Int64, leaf: Int64) -> Int64:
        """The region of each leaf in each chunk."""
        region = np.zeros(len(chunk), np.int64)
        if len(self.special):
            keys = chunk * self.n_leaves + leaf
            at = np.minimum(np.searchsorted(self.special, keys), len(self.special) - 1)
            found = self.special[at] == keys
            region[found] = self.special_region[at[found]]
        return region


def place_classes(
    release: Disassociated,
    leaf_size: Int64,
    below: tuple[Int64, Int64],
    closed: Closed,
) -> Classes:
    """Find the classes and regions of all chunks.

    Args:
        release: the release.
        leaf_size: the records of each leaf.
        below: pairs of a leaf's number and a cluster at or above it.
        closed: which items of shared chunks are closed to which leaves.
    """
    n_chunks, n_leaves = release.n_chunks, len(leaf_size)
    subrecords = np.diff(release.chunk_offsets)
    row_class = np.repeat(np.arange(n_chunks), subrecords)
    open_records = release.cluster_size[release.chunk_owner].copy()
    n_classes, n_regions = np.ones(n_chunks, np.int64), np.ones(n_chunks, np.int64)

    # Where all subrecords of a chunk hold its closed items, none can go to leaves that have one of them elsewhere.
    mixed = np.zeros(n_chunks, bool)
    mixed[closed.chunk[closed.support < subrecords[closed.chunk]]] = True
    alike = ~mixed[closed.chunk]
    barred = np.unique(closed.chunk[alike] * n_leaves + closed.leaf[alike])
    np.subtract.at(open_records, barred // n_leaves, leaf_size[barred % n_leaves])
    records = open_records.copy()

    placed: dict[int, _Placed] = {}
    if mixed.any():
        placed = _place_mixed(release, np.flatnonzero(mixed), leaf_size, below, closed)
    for chunk, found in placed.items():
        n_classes[chunk], n_regions[chunk] = found.one.shape
        open_records[chunk] = -1
    offsets = np.concatenate([[0], np.cumsum(n_classes)])
    one_offsets = np.concatenate([[0], np.cumsum(n_classes * n_regions)])
    two_offsets = np.concatenate([[0], np.cumsum((n_classes * n_regions) ** 2)])
    row_class = offsets[row_class]
    size = np.zeros(offsets[-1], np.int64)
    one, two = np.zeros(one_offsets[-1]), np.zeros(two_offsets[-1])
    size[offsets[:-1]] = subrecords
    one[one_offsets[:-1]] = subrecords / records
    two[two_offsets[:-1]] = subrecords * (subrecords - 1) / np.maximum(records * (records - 1), 1)
    special, special_region = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for chunk, found in placed.items():
        row_class[release.chunk_offsets[chunk] : release.chunk_offsets[chunk + 1]] += found.row_class
        size[offsets[chunk] : offsets[chunk + 1]] = np.bincount(found.row_class, minlength=len(found.one))
        one[one_offsets[chunk] : one_offsets[chunk + 1]] = found.one.ravel()
        two[two_offsets[chunk] : two_offsets[chunk + 1]] = found.two.ravel()
        special.append(chunk * n_leaves + found.leaves[found.region > 0])
        special_region.append(found.region[found.region > 0])
    keys, regions = np.concatenate(special), np.concatenate(special_region)
    order = np.argsort(keys)
    return Classes(
        row_class,
        offsets,
        size,
        n_regions,
        one_offsets,
        one,
        two_offsets,
        two,
        open_records,
        barred,
        keys[order],
        regions[order],
        n_leaves,
    )


def _place_mixed(
    release: Disassociated, mixed: Int64, leaf_size: Int64, below: tuple[Int64, Int64], closed: Closed
) -> dict[int, _Placed]:
    """Chunks of which some subrecords can go to other leaves than others. Shoal makes none."""
    by_chunk = np.argsort(closed.chunk, kind="stable")
    by_node = np.argsort(below[1], kind="stable")
    placed = {}
    for chunk in mixed.tolist():
        owner = release.chunk_owner[chunk]
        leaves = below[0][by_node[slice(*np.searchsorted(below[1][by_node], [owner, owner + 1]))]]
        here = by_chunk[slice(*np.searchsorted(closed.chunk[by_chunk], [chunk, chunk + 1]))]
        placed[chunk] = _place(release, chunk, leaves, leaf_size[leaves], closed.item[here], closed.leaf[here])
    return placed


@dataclass(frozen=True, eq=False)
class _Placed:
    """One chunk with closed items."""

    leaves: Int64
    region: Int64
    row_class: Int64
    one: Float64
    two: Float64


def _place(
    release: Disassociated, chunk: int, leaves: Int64, sizes: Int64, items: Int64, closed_leaves: Int64
) -> _Placed:
    """The classes, regions and chances of a chunk of which these items are closed to these leaves."""
    first, end = int(release.chunk_offsets[chunk]), int(release.chunk_offsets[chunk + 1])
    cells = release.subrecord_offsets[first : end + 1]
    row = np.repeat(np.arange(end - first), np.diff(cells))
    held = release.items[cells[0] : cells[-1]]
    kinds, closed_kind = np.unique(items, return_inverse=True)
    shut = np.zeros((len(kinds) + 1, len(leaves)), bool)
    by_leaf = np.argsort(leaves)
    shut[closed_kind, by_leaf[np.searchsorted(leaves[by_leaf], closed_leaves)]] = True
    kind = np.searchsorted(kinds, held)
    kind[kinds[np.minimum(kind, len(kinds) - 1)] != held] = len(kinds)
    barred = np.zeros((end - first, len(leaves)), bool)
    np.logical_or.at(barred, row, shut[kind])
    allowed, row_class = np.unique(~barred, axis=0, return_inverse=True)
    pattern, region = np.unique(allowed, axis=1, return_inverse=True)
    region_sizes = np.bincount(region.ravel(), weights=sizes).astype(np.int64)
    numbers = np.bincount(row_class.ravel(), minlength=len(allowed))
    moments = _moments(numbers, pattern, region_sizes)
    if moments is None:
        raise Infeasible(
            f"chunk {chunk} has subrecords that can go to different clusters in too many ways to count: "
            "no expected supports for this release"
        )
    return _Placed(leaves, region.ravel(), row_class.ravel(), *_chances(*moments, region_sizes))


Moments = tuple[Float64, Float64]


def _chances(mean: Float64, product: Float64, sizes: Int64) -> Moments:
    """From how many subrecords of each class a region gets, and the ordered pairs of them: chances for records."""
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    return mean / sizes, product / np.maximum(pairs, 1)[None, :, None, :]


def _moments(numbers: Int64, allowed: Bools, sizes: Int64) -> Moments | None:
    """How many subrecords of each class each region gets on average, and how many ordered pairs of them."""
    order = np.argsort(allowed @ sizes, kind="stable")
    nested = all((allowed[a] <= allowed[b]).all() for a, b in pairwise(order))
    return _nested_moments(numbers, allowed, sizes, order) if nested else _counted_moments(numbers, allowed, sizes)


def _nested_moments(numbers: Int64, allowed: Bools, sizes: Int64, order: Int64) -> Moments:
    """Class by class, the most restricted first, each uniformly over the records that the chunk has not used."""
    shape = allowed.shape
    mean, product = np.zeros(shape), np.zeros((*shape, *shape))
    free = sizes.astype(float)
    free_free = np.outer(free, free)
    placed_free: dict[int, Float64] = {}  # the mean product of what a class has in one region and what another has free
    for c in order.tolist():
        n, here = int(numbers[c]), allowed[c].astype(float)
        left = float(free @ here)
        mean[c] = n / left * free * here
        chosen = n * (n - 1) / (left * (left - 1)) if left > 1 else 0.0
        product[c, :, c, :] = chosen * (free_free - np.diag(free)) * np.outer(here, here)
        for d, with_free in placed_free.items():
            product[d, :, c, :] = n / left * with_free * here
            product[c, :, d, :] = product[d, :, c, :].T
            placed_free[d] = with_free * (1 - n / left * here)
        with_free = n / left * free_free * here[:, None]
        squares = product[c, :, c, :] + np.diag(mean[c])
        placed_free[c] = with_free - squares
        free_free = free_free - with_free - with_free.T + squares
        free = free - mean[c]
    return mean, product


def _counted_moments(numbers: Int64, allowed: Bools, sizes: Int64) -> Moments | None:
    """By going through how many subrecords of each class can be in each region; None where there are too many ways."""
    mean, product, total = np.zeros(allowed.shape), np.zeros((*allowed.shape, *allowed.shape)), 0
    for kind, (weight, table) in enumerate(_tables(numbers.tolist(), allowed, sizes.tolist(), 0)):
        if kind == _MOST_KINDS:
            return None
        counts = np.array(table).T
        total += weight
        share = weight / total
        pairs = np.multiply.outer(counts, counts).astype(float)
        where = np.arange(counts.size)
        pairs.reshape(counts.size, -1)[where, where] -= counts.ravel()
        mean += (counts - mean) * share
        product += (pairs - product) * share
    return mean, product


def _tables(left: list[int], allowed: Bools, sizes: list[int], region: int) -> Iterator[tuple[int, list[list[int]]]]:
    """All tables of counts (a list for each region) from a region on, each with how many placements it stands for."""
    if region == len(sizes):
        if not any(left):
            yield 1, []
        return
    for counts in _fillings(left, allowed[:, region].tolist(), sizes[region]):
        used = perm(sizes[region], sum(counts))
        rest = [have - count for have, count in zip(left, counts, strict=True)]
        ways = used
        for have, count in zip(left, counts, strict=True):
            ways *= factorial(have) // (factorial(count) * factorial(have - count))
        for weight, table in _tables(rest, allowed, sizes, region + 1):
            yield ways * weight, [counts, *table]


def _fillings(left: list[int], allowed: list[bool], room: int) -> Iterator[list[int]]:
    """All ways to take subrecords of each class into a region."""
    if not left:
        yield []
        return
    for count in range(min(left[0], room) + 1 if allowed[0] else 1):
        for rest in _fillings(left[1:], allowed[1:], room - count):
            yield [count, *rest]
