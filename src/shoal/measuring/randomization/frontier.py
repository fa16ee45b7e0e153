"""Settings of randomization that reach a privacy, with the size of the release and the error of mining.

Privacy is that of the hybrid in the worst case (A. Mohaisen et al., 2010, equation 15); flips alone and fake
transactions alone are its extremes. More fake transactions always make a release larger and mining worse. So for each
flip probability the fewest fake transactions that reach a privacy are best; flip probabilities are tried from a list.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Required, Unpack

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Bools, Float64
from shoal.errors import Infeasible, InputError
from shoal.limits import MOST_FAKES, require_number, require_share, require_whole
from shoal.measuring.randomization.expected_errors import SIZES, expected_errors, fake_shares
from shoal.measuring.randomization.privacy import WEIGHT, Guesses, require_adversary, require_target
from shoal.measuring.randomization.reconstruction_chances import (
    chance_of_cells,
    chance_of_ones,
    chance_of_rows,
    chance_of_zeros,
    fakes_needed,
)
from shoal.measuring.randomization.release_size import Lengths, ones_factor
from shoal.promises.randomized import require_keep_prob, usual_lengths
from shoal.quoting import shown

SizeIn = Literal["rows", "ones"]
_LAST_DIGITS = 1e-12

KEEP_PROBS = (1.0, *(1 - n / 1000 for n in (1, 2, 3, 4, 5, 7)), *(n / 100 for n in range(99, 50, -1)))
"""The values of keep_prob that are tried."""
PRIVACIES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.95, 0.97, 0.98, 0.99)
"""The privacies that the frontier tries, each with the fewest fake transactions that reach it."""


@dataclass(frozen=True)
class Setting:
    """One way to randomize, and its results."""

    keep_prob: float
    fakes: float
    privacy: float
    """In the worst case."""
    rows: float
    """Rows as a multiple of the original's."""
    ones: float
    """Items in rows as a multiple of the original's, on average."""
    errors: tuple[float, float, float]
    """The standard errors of supports of 1, 2 and 3 items at the threshold, as multiples of it."""

    @property
    def error(self) -> float:
        """The largest of these errors, which ranks settings: of single items if little is flipped, else of triples."""
        return max(self.errors)

    def size(self, size_in: SizeIn) -> float:
        """The size of the release as a multiple of the original's."""
        return self.rows if size_in == "rows" else self.ones

    def as_dict(self) -> dict[str, float]:
        """The setting as a row of a table."""
        named = {name: value for name, value in vars(self).items() if name != "errors"}
        return {**named, **{f"error_{size}": value for size, value in zip(SIZES, self.errors, strict=True)}}


class Given(Guesses, total=False):
    """The fields of :class:`Circumstances`, as keywords."""

    mean_support: Required[float]
    items: Required[int]
    records: Required[int]
    min_support: Required[float]
    fake_lengths: Lengths


@dataclass(frozen=True)
class Circumstances:
    """The assumptions about the data, the mining and the adversary."""

    mean_support: float
    items: int
    records: int
    min_support: float
    weight: float = WEIGHT
    filtered: float = 0.0
    fake_lengths: Lengths = field(default=())
    """The lengths of fake transactions; by default as publishing draws them."""

    def __post_init__(self) -> None:
        require_share("mean_support", self.mean_support)
        require_whole("items", self.items, least=1)
        require_whole("records", self.records, least=1)
        require_share("min_support", self.min_support)
        require_adversary(self.weight, self.filtered)
        if not self.fake_lengths:
            object.__setattr__(self, "fake_lengths", usual_lengths(self.mean_support * self.items, self.items))

    def cells(self, keep_prob: float) -> float:
        """P_r of single cells."""
        of = self.mean_support
        return chance_of_cells(chance_of_ones(of, keep_prob), chance_of_zeros(of, keep_prob), self.weight)

    def size(self, keep_prob: float, fakes: float, size_in: SizeIn) -> float:
        """The size of a release as a multiple of the original's."""
        if size_in == "rows":
            return 1 + fakes
        factor = ones_factor(keep_prob, fakes, self.mean_support, self.items, self.fake_lengths)
        assert factor is not None
        return factor

    def most_fakes(self, keep_prob: float, max_size: float, size_in: SizeIn) -> float:
        """The maximum number of fake transactions for a size; negative if the real rows alone are too large."""
        # Sizes grow linearly with the fake transactions.
        none, one = (self.size(keep_prob, fakes, size_in) for fakes in (0.0, 1.0))
        return (max_size - none) / (one - none)

    def setting(self, keep_prob: float, fakes: float) -> Setting:
        """The results of a way to randomize."""
        errors = expected_errors(
            keep_prob,
            fakes,
            mean_support=self.mean_support,
            records=self.records,
            min_support=self.min_support,
            fake_shares=fake_shares(self.fake_lengths, self.items),
        )
        first, second, third = (error.of_threshold for error in errors)
        return Setting(
            keep_prob,
            fakes,
            1 - self.cells(keep_prob) * chance_of_rows(fakes, self.filtered),
            self.size(keep_prob, fakes, "rows"),
            self.size(keep_prob, fakes, "ones"),
            (first, second, third),
        )


