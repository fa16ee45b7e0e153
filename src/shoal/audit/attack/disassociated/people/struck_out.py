"""Take known people out of a release: what 'stronger adversaries' do (VLDB 2012, section 5).

An adversary who knows the whole records of some people looks for the cluster of each. A record that fits exactly one
leaf came from there; without it the release is a smaller one, of the other people: one record fewer in the leaf, and
one subrecord fewer in each chunk that it contributed to. A term chunk remains unchanged, since others may hold its
items, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.audit.attack.disassociated.possible_originals.fitting import Fits, Fitting, Remaining
from shoal.audit.attack.finding import Finding, Row, Value, quartiles
from shoal.audit.attack.people import below
from shoal.audit.disassociated.clusters import subrecords_of_clusters
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.residual import Residual
from shoal.data.arrays import Int64
from shoal.release.disassociated import Disassociated


@dataclass(frozen=True, eq=False)
class Struck:
    """A release without the people who could be placed."""

    release: Disassociated | None
    """What remains; None if nobody does."""
    placed: int
    """How many records were placed and taken out."""
    ambiguous: int
    """How many fit several leaves in the end."""
    nowhere: int
    """How many fit no leaf: they are not of this release, or something was suppressed in them."""


def strike(release: Disassociated, offsets: Int64, items: Int64, fitting: Fitting | None = None) -> Struck:
    """Take records out of a release, as many as can be placed.

    Taking one out may leave another with a single leaf, so this is repeated until no more can be placed.

    Args:
        release: a release with a valid structure.
        offsets: where each known record starts in ``items``.
        items: codes of the release.
        fitting: the index of this release, if available.
    """
    index = fitting or Fitting(release)
    fits = index.fits(offsets, items)
    leaves_left = np.bincount(fits.record, minlength=len(offsets) - 1)
    nowhere, placed = int(np.count_nonzero(leaves_left == 0)), 0
    root = _roots(release.cluster_parent)[index.places.leaves]
    left = replace(index.everything)
    while True:
        certain = np.bincount(fits.record, minlength=len(offsets) - 1)[fits.record] == 1
        if not certain.any():
            break
        chosen = fits.take(certain)
        after = _without(index, left, chosen)
        if after is None:
            # Not all of them have room, so not all are of this release: take one in each tree, then look again.
            first = np.zeros(len(chosen.record), bool)
            first[np.unique(root[chosen.leaf], return_index=True)[1]] = True
            chosen = chosen.take(first)
            after = _without(index, left, chosen)
            assert after is not None, "a record that fits has room"
        left = after
        placed += len(chosen.record)
        fits = fits.take(~np.isin(fits.record, chosen.record))
        before = len(np.unique(fits.record))
        fits = fits.take(index.possible(fits, left))
        nowhere += before - len(np.unique(fits.record))
    ambiguous = len(np.unique(fits.record))
    return Struck(_smaller(release, index.bags, left), placed, ambiguous, nowhere)


def attack_known_people(
    release: Disassociated, struck: Struck, known: int, before: list[list[int]], after: list[list[int]]
) -> Finding:
    """How taking known people out changes the candidates of others.

    Args:
        release: the release, for its promise.
        struck: what remains of it.
        known: how many people were known.
        before: for each number of known items, the candidates of each victim in the release.
        after: the same in what remains of it.
    """
    k, m = release.promise.k, release.promise.m
    columns = [
        {
            "known_items": j,
            "victims": len(one),
            "below_k_before": below(one, k),
            "below_k_without_known_people": below(other, k),
            **{f"{name}_without_known_people": value for name, value in quartiles(other).items()},
        }
        for j, (one, other) in enumerate(zip(before, after, strict=True), start=1)
    ]
    fallen = sum(
        count < k <= earlier
        for one, other in zip(before[:m], after[:m], strict=True)
        for earlier, count in zip(one, other, strict=True)
    )
    asked = sum(map(len, before[:m]))
    sentence = (
        f"Of {known:,} people whose whole records are known, {struck.placed:,} fit one cluster only and were taken "
        f"out; then {fallen:,} of {asked:,} sets of up to m = {m} known items of other people fall below k = {k} "
        "candidates. The promise does not cover an adversary who knows whole records."
    )
    numbers: dict[str, Value | Sequence[Row]] = {
        "known_people": known,
        "placed_and_taken_out": struck.placed,
        "fit_several_clusters": struck.ambiguous,
        "fit_no_cluster": struck.nowhere,
        **_weakened(struck.release),
        "candidates": columns,
    }
    residual = Residual(
        fallen / max(asked, 1),
        f"sets of up to m = {m} known items of people",
        f"have fewer than k = {k} candidates once people whose whole records are known are taken out",
    )
    return Finding("known people", sentence, numbers, residual=residual)


def _weakened(release: Disassociated | None) -> dict[str, Value]:
    """How many clusters no longer satisfy the conditions of the promise (section 5 warns about Lemma 2)."""
    if release is None:
        return {}
    k, m = release.promise.k, release.promise.m
    leaf = release.is_leaf
    subrecords, chunks = subrecords_of_clusters(release)
    needed = release.cluster_size + k * (np.minimum(np.maximum(chunks, 1), m) - 1)
    return {
        "clusters_left_with_fewer_than_k_records": int(np.count_nonzero(leaf & (release.cluster_size < k))),
        "clusters_left_without_lemma_2": int(
            np.count_nonzero(leaf & (np.diff(release.term_offsets) == 0) & (subrecords < needed))
        ),
    }


def _without(index: Fitting, left: Remaining, chosen: Fits) -> Remaining | None:
    """What remains without these records, or None if they were too many for a subrecord, a chunk or a cluster."""
    weight = left.weight - np.bincount(chosen.row, minlength=len(left.weight))
    chunk = index.bags.chunk[chosen.row]
    subrecords = left.subrecords - np.bincount(chunk, minlength=len(left.subrecords))
    gone = np.bincount(chosen.leaf, minlength=len(index.places.leaves))
    records = left.records.copy()
    records[index.places.leaves] -= gone
    np.subtract.at(records, index.places.above_joint, gone[index.places.above_leaf])
    if weight.min(initial=0) < 0 or records.min(initial=0) < 0 or (subrecords > records[index.owner]).any():
        return None
    return Remaining(weight, records, subrecords)


def _roots(parent: Int64) -> Int64:
    root = np.where(parent < 0, np.arange(len(parent)), parent)
    while True:
        above = root[root]
        if (above == root).all():
            return root
        root = above


def _smaller(release: Disassociated, bags: Bags, left: Remaining) -> Disassociated | None:
    """The release of the people who remain, without empty clusters and chunks."""
    kept = left.records > 0
    if not kept.any():
        return None
    number = np.cumsum(kept) - 1
    # A cluster without records has no subrecords either: no chunk of a dropped cluster is kept.
    chunks = np.flatnonzero(left.subrecords > 0)
    rows = np.repeat(np.arange(len(bags.chunk)), left.weight)
    lengths = bags.lengths[rows]
    offsets = _offsets(lengths)
    place = np.arange(offsets[-1]) + np.repeat(bags.offsets[rows] - offsets[:-1], lengths)
    parent = release.cluster_parent[kept]
    terms = np.diff(release.term_offsets)
    return replace(
        release,
        cluster_size=left.records[kept],
        cluster_parent=np.where(parent < 0, -1, number[parent]),
        chunk_owner=number[release.chunk_owner[chunks]],
        chunk_shared=release.chunk_shared[chunks],
        chunk_offsets=_offsets(left.subrecords[chunks]),
        subrecord_offsets=offsets,
        items=bags.items[place],
        term_offsets=_offsets(terms[kept]),
        term_items=release.term_items[np.repeat(kept, terms)],
    )


def _offsets(lengths: Int64) -> Int64:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
