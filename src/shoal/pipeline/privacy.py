"""How private randomized baskets are, in numbers: of settings or of a release; and which settings are private."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from shoal.errors import InputError
from shoal.io.release_folder import read_release
from shoal.release import Release
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.measuring.randomization.frontier import Given, PrivacySettings
    from shoal.measuring.randomization.privacy import Guesses, RandomizationPrivacy
    from shoal.measuring.randomization.release_size import Lengths

SizeIn = Literal["rows", "ones"]


@overload
def privacy(
    release: Release | str | os.PathLike[str] | None = None,
    *,
    keep_prob: float | None = None,
    fakes: float | None = None,
    mean_support: float | None = None,
    records: int | None = None,
    items: int | None = None,
    min_support: float | None = None,
    fake_lengths: Lengths | None = None,
    max_basket: int | None = None,
    **guesses: Unpack[Guesses],
) -> RandomizationPrivacy: ...


@overload
def privacy(
    *,
    target: float,
    max_size: float | None = None,
    size_in: SizeIn | None = None,
    keep_probs: Sequence[float] | None = None,
    **given: Unpack[Given],
) -> PrivacySettings: ...


@overload
def privacy(
    *,
    frontier: Literal[True],
    size_in: SizeIn | None = None,
    keep_probs: Sequence[float] | None = None,
    **given: Unpack[Given],
) -> PrivacySettings: ...


def privacy(
    release: Release | str | os.PathLike[str] | None = None,
    *,
    target: float | None = None,
    frontier: bool = False,
    **given: Any,
) -> RandomizationPrivacy | PrivacySettings:
    """Compute how private randomized baskets are: of settings, or of a release; or find settings that are private.

    Args:
        release: a randomized release, or its folder; without it, settings are given.
        target: find the settings that reach this privacy in the worst case, the least error of mining first.
        frontier: find the settings that no other beats in privacy, size and error at once.
        given: of settings: ``keep_prob``, the chance that an item stays as it is (default 1); ``fakes``, fake records
            for each real one (default 0); ``mean_support``, the share of the records that an item is in, on average;
            ``records``, ``items``, ``max_basket`` (to how many items records are cut) and ``fake_lengths``. Of
            settings that are looked for: ``max_size``, how many times as large as the original a release may be (with
            ``target``), ``size_in`` (``"rows"`` or ``"ones"``), and ``keep_probs``, which are tried. Of all, releases
            too: ``weight``, how much ones matter beside zeros (default .9); ``filtered``, the share of the fake
            records that an adversary recognizes (default 0); ``min_support``, the threshold of mining.

    Raises:
        InputError: an argument is out of range, missing or does not apply, or the release is not randomized.
        Infeasible: no setting suffices.

    Example:
        >>> print(round(privacy(keep_prob=0.95, fakes=2, mean_support=0.01).both.worst, 4))
        0.0789
        >>> about = {"mean_support": 0.01, "items": 1000, "records": 100_000, "min_support": 0.01}
        >>> privacy(target=0.95, max_size=3, **about).settings[0].keep_prob
        0.87
    """
    given = {name: value for name, value in given.items() if value is not None}
    if frontier and target is not None:
        raise InputError("frontier finds settings of all privacies, and target of one: leave one of them out")
    if release is not None:
        if frontier or target is not None:
            raise InputError("target and frontier look for settings, and a release has its own: leave them out")
        return _of_release(release, given)
    if frontier or target is not None:
        from shoal.measuring.randomization.frontier import privacy_frontier, privacy_settings

        _require(
            given, _LOOKED_FOR if frontier else _LOOKED_FOR | {"max_size"}, _NEEDED, "settings that are looked for"
        )
        if target is None:
            return privacy_frontier(**given)
        return privacy_settings(target, **{"max_size": math.inf, **given})
    from shoal.measuring.randomization.privacy import randomization_privacy

    _require(given, _SETTINGS, {"mean_support"}, "settings that are given")
    return randomization_privacy(**given)


_NEEDED = {"mean_support", "items", "records", "min_support"}
_LOOKED_FOR = {*_NEEDED, "size_in", "weight", "filtered", "fake_lengths", "keep_probs"}
_SETTINGS = {*_NEEDED, "keep_prob", "fakes", "weight", "filtered", "fake_lengths", "max_basket"}


def _of_release(release: Release | str | os.PathLike[str], given: dict[str, Any]) -> RandomizationPrivacy:
    published = release if isinstance(release, Release) else read_release(release)
    shape = SHAPES[published.shape]
    privacy_of = shape.load("privacy")
    if privacy_of is None:
        raise InputError(f"this is {shape.called}, and privacy is computed of randomized releases")
    _require(given, {"weight", "filtered", "min_support"}, set(), "a release")
    found: RandomizationPrivacy = privacy_of(published, **given)
    return found


def _require(given: dict[str, Any], known: set[str], needed: set[str], called: str) -> None:
    """Refuse arguments that do not apply, and ask for those that are missing."""
    idle = sorted(given.keys() - known)
    if idle:
        raise InputError(f"{', '.join(idle)}: not about {called}: leave it out")
    missing = sorted(needed - given.keys())
    if missing:
        raise InputError(f"{', '.join(missing)}: missing for {called}")
