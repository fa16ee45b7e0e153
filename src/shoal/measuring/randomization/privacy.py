"""The privacy of randomized baskets in numbers: for settings before anything is published, or for a release.

A. Mohaisen, N.-S. Jho, D. Hong, D. Nyang: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. Inf. &
Syst. E93-D(2), 2010, sections 3, 5 and 6. Privacy there is 1 minus the probability of a reconstruction: of a cell of a
row (flips), of picking a real row (fake transactions), or of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np
import pyarrow as pa

from shoal.analyse.randomized.estimates import Chance
from shoal.data.arrays import Float64
from shoal.errors import InputError
from shoal.keywords import require_known
from shoal.limits import require_number, require_share, require_whole
from shoal.measuring.randomization import reconstruction_chances as chances
from shoal.measuring.randomization.expected_errors import ExpectedError, expected_errors, fake_shares
from shoal.measuring.randomization.release_size import Lengths, ones_factor
from shoal.promises import DifferentialPrivacy
from shoal.promises.randomized import epsilon_of, require_fakes, require_keep_prob, usual_lengths
from shoal.release.randomized import Randomized

WEIGHT = 0.9
"""The default weight of ones against zeros: the papers' choice."""
RECORDS = 1_000
"""The default number of records in the average case, as in the paper's tables."""
TARGETS = (0.9, 0.95, 0.99)
"""The privacies for which the necessary fake transactions are shown."""


@dataclass(frozen=True)
class Reconstruction:
    """A probability of reconstruction; the privacy is 1 minus it."""

    worst: float
    """For the first row that an adversary picks."""
    average: float
    """The mean over all real rows, picked one after another."""

    def as_dict(self) -> dict[str, float]:
        """The probabilities as plain values, ready for JSON."""
        return {
            "reconstruction_worst": self.worst,
            "reconstruction_average": self.average,
            "privacy_worst": 1 - self.worst,
            "privacy_average": 1 - self.average,
        }


@dataclass(frozen=True)
class Needed:
    """Fake transactions per real one for a privacy in the worst case; infinite if no number suffices."""

    privacy: float
    fakes_alone: float
    with_flips: float
    """With items flipped as here."""


@dataclass(frozen=True, eq=False)
class ItemChances:
    """Items of a release, those reconstructed best first."""

    names: pa.Array
    supports: Float64
    """Estimated, as shares of the records; limited to 0 to 1, because probabilities are computed from them."""
    ones: Float64
    zeros: Float64
    cells: Float64
    """The weighted mean of ones and zeros."""

    def __len__(self) -> int:
        return len(self.names)

    def to_arrow(self) -> pa.Table:
        """A row for each item."""
        columns = {"support": self.supports, "ones": self.ones, "zeros": self.zeros, "reconstruction": self.cells}
        return pa.table({"item": self.names, **{name: pa.array(values) for name, values in columns.items()}})


@dataclass(frozen=True, eq=False)
class RandomizationPrivacy:
    """Probabilities of reconstructing what randomization hides; printed, they are a paragraph."""

    keep_prob: float
    fakes: float
    weight: float
    filtered: float
    """The share of the fake transactions that an adversary recognizes."""
    records: int
    """The number of records in the average case."""
    mean_support: float
    ones: float
    """R1, the mean over all ones: the probability of reconstructing an item that a row has after flipping."""
    zeros: float
    """R0, the mean over all zeros."""
    flips: Reconstruction
    """P_r of single cells: the weighted mean of ones and zeros."""
    flips_at_mean: float
    """The same if all items had the mean support, as in the paper."""
    rows: Reconstruction
    """P_r that a picked row is real."""
    both: Reconstruction
    """P_r of a cell of a real row: the product."""
    needed: tuple[Needed, ...]
    size_rows: float
    """Rows as a multiple of the original's."""
    size_ones: float | None
    """Items in rows as a multiple of the original's, on average: flips add items. None if items is unknown."""
    errors: tuple[ExpectedError, ...]
    """Errors of estimated supports; empty if the threshold, the records or the items are not known."""
    min_support: float | None
    differential_privacy: DifferentialPrivacy | None
    """The differential privacy of whole records; None if records may have any length."""
    items: ItemChances | None = None
    """The items, for a release."""
    clamped: int = 0
    """For a release: the number of items whose estimated support is below 0 or above 1."""

    def as_dict(self, limit: int | None = None) -> dict[str, Any]:
        """All numbers as plain values, ready for JSON; for a release, at most this many items."""
        listed = {} if self.items is None else {"items": self.items.to_arrow().slice(0, limit).to_pylist()}
        privacy = self.differential_privacy
        return {
            "keep_prob": self.keep_prob,
            "fakes": self.fakes,
            "weight": self.weight,
            "filtered": self.filtered,
            "records": self.records,
            "mean_support": self.mean_support,
            "ones": self.ones,
            "zeros": self.zeros,
            "flips": self.flips.as_dict(),
            "flips_at_mean_support": self.flips_at_mean,
            "rows": self.rows.as_dict(),
            "both": self.both.as_dict(),
            "needed": [{name: _finite(value) for name, value in vars(one).items()} for one in self.needed],
            "size_rows": self.size_rows,
            "size_ones": self.size_ones,
            "min_support": self.min_support,
            "errors": [vars(one) for one in self.errors],
            "differential_privacy": None if privacy is None else {**vars(privacy), "words": privacy.words},
            "clamped": self.clamped,
            **listed,
        }

    def __str__(self) -> str:
        """The numbers as a paragraph."""
        parts = []
        if self.fakes:
            parts.append(f"the row is real with probability {self.rows.worst:.4g}")
        if self.keep_prob < 1:
            parts.append(
                f"an item that it has is reconstructed with {self.ones:.4g}, one that it lacks with {self.zeros:.4g}"
            )
        return (
            f"For a row that an adversary picks: {'; '.join(parts)}. With a weight of {self.weight:g} for items that "
            f"it has, the reconstruction probability of single items is {self.both.worst:.4g}, which leaves a privacy "
            f"of {1 - self.both.worst:.4g} by this measure."
            if self.keep_prob < 1
            else f"For a row that an adversary picks: {parts[0]}, and then all of it is known: a privacy of "
            f"{1 - self.both.worst:.4g} by this measure."
        )


