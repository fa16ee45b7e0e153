"""Which leaves the subrecords of a chunk can go to, and the chances that follow for one record and for two.

Subrecords of a chunk that can go to the same leaves are a class; leaves that can take the same classes are a region.
Every chunk has one of each, but mixed ones. The chances are those of a uniform choice among all placements of the chunk
that are possible. Where the classes' leaves are nested, as in every release that Shoal
makes, the most restricted class can be placed first and each next one uniformly over what is left, so that first and
second moments follow class by class. Otherwise the placements are counted, if there are not too many kinds of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import factorial, perm

import numpy as np

from shoal.analyse.disassociated.layout import Layout, damaged
from shoal.data.arrays import Bools, Float64, Int64
from shoal.errors import Infeasible
from shoal.kernels.joint_supports import Ways
from shoal.release.disassociated import Disassociated

_MOST_KINDS = 200_000
"""How many kinds of placements may be counted one by one."""


@dataclass(frozen=True, eq=False)
class Placed:
    """The classes and regions of a mixed chunk, and their chances."""

    first_leaf: int
    """The first leaf below its joint."""
    region: Int64
    """The region of each leaf."""
    row_class: Int64
    """The class of each subrecord."""
    allowed: Bools
    """Which class can go to which leaf."""
    one: Float64
    """For each class and region: the chance that a record there gets a subrecord of the class."""
    two: Float64
    """For two (class, region): that of two records one gets the one and one the other."""


def place_mixed(layout: Layout, chunk: int) -> Placed:
    """Find the classes and regions of a mixed chunk.

    Raises:
        Infeasible: there are too many ways to place it.
        DamagedRelease: there is none.
    """
    mixed = layout.mixed[chunk]
    begin = layout.first[chunk]
    first, beyond = np.searchsorted(layout.leaf_first, [begin, begin + len(mixed.allowed[0])]).tolist()
    at = layout.leaf_first[first:beyond] - begin
    sizes = np.diff(layout.leaf_first)[first:beyond]
    allowed, class_of = np.unique(np.stack([places[at] for places in mixed.allowed]), axis=0, return_inverse=True)
    row_class = class_of.ravel()[mixed.kind]
    pattern, region = np.unique(allowed, axis=1, return_inverse=True)
    region_sizes = np.bincount(region.ravel(), weights=sizes).astype(np.int64)
    numbers = np.bincount(row_class, minlength=len(allowed))
    if not _have_room(numbers, pattern, region_sizes):
        raise damaged(f"the subrecords of chunk {chunk} cannot all be placed")
    moments = _moments(numbers, pattern, region_sizes)
    if moments is None:
        raise Infeasible(
            f"chunk {chunk} has subrecords that can go to different clusters in too many ways to count: "
            "no expected supports for this release"
        )
    return Placed(first, region.ravel(), row_class, allowed, *_chances(*moments, region_sizes))


def ways_of(release: Disassociated, layout: Layout, mixed: dict[int, Placed]) -> Ways:
    """How the subrecords of all chunks can be placed, side by side."""
    n_chunks = release.n_chunks
    subrecords, records = np.diff(release.chunk_offsets), layout.open[:n_chunks].copy()
    n_classes, n_regions = np.ones(n_chunks, np.int64), np.ones(n_chunks, np.int64)
    for chunk, placed in mixed.items():
        n_classes[chunk], n_regions[chunk] = placed.one.shape
    offsets = np.concatenate([[0], np.cumsum(n_classes)])
    one_offsets = np.concatenate([[0], np.cumsum(n_classes * n_regions)])
    two_offsets = np.concatenate([[0], np.cumsum((n_classes * n_regions) ** 2)])
    row_class = np.repeat(offsets[:-1], subrecords)
    size = np.zeros(offsets[-1], np.int64)
    one, two = np.zeros(one_offsets[-1]), np.zeros(two_offsets[-1])
    size[offsets[:-1]] = subrecords
    one[one_offsets[:-1]] = subrecords / records
    two[two_offsets[:-1]] = subrecords * (subrecords - 1) / np.maximum(records * (records - 1), 1)
    for chunk, placed in mixed.items():
        row_class[release.chunk_offsets[chunk] : release.chunk_offsets[chunk + 1]] += placed.row_class
        size[offsets[chunk] : offsets[chunk + 1]] = np.bincount(placed.row_class, minlength=len(placed.one))
        one[one_offsets[chunk] : one_offsets[chunk + 1]] = placed.one.ravel()
        two[two_offsets[chunk] : two_offsets[chunk + 1]] = placed.two.ravel()
        records[chunk] = -1
    return Ways(row_class, offsets, size, n_regions, one_offsets, one, two_offsets, two, records)


Moments = tuple[Float64, Float64]


def _chances(mean: Float64, product: Float64, sizes: Int64) -> Moments:
    """From how many subrecords of each class a region gets, and the ordered pairs of them: chances for records."""
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    return mean / sizes, product / np.maximum(pairs, 1)[None, :, None, :]


def _have_room(numbers: Int64, allowed: Bools, sizes: Int64) -> bool:
    """Whether all subrecords of each class find records in the regions that the class can go to."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n_classes, n_regions = allowed.shape
    to, records = n_classes + n_regions + 1, n_classes + 1
    room = np.zeros((to + 1, to + 1), np.int32)
    room[0, 1:records] = numbers
    room[1:records, records:to] = allowed * numbers[:, None]
    room[records:to, to] = sizes
    return int(maximum_flow(csr_array(room), 0, to).flow_value) == int(numbers.sum())


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
