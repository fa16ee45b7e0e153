"""Look for people of the original in the release by a few of their items.

The adversary of Terrovitis et al., VLDB 2012, section 2, run with the original: draw people, give the adversary some
items of each, and count the candidate records: in the original, and in the most favourable possible original of the
release. For up to m known items the promise says that at least k remain; beyond m it says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.disassociated.people.own_cluster import OwnCluster
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.ceilings import at_most
from shoal.audit.attack.finding import Finding, Row, Value, quartiles
from shoal.audit.attack.people import Asked, Itemset, Population, Victims, below
from shoal.audit.attack.shares import RANDOM, WORST, both_told, few_left, known_items
from shoal.audit.disassociated.against_original import Matched, match
from shoal.audit.disassociated.sensitive import sensitive_items
from shoal.audit.residual import Residual
from shoal.audit.wording import itemset, records
from shoal.data.arrays import Bools, Int64
from shoal.data.transactions import Transactions
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run

ORIGINAL, FAVOURABLE, OWN_CLUSTER = "original", "most_favourable_original", "own_cluster"
"""Where candidates are counted."""


def people_in(release: Disassociated, original: Transactions) -> Population:
    """The people of an original, with what an adversary could look up of them in a release.

    That excludes items that were dropped, and sensitive items if occurrences of them were suppressed.
    """
    matched = match(release, original)
    wanted = matched.items >= 0
    if release.dropped.sensitive_instances:
        wanted &= ~np.append(sensitive_items(release), False)[matched.items]
    return Population.of(*_only(matched, wanted), len(release.vocabulary))


def _only(matched: Matched, wanted: Bools) -> tuple[Int64, Int64]:
    offsets = np.concatenate([[0], np.cumsum(wanted)])[matched.offsets].astype(np.int64)
    return offsets, matched.items[wanted].astype(np.int64)


def count_after(candidates: Candidates | None, asked: Asked, run: Run = DEFAULT_RUN) -> list[list[int]]:
    """For each number j of known items, how many records of the release may hold each of the known sets."""
    counted: dict[Itemset, int] = {}
    counts: list[list[int]] = []
    done = 0
    for sets in asked.sets:
        counts.append([])
        for items in sets:
            known = tuple(sorted(items))
            if known not in counted:
                counted[known] = 0 if candidates is None else candidates.at_least(known)
            counts[-1].append(counted[known])
            done += 1
            if done % 100 == 0:
                run.report("known items", done, asked.number)
    return counts


def count_own(own: OwnCluster, asked: Asked, leaves: Sequence[Int64 | None]) -> list[list[int]]:
    """For each number j of known items, how many records of a person's own cluster fit each of the known sets.

    ``leaves``: the leaves that each victim may be in.
    """
    return [
        [own.count(items, leaves[at]) for items, at in zip(sets, who, strict=True)]
        for sets, who in zip(asked.sets, asked.who, strict=True)
    ]


@dataclass(frozen=True)
class Counts:
    """For each number j of known items, how many candidates each victim asked for has."""

    asked: Asked
    before: list[list[int]]
    """Records of the original that hold the known items."""
    after: list[list[int]]
    """Records that hold them in the most favourable possible original that was found."""
    own: list[list[int]]
    """Records of the person's own cluster that match them."""


@dataclass(frozen=True)
class Found:
    """The counts of two adversaries: one knows random items of people, the other the worst."""

    victims: Victims
    random: Counts
    worst: Counts
    everybody: bool = False
    """Whether all people were drawn as victims."""
    traced: bool = False
    """Whether a trace gives each person's cluster."""


def attack_victims(candidates: Candidates, found: Found) -> Finding:
    """How many candidate records remain, before and after publishing, by the number of known items."""
    release = candidates.trees.release
    k, m = release.promise.k, release.promise.m
    few = sorted(
        {
            (tuple(sorted(items)), count)
            for counts in (found.random, found.worst)
            for sets, after in zip(counts.asked.sets[:m], counts.after[:m], strict=True)
            for items, count in zip(sets, after, strict=True)
            if count < k
        }
    )
    # If occurrences were suppressed in records, a set of the original need not be in any possible original.
    gone = 0
    if release.dropped.plain_instances:
        gone = sum(count == 0 and at_most(candidates, items) == 0 for items, count in few)
        few = [(items, count) for items, count in few if count or at_most(candidates, items)]
    broken = [items for items, _ in few if at_most(candidates, items) < k]
    numbers: dict[str, Value | Sequence[Row]] = {
        "people_drawn": len(found.victims.known),
        "sets_in_no_possible_original": gone,
        "sets_below_k_within_the_promise": len(few),
        "of_these_proven_in_every_possible_original": len(broken),
        **({"sets_not_in_the_own_cluster": _not_in_own(found, m)} if found.traced else {}),
        RANDOM: _columns(release, found.random, everybody=False),
        WORST: _columns(release, found.worst, everybody=found.everybody),
    }
    sentence = _broken(candidates, found.victims, broken) if broken else _kept(release, found, len(few), gone)
    return Finding("known items", sentence, numbers, bool(broken), _beyond(release, found.worst))


