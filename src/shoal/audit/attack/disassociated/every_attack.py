"""All attacks on a disassociated release that the evidence allows, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

import numpy as np

from shoal.audit.attack.adversary import STRUCK, VICTIMS, Adversary, Means
from shoal.audit.attack.disassociated.algorithm.minimality import Publisher, attack_backwards
from shoal.audit.attack.disassociated.algorithm.order import attack_order
from shoal.audit.attack.disassociated.cover import attack_cover
from shoal.audit.attack.disassociated.guarantee import report_promise
from shoal.audit.attack.disassociated.intersection import Searched, attack_second_release, draw_itemsets
from shoal.audit.attack.disassociated.people.known_items import (
    Counts,
    Found,
    attack_victims,
    count_after,
    count_own,
    people_in,
)
from shoal.audit.attack.disassociated.people.leaves_of_items import TooManyPlaces
from shoal.audit.attack.disassociated.people.own_cluster import OwnCluster
from shoal.audit.attack.disassociated.people.struck_out import attack_known_people, strike
from shoal.audit.attack.disassociated.possible_originals.candidates import Candidates
from shoal.audit.attack.disassociated.possible_originals.decide import decide
from shoal.audit.attack.disassociated.possible_originals.fitting import Fitting
from shoal.audit.attack.finding import Attacks, Finding, LeftOut
from shoal.audit.attack.people import Asked, Population, Victims, count_before, draw_victims
from shoal.audit.attack.several_releases import NONE_GIVEN
from shoal.audit.attack.worst_items import worst_items
from shoal.audit.disassociated.implied_items import TooWide
from shoal.audit.not_tried import NotAtHand
from shoal.data.arrays import Int64
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.promises import SuppressedKm
from shoal.release.disassociated import Disassociated
from shoal.release.evidence import Evidence
from shoal.run import DEFAULT_RUN, Run

_STRUCK_OUT = "items were suppressed in single records, so records need not fit"
_NO_PUBLISHER = NotAtHand("it needs the algorithm that made the release")
BEYOND = 2
"""The attack also knows so many items more than the promise, or the caller, allows for."""


def play(
    release: Disassociated, evidence: Evidence, adversary: Adversary, means: Means, run: Run = DEFAULT_RUN
) -> Attacks:
    """Every attack that the evidence allows."""
    again = means.publish_again
    return attack(
        release,
        generator=means.generator(run.chance),
        original=evidence.baskets,
        traced=_traced(release, evidence),
        other=cast("Disassociated | None", next(iter(evidence.others), None)),
        knows=adversary.knows,
        n_victims=VICTIMS if adversary.victims is None else adversary.victims,
        struck=STRUCK if adversary.struck is None else adversary.struck,
        publish=again if isinstance(again, NotAtHand) else partial(again, release),
        run=run,
    )


def _traced(release: Disassociated, evidence: Evidence) -> Int64 | None:
    """The cluster of each record, by the trace; refuses the trace of another release or original."""
    if evidence.trace is None:
        return None
    if evidence.baskets is None:
        raise InputError("a trace is about the records of the original: give the original, too")
    clusters = evidence.trace.clusters_of(evidence.baskets, release)
    traced = np.full(len(evidence.baskets), -1, np.int64)
    traced[clusters.rows] = np.repeat(np.arange(len(clusters)), np.diff(clusters.bounds))
    return traced


def attack(
    release: Disassociated,
    *,
    generator: np.random.Generator,
    original: Transactions | None = None,
    traced: Int64 | None = None,
    other: Disassociated | None = None,
    knows: int | None = None,
    n_victims: int = 1_000,
    struck: float = 0.01,
    publish: Publisher | NotAtHand = _NO_PUBLISHER,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Try every attack that the given evidence allows.

    Args:
        release: The release, as read from its folder.
        generator: The source of chance for drawing people.
        original: The data it was made from. Without it the attacks on people are left out.
        traced: The cluster of each record of the original, in the order of the leaves, or -1; None without a trace.
            With it the cluster is not searched for.
        other: A second release of the same people.
        knows: How many items of a person the adversary knows; by default the release's m.
        n_victims: How many people are looked for.
        struck: The share of people whose whole records the adversary knows.
        publish: The algorithm that made the release, with the same k and m, made to put all records into one cluster;
            or the reason why it cannot run here.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One finding for each attack that was tried, and the attacks left out with the reason.

    Raises:
        InputError: A number is out of range, or the release does not have the structure of a disassociation.
    """
    known = release.promise.m if knows is None else knows
    if known < 1:
        raise InputError(f"knows is {known}: an adversary knows at least one item")
    if n_victims < 1:
        raise InputError(f"victims is {n_victims}: look for at least one person")
    if not 0 <= struck <= 1:
        raise InputError(f"struck is {struck}: it is a share of all people, from 0 to 1")
    plan = _Plan(release, generator, original, traced, other, known, n_victims, struck, publish, run)
    return Attacks.of(plan.outcomes())


