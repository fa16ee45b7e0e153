"""Whether the published order says anything about the order of the original.

Terrovitis et al., VLDB 2012, section 3: subrecords in the original's order can be joined again, row by row. An order
computed from what is published adds no information. This module checks that for items, subrecords and clusters; with
the original it also measures it, since order could leak in unforeseen ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from math import erfc, sqrt

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.attack.finding import Finding, Value
from shoal.audit.attack.people import Population
from shoal.audit.disassociated.structure import check_order
from shoal.audit.disassociated.subrecords import read
from shoal.data.arrays import Float64, Int64
from shoal.release.disassociated import Disassociated

SAMPLE = 10_000
"""How many records of the original are looked for in the release."""
LINED_UP = 2_000
"""How many rows are joined across the chunks of their clusters."""
REMARKABLE = 0.001
"""A rank correlation is reported if chance exceeds it less often than this."""


def attack_order(
    release: Disassociated,
    population: Population | None = None,
    generator: np.random.Generator | None = None,
    fitting: Fitting | None = None,
    traced: Int64 | None = None,
) -> Finding:
    """Look for an order that is not computed from what is published.

    Args:
        release: a release with a valid structure.
        population: the original; adds the rank correlation between clusters and the people in them.
        generator: the source of chance for drawing them.
        fitting: the index of this release, if available.
        traced: the cluster of each record, in the order of the leaves, or -1; then no record is looked for.
    """
    canonical = check_order(release, read(release)[0])
    by_content = clusters_in_order(release)
    numbers: dict[str, Value] = {
        "items_and_subrecords_in_sorted_order": canonical.holds,
        "clusters_in_an_order_computed_from_what_is_published": by_content,
        "chunks_numbered_along_their_clusters": bool((np.diff(release.chunk_owner) >= 0).all()),
    }
    sentence = (
        "Items and subrecords are sorted, so rows at the same place in different chunks need not belong together"
        if canonical.holds
        else f"The order inside chunks is not the sorted one and may be the original's ({canonical.witness})"
    )
    sentence += (
        "; clusters are ordered by what is published of them." if by_content else "; the order of clusters is unknown."
    )
    if population is not None and generator is not None:
        if not canonical.holds:
            numbers |= _lined_up(release, population)
        drawn = _drawn(population, generator)
        where = _placed(population, drawn, fitting or Fitting(release)) if traced is None else _by_trace(traced)
        measured = _rank_correlation(population, drawn, where)
        numbers |= measured
        sentence += _about(measured, by_content)
    return Finding("order", sentence, numbers, not canonical.holds)


def _about(measured: dict[str, Value], by_content: bool) -> str:
    chance = measured["chance_of_such_a_correlation"]
    if not isinstance(chance, float) or chance >= REMARKABLE:
        return " The position of a cluster says nothing measurable about the positions of its people in the original."
    return (
        " The position of a cluster is correlated with the positions of its people in the original: "
        + ("the order is computed from content, so " if by_content else "")
        + "check whether the original was sorted by content (by item, by customer, by time); if it was, any order by "
        "content is correlated with it. The promise does not cover this."
    )


def clusters_in_order(release: Disassociated) -> bool:
    """Whether roots and siblings ascend: leaves by what is published of them, then joints by height, parts, chunks."""
    if (np.diff(release.chunk_owner) < 0).any():
        return False
    parent = release.cluster_parent
    published = _published(release)
    children: list[list[int]] = [[] for _ in range(release.n_clusters)]
    for cluster in np.flatnonzero(parent >= 0).tolist():
        children[int(parent[cluster])].append(cluster)
    rank = [0] * release.n_clusters
    ranked = 0
    for nodes in _by_height(parent):
        keys = {node: _key(published[node], [rank[child] for child in children[node]]) for node in nodes}
        last = None
        for node in sorted(nodes, key=keys.__getitem__):
            ranked += keys[node] != last  # equal nodes are interchangeable and share a rank
            last = keys[node]
            rank[node] = ranked
    families = [np.flatnonzero(parent < 0).tolist(), *children]
    return all(rank[elder] <= rank[younger] for family in families for elder, younger in pairwise(family))


def _by_height(parent: Int64) -> list[list[int]]:
    """The clusters by how many levels are below them, the leaves first; long chains cost little."""
    count = len(parent)
    above = np.append(np.where(parent < 0, count, parent), count)
    depth = np.append((parent >= 0).astype(np.int64), 0)
    while (above != count).any():
        depth = depth + depth[above]
        above = above[above]
    height = np.zeros(count, np.int64)
    for level in reversed(_groups(depth[:count])[1:]):
        np.maximum.at(height, parent[level], height[level] + 1)
    return [level.tolist() for level in _groups(height)]


def _groups(numbers: Int64) -> list[Int64]:
    """The places of 0, of 1, of 2, ..."""
    order = np.argsort(numbers, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(np.bincount(numbers))[:-1])


def _published(release: Disassociated) -> list[list[list[int]]]:
    """What is published of each cluster: its terms, items, lengths of subrecords, subrecords of chunks, and size."""
    first_chunk = np.searchsorted(release.chunk_owner, np.arange(release.n_clusters + 1))
    first_row = release.chunk_offsets[first_chunk]
    parts = [
        (release.term_offsets, release.term_items),
        (release.subrecord_offsets[first_row], release.items),
        (first_row, np.diff(release.subrecord_offsets)),
        (first_chunk, np.diff(release.chunk_offsets)),
        (np.arange(release.n_clusters + 1), release.cluster_size),
    ]
    columns = []
    for offsets, numbers in parts:
        values = numbers.tolist()
        columns.append([values[start:end] for start, end in pairwise(offsets.tolist())])
    return [list(cluster) for cluster in zip(*columns, strict=True)]


def _key(published: list[list[int]], children: list[int]) -> list[int]:
    """A leaf's parts, or a joint's children and chunks, one after the other and then their lengths."""
    parts = [children, *published[1:4]] if children else published
    return [*chain.from_iterable(parts), *map(len, parts)]


@dataclass(frozen=True, eq=False)
class _Placed:
    """Records of which the leaf is known, and how they were found."""

    leaf: Int64
    place: Int64
    """Where each stands in the original."""
    numbers: dict[str, Value]


def _drawn(population: Population, generator: np.random.Generator) -> Int64:
    eligible = np.flatnonzero(np.diff(population.offsets))
    return np.sort(generator.choice(eligible, size=min(SAMPLE, len(eligible)), replace=False)).astype(np.int64)


def _placed(population: Population, drawn: Int64, fitting: Fitting) -> _Placed:
    """Those of the drawn records that fit one leaf only."""
    fits = fitting.fits(*population.take(drawn))
    alone = np.bincount(fits.record, minlength=len(drawn))[fits.record] == 1
    numbers: dict[str, Value] = {
        "records_looked_for": len(drawn),
        "records_that_fit_one_cluster_only": int(np.count_nonzero(alone)),
    }
    return _Placed(fits.leaf[alone], drawn[fits.record[alone]], numbers)


def _by_trace(traced: Int64) -> _Placed:
    """All records of the release."""
    place = np.flatnonzero(traced >= 0).astype(np.int64)
    return _Placed(traced[place], place, {"records_placed_by_the_trace": len(place)})


def _rank_correlation(population: Population, drawn: Int64, where: _Placed) -> dict[str, Value]:
    """Spearman's, between where a leaf stands and the mean place in the original of people who fit no other leaf."""
    offsets, items = population.take(drawn)
    leaf = where.leaf
    people = np.bincount(leaf)
    seen = np.flatnonzero(people)
    mean = np.bincount(leaf, weights=where.place)[seen] / people[seen]
    rho = _spearman(seen.astype(np.float64), mean)
    by_content = sorted(range(len(drawn)), key=lambda row: items[offsets[row] : offsets[row + 1]].tolist())
    content_rank = np.empty(len(drawn))
    content_rank[by_content] = np.arange(len(drawn))
    return {
        **where.numbers,
        "clusters_compared": len(seen),
        "rank_correlation_of_clusters_with_the_original": rho,
        "chance_of_such_a_correlation": None if rho is None else erfc(abs(rho) * sqrt((len(seen) - 1) / 2)),
        "rank_correlation_of_the_original_with_its_own_content": _spearman(np.arange(float(len(drawn))), content_rank),
    }


