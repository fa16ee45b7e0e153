"""People of the original looked for in the release by a few of their items.

The adversary of Terrovitis et al., VLDB 2012, section 2, played with the original at hand: draw people, tell the
adversary some items of each, and count the records that may be theirs: in the original, and in the most favourable
possible original of the release. Up to m known items the promise says that at least k remain; beyond m it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from shoal.audit.against_original import Matched, match
from shoal.audit.attack.candidates import Candidates
from shoal.audit.attack.ceilings import at_most
from shoal.audit.attack.finding import Finding, Row, Value, quartiles
from shoal.audit.sensitive import sensitive_items
from shoal.audit.wording import itemset, records
from shoal.data.transactions import Transactions
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Progress = Callable[[int, int], None]
"""Called with how many victims are done, and how many there are."""


@dataclass(frozen=True, eq=False)
class Population:
    """People with what an adversary could look for of them, indexed by it."""

    offsets: Int64
    items: Int64
    postings: Int64
    """The records of each item, item after item, ascending."""
    posting_offsets: Int64

    @classmethod
    def of(cls, release: Disassociated, original: Transactions) -> Population:
        """Without items that were dropped, and without sensitive items where occurrences of them were struck out."""
        matched = match(release, original)
        wanted = matched.items >= 0
        if release.dropped.sensitive_instances:
            wanted &= ~np.append(sensitive_items(release), False)[matched.items]
        return cls.of_rows(*_only(matched, wanted), len(release.vocabulary))

    @classmethod
    def of_rows(cls, offsets: Int64, items: Int64, n_items: int) -> Population:
        """Any rows, of items from 0 to n_items - 1."""
        record = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
        order = np.argsort(items, kind="stable")
        bounds = np.searchsorted(items[order], np.arange(n_items + 1))
        return cls(offsets, items, record[order], bounds.astype(np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def records_with(self, codes: Sequence[int]) -> Int64:
        """The records that contain a set of items."""
        lists = sorted((self._posting(code) for code in codes), key=len)
        found = lists[0] if lists else np.arange(len(self), dtype=np.int64)
        for other in lists[1:]:
            if len(found) == 0 or len(other) == 0:
                return found[:0]
            place = np.minimum(np.searchsorted(other, found), len(other) - 1)
            found = found[other[place] == found]
        return found

    def take(self, records: Int64) -> tuple[Int64, Int64]:
        """Some records as a ragged array of their own."""
        lengths = np.diff(self.offsets)[records]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        place = np.arange(offsets[-1]) + np.repeat(self.offsets[records] - offsets[:-1], lengths)
        return offsets, self.items[place]

    def _posting(self, code: int) -> Int64:
        return self.postings[self.posting_offsets[code] : self.posting_offsets[code + 1]]


def _only(matched: Matched, wanted: Bools) -> tuple[Int64, Int64]:
    offsets = np.concatenate([[0], np.cumsum(wanted)])[matched.offsets].astype(np.int64)
    return offsets, matched.items[wanted].astype(np.int64)


@dataclass(frozen=True)
class Victims:
    """People, each with some of their items in the order in which an adversary gets to know them."""

    records: tuple[int, ...]
    known: tuple[tuple[int, ...], ...]
    """The first j of a victim's items are j random ones of its record."""

    def sets(self, j: int) -> list[tuple[int, ...]]:
        """What is known when j items are, of the victims that have so many."""
        return [items[:j] for items in self.known if len(items) >= j]


def draw_victims(
    population: Population,
    number: int,
    most_known: int,
    generator: np.random.Generator,
    *,
    spared: Int64 | None = None,
) -> Victims:
    """Draw different records, and up to ``most_known`` items of each.

    Args:
        population: the people.
        number: how many to draw; fewer are drawn where there are not so many.
        most_known: how many items of each the adversary gets to know at most.
        generator: the source of chance.
        spared: records that are not drawn.
    """
    eligible = np.diff(population.offsets) > 0
    if spared is not None:
        eligible[spared] = False
    people = np.flatnonzero(eligible)
    drawn = np.sort(generator.choice(people, size=min(number, len(people)), replace=False))
    offsets, items = population.take(drawn)
    known = []
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        known.append(tuple(generator.permutation(items[start:end])[:most_known].tolist()))
    return Victims(tuple(drawn.tolist()), tuple(known))


