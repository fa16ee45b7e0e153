"""Average two randomizations of the same baskets: how much better that estimates the shares of items and single items.

S. Rizvi, J. Haritsa, VLDB 2002, section 3, estimate the share of records that hold an item from one randomization. Two
independent ones give two estimates; their mean, weighted by inverse variance, has a smaller error. If a person's rows
are known in both releases, each item is observed twice, and Bayes' rule uses both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.finding import Finding, Value
from shoal.audit.attack.several_releases import NAME as NAME
from shoal.audit.randomized.original_baskets import Baskets
from shoal.data.arrays import Float64
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.release.randomized import Randomized

SURE = 1e-12
"""Zero chances count as this one, so that no single item decides alone."""


def require_same_baskets(first: Randomized, other: Randomized) -> None:
    """Refuse releases of different baskets, as far as items and numbers of records show.

    Raises:
        InputError: The other release has another number of records, or lists other items.
    """
    if other.n_records != first.n_records:
        raise InputError(
            f"the other release is of other baskets: of {other.n_records:,} records, and the first of "
            f"{first.n_records:,}"
        )
    lists = [one.vocabulary.to_pylist() for one in (first, other)]
    if lists[0] != lists[1]:
        odd = min(set(map(str, lists[0])) ^ set(map(str, lists[1])))
        here = "the first" if odd in set(map(str, lists[0])) else "the other"
        raise InputError(f"the other release lists other items than the first: only {here} lists {shown(odd)}")


def same_rows(first: Randomized, other: Randomized) -> bool:
    """Whether two releases with the same list of items hold exactly the same rows."""
    return np.array_equal(first.offsets, other.offsets) and np.array_equal(first.items, other.items)


@dataclass(frozen=True, eq=False)
class Seen:
    """The chance that each item is published in a row: of a person who holds it, and of one who does not."""

    shows: Float64
    flips: float

    @classmethod
    def by(cls, release: Randomized, kept: Float64 | float = 1.0) -> Seen:
        """``kept``: how likely each item stays in a record that is cut before the flips."""
        promise = release.promise
        shows = promise.flip_prob + (2 * promise.keep_prob - 1) * np.broadcast_to(kept, release.n_items)
        return cls(np.clip(shows, SURE, 1 - SURE), float(np.clip(promise.flip_prob, SURE, 1 - SURE)))

    def chances(self, shown: bool) -> tuple[Float64, float]:
        """The chance of what is published of each item, for a person who holds it, and for one who does not."""
        return (self.shows, self.flips) if shown else (1 - self.shows, 1 - self.flips)


def belief(prior: Float64, *seen: tuple[Seen, bool]) -> Float64:
    """The belief, item by item, that a person holds it, given what some releases show of it.

    Example:
        >>> one = Seen(np.array([0.9]), 0.1)
        >>> [round(float(belief(np.array([0.5]), *[(one, True)] * times)[0]), 3) for times in (1, 2)]
        [0.9, 0.988]
    """
    holds, lacks = prior, 1 - prior
    for release, seen_in in seen:
        one, zero = release.chances(seen_in)
        holds, lacks = holds * one, lacks * zero
    return np.asarray(holds / np.maximum(holds + lacks, SURE**4))


def expected_ones(prior: Float64, *releases: Seen) -> Float64:
    """R1 of each item: the average belief in the truth, if a person holds it and all rows are known."""
    total = np.zeros(len(prior))
    for pattern in range(2 ** len(releases)):
        seen = tuple((release, bool(pattern >> at & 1)) for at, release in enumerate(releases))
        chance = np.ones(len(prior))
        for release, seen_in in seen:
            chance = chance * release.chances(seen_in)[0]
        total += chance * belief(prior, *seen)
    return total


@dataclass(frozen=True, eq=False)
class Shares:
    """For each item the estimated share of records that hold it, and the variance of the estimate."""

    estimate: Float64
    variance: float

    @classmethod
    def of(cls, release: Randomized) -> Shares:
        """The estimate without bias from the randomization."""
        promise, records, fakes = release.promise, release.n_records, release.n_fakes
        flip, left = promise.flip_prob, 2 * promise.keep_prob - 1
        of_fakes = flip + left * sum(length * share for length, share in promise.fake_lengths) / release.n_items
        estimate = (release.supports.astype(np.float64) - records * flip - fakes * of_fakes) / (left * records)
        variance = records * promise.keep_prob * flip + fakes * of_fakes * (1 - of_fakes)
        return cls(estimate, variance / (left * records) ** 2)

    def with_other(self, other: Shares) -> Shares:
        """The mean of two independent estimates with the least variance."""
        if self.variance + other.variance == 0:
            return self
        weight = other.variance / (self.variance + other.variance)
        together = self.variance * other.variance / (self.variance + other.variance)
        return Shares(weight * self.estimate + (1 - weight) * other.estimate, together)


def attack_shares(first: Randomized, other: Randomized, baskets: Baskets | None) -> Finding:
    """How much better both releases estimate the shares of items, and single items of a person whose rows are known."""
    if same_rows(first, other):
        return Finding(
            NAME, "Both releases hold exactly the same rows, so the other adds nothing.", {"same_rows": True}
        )
    alone, second = Shares.of(first), Shares.of(other)
    both = alone.with_other(second)
    numbers: dict[str, Value] = {
        "same_rows": False,
        "standard_error_of_a_share_by_the_first": alone.variance**0.5,
        "standard_error_of_a_share_by_the_other": second.variance**0.5,
        "standard_error_of_a_share_by_both": both.variance**0.5,
    }
    if baskets is not None:
        true = baskets.expected_supports(first.n_items) / len(baskets)
        for name, shares in (("the_first", alone), ("the_other", second), ("both", both)):
            numbers[f"error_of_a_share_by_{name}"] = float(np.sqrt(np.mean((shares.estimate - true) ** 2)))
    sentence = (
        f"The mean of both releases estimates the share of records with an item with a standard error of "
        f"{100 * both.variance**0.5:.3g} percentage points, the first alone with {100 * alone.variance**0.5:.3g}. "
    )
    if first.promise.keep_prob < 1:
        by_one, by_both = _expected_ones(first, other, both, baskets)
        numbers |= {"r1_by_the_first_expected": by_one, "r1_if_both_rows_are_known_expected": by_both}
        sentence += (
            f"An adversary who knows a person's rows in both is {by_both:.1%} sure of an item that the person holds, "
            f"on average, and with the first alone {by_one:.1%}. "
        )
    return Finding(NAME, sentence + "The promise does not cover a second release.", numbers)


def _expected_ones(first: Randomized, other: Randomized, both: Shares, baskets: Baskets | None) -> tuple[float, float]:
    """The average of R1 over the items that people hold, by the first release and by both."""
    if baskets is None:
        prior, seen = np.clip(both.estimate, 0, 1), (Seen.by(first), Seen.by(other))
    else:
        prior = baskets.supports(first.n_items) / len(baskets)
        seen = Seen.by(first, stays(first, baskets)), Seen.by(other, stays(other, baskets))
    weights = prior / max(float(prior.sum()), SURE)
    return float(weights @ expected_ones(prior, seen[0])), float(weights @ expected_ones(prior, *seen))


def stays(release: Randomized, baskets: Baskets) -> Float64:
    """For each item the chance that it stays in a record that is cut, on average over the records that hold it."""
    if release.privacy is None:
        return np.ones(release.n_items)
    whole = np.diff(baskets.offsets)
    lengths = np.minimum(whole, release.privacy.max_basket)
    kept = np.bincount(baskets.items, np.repeat(lengths / np.maximum(whole, 1), whole), minlength=release.n_items)
    return np.asarray(kept / np.maximum(baskets.supports(release.n_items), 1))