def _not_in_own(found: Found, most_known: int) -> int:
    """How many sets are in the release, but not in the person's own cluster: items were struck out of the record."""
    return sum(
        own == 0 < after
        for counts in (found.random, found.worst)
        for rows in zip(counts.own[:most_known], counts.after[:most_known], strict=True)
        for own, after in zip(*rows, strict=True)
    )


def _beyond(release: Disassociated, worst: Counts) -> Residual | None:
    """The share of people with fewer than k candidates in their own cluster once their worst m + 1 items are known."""
    k, m = release.promise.k, release.promise.m
    if len(worst.own) <= m or not worst.own[m]:
        return None
    words = f"have fewer than {k} candidates in their own cluster once their worst {known_items(m + 1)} are known"
    return Residual(below(worst.own[m], k) / len(worst.own[m]), "people drawn", words)


def _columns(release: Disassociated, counts: Counts, *, everybody: bool) -> list[Row]:
    """One adversary: a column for each number of known items."""
    k, m = release.promise.k, release.promise.m
    columns: list[Row] = []
    for j, (before, after, own) in enumerate(zip(counts.before, counts.after, counts.own, strict=True), start=1):
        undecided = counts.asked.undecided[j - 1]
        column: dict[str, Value] = {
            "known_items": j,
            "covered_by_the_promise": j <= m,
            "people": len(before),
            "people_not_decided": undecided,
        }
        for name, seen in ((ORIGINAL, before), (FAVOURABLE, after), (OWN_CLUSTER, own)):
            column |= few_left(name, seen, k, undecided=undecided, everybody=everybody)
        for name, seen in ((ORIGINAL, before), (FAVOURABLE, after), (OWN_CLUSTER, own)):
            column |= {f"{part}_in_{name}": value for part, value in quartiles(seen).items()}
        columns.append(column)
    return columns


def _broken(candidates: Candidates, victims: Victims, broken: list[tuple[int, ...]]) -> str:
    release = candidates.trees.release
    count, items = min((at_most(candidates, items), items) for items in broken)
    return (
        f"Of {len(victims.known):,} people drawn from the original, {len(broken):,} sets of up to m = "
        f"{release.promise.m} known items leave fewer than k = {release.promise.k} candidates: no possible original "
        f"has more than {records(count)} with {itemset(release.vocabulary, sorted(items))}. The release breaks its "
        "promise, or was not made from this original."
    )


def _kept(release: Disassociated, found: Found, unsettled: int, gone: int) -> str:
    k, m = release.promise.k, release.promise.m
    known = min(m, len(found.random.before))
    random = _columns(release, found.random, everybody=False)
    worst = _columns(release, found.worst, everybody=found.everybody)
    sentence = f"In the original, {both_told(random, worst, known, ORIGINAL, k)}. In the release "
    both = (found.random, found.worst)
    after = [count for counts in both for row in counts.after[:known] for count in row if count or not gone]
    absent = _not_in_own(found, known) if found.traced else 0
    own = [count for counts in both for row in counts.own[:known] for count in row if count or not (gone or absent)]
    if unsettled:
        sentence += f"k were found for all but {unsettled:,} sets of up to {known} items, for which it is undecided"
    else:
        sentence += (
            f"each person drawn has at least {min(after, default=0):,} in the most favourable possible original, and "
            f"at least {min(own, default=0):,} in their own cluster"
        )
    if gone:
        sentence += (
            f", except for {gone:,} sets that are in no possible original, because items were suppressed in records"
        )
    if absent:
        sentence += (
            f", except for {absent:,} sets that are not in the person's own cluster, because items were struck out of "
            "the record"
        )
    beyond = [
        f"{below(after, k):,} (in their own cluster {below(own, k):,}) of {len(after):,} with {j} random items"
        for j, (after, own) in enumerate(zip(found.random.after[m:], found.random.own[m:], strict=True), start=m + 1)
    ]
    if beyond:
        sentence += f". The promise does not cover more than m = {m}: fewer than k remain for {', '.join(beyond)}"
    return sentence + "."
