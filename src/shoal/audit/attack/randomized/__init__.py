"""All attacks on a randomized release, as far as what is at hand allows, and what they found."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from shoal.audit.attack.finding import Attacks, Finding, LeftOut
from shoal.audit.attack.randomized import likelihood_filter, single_items
from shoal.audit.budget import OutOfBudget
from shoal.audit.randomized.certain_rows import check_rows
from shoal.audit.randomized.original_baskets import Baskets, check_baskets, match_baskets
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.release.randomized import Randomized

Progress = Callable[[str, int, int], None]
"""Called with the attack, how many steps are done, and how many there are."""
Again = Callable[[], tuple[Randomized, npt.NDArray[np.int64]]]
"""Randomizes the original anew as the release says: what comes out, and the record of each row, -1 if it is made up."""

_STEPS = 3


def attack(
    release: Randomized,
    *,
    original: Transactions | None = None,
    again: Again | None = None,
    progress: Progress | None = None,
) -> Attacks:
    """Try every attack for which there is enough at hand.

    Args:
        release: The release, as read back from its folder.
        original: The data it was made from.
        again: Randomizes the original anew, with the numbers of the release. Where items were flipped, the rows of the
            release itself cannot be told apart, not even with the original; those of another one can.
        progress: Called with the attack, how many steps are done, and how many there are.

    Returns:
        One finding for each attack that was tried, and which were left out and why. None breaks the promise, which is
        about chance: they measure what chance hides.

    Raises:
        InputError: The release is not put together as its promise says, or it is not one of this original.

    Reference:
        Mohaisen et al., 2010, sections 3 and 5.3.
    """
    wrong = [check for check in check_rows(release) if not check.holds and check.name in ("sizes", "rows")]
    if wrong:
        raise InputError(f"the release is not put together as randomized rows: {wrong[0].witness}")
    return Attacks.of(_outcomes(release, original, again, progress))


def _outcomes(
    release: Randomized, original: Transactions | None, again: Again | None, progress: Progress | None
) -> Iterator[Finding | LeftOut]:
    flipped = release.promise.keep_prob < 1
    if not release.n_fakes:
        yield LeftOut(likelihood_filter.NAME, "there are no made-up rows")
    if not flipped:
        yield LeftOut(single_items.NAME, "no items were flipped: real rows are published as they are")
    wanted = [likelihood_filter.NAME] * bool(release.n_fakes) + [single_items.NAME] * flipped
    if original is None or (flipped and again is None):
        why = "it needs the data (--original FILE)" if original is None else "it needs a release drawn anew"
        yield from (LeftOut(name, why) for name in wanted)
        return
    baskets = match_baskets(release, original)
    if not all(check.holds for check in check_baskets(release, baskets)):
        _refuse()
    drawn, sources = (release, None) if not flipped or again is None else again()
    _report(progress, "draw anew", 1)
    if release.n_fakes:
        yield _filtered(release, baskets, drawn, sources)
    _report(progress, likelihood_filter.NAME, 2)
    if sources is not None:
        yield single_items.attack_items(release, baskets, drawn, sources)
    _report(progress, single_items.NAME, 3)


def _filtered(
    release: Randomized, baskets: Baskets, drawn: Randomized, sources: npt.NDArray[np.int64] | None
) -> Finding | LeftOut:
    real = likelihood_filter.real_rows(release, baskets) if sources is None else (sources >= 0).astype(np.float64)
    if real is None:
        _refuse()
    assert real is not None
    try:
        return likelihood_filter.attack_fakes(release, baskets, drawn, real, drawn_anew=sources is not None)
    except OutOfBudget:
        return LeftOut(likelihood_filter.NAME, "rows of so many items would take too much work to weigh")


def _refuse() -> None:
    raise InputError("the release is not one of this original (shoal verify --original says why)")


def _report(progress: Progress | None, name: str, done: int) -> None:
    if progress is not None:
        progress(name, done, _STEPS)