@dataclass(frozen=True)
class PrivacySettings:
    """Ways to randomize, and the assumptions they were computed for."""

    circumstances: Circumstances
    settings: tuple[Setting, ...]
    keep_probs: tuple[float, ...]
    """The values of keep_prob that were tried."""
    targets: tuple[float, ...]
    """The target privacies, each with the fewest fake transactions that reach it."""

    def best(self, target: float, max_size: float, size_in: SizeIn = "rows") -> Setting | None:
        """The setting with the least error among those that reach a privacy within a size; None if none does."""
        # A setting computed from a target may miss it by the last digit.
        fitting = [
            one
            for one in self.settings
            if one.privacy >= target - _LAST_DIGITS and one.size(size_in) <= max_size * (1 + _LAST_DIGITS)
        ]
        return min(fitting, key=lambda one: one.error, default=None)

    def __len__(self) -> int:
        return len(self.settings)

    def to_arrow(self) -> pa.Table:
        """A row for each setting: keep_prob, fakes, privacy, rows, ones, error_1, error_2, error_3."""
        return pa.Table.from_pylist([one.as_dict() for one in self.settings])

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON."""
        lengths = [list(pair) for pair in self.circumstances.fake_lengths]
        return {
            "circumstances": {**vars(self.circumstances), "fake_lengths": lengths},
            "tried": {"keep_prob": list(self.keep_probs), "privacy": list(self.targets)},
            "settings": [one.as_dict() for one in self.settings],
        }


def privacy_settings(
    target: float,
    *,
    max_size: float = math.inf,
    size_in: SizeIn = "rows",
    keep_probs: Sequence[float] = KEEP_PROBS,
    **given: Unpack[Given],
) -> PrivacySettings:
    """Find the settings that reach a privacy within a size, with the expected error of mining, the smallest first.

    Args:
        target: the required privacy, in the worst case.
        mean_support: the average share of the records that contain an item.
        items: the number of different items.
        records: the number of records.
        min_support: the mining threshold.
        max_size: the maximum size of a release, as a multiple of the original's.
        size_in: how size is counted: rows, as in the paper, or the items in them, which determine the storage.
        weight: the weight of ones against zeros, from 0 to 1.
        filtered: the share of the fake transactions that an adversary recognizes.
        fake_lengths: the lengths of fake transactions and their shares; by default as publishing draws them.
        keep_probs: the values of keep_prob to try, each with the fewest fake transactions that suffice.

    Raises:
        InputError: an argument is out of range.
        Infeasible: none of the settings suffices; the message names the nearest.

    Example:
        >>> found = privacy_settings(
        ...     0.95, max_size=3, mean_support=0.01, items=1000, records=100_000, min_support=0.01
        ... )
        >>> best = found.settings[0]
        >>> best.keep_prob, round(best.fakes, 2), round(best.error, 2)
        (0.87, 1.98, 0.25)
    """
    circumstances = Circumstances(**given)
    require_target(target)
    require_number("max_size", max_size, least=1, most=math.inf)
    _require_size(size_in)
    tried = _tried(keep_probs)
    possible = _reaching(circumstances, target, tried)
    room = max_size * (1 + _LAST_DIGITS)
    fitting = [(kept, fakes) for kept, fakes in possible if circumstances.size(kept, fakes, size_in) <= room]
    if not fitting:
        raise Infeasible(_nearest(circumstances, target, max_size, size_in, tried, possible))
    found = [circumstances.setting(kept, fakes) for kept, fakes in fitting]
    return PrivacySettings(circumstances, tuple(sorted(found, key=lambda one: one.error)), tried, (target,))


def privacy_frontier(
    *,
    size_in: SizeIn = "rows",
    keep_probs: Sequence[float] = KEEP_PROBS,
    targets: Sequence[float] = PRIVACIES,
    **given: Unpack[Given],
) -> PrivacySettings:
    """Find the settings that no other beats in privacy, size and the error of mining at once.

    Arguments are those of :func:`privacy_settings`. Each value of keep_prob is tried with the fewest fake transactions
    that reach each of the ``targets``.

    Example:
        >>> found = privacy_frontier(mean_support=0.01, items=1000, records=100_000, min_support=0.01)
        >>> best = found.best(0.95, max_size=5)
        >>> best.keep_prob, round(best.fakes, 2)
        (0.95, 3.74)
        >>> found.best(0.95, max_size=2) is None
        True
    """
    circumstances = Circumstances(**given)
    _require_size(size_in)
    tried = _tried(keep_probs)
    for target in targets:
        require_target(target)
    wanted = tuple(sorted({float(target) for target in targets}))
    pairs = dict.fromkeys(pair for target in wanted for pair in _reaching(circumstances, target, tried))
    settings = [circumstances.setting(kept, fakes) for kept, fakes in pairs]
    if not settings:
        raise Infeasible("no setting reaches any of the target privacies")
    costs = np.array([[-one.privacy, one.size(size_in), one.error] for one in settings])
    best = [settings[at] for at in np.flatnonzero(_unbeaten(costs)).tolist()]
    best.sort(key=lambda one: (one.privacy, one.error))
    return PrivacySettings(circumstances, tuple(best), tried, wanted)


def _reaching(given: Circumstances, target: float, tried: Sequence[float]) -> list[tuple[float, float]]:
    """Values of keep_prob, each with the fewest fake transactions that reach a privacy."""
    needed = {kept: fakes_needed(target, given.cells(kept), given.filtered) for kept in tried}
    return [(kept, fakes) for kept, fakes in needed.items() if fakes <= MOST_FAKES and (kept < 1 or fakes)]


def _unbeaten(costs: Float64) -> Bools:
    """Which rows no other row beats; a row beats another if it is nowhere larger, and somewhere smaller."""
    no_larger = (costs[:, None] <= costs[None]).all(axis=2)
    smaller = (costs[:, None] < costs[None]).any(axis=2)
    return np.asarray(~(no_larger & smaller).any(axis=0))


def _require_size(size_in: object) -> None:
    if size_in not in ("rows", "ones"):
        raise InputError(f"size_in is {shown(size_in)}: it must be rows or ones")


def _tried(keep_probs: Iterable[float]) -> tuple[float, ...]:
    for keep_prob in keep_probs:
        require_keep_prob(keep_prob)
    tried = tuple(sorted({float(keep_prob) for keep_prob in keep_probs}, reverse=True))
    if not tried:
        raise InputError("keep_probs is empty: give values to try")
    return tried


def _nearest(
    given: Circumstances,
    target: float,
    max_size: float,
    size_in: SizeIn,
    tried: Sequence[float],
    possible: Sequence[tuple[float, float]],
) -> str:
    """The settings nearest to the request, in words."""
    what = "rows" if size_in == "rows" else "items in rows"
    within = f" with at most {max_size:g} times the {what}" if math.isfinite(max_size) else ""
    said = [f"no setting reaches a privacy of {target:g}{within}"]
    most = {kept: min(given.most_fakes(kept, max_size, size_in), MOST_FAKES) for kept in tried}
    if given.filtered == 1:  # then they help nobody
        most = {kept: min(fakes, 0.0) for kept, fakes in most.items()}
    reached = {
        kept: 1 - given.cells(kept) * chance_of_rows(fakes, given.filtered)
        for kept, fakes in most.items()
        if fakes >= 0
    }
    if reached:
        best = max(reached, key=lambda kept: reached[kept])
        where = "at that size is" if within else "is"
        said.append(f"the most {where} {reached[best]:.4f} (keep_prob {best:g}, fakes {most[best]:.4g})")
    if possible:
        least, kept, fakes = min((given.size(kept, fakes, size_in), kept, fakes) for kept, fakes in possible)
        said.append(f"the least size for that privacy is {least:.4g} (keep_prob {kept:g}, fakes {fakes:.4g})")
    return "; ".join(said)
