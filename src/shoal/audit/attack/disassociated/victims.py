"""People of the original looked for in the release by a few of their items.

The adversary of Terrovitis et al., VLDB 2012, section 2, played with the original at hand: draw people, tell the
adversary some items of each, and count the records that may be theirs: in the original, and in the most favourable
possible original of the release. Up to m known items the promise says that at least k remain; beyond m it says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from shoal.audit.attack.disassociated.candidates import Candidates
from shoal.audit.attack.disassociated.ceilings import at_most
from shoal.audit.attack.finding import Finding, Row, Value, quartiles
from shoal.audit.attack.people import Population, Progress, Victims, below
from shoal.audit.disassociated.against_original import Matched, match
from shoal.audit.disassociated.sensitive import sensitive_items
from shoal.audit.wording import itemset, records
from shoal.data.transactions import Transactions
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def people_in(release: Disassociated, original: Transactions) -> Population:
    """The people of an original, with what an adversary could look for of them in a release.

    That is without items that were dropped, and without sensitive items where occurrences of them were struck out.
    """
    matched = match(release, original)
    wanted = matched.items >= 0
    if release.dropped.sensitive_instances:
        wanted &= ~np.append(sensitive_items(release), False)[matched.items]
    return Population.of(*_only(matched, wanted), len(release.vocabulary))


def _only(matched: Matched, wanted: Bools) -> tuple[Int64, Int64]:
    offsets = np.concatenate([[0], np.cumsum(wanted)])[matched.offsets].astype(np.int64)
    return offsets, matched.items[wanted].astype(np.int64)


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