@dataclass(frozen=True, eq=False)
class _Plan:
    """The evidence for the attacks, and what several of them share."""

    release: Disassociated
    generator: np.random.Generator
    original: Transactions | None
    traced: Int64 | None
    other: Disassociated | None
    known: int
    n_victims: int
    struck: float
    publish: Publisher | NotAtHand
    run: Run

    def outcomes(self) -> Iterator[Finding | LeftOut]:
        """Each attack in turn."""
        attacks: dict[str, Callable[[], Iterator[Finding | LeftOut]]] = {
            "possible originals": self._possible_originals,
            "known items": self._known_items,
            "known people": self._known_people,
            "cover": lambda: iter(attack_cover(self.release)),
            "order": self._order,
            "second release": self._second_release,
            "backwards": self._backwards,
        }
        self.run.report("prepare", 0, 1)
        assert self.candidates is not None  # refuses a release without the structure of a disassociation
        self.run.report("prepare", 1, 1)
        for name, attempt in attacks.items():
            self.run.report(name, 0, 1)
            try:
                yield from attempt()
            except TooManyPlaces:
                yield LeftOut(name, "joint clusters are nested too deeply to index what each cluster may hold")
            except TooWide:
                yield LeftOut(name, "chunks are too wide to look for items that occur only together")
            self.run.report(name, 1, 1)

    @cached_property
    def candidates(self) -> Candidates:
        """The release, prepared for counting."""
        return Candidates.of(self.release)

    @cached_property
    def fitting(self) -> Fitting:
        """The release, prepared for looking up whole records."""
        return Fitting(self.release)

    @cached_property
    def population(self) -> Population | None:
        """The original, if it is given and has people with published items."""
        if self.original is None:
            return None
        people = people_in(self.release, self.original)
        return people if len(people.items) else None

    @cached_property
    def people(self) -> tuple[Int64, Victims]:
        """The people whose whole records are known, and others who are looked for by a few items."""
        assert self.population is not None
        eligible = np.flatnonzero(np.diff(self.population.offsets))
        # At least one person remains to be looked for.
        number = min(round(self.struck * len(eligible)), len(eligible) - 1)
        known = np.sort(self.generator.choice(eligible, size=number, replace=False)).astype(np.int64)
        most = max(self.known, self.release.promise.m) + BEYOND
        return known, draw_victims(self.population, self.n_victims, most, self.generator, spared=known)

    @cached_property
    def random(self) -> Counts:
        """The candidates of the people looked for, by random items."""
        return self._counts(self.people[1].asked(self.known + BEYOND))

    def _counts(self, asked: Asked) -> Counts:
        assert self.population is not None
        after = count_after(self.candidates, asked, self.run.as_stage("known items"))
        return Counts(
            asked, count_before(self.population, asked), after, count_own(self.own_cluster, asked, self.leaves)
        )

    @cached_property
    def own_cluster(self) -> OwnCluster:
        """The release, prepared for counting in the cluster of a person."""
        if self.traced is not None:
            return OwnCluster(self.candidates, None, self.traced)
        try:
            fitting = None if self.release.dropped.plain_instances else self.fitting
        except TooManyPlaces:
            fitting = None
        return OwnCluster(self.candidates, fitting)

    @cached_property
    def leaves(self) -> list[Int64 | None]:
        """The clusters that each of the people looked for may be in."""
        assert self.population is not None
        return self.own_cluster.leaves_of(self.population, np.array(self.people[1].records, np.int64))

    def _possible_originals(self) -> Iterator[Finding | LeftOut]:
        promise = self.release.promise
        yield report_promise(decide(self.release, self.generator), promise)
        if self.known > promise.m:
            yield report_promise(decide(self.release, self.generator, most_known=self.known), promise)

    def _known_items(self) -> Iterator[Finding | LeftOut]:
        if self.population is None:
            yield self._no_people("known items")
            return
        looked_for = self.people[1]
        worst = self._counts(worst_items(self.population, looked_for, self.known + 1))
        everybody = len(looked_for.records) == np.count_nonzero(np.diff(self.population.offsets))
        yield attack_victims(
            self.candidates, Found(looked_for, self.random, worst, bool(everybody), self.traced is not None)
        )

    def _known_people(self) -> Iterator[Finding | LeftOut]:
        if self.population is None:
            yield self._no_people("known people")
            return
        if self.release.dropped.plain_instances:
            yield LeftOut("known people", _STRUCK_OUT)
            return
        known, _ = self.people
        if len(known) == 0:
            yield LeftOut(
                "known people", "the share of people whose records are known is too small for a single person"
            )
            return
        left = strike(self.release, *self.population.take(known), self.fitting)
        smaller = None if left.release is None else Candidates.of(left.release)
        after = count_after(smaller, self.random.asked, self.run.as_stage("known people"))
        yield attack_known_people(self.release, left, len(known), self.random.after, after)

    def _order(self) -> Iterator[Finding | LeftOut]:
        if self.population is not None and self.traced is not None:
            yield attack_order(self.release, self.population, self.generator, traced=self.traced)
        elif self.population is None or self.release.dropped.plain_instances:
            yield attack_order(self.release)
        else:
            yield attack_order(self.release, self.population, self.generator, self.fitting)

    def _second_release(self) -> Iterator[Finding | LeftOut]:
        if self.other is None:
            yield NONE_GIVEN
            return
        if self.release.dropped.plain_instances or self.other.dropped.plain_instances:
            yield LeftOut("second release", _STRUCK_OUT)
            return
        sets = (
            draw_itemsets(self.release, self.n_victims, self.known, self.generator)
            if self.population is None
            else self.people[1]
        )
        first = Searched.of(self.candidates, self.other)
        second = Searched.of(Candidates.of(self.other), self.release)
        yield attack_second_release(first, second, sets, self.known, self.run.as_stage("second release"))

    def _backwards(self) -> Iterator[Finding | LeftOut]:
        if self.release.diversity is not None or self.release.links is not None:
            yield LeftOut("backwards", "it does not support releases that promise more than k and m")
        elif isinstance(self.release.promise, SuppressedKm):
            yield LeftOut("backwards", "it does not support releases with suppression")
        elif isinstance(self.publish, NotAtHand):
            yield LeftOut("backwards", self.publish.why)
        else:
            yield attack_backwards(self.release, self.publish, run=self.run.as_stage("backwards"))

    def _no_people(self, name: str) -> LeftOut:
        if self.original is None:
            return LeftOut(name, "it needs the data that the release was made from (--original FILE)")
        return LeftOut(name, "no record of the original holds an item of the release")
