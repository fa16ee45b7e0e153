"""All attacks on a generalized release that the evidence allows, and their findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np

from shoal.audit.attack.adversary import Adversary, Means
from shoal.audit.attack.finding import Attacks, Finding, LeftOut
from shoal.audit.attack.generalized import filling, group_associations
from shoal.audit.attack.generalized.learnt_cells import NAME as LEARNT
from shoal.audit.attack.generalized.named_values import NAME as NAMES
from shoal.audit.attack.generalized.named_values import attack_names
from shoal.audit.attack.generalized.own_values import attack_own_values
from shoal.audit.attack.generalized.second_release import attack_together, require_same_columns
from shoal.audit.attack.several_releases import NAME as TOGETHER
from shoal.audit.attack.several_releases import NONE_GIVEN, other_name
from shoal.audit.budget import OutOfBudget
from shoal.audit.generalized import check_shape, require_columns
from shoal.audit.generalized.agreeing_groups import AGREE, check_groups
from shoal.audit.generalized.hidden import allowance
from shoal.audit.generalized.original_places import place_columns
from shoal.audit.generalized.recoded_rows import match_rows
from shoal.audit.generalized.shown_rows import rows_shown
from shoal.audit.node_trees import UNUSED
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release.evidence import Evidence
from shoal.release.generalized import Generalized
from shoal.run import DEFAULT_RUN, Run


def play(
    release: Generalized, evidence: Evidence, adversary: Adversary, means: Means, run: Run = DEFAULT_RUN
) -> Attacks:
    """Every attack that the evidence allows."""
    del means  # nothing is drawn
    return attack(
        release,
        fill=adversary.fill,
        original=evidence.table,
        others=cast("tuple[Generalized, ...]", evidence.others),
        hierarchies=evidence.hierarchies,
        run=run,
    )


def attack(
    release: Generalized,
    *,
    fill: bool = False,
    original: Table | None = None,
    others: Sequence[Generalized] = (),
    hierarchies: Mapping[str, Hierarchy] | None = None,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Try every attack that the given evidence allows.

    Args:
        release: The release, as read from its folder.
        fill: Whether to guess hidden cells and measure what that recovers.
        original: The table it was made from: it also shows how many values of few people the trees name, and how many
            guesses are right.
        others: Other releases of the same people; only the original shows which people are in their groups.
        hierarchies: The trees it was made with, by column, to match the rows of the original to published rows.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One finding for each attack that was tried, and the attacks left out with the reason.

    Raises:
        InputError: The original or a hierarchy does not match the columns of the release, the original has other rows,
            a release does not have the structure of a generalization, or other releases are of another table.

    Reference:
        The paper on hidden Q-S associations, sections 1 and 4.1, for what groups disclose.
    """
    for at, one in enumerate((release, *others)):
        wrong = [check for check in check_shape(one) if not check.holds and check.name != UNUSED]
        wrong = wrong or [check for check in check_groups(one) if not check.holds and check.name == AGREE]
        if wrong:
            named = other_name(at, len(others) + 1) if at else "the release"
            raise InputError(f"{named} does not have the structure of groups of generalized rows: {wrong[0].witness}")
    require_same_columns((release, *others))
    if original is not None:
        require_columns(release, original)
    elif hierarchies:
        raise InputError("hierarchies only serve to match the rows of the original: give the original, too")
    for name in hierarchies or {}:
        release.column(name)
    alone = _outcomes(release, fill, original, hierarchies or {}, run)
    return Attacks.of([*alone, *_with_others((release, *others), original, hierarchies or {})])


def _outcomes(
    release: Generalized,
    fill: bool,
    original: Table | None,
    hierarchies: Mapping[str, Hierarchy],
    run: Run,
) -> Iterator[Finding | LeftOut]:
    if original is None:
        yield LeftOut(NAMES, "only the original shows how many people have the values that labels name (--original)")
    else:
        yield attack_names(release, original)
    if not release.sensitive:
        yield LeftOut(group_associations.NAME, "the release has no sensitive column")
        return
    yield from attack_own_values(release)
    shown = rows_shown(release)[0]
    total = 4 if fill else 1
    yield group_associations.attack_associations(release, shown)
    run.report(group_associations.NAME, 1, total)
    if not fill:
        if release.counts["hidden_cells"]:
            yield LeftOut(filling.NAME, "cells are hidden; guessing them is a separate attack (--fill)")
        return
    truth = None if original is None else _truth(release, original, hierarchies)
    run.report("rows of the original", 2, total)
    adversary = filling.Filling(release, shown, truth)
    yield adversary.by_most_frequent()
    run.report(filling.NAME, 3, total)
    yield adversary.by_learning()
    run.report(LEARNT, 4, total)


def _with_others(
    releases: Sequence[Generalized], original: Table | None, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[Finding | LeftOut]:
    if len(releases) == 1:
        yield NONE_GIVEN
    elif not releases[0].sensitive:
        yield LeftOut(TOGETHER, "the releases have no sensitive column")
    elif original is None:
        yield LeftOut(
            TOGETHER, "only the original shows which people are in the groups of the releases (--original FILE)"
        )
    else:
        yield from attack_together(releases, original, hierarchies)


def _truth(release: Generalized, original: Table, hierarchies: Mapping[str, Hierarchy]) -> filling.Truth:
    """The rows of the original that the published rows may come from."""
    places = place_columns(release, original, hierarchies)
    wrong = next((place.wrong for place in places if place.wrong is not None), None)
    if wrong is not None:
        raise InputError(f"the trees of the release are not subtrees of the given hierarchies: {wrong}")
    try:
        matching = match_rows(release, places, allowance(release))
    except OutOfBudget:
        raise InputError("matching the rows of this original would take too much work: leave it out") from None
    if np.any(matching.unserved) or release.n_rows + release.suppressed != len(original):
        raise InputError("the release was not made from this original (shoal verify --original says why)")
    return filling.Truth(matching.row_place, tuple(places[len(release.quasi) :]))
