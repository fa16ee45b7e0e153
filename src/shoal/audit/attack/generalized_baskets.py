"""Look for people in generalized baskets by a few of their items, and find what all candidate rows share.

The adversary of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 3.1, knows some items of a person and finds the rows
with the nodes that replaced them. For up to m known items the promise says that at least k rows remain; beyond m it
says nothing. It never covers the rest of these rows: an item that is in all of them is certain for the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.adversary import VICTIMS, Adversary, Means
from shoal.audit.attack.finding import Attacks, Finding, Row, Value, quartiles
from shoal.audit.attack.people import Asked, Population, Victims, count_before, draw_victims
from shoal.audit.attack.shares import RANDOM, WORST, both_told, few_left, known_items
from shoal.audit.attack.worst_items import worst_items
from shoal.audit.generalized_baskets.records import recode_or_refuse
from shoal.audit.generalized_baskets.rows import GLOBAL, SHAPE, check_rows, nodes_shown
from shoal.audit.residual import Residual
from shoal.audit.wording import records
from shoal.data.arrays import Int32, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.limits import require_whole
from shoal.release.evidence import Evidence
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import DEFAULT_RUN, Run

KNOWN, CERTAIN = "known items", "certain items"
ORIGINAL, RELEASE = "original", "release"
_FEW = 64


def play(
    release: GeneralizedBaskets,
    evidence: Evidence,
    adversary: Adversary,
    means: Means,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Every attack that the evidence allows."""
    return attack(
        release,
        generator=means.generator(run.chance),
        original=evidence.baskets,
        hierarchy=evidence.hierarchy,
        knows=adversary.knows,
        n_victims=VICTIMS if adversary.victims is None else adversary.victims,
        run=run,
    )


