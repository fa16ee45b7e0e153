"""Run the public algorithm backwards: which possible originals would have been published as exactly this release?

An adversary who knows the algorithm discards the possible originals of a cluster that it would have published
differently (the literal inverse in Guarantee 1 of Terrovitis et al., VLDB 2012; elsewhere called a minimality attack).
The cluster's pre-images remain, and perhaps none of them has k records with some set of items that one of them holds.
The promise is about all possible originals and does not cover this. Small simple clusters are tried, each original as a
bag of records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb, prod

import numpy as np
import pyarrow as pa

from shoal.audit.attack.finding import Finding
from shoal.audit.disassociated.subrecords import read
from shoal.audit.residual import Residual
from shoal.data.transactions import Transactions
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run

Publisher = Callable[[Transactions], Disassociated]
"""The algorithm, made to put all records that it is given into one cluster."""
Record = tuple[int, ...]
Original = tuple[tuple[Record, int], ...]
"""A bag of records: each distinct one, and how often it occurs."""

MOST_ORIGINALS = 3_000
"""The most originals of one cluster, and of all clusters together, that are published again."""
MOST_RECORDS = 200
"""Larger clusters are skipped: a hostile release may claim any number of records."""


@dataclass(frozen=True)
class Shape:
    """A simple cluster whose items are numbered in the order of their names: algorithms break ties by it."""

    size: int
    chunks: tuple[Original, ...]
    """The record chunks, each a bag of subrecords, sorted."""
    terms: Record

    @property
    def n_items(self) -> int:
        """How many distinct items there are."""
        return len({item for chunk in self.chunks for row, _ in chunk for item in row} | set(self.terms))


@dataclass(frozen=True)
class Backwards:
    """What remains of one cluster's possible originals."""

    originals: int
    """How many there are."""
    pre_images: int
    """How many of them are published as this cluster."""
    unprotected: int
    """How many pre-images have a set of up to m items that reaches k records in no pre-image."""
    posterior: float
    """The largest share, over sets K of up to m items and further items x, of records with K that also hold x."""
    gained_posterior: float
    """The same over those K and x for which it is not 1 over all possible originals; 0 if there are none."""


def attack_backwards(
    release: Disassociated, publish: Publisher, most: int = MOST_ORIGINALS, run: Run = DEFAULT_RUN
) -> Finding:
    """Try every simple cluster that is small enough.

    Args:
        release: a release with a valid structure.
        publish: the algorithm, with the same k and m, made to put all records into one cluster.
        most: how many originals may be published again in total; clusters with few originals come first.
        run: threads, progress and chance (:class:`shoal.Run`).
    """
    left = most
    shapes = Counter(simple_shapes(release, MOST_RECORDS))
    costs = sorted((cost, index, shape) for index, shape in enumerate(shapes) if (cost := at_most(shape)) <= most)
    tried: list[tuple[Backwards, int]] = []
    for cost, _, shape in costs:
        if cost > left:
            break
        found = backwards(shape, publish, release.promise.k, release.promise.m)
        left -= found.originals
        tried.append((found, shapes[shape]))
        run.report("backwards", most - left, most)
    return _report(tried, int(np.count_nonzero(release.is_leaf)))


def _report(tried: Sequence[tuple[Backwards, int]], n_leaves: int) -> Finding:
    made = [(found, times) for found, times in tried if found.pre_images]
    examined = sum(times for _, times in made)
    open_to_it = sum(times for found, times in made if found.unprotected)
    chance = sum(times * found.unprotected / found.pre_images for found, times in made)
    numbers = {
        "clusters": n_leaves,
        "clusters_examined": examined,
        "different_clusters_examined": len(made),
        "clusters_that_this_algorithm_would_not_make": sum(times for found, times in tried if not found.pre_images),
        "clusters_with_an_unprotected_pre_image": open_to_it,
        "their_share": open_to_it / examined if examined else 0.0,
        "unprotected_pre_images_share": chance / examined if examined else 0.0,
        "fewest_pre_images": min((found.pre_images for found, _ in made), default=None),
        "clusters_with_one_pre_image": sum(times for found, times in made if found.pre_images == 1),
        "largest_posterior": max((found.posterior for found, _ in made), default=None),
        "largest_posterior_not_certain_anyway": max((found.gained_posterior for found, _ in made), default=None),
    }
    sentence = (
        f"{examined:,} of {n_leaves:,} clusters are small enough to run the public algorithm backwards"
        + (
            f"; for {open_to_it:,} of them ({open_to_it / examined:.0%}) this leaves fewer than k candidates for some "
            "set of up to m items"
            if examined
            else ""
        )
        + ". The promise does not cover an adversary who does this."
    )
    residual = Residual(
        open_to_it / max(examined, 1),
        "clusters small enough to run the algorithm backwards",
        "leave fewer than k candidates for some set of up to m items",
    )
    return Finding("backwards", sentence, numbers, residual=residual)


def simple_shapes(release: Disassociated, most_records: int | None = None) -> Iterator[Shape]:
    """The shape of every simple cluster, that is, of every root that is a leaf; optionally of small ones only."""
    wanted = release.is_leaf & (release.cluster_parent < 0)
    if most_records is not None:
        wanted &= release.cluster_size <= most_records
    _, bags = read(release)
    rows_of_chunk = np.searchsorted(bags.chunk, np.arange(release.n_chunks + 1)).tolist()
    rows = [tuple(bags.items[start:end].tolist()) for start, end in pairwise(bags.offsets.tolist())]
    weights = bags.weight.tolist()
    chunks_of: list[list[int]] = [[] for _ in range(release.n_clusters)]
    for chunk, owner in enumerate(release.chunk_owner.tolist()):
        chunks_of[owner].append(chunk)
    terms, bounds = release.term_items.tolist(), release.term_offsets.tolist()
    for cluster in np.flatnonzero(wanted).tolist():
        bags_of = [
            [(rows[row], weights[row]) for row in range(rows_of_chunk[chunk], rows_of_chunk[chunk + 1])]
            for chunk in chunks_of[cluster]
        ]
        yield numbered(int(release.cluster_size[cluster]), bags_of, terms[bounds[cluster] : bounds[cluster + 1]])