def _spearman(one: Float64, other: Float64) -> float | None:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Float64) -> Float64:
    """Ranks; equal values share their mean rank."""
    _, group, times = np.unique(values, return_inverse=True, return_counts=True)
    mean: Float64 = (np.cumsum(times) - (times - 1) / 2)[group]
    return mean


def _lined_up(release: Disassociated, population: Population) -> dict[str, Value]:
    """Join subrecords of two chunks of a leaf by their row, and count how often the original has the result.

    For comparison, the same with the second chunk shifted by one row: a meaningless order does equally well.
    """
    rows = np.diff(release.chunk_offsets)
    owner = release.chunk_owner
    full = ~release.chunk_shared & (rows == release.cluster_size[owner]) & (rows > 1)
    first = np.flatnonzero(full[:-1] & full[1:] & (owner[1:] == owner[:-1]))
    tried, side_by_side, moved_on = 0, 0, 0
    for chunk in first.tolist():
        if tried >= LINED_UP:
            break
        one, other = _subrecords(release, chunk), _subrecords(release, chunk + 1)
        for row, subrecord in enumerate(one):
            tried += 1
            side_by_side += len(population.records_with(subrecord + other[row])) > 0
            moved_on += len(population.records_with(subrecord + other[row - 1])) > 0
    return {
        "rows_put_together_across_chunks": tried,
        "found_in_the_original_share": side_by_side / tried if tried else None,
        "found_if_moved_on_by_one_share": moved_on / tried if tried else None,
    }


def _subrecords(release: Disassociated, chunk: int) -> list[list[int]]:
    start, end = release.chunk_offsets[chunk : chunk + 2].tolist()
    return [release.items[a:b].tolist() for a, b in pairwise(release.subrecord_offsets[start : end + 1].tolist())]
