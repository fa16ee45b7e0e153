"""People looked for in generalized baskets by a few of their items, and what all rows that may be theirs share.

The adversary of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 3.1, who knows some items of a person and takes the
rows that hold what these were replaced by. Up to m known items the promise says that at least k remain; beyond m it
says nothing. It never says anything of what these rows hold beside: an item that is in all of them is known of whoever
is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.finding import Attacks, Finding, Row, Value, quartiles
from shoal.audit.attack.people import Population, Victims, below, count_before, draw_victims
from shoal.audit.generalized_baskets.records import recode_or_refuse
from shoal.audit.generalized_baskets.rows import GLOBAL, SHAPE, check_rows, nodes_shown
from shoal.audit.wording import records
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Int32, Int64, Transactions
from shoal.errors import InputError
from shoal.limits import require_whole
from shoal.release.generalized_baskets import GeneralizedBaskets

Progress = Callable[[str, int, int], None]
"""Called with the attack, how many steps are done, and how many there are."""

KNOWN, CERTAIN = "known items", "certain items"
_FEW = 64


def attack(
    release: GeneralizedBaskets,
    *,
    generator: np.random.Generator,
    original: Transactions | None = None,
    hierarchy: Hierarchy | None = None,
    knows: int | None = None,
    n_victims: int = 1_000,
    progress: Progress | None = None,
) -> Attacks:
    """Look for people by some of their items.

    Args:
        release: The release, as read back from its folder.
        generator: The source of chance for drawing people.
        original: The data it was made from. Without it people are rows of the release, of whom published items are
            known.
        hierarchy: What it was made with; needed with an original, unless the release discloses it.
        knows: How many items of a person the adversary knows at most; one more than the release's m by default.
        n_victims: How many people are looked for.
        progress: Called with the attack, how many people are done, and how many there are.

    Returns:
        How many rows remain for each number of known items, and for how many people all of these hold something more.

    Raises:
        InputError: A number is out of range, the release is not put together as a generalization is, or it is not one
            of this original and hierarchy.
    """
    most = release.promise.m + 1 if knows is None else knows
    require_whole("knows", most, least=1)
    require_whole("victims", n_victims, least=1)
    if hierarchy is not None and original is None:
        raise InputError("the hierarchy is for finding people of the original: give that, too (--original FILE)")
    wrong = [check for check in check_rows(release) if not check.holds and check.name in (*SHAPE, GLOBAL)]
    if wrong:
        raise InputError(f"the release is not put together as generalized baskets: {wrong[0].witness}")
    rows = Population.of(release.offsets, release.nodes.astype(np.int64), len(release.tree))
    people, node_of = rows, np.arange(len(release.tree), dtype=np.int32)
    if original is not None:
        node_of = recode_or_refuse(release, original, hierarchy).node_of
        people = Population.of(original.offsets, original.items.astype(np.int64), original.n_items)
    most = min(most, int(np.diff(people.offsets).max(initial=1)))
    victims = draw_victims(people, n_victims, most, generator)
    before = None if original is None else count_before(people, victims, most)
    looks = _look(rows, victims, node_of, most, progress)
    return Attacks((_known(release, victims, looks, before), _certain(release, looks)))


@dataclass(frozen=True)
class _Look:
    """What came of looking for one person with so many known items."""

    nodes: tuple[int, ...]
    """What is known, as it is published."""
    rows: int
    """How many rows hold all of it."""
    certain: int | None
    """Another node that all of these hold, if there is one."""


def _look(
    rows: Population, victims: Victims, node_of: Int32, most: int, progress: Progress | None
) -> list[list[_Look]]:
    """One list for each number of known items."""
    looks: list[list[_Look]] = [[] for _ in range(most)]
    seen: dict[tuple[int, ...], _Look] = {}
    for done, items in enumerate(victims.known, start=1):
        for known in range(1, len(items) + 1):
            nodes = tuple(np.unique(node_of[list(items[:known])]).tolist())
            if nodes not in seen:
                found = rows.records_with(nodes)
                seen[nodes] = _Look(nodes, len(found), _in_all(rows, found, nodes))
            looks[known - 1].append(seen[nodes])
        if progress is not None and (done % 50 == 0 or done == len(victims.known)):
            progress(KNOWN, done, len(victims.known))
    return looks


def _in_all(rows: Population, found: Int64, nodes: tuple[int, ...]) -> int | None:
    """The first node beside some that all of the rows that hold those hold, too."""
    if not len(found):
        return None
    # What not even a few of the rows have in common needs no look at all of them.
    few = found[:_FEW]
    held, times = np.unique(rows.take(few)[1], return_counts=True)
    others = [node for node in held[times == len(few)].tolist() if node not in nodes]
    return next((node for node in others if len(rows.records_with((*nodes, node))) == len(found)), None)


def _known(
    release: GeneralizedBaskets, victims: Victims, looks: list[list[_Look]], before: list[list[int]] | None
) -> Finding:
    k, m = release.promise.k, release.promise.m
    columns: list[Row] = []
    for known, found in enumerate(looks, start=1):
        after = [look.rows for look in found]
        column: dict[str, Value] = {"known_items": known, "covered_by_the_promise": known <= m, "victims": len(after)}
        if before is not None:
            column["below_k_before"] = below(before[known - 1], k)
        column["below_k"] = below(after, k)
        column["singled_out_share"] = sum(rows == 1 for rows in after) / len(after)
        columns.append({**column, **quartiles(after)})
    numbers: dict[str, Value | Sequence[Row]] = {"rows_that_remain": columns}
    who = f"Of {len(victims.known):,} people drawn from the {'release' if before is None else 'original'}, "
    broken = [look for found in looks[:m] for look in found if look.rows < k]
    if broken:
        few = min(broken, key=lambda look: (look.rows, look.nodes))
        sentence = (
            f"{who}{len(broken):,} sets of up to m = {m} known items leave fewer than k = {k} rows: "
            f"{nodes_shown(release, list(few.nodes))} is held by {records(few.rows)}. The release breaks its promise."
        )
        return Finding(KNOWN, sentence, numbers, breaks_promise=True)
    covered = min(m, len(looks))
    smallest = min(look.rows for found in looks[:covered] for look in found)
    sentence = (
        f"{who}everybody has at least {smallest:,} rows that may be theirs while up to {covered} items are known."
    )
    beyond = [
        f"{sum(look.rows == 1 for look in found):,} of {len(found):,} with {known} known items"
        for known, found in enumerate(looks[m:], start=m + 1)
    ]
    if beyond:
        sentence += f" The promise does not cover more than m = {m}: a single row is left to {', '.join(beyond)}."
    return Finding(KNOWN, sentence, numbers)


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
    told = [look for look in looks[known - 1] if look.certain is not None]
    sentence = (
        f"Who knows {known} item{'s' * (known > 1)} of a person learns another published one for certain of "
        f"{len(told):,} of {len(looks[known - 1]):,}: all rows that may be theirs hold it. The promise does not cover "
        "this."
    )
    if told:
        example = max(told, key=lambda look: (look.rows, look.nodes))
        assert example.certain is not None
        sentence += (
            f" All {example.rows:,} rows with {nodes_shown(release, list(example.nodes))} hold "
            f"{nodes_shown(release, [example.certain])}."
        )
    return Finding(CERTAIN, sentence, {"known_and_learnt": columns})
