"""Guess single items by Bayes' rule: how sure an adversary can be that a person holds an item, given a flipped row.

S. Rizvi, J. Haritsa, VLDB 2002; A. Mohaisen et al., 2010, section 3: the reconstruction probability of ones, R1, is the
chance to infer the true value of a held item, on average over what is published of it; R0 that of items not held. The
adversary knows how frequent each item is, and whose row each is: only the flips still hide something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.audit.attack.finding import Finding
from shoal.audit.randomized.original_baskets import Baskets
from shoal.audit.residual import Residual
from shoal.audit.wording import item_name
from shoal.data.arrays import Float64, Int64
from shoal.release.randomized import Randomized

NAME = "single items"


@dataclass(frozen=True, eq=False)
class Pairs:
    """For each item, how many real rows hold it before and after, only before, only after, and neither."""

    both: Int64
    lost: Int64
    gained: Int64
    neither: Int64


@dataclass(frozen=True, eq=False)
class Beliefs:
    """For each item, the belief that a person holds it: if it is published, and if it is not."""

    shown: Float64
    absent: Float64
    shows: Float64
    """How likely it is published for a person who holds it."""
    flips: float
    """How likely for one who does not."""

    @classmethod
    def of(cls, prior: Float64, shows: Float64, flips: float) -> Beliefs:
        """Bayes' rule, item by item."""
        return cls(
            prior * shows / (prior * shows + (1 - prior) * flips),
            prior * (1 - shows) / (prior * (1 - shows) + (1 - prior) * (1 - flips)),
            shows,
            flips,
        )

    @property
    def ones(self) -> Float64:
        """R1 of each item: the average belief in the truth, if a person holds it."""
        return self.shows * self.shown + (1 - self.shows) * self.absent

    @property
    def zeros(self) -> Float64:
        """R0 of each item: the same if a person does not."""
        return self.flips * (1 - self.shown) + (1 - self.flips) * (1 - self.absent)


def attack_items(release: Randomized, baskets: Baskets, drawn: Randomized, sources: Int64) -> Finding:
    """Guess each item of each person, and measure how sure and how right the guesses are.

    Args:
        release: The release.
        baskets: The original.
        drawn: A release made in the same way.
        sources: The record that each of its rows comes from, or -1.
    """
    n, promise, records = release.n_items, release.promise, len(baskets)
    pairs = count_pairs(baskets, drawn, sources)
    supports = baskets.supports(n)
    # Where records were cut, items may be missing before anything is flipped.
    kept = baskets.expected_supports(n) / np.maximum(supports, 1)
    beliefs = Beliefs.of(supports / records, promise.flip_prob + (2 * promise.keep_prob - 1) * kept, promise.flip_prob)
    ones, zeros = int(supports.sum()), records * n - int(supports.sum())
    average = Beliefs.of(np.array([ones / (records * n)]), np.array([promise.keep_prob]), promise.flip_prob)
    guess_shown, guess_absent = beliefs.shown > 0.5, beliefs.absent > 0.5
    right = int(pairs.both @ guess_shown + pairs.lost @ guess_absent)
    right_zeros = int(pairs.gained @ ~guess_shown + pairs.neither @ ~guess_absent)
    surest = int(np.argmax(np.where(supports > 0, beliefs.shown, -1)))
    measured = float(pairs.both @ beliefs.shown + pairs.lost @ beliefs.absent) / ones
    measured_zeros = float(pairs.gained @ (1 - beliefs.shown) + pairs.neither @ (1 - beliefs.absent))
    sentence = (
        "Measured on a newly randomized release of the same kind, since in this one nobody can tell whose row is "
        f"whose: an adversary who knows that a row is a person's and how frequent items are is {measured:.1%} sure, on "
        f"average, of an item that the person holds, and the best guess is right for about {right / ones:.1%} of them, "
        "which the promise does not cover."
    )
    numbers = {
        "items_held": ones,
        "r1_measured": measured,
        "r1_expected": float(supports @ beliefs.ones) / ones,
        "r1_at_mean_support": float(average.ones[0]),
        "r0_measured": measured_zeros / zeros if zeros else None,
        "r0_expected": float((records - supports) @ beliefs.zeros) / zeros if zeros else None,
        "r0_at_mean_support": float(average.zeros[0]),
        "held_and_guessed_share": right / ones,
        "not_held_and_guessed_share": right_zeros / zeros if zeros else None,
        "surest_item": item_name(release.vocabulary, surest),
        "chance_that_it_is_held_where_shown": float(beliefs.shown[surest]),
    }
    residual = Residual(right / ones, "items that people hold", "are guessed right by an adversary who knows the row")
    return Finding(NAME, sentence, numbers, residual=residual)


def count_pairs(baskets: Baskets, drawn: Randomized, sources: Int64) -> Pairs:
    """Compare each record with its row, item by item: sorted places are searched, no matrix is made."""
    n = drawn.n_items
    rows = np.flatnonzero(sources >= 0)
    rows = rows[np.argsort(sources[rows])]
    lengths = drawn.lengths[rows]
    ends = np.cumsum(lengths)
    places = np.repeat(drawn.offsets[rows] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    items = drawn.items[places]
    published = np.append(np.repeat(sources[rows], lengths) * n + items, np.iinfo(np.int64).max)
    held = np.repeat(np.arange(len(baskets)), np.diff(baskets.offsets)) * n + baskets.items
    stayed = published[np.searchsorted(published, held)] == held
    both = np.bincount(baskets.items[stayed], minlength=n)
    lost = baskets.supports(n) - both
    gained = np.bincount(items, minlength=n) - both
    return Pairs(both, lost, gained, len(baskets) - both - lost - gained)
