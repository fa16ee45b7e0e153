"""All attacks on a randomized release that the evidence allows, and their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from shoal.audit.attack.adversary import VICTIMS, Adversary, Means
from shoal.audit.attack.finding import Attacks, Finding, LeftOut
from shoal.audit.attack.randomized import likelihood_filter, linked_rows, rows_in_both, second_release, single_items
from shoal.audit.attack.several_releases import NONE_GIVEN
from shoal.audit.budget import OutOfBudget
from shoal.audit.not_tried import NotAtHand
from shoal.audit.randomized.certain_rows import check_rows
from shoal.audit.randomized.original_baskets import Baskets, match_baskets
from shoal.data.arrays import Int64
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.limits import require_whole
from shoal.release.evidence import Evidence
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run

Again = Callable[[], tuple[Randomized, Int64]]
"""Randomizes the original again in the way of the release: the result, and the record of each row, -1 if it is fake."""

_STEPS = 4
_NO_DATA = "it needs the data (--original FILE)"
_NO_RELEASE_ANEW = NotAtHand("it needs a newly randomized release")


@dataclass(frozen=True, eq=False)
class Second:
    """Another release of the same baskets, and the people to look for in it."""

    release: Randomized
    again: Again | NotAtHand
    """Randomizes the original again in the way of this release; or the reason why that is not possible here."""
    generator: np.random.Generator
    """Draws people."""
    n_victims: int


def play(
    release: Randomized, evidence: Evidence, adversary: Adversary, means: Means, run: Run = DEFAULT_RUN
) -> Attacks:
    """Every attack that the evidence allows."""
    original = evidence.baskets

    def drawn_anew(like: Randomized, chance: int | None) -> Again | NotAtHand:
        again = means.publish_again
        if original is None or isinstance(again, NotAtHand):
            return again if isinstance(again, NotAtHand) else _NO_RELEASE_ANEW
        return partial(again, like, data=original, run=run.drawing(chance))

    second = None
    for other in cast("tuple[Randomized, ...]", evidence.others):
        victims = VICTIMS if adversary.victims is None else adversary.victims
        require_whole("victims", victims, least=1)
        # Not the chance of the first release: two releases with the same chance are identical.
        chance = None if run.chance is None else run.chance + 1
        second = Second(other, drawn_anew(other, chance), means.generator(chance), victims)
    first = drawn_anew(release, run.chance)
    return attack(release, original=original, again=first, other=second, run=run)


def attack(
    release: Randomized,
    *,
    original: Transactions | None = None,
    again: Again | NotAtHand = _NO_RELEASE_ANEW,
    other: Second | None = None,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Try every attack that the given evidence allows.

    Args:
        release: The release, as read from its folder.
        original: The data it was made from.
        again: Randomizes the original again, with the numbers of the release. Where items were flipped, it is unknown
            which row of the release belongs to which record, even with the original; for a new release it is known. Or
            the reason why that is not possible here.
        other: A second release of the same people.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One finding for each attack that was tried, and the attacks left out with the reason. None breaks the promise,
        which is about chance: they measure what the randomization hides.

    Raises:
        InputError: The release does not have the structure that its promise states, it was not made from this original,
            or the other release is of other baskets.

    Reference:
        Mohaisen et al., 2010, sections 3 and 5.3.
    """
    named = {"the release": release} if other is None else {"the release": release, "the other release": other.release}
    for name, one in named.items():
        wrong = [check for check in check_rows(one) if not check.holds and check.name in ("sizes", "rows")]
        if wrong:
            raise InputError(f"{name} does not have the structure of randomized rows: {wrong[0].witness}")
    if other is not None:
        second_release.require_same_baskets(release, other.release)
    return Attacks.of(_outcomes(release, original, again, other, run))


def _outcomes(
    release: Randomized,
    original: Transactions | None,
    again: Again | NotAtHand,
    other: Second | None,
    run: Run,
) -> Iterator[Finding | LeftOut]:
    flipped = release.promise.keep_prob < 1
    if not release.n_fakes:
        yield LeftOut(likelihood_filter.NAME, "there are no fake transactions")
    if not flipped:
        yield LeftOut(single_items.NAME, "no items were flipped: real rows are published as they are")
    wanted = [likelihood_filter.NAME] * bool(release.n_fakes) + [single_items.NAME] * flipped
    if original is None:
        yield from (LeftOut(name, _NO_DATA) for name in wanted)
        yield from _with_other(release, other, None, _NO_RELEASE_ANEW)
        return
    baskets = match_baskets(release, original)
    if len(baskets) != release.n_records or (baskets.items < 0).any():
        _refuse()
    if flipped and isinstance(again, NotAtHand):
        yield from (LeftOut(name, again.why) for name in wanted)
        yield from _with_other(release, other, baskets, again)
        return
    drawn, sources = (release, None) if not flipped or isinstance(again, NotAtHand) else again()
    run.report("draw anew", 1, _STEPS)
    if release.n_fakes:
        yield _filtered(release, baskets, drawn, sources)
    run.report(likelihood_filter.NAME, 2, _STEPS)
    if sources is not None:
        yield single_items.attack_items(release, baskets, drawn, sources)
    run.report(single_items.NAME, 3, _STEPS)
    own = _NO_RELEASE_ANEW if sources is None else linked_rows.Drawn(drawn, sources)
    yield from _with_other(release, other, baskets, own)
    run.report(second_release.NAME, 4, _STEPS)


def _with_other(
    release: Randomized, second: Second | None, baskets: Baskets | None, drawn: linked_rows.Drawn | NotAtHand
) -> Iterator[Finding | LeftOut]:
    if second is None:
        yield NONE_GIVEN
        return
    other = second.release
    yield second_release.attack_shares(release, other, baskets)
    if release.promise.keep_prob == other.promise.keep_prob == 1:
        yield rows_in_both.attack_rows(release, other)
    elif release.promise.keep_prob == 1:
        yield LeftOut(
            linked_rows.NAME,
            "no items were flipped in the first release: anyone who knows a person's row knows its items",
        )
    elif second_release.same_rows(release, other):
        yield LeftOut(linked_rows.NAME, "both releases hold exactly the same rows")
    elif baskets is None:
        yield LeftOut(linked_rows.NAME, _NO_DATA)
    elif isinstance(drawn, NotAtHand):
        yield LeftOut(linked_rows.NAME, drawn.why)
    elif isinstance(second.again, NotAtHand):
        yield LeftOut(linked_rows.NAME, second.again.why)
    else:
        again = linked_rows.Drawn(*second.again())
        yield linked_rows.attack_linked(drawn, again, baskets, second.generator, second.n_victims)


def _filtered(release: Randomized, baskets: Baskets, drawn: Randomized, sources: Int64 | None) -> Finding | LeftOut:
    real = likelihood_filter.real_rows(release, baskets) if sources is None else (sources >= 0).astype(np.float64)
    if real is None:
        _refuse()
    assert real is not None
    try:
        return likelihood_filter.attack_fakes(release, baskets, drawn, real, drawn_anew=sources is not None)
    except OutOfBudget:
        return LeftOut(likelihood_filter.NAME, "rows of so many items would take too much work to weigh")


def _refuse() -> None:
    raise InputError("the release was not made from this original (shoal verify --original says why)")