class Guesses(TypedDict, total=False):
    """How guesses are judged."""

    weight: float
    """How much ones matter beside zeros, from 0 to 1."""
    filtered: float
    """The share of the fake transactions that an adversary recognizes."""


def randomization_privacy(
    *,
    mean_support: float,
    keep_prob: float = 1.0,
    fakes: float = 0.0,
    records: int | None = None,
    items: int | None = None,
    min_support: float | None = None,
    fake_lengths: Lengths | None = None,
    max_basket: int | None = None,
    targets: Sequence[float] = TARGETS,
    **guesses: Unpack[Guesses],
) -> RandomizationPrivacy:
    """Compute the privacy of baskets randomized with these settings, before anything is published.

    Args:
        mean_support: the average share of the records that contain an item.
        keep_prob: the probability that an item is kept; 1 if none is flipped.
        fakes: fake transactions per real one.
        weight: the weight of ones against zeros, from 0 to 1.
        filtered: the share of the fake transactions that an adversary recognizes.
        records: the number of records; without it, the average case assumes 1,000.
        items: the number of different items.
        min_support: the mining threshold; with it, ``records`` and ``items``, expected errors are computed.
        fake_lengths: the lengths of fake transactions and their shares; by default as publishing draws them.
        max_basket: the number of items to which records are cut, if they are: then flips promise differential privacy.
        targets: privacies for which the necessary fake transactions are computed.

    Raises:
        InputError: an argument is out of range.

    Example:
        >>> found = randomization_privacy(keep_prob=0.95, fakes=2, mean_support=0.01, weight=0.9)
        >>> print(found)
        For a row that an adversary picks: the row is real with probability 0.3333; an item that it has is \
reconstructed with 0.153, one that it lacks with 0.9914. With a weight of 0.9 for items that it has, the \
reconstruction probability of single items is 0.07895, which leaves a privacy of 0.9211 by this measure.
    """
    require_keep_prob(keep_prob)
    require_fakes(fakes)
    if keep_prob == 1 and fakes == 0:
        raise InputError("keep_prob is 1 and fakes is 0: then nothing is randomized, and nothing is private")
    require_share("mean_support", mean_support)
    require_known(guesses, Guesses.__annotations__, "privacy")
    weight, filtered = guesses.get("weight", WEIGHT), guesses.get("filtered", 0.0)
    require_adversary(weight, filtered)
    for name, value in (("records", records), ("items", items), ("max_basket", max_basket)):
        if value is not None:
            require_whole(name, value, least=1)
    for target in targets:
        require_target(target)
    ones, zeros = (chance(mean_support, keep_prob) for chance in (chances.chance_of_ones, chances.chance_of_zeros))
    cells = chances.chance_of_cells(ones, zeros, weight)
    worst = chances.chance_of_rows(fakes, filtered)
    average = chances.average_chance_of_rows(fakes, records or RECORDS, filtered)
    lengths = fake_lengths
    if lengths is None and items is not None:
        lengths = usual_lengths(mean_support * items, items)
    return RandomizationPrivacy(
        keep_prob=float(keep_prob),
        fakes=float(fakes),
        weight=float(weight),
        filtered=float(filtered),
        records=records or RECORDS,
        mean_support=mean_support,
        ones=ones,
        zeros=zeros,
        flips=Reconstruction(cells, cells),
        flips_at_mean=cells,
        rows=Reconstruction(worst, average),
        both=Reconstruction(worst * cells, average * cells),
        needed=_needed(targets, cells, filtered),
        size_rows=1 + fakes,
        size_ones=ones_factor(keep_prob, fakes, mean_support, items, lengths),
        errors=_errors(keep_prob, fakes, mean_support, records, items, min_support, lengths),
        min_support=min_support,
        differential_privacy=_differential(keep_prob, max_basket, items),
    )


