"""Link rows of two releases that belong to the same person, by likelihood, and infer the person's items.

Rows are sorted by content, so their positions carry no information. Two rows of one person agree more often than two of
different people: each pair is weighed by its likelihood ratio, same person against different people, with items assumed
independent with the known frequencies. All rows of the other release are then candidates, as likely as their weights,
and the belief in each item of the person follows from both rows (Bayes' rule, averaged over the candidates). The attack
ignores correlated items and rows that look fake: a stronger adversary may do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.attack.finding import Finding, LeftOut
from shoal.audit.attack.randomized.second_release import SURE, Seen, belief, stays
from shoal.audit.parts import expand
from shoal.audit.randomized.original_baskets import Baskets
from shoal.audit.residual import Residual
from shoal.data.arrays import Bools, Float64, Int64
from shoal.release.randomized import Randomized

Three = tuple[float, float, float]
"""By the first release alone, by both, and by both if the person's row is known in each."""

NAME = "linked rows"
_CELLS = 2**22
"""How many pairs of rows, or of a row and an item, are weighed together."""
_MOST_WORK = 3e9
"""The most pairs of equal items of two rows that are compared."""
_UNLIKELY = 1e-4
"""Less likely candidate rows count as rows without information."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A release made in the way of another one, and the record of each row, -1 if it is fake."""

    release: Randomized
    sources: Int64


@dataclass
class _Totals:
    """The counts over all people looked for."""

    people: int = 0
    linked: float = 0.0
    held: int = 0
    sure: Three = (0.0, 0.0, 0.0)
    right: Three = (0.0, 0.0, 0.0)
    wrong: Three = (0.0, 0.0, 0.0)
    """Items that are guessed wrong, held or not."""