def count_after(
    candidates: Candidates | None, victims: Victims, most_known: int, progress: Progress | None = None
) -> list[list[int]]:
    """For each number j of known items, how many records of the release may belong to each victim with so many."""
    counts: list[list[int]] = [[] for _ in range(most_known)]
    counted: dict[tuple[int, ...], int] = {}
    for done, items in enumerate(victims.known, start=1):
        for j in range(1, min(most_known, len(items)) + 1):
            known = tuple(sorted(items[:j]))
            if known not in counted:
                counted[known] = 0 if candidates is None else candidates.at_least(known)
            counts[j - 1].append(counted[known])
        if progress is not None and done % 50 == 0:
            progress(done, len(victims.known))
    return counts


def count_before(population: Population, victims: Victims, most_known: int) -> list[list[int]]:
    """The same for the original itself."""
    return [[len(population.records_with(items)) for items in victims.sets(j)] for j in range(1, most_known + 1)]


@dataclass(frozen=True)
class Counts:
    """For each number j of known items, how many candidates each victim with so many items has."""

    before: list[list[int]]
    """Records of the original that hold the known items."""
    after: list[list[int]]
    """Records that hold them in the most favourable possible original that was found."""


def attack_victims(candidates: Candidates, victims: Victims, counts: Counts) -> Finding:
    """How many records an adversary has to reckon with, before and after publishing, by how much is known."""
    release = candidates.trees.release
    k, m = release.promise.k, release.promise.m
    columns = [
        {
            "known_items": j,
            "covered_by_the_promise": j <= m,
            "victims": len(before),
            "below_k_before": below(before, k),
            "below_k_after": below(after, k),
            **{f"{name}_before": value for name, value in quartiles(before).items()},
            **{f"{name}_after": value for name, value in quartiles(after).items()},
        }
        for j, (before, after) in enumerate(zip(counts.before, counts.after, strict=True), start=1)
    ]
    few = [
        (items, count)
        for j, after in enumerate(counts.after[:m], start=1)
        for items, count in zip(victims.sets(j), after, strict=True)
        if count < k
    ]
    # Where occurrences were struck out of records, a set of the original need not be in any possible original.
    gone = 0
    if release.dropped.plain_instances:
        gone = sum(count == 0 and at_most(candidates, items) == 0 for items, count in few)
        few = [(items, count) for items, count in few if count or at_most(candidates, items)]
    broken = [items for items, _ in few if at_most(candidates, items) < k]
    numbers: dict[str, Value | Sequence[Row]] = {
        "sets_in_no_possible_original": gone,
        "sets_below_k_within_the_promise": len(few),
        "of_these_proven_in_every_possible_original": len(broken),
        "candidates": columns,
    }
    sentence = _broken(candidates, victims, broken) if broken else _kept(release, victims, counts, len(few), gone)
    return Finding("known items", sentence, numbers, bool(broken))


def below(counts: Sequence[int], k: int) -> int:
    """How many of some counts are below k."""
    return sum(count < k for count in counts)


def _broken(candidates: Candidates, victims: Victims, broken: list[tuple[int, ...]]) -> str:
    release = candidates.trees.release
    count, items = min((at_most(candidates, items), items) for items in broken)
    return (
        f"Of {len(victims.known):,} people drawn from the original, {len(broken):,} sets of up to m = "
        f"{release.promise.m} known items leave fewer than k = {release.promise.k} candidates: no possible original "
        f"has more than {records(count)} with {itemset(release.vocabulary, sorted(items))}. The release breaks its "
        "promise, or is not of this original."
    )


def _kept(release: Disassociated, victims: Victims, counts: Counts, unsettled: int, gone: int) -> str:
    k, m = release.promise.k, release.promise.m
    known = min(m, len(counts.before))
    found = below(counts.before[known - 1], k)
    smallest = min((count for count in chain.from_iterable(counts.after[:known]) if count or not gone), default=0)
    sentence = (
        f"Of {len(victims.known):,} people drawn from the original, {found:,} have fewer than k = {k} candidates there "
        f"once {known} of their items are known; in the release "
    )
    if unsettled:
        sentence += f"k were found for all but {unsettled:,} sets of up to {known} items, for which it is not settled"
    else:
        sentence += f"everybody drawn has at least {smallest:,}"
    if gone:
        sentence += (
            f", but for {gone:,} sets that are in no possible original, because items were struck out of records"
        )
    beyond = [
        f"{below(after, k):,} of {len(after):,} with {j} known items"
        for j, after in enumerate(counts.after[m:], start=m + 1)
    ]
    if beyond:
        sentence += f". The promise does not cover more than m = {m}: fewer than k are left to {', '.join(beyond)}"
    return sentence + "."