def release_privacy(
    release: Randomized,
    *,
    weight: float = WEIGHT,
    filtered: float = 0.0,
    min_support: float | None = None,
    targets: Sequence[float] = TARGETS,
) -> RandomizationPrivacy:
    """Compute the privacy of a randomized release, as :func:`randomization_privacy`, with each item's own support.

    Supports are estimated from the release, and therefore have a random error; an estimate below 0 or above 1 is
    replaced by 0 or 1.

    Args:
        release: a release made by ``mask``, ``fakes`` or ``hybrid``.
        weight: the weight of ones against zeros, from 0 to 1.
        filtered: the share of the fake transactions that an adversary recognizes; ``shoal.attack`` measures it.
        min_support: the mining threshold; with it, expected errors are computed.
        targets: privacies for which the necessary fake transactions are computed.

    Raises:
        InputError: an argument is out of range.

    Example:
        >>> import shoal
        >>> release = shoal.mask(shoal.read([{"tea", "milk"}] * 50 + [{"tea"}] * 50), 0.9, run=shoal.Run(chance=1))
        >>> found = release_privacy(release)
        >>> found.items.names.to_pylist(), found.keep_prob, found.rows.worst
        (['tea', 'milk'], 0.9, 1.0)
    """
    promise, n, records = release.promise, release.n_items, release.n_records
    raw = _supports(release)
    supports = np.clip(raw, 0.0, 1.0)
    mean_support = min(max(float(raw.mean()), 1e-12), 1.0)
    said = randomization_privacy(
        mean_support=mean_support,
        keep_prob=promise.keep_prob,
        fakes=promise.fakes,
        weight=weight,
        filtered=filtered,
        records=records,
        items=n,
        min_support=min_support,
        fake_lengths=promise.fake_lengths,
        targets=targets,
    )
    ones, zeros = (chance(supports, promise.keep_prob) for chance in (chances.chance_of_ones, chances.chance_of_zeros))
    mean_ones, mean_zeros = chances.mean_over_ones(ones, supports), chances.mean_over_ones(zeros, 1 - supports)
    cells = chances.chance_of_cells(mean_ones, mean_zeros, weight)
    each = chances.chance_of_cells(ones, zeros, weight)
    order = np.lexsort((np.arange(n), -supports, -each))
    return replace(
        said,
        ones=mean_ones,
        zeros=mean_zeros,
        flips=Reconstruction(cells, cells),
        both=Reconstruction(said.rows.worst * cells, said.rows.average * cells),
        needed=_needed(targets, cells, filtered),
        differential_privacy=release.privacy,
        items=ItemChances(
            release.vocabulary.take(pa.array(order)), *(values[order] for values in (supports, ones, zeros, each))
        ),
        clamped=int(np.count_nonzero(supports != raw)),
    )


def require_adversary(weight: object, filtered: object) -> None:
    """Refuse weights and filters that are not shares."""
    require_number("weight", weight, least=0, most=1)
    require_number("filtered", filtered, least=0, most=1)


def require_target(target: object) -> None:
    """Refuse a privacy that is impossible or invalid."""
    require_number("target", target, least=0, most=1)
    if target == 1:
        raise InputError("target is 1: no finite number of fake transactions leaves an adversary without any chance")


def _supports(release: Randomized) -> Float64:
    """Estimated supports of the items, as shares of the records."""
    there = release.supports
    return Chance.of(release).estimates(np.stack([there, release.n_rows - there], axis=1), 1).estimate


def _needed(targets: Sequence[float], cells: float, filtered: float) -> tuple[Needed, ...]:
    return tuple(
        Needed(target, *(chances.fakes_needed(target, each, filtered) for each in (1.0, cells))) for target in targets
    )


def _errors(
    keep_prob: float,
    fakes: float,
    mean_support: float,
    records: int | None,
    items: int | None,
    min_support: float | None,
    lengths: Lengths | None,
) -> tuple[ExpectedError, ...]:
    if min_support is None:
        return ()
    require_share("min_support", min_support)
    if records is None or (fakes and items is None):
        return ()
    shares = fake_shares(lengths, items) if fakes and lengths and items else ()
    return expected_errors(
        keep_prob, fakes, mean_support=mean_support, records=records, min_support=min_support, fake_shares=shares
    )


def _differential(keep_prob: float, max_basket: int | None, items: int | None) -> DifferentialPrivacy | None:
    if max_basket is None:
        return None
    if keep_prob == 1:
        raise InputError("max_basket applies to flips, and nothing is flipped: records are published unchanged")
    # Without the number of items, assume enough of them for two records to have none in common. There are no data, so
    # no list comes from them.
    return DifferentialPrivacy(epsilon_of(keep_prob, max_basket, items or 2 * max_basket), max_basket, "given")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