def attack_linked(
    first: Drawn, other: Drawn, baskets: Baskets, generator: np.random.Generator, n_victims: int
) -> Finding | LeftOut:
    """Look for the rows of some people in the other release, and guess their items by both.

    Args:
        first: A release made in the way of the attacked one.
        other: One made in the way of the other one.
        baskets: The original.
        generator: Draws people.
        n_victims: How many are looked for.
    """
    n, records = first.release.n_items, len(baskets)
    real = np.flatnonzero(first.sources >= 0)
    rows = generator.permutation(real)[:n_victims]
    of, at = expand(first.release.offsets[rows], first.release.offsets[rows + 1])
    met = np.bincount(of, other.release.supports[first.release.items[at]], minlength=len(rows))
    rows = rows[np.cumsum(met + other.release.n_rows) <= _MOST_WORK]
    if not len(rows):
        return LeftOut(NAME, "so many rows of so many items would take too much work to compare")
    prior = baskets.supports(n) / records
    pair = _Pair.of(first.release, other.release, baskets, prior)
    true_row = np.full(records, -1)
    real = np.flatnonzero(other.sources >= 0)
    true_row[other.sources[real]] = real
    totals = _Totals()
    step = max(1, _CELLS // max(other.release.n_rows, n))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        record = first.sources[block]
        _add(totals, pair, block, true_row[record], _bits(baskets.offsets, baskets.items, record, n) > 0)
    return _finding(totals, other.release, prior, baskets)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two releases, and the weights of pairs of their rows."""

    first: Randomized
    other: Randomized
    seen: tuple[Seen, Seen]
    prior: Float64
    of_row: Float64
    """For each row of the other release the weight of its items, whatever the row of the first holds."""
    common: Float64
    """For each item the additional weight if both rows hold it."""

    @classmethod
    def of(cls, first: Randomized, other: Randomized, baskets: Baskets, prior: Float64) -> _Pair:
        one, two = Seen.by(first, stays(first, baskets)), Seen.by(other, stays(other, baskets))
        # No belief is certain: no item counts as in no record, or as in all of them.
        share = np.clip(prior, 0.5 / len(baskets), 1 - 0.5 / len(baskets))
        weight = {}
        for here in (False, True):
            for there in (False, True):
                (a1, a0), (b1, b0) = one.chances(here), two.chances(there)
                together = share * a1 * b1 + (1 - share) * a0 * b0
                apart = (share * a1 + (1 - share) * a0) * (share * b1 + (1 - share) * b0)
                weight[here, there] = np.log(np.maximum(together, SURE**4)) - np.log(np.maximum(apart, SURE**4))
        there = weight[False, True] - weight[False, False]
        sums = np.bincount(np.repeat(np.arange(other.n_rows), other.lengths), there[other.items], other.n_rows)
        common = weight[True, True] - weight[True, False] - there
        return cls(first, other, (one, two), prior, np.asarray(sums, np.float64), common)

    def weights(self, rows: Int64) -> Float64:
        """The likelihood ratio of each row of the other release, for each of some rows, up to a factor each."""
        from scipy.sparse import csr_array

        of, at = expand(self.first.offsets[rows], self.first.offsets[rows + 1])
        items = self.first.items[at]
        shape = (len(rows), self.first.n_items)
        own = csr_array((self.common[items], (of, items)), shape=shape)
        theirs = csr_array(
            (np.ones(len(self.other.items)), self.other.items, self.other.offsets),
            shape=(self.other.n_rows, self.first.n_items),
        )
        return np.asarray((own @ theirs.T).toarray() + self.of_row)


def _bits(offsets: Int64, items: npt.NDArray[np.integer], rows: Int64, n: int) -> Float64:
    """Some rows as a matrix."""
    of, at = expand(offsets[rows], offsets[rows + 1])
    bits = np.zeros((len(rows), n))
    bits[of, items[at]] = 1
    return bits


def _add(totals: _Totals, pair: _Pair, rows: Int64, true_row: Int64, held: Bools) -> None:
    """Add the results for some more people."""
    n = pair.first.n_items
    weights = pair.weights(rows)
    best = weights.max(1)
    weights = weights - best[:, None]
    own = weights[np.arange(len(rows)), true_row]
    near = weights > -1e-9
    totals.linked += float(((own > -1e-9) / near.sum(1)).sum())
    likely = np.exp(weights)
    likely /= likely.sum(1, keepdims=True)
    of, row = np.nonzero(likely >= _UNLIKELY)
    chance = likely[of, row]
    shown = _bits(pair.first.offsets, pair.first.items, rows, n) > 0
    # The share of the candidate rows that hold each item, weighted by likelihood.
    entry, at = expand(pair.other.offsets[row], pair.other.offsets[row + 1])
    keys = of[entry] * n + pair.other.items[at]
    there = np.bincount(keys, chance[entry], minlength=len(rows) * n).reshape(len(rows), n)
    known = np.bincount(of, chance, minlength=len(rows))[:, None]
    one, two = pair.seen
    alone = np.where(shown, belief(pair.prior, (one, True)), belief(pair.prior, (one, False)))
    with_it, without = (
        np.where(shown, belief(pair.prior, (one, True), (two, also)), belief(pair.prior, (one, False), (two, also)))
        for also in (True, False)
    )
    both = there * with_it + (known - there) * without + (1 - known) * alone
    linked = np.where(_bits(pair.other.offsets, pair.other.items, true_row, n) > 0, with_it, without)
    beliefs = (alone, both, linked)
    totals.people += len(rows)
    totals.held += int(held.sum())
    totals.sure = _plus(totals.sure, [float(one[held].sum()) for one in beliefs])
    totals.right = _plus(totals.right, [float((one[held] > 0.5).sum()) for one in beliefs])
    totals.wrong = _plus(totals.wrong, [float(((one > 0.5) != held).sum()) for one in beliefs])


def _plus(one: Three, more: Sequence[float]) -> Three:
    return one[0] + more[0], one[1] + more[1], one[2] + more[2]


def _finding(totals: _Totals, other: Randomized, prior: Float64, baskets: Baskets) -> Finding:
    held = max(totals.held, 1)
    right, sure, wrong = ([n / held for n in numbers] for numbers in (totals.right, totals.sure, totals.wrong))
    linked, chance = totals.linked / totals.people, 1 / other.n_rows
    frequent = baskets.supports(other.n_items) @ (prior > 0.5) / max(len(baskets.items), 1)
    sentence = (
        "Measured on two newly randomized releases of the same kind, since in these nobody can tell whose row is "
        f"whose: for {linked:.1%} of {totals.people:,} people whose row in the first is known, the likeliest row in "
        f"the other is theirs. With both, the adversary is {sure[1]:.1%} sure, on average, of an item that a person "
        f"holds; with the first alone, {sure[0]:.1%}. The promise does not cover a second release."
    )
    numbers = {
        "people": totals.people,
        "linked_right_share": linked,
        "linked_right_by_chance_share": chance,
        "items_held": totals.held,
        "held_and_guessed_by_frequency_share": float(frequent),
        "held_and_guessed_by_the_first_share": right[0],
        "held_and_guessed_by_both_share": right[1],
        "held_and_guessed_if_both_rows_are_known_share": right[2],
        "wrong_guesses_for_each_item_held_by_the_first": wrong[0],
        "wrong_guesses_for_each_item_held_by_both": wrong[1],
        "wrong_guesses_for_each_item_held_if_both_rows_are_known": wrong[2],
        "r1_by_the_first": sure[0],
        "r1_by_both": sure[1],
        "r1_if_both_rows_are_known": sure[2],
    }
    residual = Residual(right[1], "items that people hold", "are guessed right by both releases and a known row")
    return Finding(NAME, sentence, numbers, residual=residual)