def attack(
    release: GeneralizedBaskets,
    *,
    generator: np.random.Generator,
    original: Transactions | None = None,
    hierarchy: Hierarchy | None = None,
    knows: int | None = None,
    n_victims: int = 1_000,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Look for people by some of their items.

    Args:
        release: The release, as read from its folder.
        generator: The source of chance for drawing people.
        original: The data it was made from. Without it, people are rows of the release, and the known items are
            published ones.
        hierarchy: The hierarchy it was made with; needed with an original, unless the release discloses it.
        knows: The most items of a person that the adversary knows; one more than the release's m by default.
        n_victims: How many people are looked for.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        How many rows remain for each number of known items, and for how many people all of these hold another item.

    Raises:
        InputError: A number is out of range, the release does not have the structure of a generalization, or it was not
            made from this original with this hierarchy.
    """
    most = release.promise.m + 1 if knows is None else knows
    require_whole("knows", most, least=1)
    require_whole("victims", n_victims, least=1)
    if hierarchy is not None and original is None:
        raise InputError(
            "a hierarchy only serves to find people of the original: give the original, too (--original FILE)"
        )
    wrong = [check for check in check_rows(release) if not check.holds and check.name in (*SHAPE, GLOBAL)]
    if wrong:
        raise InputError(f"the release does not have the structure of generalized baskets: {wrong[0].witness}")
    rows = Population.of(release.offsets, release.nodes.astype(np.int64), len(release.tree))
    people, node_of = rows, np.arange(len(release.tree), dtype=np.int32)
    if original is not None:
        node_of = recode_or_refuse(release, original, hierarchy).node_of
        people = Population.of(original.offsets, original.items.astype(np.int64), original.n_items)
    most = min(most, int(np.diff(people.offsets).max(initial=1)))
    victims = draw_victims(people, n_victims, most, generator)
    random, worst = victims.asked(most), worst_items(people, victims, most)
    everybody = len(victims.records) == np.count_nonzero(np.diff(people.offsets))
    found = [
        _Found(
            asked,
            _look(rows, asked, node_of, run),
            None if original is None else count_before(people, asked),
            counted,
        )
        for asked, counted in ((random, False), (worst, bool(everybody)))
    ]
    return Attacks((_known(release, victims, *found), _certain(release, found[0].looks)))


@dataclass(frozen=True)
class _Look:
    """The result of looking for one person with some known items."""

    nodes: tuple[int, ...]
    """What is known, as it is published."""
    rows: int
    """How many rows hold all of it."""
    certain: int | None
    """Another node that all of these rows hold, if there is one."""


@dataclass(frozen=True)
class _Found:
    """The results of one adversary."""

    asked: Asked
    looks: list[list[_Look]]
    """One list for each number of known items."""
    before: list[list[int]] | None
    """Records of the original with the known items, if the original is given."""
    counted: bool
    """Whether all people were looked for, without sampling."""


def _look(rows: Population, asked: Asked, node_of: Int32, run: Run) -> list[list[_Look]]:
    """One list for each number of known items."""
    looks: list[list[_Look]] = []
    seen: dict[tuple[int, ...], _Look] = {}
    done = 0
    for sets in asked.sets:
        looks.append([])
        for items in sets:
            nodes = tuple(np.unique(node_of[list(items)]).tolist())
            if nodes not in seen:
                found = rows.records_with(nodes)
                seen[nodes] = _Look(nodes, len(found), _in_all(rows, found, nodes))
            looks[-1].append(seen[nodes])
            done += 1
            if done % 100 == 0 or done == asked.number:
                run.report(KNOWN, done, asked.number)
    return looks


def _in_all(rows: Population, found: Int64, nodes: tuple[int, ...]) -> int | None:
    """The first other node that all rows with these nodes hold, too."""
    if not len(found):
        return None
    # Where even a few of the rows have nothing in common, the others need not be read.
    few = found[:_FEW]
    held, times = np.unique(rows.take(few)[1], return_counts=True)
    others = [node for node in held[times == len(few)].tolist() if node not in nodes]
    return next((node for node in others if len(rows.records_with((*nodes, node))) == len(found)), None)


def _known(release: GeneralizedBaskets, victims: Victims, random: _Found, worst: _Found) -> Finding:
    k, m = release.promise.k, release.promise.m
    columns = _columns(release, random), _columns(release, worst)
    numbers: dict[str, Value | Sequence[Row]] = {
        "people_drawn": len(victims.known),
        RANDOM: columns[0],
        WORST: columns[1],
    }
    source = RELEASE if random.before is None else ORIGINAL
    who = f"Of {len(victims.known):,} people drawn from the {source}, "
    within = [look for found in (random, worst) for looks in found.looks[:m] for look in looks]
    broken = {look.nodes: look for look in within if look.rows < k}
    if broken:
        few = min(broken.values(), key=lambda look: (look.rows, look.nodes))
        sentence = (
            f"{who}{len(broken):,} sets of up to m = {m} known items leave fewer than k = {k} rows: "
            f"{nodes_shown(release, list(few.nodes))} is held by {records(few.rows)}. The release breaks its promise."
        )
        return Finding(KNOWN, sentence, numbers, breaks_promise=True)
    covered = min(m, len(random.looks))
    smallest = min(look.rows for look in within)
    sentence = (
        f"{who}each has at least {smallest:,} candidate rows while up to {covered} items are known, random or worst."
    )
    if random.before is not None:
        sentence += f" In the original, {both_told(*columns, covered, ORIGINAL, k)}."
    beyond = [
        f"{sum(look.rows == 1 for look in looks):,} of {len(looks):,} with {which.format(known)} known"
        for which, found in (("{} random items", random), ("their worst {} items", worst))
        for known, looks in enumerate(found.looks[m:], start=m + 1)
    ]
    if beyond:
        sentence += f" The promise does not cover more than m = {m}: a single row remains for {', '.join(beyond)}."
    residual = None
    if len(worst.looks) > m and worst.looks[m]:
        singled = sum(look.rows == 1 for look in worst.looks[m]) / len(worst.looks[m])
        residual = Residual(singled, "people drawn", f"have a single row left once their worst {m + 1} items are known")
    return Finding(KNOWN, sentence, numbers, residual=residual)


def _columns(release: GeneralizedBaskets, found: _Found) -> list[Row]:
    """One adversary: a column for each number of known items."""
    k, m = release.promise.k, release.promise.m
    columns: list[Row] = []
    for known, looks in enumerate(found.looks, start=1):
        after, undecided = [look.rows for look in looks], found.asked.undecided[known - 1]
        column: dict[str, Value] = {
            "known_items": known,
            "covered_by_the_promise": known <= m,
            "people": len(after),
            "people_not_decided": undecided,
        }
        counts = {} if found.before is None else {ORIGINAL: found.before[known - 1]}
        for name, seen in {**counts, RELEASE: after}.items():
            column |= few_left(name, seen, k, undecided=undecided, everybody=found.counted)
        column["singled_out_share"] = sum(rows == 1 for rows in after) / len(after) if after else None
        columns.append({**column, **{f"{part}_in_{RELEASE}": value for part, value in quartiles(after).items()}})
    return columns


def _certain(release: GeneralizedBaskets, looks: list[list[_Look]]) -> Finding:
    columns: list[Row] = [
        {
            "known_items": known,
            "victims": len(found),
            "learnt_of_share": sum(look.certain is not None for look in found) / len(found),
        }
        for known, found in enumerate(looks, start=1)
    ]
    known = min(release.promise.m, len(looks))
    learnt = [look for look in looks[known - 1] if look.certain is not None]
    sentence = (
        f"An adversary who knows {known} item{'s' * (known > 1)} of a person learns another published one with "
        f"certainty for {len(learnt):,} of {len(looks[known - 1]):,}: all their candidate rows hold it. The promise "
        "does not cover this."
    )
    if learnt:
        example = max(learnt, key=lambda look: (look.rows, look.nodes))
        assert example.certain is not None
        sentence += (
            f" All {example.rows:,} rows with {nodes_shown(release, list(example.nodes))} hold "
            f"{nodes_shown(release, [example.certain])}."
        )
    words = f"have another item that is certain once {known_items(known, 'random')} of theirs are known"
    residual = Residual(len(learnt) / max(len(looks[known - 1]), 1), "people drawn", words)
    return Finding(CERTAIN, sentence, {"known_and_learnt": columns}, residual=residual)