def numbered(size: int, chunks: Sequence[Sequence[tuple[Sequence[int], int]]], terms: Sequence[int]) -> Shape:
    """The shape of one cluster."""
    items = sorted({item for chunk in chunks for row, _ in chunk for item in row} | set(terms))
    number = {item: place for place, item in enumerate(items)}
    bags = (tuple(sorted((tuple(sorted(number[i] for i in row)), times) for row, times in chunk)) for chunk in chunks)
    return Shape(size, tuple(sorted(bags)), tuple(sorted(number[item] for item in terms)))


def at_most(shape: Shape) -> int:
    """An upper bound on the number of possible originals, without generating them."""
    classes = [shape.size]
    bound = 1
    for place, chunk in enumerate(shape.chunks):
        times = [count for _, count in chunk]
        rest = shape.size - sum(times)
        if place == 0:
            classes = [count for count in [*times, rest] if count]
            continue
        bound *= prod(comb(count + len(classes) - 1, len(classes) - 1) for count in times)
        classes = [1] * shape.size  # from here on all records are different at worst
    kinds = 2 ** min(len(shape.terms), 64)
    return bound * prod(comb(count + kinds - 1, count) for count in classes)


def originals(shape: Shape) -> list[Original]:
    """Every bag of records that the cluster may have come from."""
    tables: set[Original] = {(((), shape.size),)}
    for chunk in shape.chunks:
        tables = {_bag(placed) for table in tables for placed in _placements(list(table), list(chunk))}
    for term in shape.terms:
        tables = {
            _bag(placed)
            for table in tables
            for holders in range(1, shape.size + 1)
            for placed in _placements(list(table), [((term,), holders)])
        }
    return sorted(table for table in tables if table[0][0])  # the empty record would be the first


def _placements(table: list[tuple[Record, int]], rows: list[tuple[Record, int]]) -> Iterator[list[tuple[Record, int]]]:
    """Every way to put subrecords on distinct records; both are bags."""
    if not rows:
        yield table
        return
    row, times = rows[0]
    for shares in _compositions([count for _, count in table], times):
        taken = [(record + row, share) for (record, _), share in zip(table, shares, strict=True) if share]
        left = [(record, count - share) for (record, count), share in zip(table, shares, strict=True)]
        for rest in _placements(left, rows[1:]):
            yield taken + rest


def _compositions(room: list[int], total: int) -> Iterator[tuple[int, ...]]:
    if not room:
        if total == 0:
            yield ()
        return
    for first in range(max(0, total - sum(room[1:])), min(room[0], total) + 1):
        for others in _compositions(room[1:], total - first):
            yield (first, *others)


def _bag(records: list[tuple[Record, int]]) -> Original:
    bag: Counter[Record] = Counter()
    for record, count in records:
        bag[tuple(sorted(record))] += count
    return tuple(sorted((record, count) for record, count in bag.items() if count))


def backwards(shape: Shape, publish: Publisher, k: int, m: int) -> Backwards:
    """Publish every possible original of a cluster again, and keep those that give this cluster."""
    possible = originals(shape)
    words = pa.array([f"{item:04d}" for item in range(shape.n_items)], pa.string())
    pre_images = [original for original in possible if list(simple_shapes(publish(_data(original, words)))) == [shape]]
    given_all = _posteriors(possible, m)
    posteriors = _posteriors(pre_images, m)
    return Backwards(
        len(possible),
        len(pre_images),
        len(unprotected(pre_images, k, m)),
        max(posteriors.values(), default=0.0),
        max((share for pair, share in posteriors.items() if given_all[pair] < 1), default=0.0),
    )


def unprotected(pre_images: Sequence[Original], k: int, m: int) -> list[Original]:
    """The pre-images with a set of up to m items that reaches k records in no pre-image."""
    supports = [_supports(original, m) for original in pre_images]
    best: Counter[Record] = Counter()
    for support in supports:
        best |= support
    return [
        original
        for original, support in zip(pre_images, supports, strict=True)
        if any(best[chosen] < k for chosen in support)
    ]


def _data(original: Original, words: pa.Array) -> Transactions:
    rows = [record for record, count in original for _ in range(count)]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Transactions(offsets, np.array([item for row in rows for item in row], np.int32), words)


def _supports(original: Original, largest: int) -> Counter[Record]:
    """How many records hold each set of 1..``largest`` items that occurs."""
    supports: Counter[Record] = Counter()
    for record, count in original:
        for size in range(1, min(largest, len(record)) + 1):
            for chosen in combinations(record, size):
                supports[chosen] += count
    return supports


def _posteriors(bags: Sequence[Original], m: int) -> dict[tuple[Record, int], float]:
    """For sets K of up to m items and a further item x: the share of the records with K, in all bags, that hold x."""
    together: Counter[Record] = Counter()
    for bag in bags:
        together.update(_supports(bag, m + 1))
    return {
        (known, item): count / together[known]
        for chosen, count in together.items()
        for item in chosen
        if (known := tuple(other for other in chosen if other != item))
    }
