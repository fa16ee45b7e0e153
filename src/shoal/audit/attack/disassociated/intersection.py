"""Two releases of the same people: how much one of them adds to a search in the other.

Each release keeps its own promise, and neither covers both together. This module runs one simple, sound attack. An
adversary who knows a set K of a person's items finds, in one release, the leaves that may hold a record with K; an item
that every record of every such leaf holds (form (a) of the cover problem) is an item of that person. It is added to K,
and the other release is searched with the larger set; once each way. The remaining candidates are the fewest found in
either release with either set. A stronger adversary may learn more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.attack.disassociated.cover import certain_links
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.finding import Finding, Row, quartiles
from shoal.audit.attack.people import Victims, below
from shoal.audit.disassociated.sensitive import sensitive_items
from shoal.audit.residual import Residual
from shoal.data.arrays import Int64
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run


@dataclass(frozen=True, eq=False)
class Searched:
    """One of the two releases, prepared for searching."""

    candidates: Candidates
    code: Int64
    """For each item of the other release its code here, or -1."""
    covering: Int64
    """Items that all records of a leaf hold, leaf after leaf,"""
    covering_offsets: Int64
    """and the start of those of each cluster."""

    @classmethod
    def of(cls, candidates: Candidates, other: Disassociated) -> Searched:
        """Prepare a release for questions from another one."""
        release = candidates.trees.release
        found = pc.index_in(other.vocabulary.cast(pa.string()), release.vocabulary.cast(pa.string()))
        code = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        if release.dropped.sensitive_instances:
            # A person who holds one need not hold it here.
            struck = sensitive_items(release)
            code = np.where(np.append(struck, False)[code], -1, code)
        links = certain_links(release)
        bounds = np.searchsorted(links.leaf, np.arange(release.n_clusters + 1)).astype(np.int64)
        return cls(candidates, code, links.covering, bounds)

    def leaves(self, items: Sequence[int]) -> list[int]:
        """The leaves, by cluster number, that may hold a record with all of the items; no leaves for no items."""
        groups = self.candidates.index.split(items) if items else []
        return [leaf for group in groups for leaf in self.candidates.trees.leaves[group.leaf].tolist()]

    def certain(self, leaves: Sequence[int]) -> set[int]:
        """The items that all records of all these leaves hold."""
        common: set[int] = set()
        for place, leaf in enumerate(leaves):
            own = set(self.covering[self.covering_offsets[leaf] : self.covering_offsets[leaf + 1]].tolist())
            common = own if place == 0 else common & own
            if not common:
                break
        return common

    def translated(self, items: Sequence[int] | set[int]) -> list[int]:
        """Items of the other release in the codes of this one, as far as it has them."""
        codes = self.code[np.fromiter(items, np.int64)]
        return sorted(codes[codes >= 0].tolist())

    def count(self, items: Sequence[int]) -> int:
        """How many records may hold a set; all records if this release names none of its items."""
        return self.candidates.at_least(items) if items else self.candidates.trees.release.n_records


@dataclass(frozen=True)
class _Met:
    """The result of looking for one set of known items in the two releases."""

    alone: int
    together: int
    gained: int
    leaves: int
    other_leaves: int


def attack_second_release(
    first: Searched, second: Searched, known: Victims, most_known: int, run: Run = DEFAULT_RUN
) -> Finding:
    """How far a second release narrows the candidates of people with 1 to ``most_known`` known items.

    ``known``: sets of items, in codes of the first release.
    """
    k = first.candidates.trees.release.promise.k
    met: list[list[_Met]] = [[] for _ in range(most_known)]
    seen: dict[tuple[int, ...], _Met] = {}
    for done, items in enumerate(known.known, start=1):
        for j in range(1, min(most_known, len(items)) + 1):
            here = tuple(sorted(items[:j]))
            if here not in seen:
                seen[here] = _meet(first, second, here)
            met[j - 1].append(seen[here])
        if done % 50 == 0:
            run.report("second release", done, len(known.known))
    columns = [_column(j, sets, k) for j, sets in enumerate(met, start=1)]
    every = [one for sets in met for one in sets]
    fallen = sum(one.together < k <= one.alone for one in every)
    smallest = min((one.together for one in every), default=0)
    sentence = (
        f"With a second release of the same people, {fallen:,} of {len(every):,} sets of up to {most_known} known "
        f"items that had k = {k} candidates in the first release have fewer; the smallest number of candidates left is "
        f"{smallest:,}. The promise does not cover a second release."
    )
    words = f"have fewer than k = {k} candidates by both releases together, and had k by the first alone"
    residual = Residual(fallen / max(len(every), 1), f"sets of up to {most_known} known items", words)
    return Finding("second release", sentence, {"candidates": columns}, residual=residual)


def _meet(first: Searched, second: Searched, here: Sequence[int]) -> _Met:
    there = second.translated(here)
    leaves, other_leaves = first.leaves(here), second.leaves(there)
    from_first = set(second.translated(first.certain(leaves))) - set(there)
    from_second = set(first.translated(second.certain(other_leaves))) - set(here)
    alone = first.count(here)
    together = min(alone, second.count(there))
    if from_second:
        together = min(together, first.count(sorted({*here, *from_second})))
    if from_first:
        together = min(together, second.count(sorted({*there, *from_first})))
    return _Met(alone, together, len(from_first) + len(from_second), len(leaves), len(other_leaves))


def _column(j: int, sets: list[_Met], k: int) -> Row:
    together = [one.together for one in sets]
    return {
        "known_items": j,
        "sets": len(sets),
        "below_k_in_the_first_alone": below([one.alone for one in sets], k),
        "below_k_with_both": below(together, k),
        "fewer_with_both_than_alone": sum(one.together < one.alone for one in sets),
        "sets_that_gained_items": sum(one.gained > 0 for one in sets),
        **{f"{name}_with_both": value for name, value in quartiles(together).items()},
        "median_clusters_in_the_first": quartiles([one.leaves for one in sets])["median"],
        "median_clusters_in_the_second": quartiles([one.other_leaves for one in sets])["median"],
    }


def draw_itemsets(release: Disassociated, number: int, most_known: int, generator: np.random.Generator) -> Victims:
    """Without an original: sets of items that occur together, drawn from random subrecords of the release."""
    drawn = np.sort(generator.choice(release.n_subrecords, size=min(number, release.n_subrecords), replace=False))
    known = []
    for row in drawn.tolist():
        items = release.items[release.subrecord_offsets[row] : release.subrecord_offsets[row + 1]]
        known.append(tuple(generator.permutation(items)[:most_known].tolist()))
    return Victims(tuple(drawn.tolist()), tuple(known))
