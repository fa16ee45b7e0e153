"""The likelihood filter: item frequencies and record lengths are enough to sort out most fake transactions.

A. Mohaisen et al., 2010, section 5.3, assume the share that is filtered out (gamma); this module measures it. The
adversary scores each row by its likelihood ratio, real against fake. Given its length, a fake transaction is a
uniformly random set of items; a real one is modelled as a set of independent items with the known frequencies. That is
wrong where items are correlated, so a stronger adversary may do better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.audit.attack.finding import Finding, Row, Value
from shoal.audit.budget import Budget
from shoal.audit.randomized.original_baskets import Baskets, kinds_of
from shoal.audit.randomized.published_rows import length_chances
from shoal.audit.residual import Residual
from shoal.data.arrays import Float64, Int32, Int64
from shoal.release.randomized import Randomized

NAME = "likelihood filter"
KEPT = (0.99, 0.95, 0.9, 0.8)
"""The shares of the real rows that the adversary wants to keep."""
PEOPLE = 1_000
"""Average-case privacy is computed for so many people, as in tables 2 and 3 of the paper."""
_MOST_WORK = 2e9
_BLOCK = 1 << 18
"""How many rows are scored together."""


def attack_fakes(
    release: Randomized, baskets: Baskets, labelled: Randomized, real: Float64, *, drawn_anew: bool
) -> Finding:
    """Sort out fake transactions, and count how many of the rows sorted out are fake.

    Args:
        release: The release.
        baskets: The original.
        labelled: The release, or one made in the same way.
        real: For each of its rows, the chance that it is real, given the original.
        drawn_anew: Whether it is a new one.

    Raises:
        OutOfBudget: Rows are too long to weigh.
    """
    scores = row_scores(labelled, log_odds(release, baskets), *length_models(release, baskets))
    removed = removed_shares(scores, real)
    fakes = release.n_fakes / release.n_records
    outcomes: list[Row] = []
    for kept, gone in zip(KEPT, removed, strict=True):
        left = (1 - gone) * fakes
        outcomes.append(
            {
                "real_rows_kept_share": kept,
                "fake_transactions_removed_share": gone,
                "real_of_rows_left_share": kept / (kept + left),
                "average_privacy": average_privacy(left),
                "worst_case_privacy": worst_case_privacy(left),
            }
        )
    where = (
        "Measured on a newly randomized release of the same kind, since in this one nobody can tell which rows "
        "are real: "
    )
    sentence = (
        f"{where if drawn_anew else ''}{'a' if drawn_anew else 'A'}n adversary who knows item frequencies and record "
        f"lengths sorts out {removed[KEPT.index(0.9)]:.1%} of the fake transactions and keeps 90% of the real ones, "
        "which the promise does not cover."
    )
    numbers: dict[str, Value | Sequence[Row]] = {
        "real_rows": release.n_records,
        "fake_transactions": release.n_fakes,
        "average_privacy_without_filter": average_privacy(fakes),
        "worst_case_privacy_without_filter": worst_case_privacy(fakes),
        "with_filter": outcomes,
    }
    words = "are sorted out by an adversary who knows item frequencies and keeps 90 % of the real rows"
    return Finding(NAME, sentence, numbers, residual=Residual(removed[KEPT.index(0.9)], "fake transactions", words))


def real_rows(release: Randomized, baskets: Baskets) -> Float64 | None:
    """For each row of a release without flips, the chance that it is real: of equal rows, as many as the original has.

    None if records of the original are missing: then the release is of other data.
    """
    kinds = kinds_of(release, baskets)
    if np.any(kinds.rows < kinds.real):
        return None
    return (kinds.real / np.maximum(kinds.rows, 1))[kinds.of_rows]


def log_odds(release: Randomized, baskets: Baskets) -> Float64:
    """For each item, the logarithm of its odds in a published real row."""
    promise, records = release.promise, len(baskets)
    share = baskets.expected_supports(release.n_items) / records
    # Items of all records would have infinite odds; half a record less avoids that.
    chance = np.minimum(promise.flip_prob + (2 * promise.keep_prob - 1) * share, 1 - 0.5 / records)
    with np.errstate(divide="ignore"):
        return np.log(chance) - np.log1p(-chance)


def length_models(release: Randomized, baskets: Baskets) -> tuple[Float64, Float64]:
    """The chances of 0, 1, ... items in a published row: of a real one, and of a fake one."""
    n, keep = release.n_items, release.promise.keep_prob
    lengths, counts = np.unique(baskets.lengths, return_counts=True)
    shares = dict(zip(lengths.tolist(), (counts / len(baskets)).tolist(), strict=True))
    return length_chances(shares, n, keep), length_chances(dict(release.promise.fake_lengths), n, keep)


def row_scores(release: Randomized, odds: Float64, real: Float64, fake: Float64) -> Float64:
    """The log-likelihood ratio of each row, real against fake: infinite where only one of the two is possible."""
    n, longest = release.n_items, int(release.lengths.max(initial=0))
    sets = log_symmetric(odds, longest)
    numbers = np.arange(1, longest + 1)
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - numbers + 1) / numbers))])
    with np.errstate(divide="ignore", invalid="ignore"):
        by_length = np.log(real[: longest + 1]) - np.log(fake[: longest + 1]) + ways - sets
    sums = np.empty(release.n_rows)
    for first in range(0, release.n_rows, _BLOCK):
        last = min(first + _BLOCK, release.n_rows)
        sums[first:last] = _sums(release.offsets[first : last + 1], release.items, odds)
    with np.errstate(invalid="ignore"):
        scores = by_length[release.lengths] + sums
    # Rows that are impossible both ways (inf - inf) are in no release.
    return np.where(np.isnan(scores), -np.inf, scores)


def _sums(offsets: Int64, items: Int32, values: Float64) -> Float64:
    """The sum of the items' values of each row."""
    held = values[items[offsets[0] : offsets[-1]]]
    starts, there = (offsets - offsets[0])[:-1], np.diff(offsets) > 0
    sums = np.zeros(len(starts))
    if len(held):
        sums[there] = np.add.reduceat(held, starts[there])
    return sums


def log_symmetric(log_values: Float64, most: int) -> Float64:
    """The logarithms of the elementary symmetric polynomials of degree 0 to ``most``: sums over all sets of that size.

    Raises:
        OutOfBudget: There are too many values and degrees.

    Example:
        >>> np.exp(log_symmetric(np.log([1.0, 2.0, 3.0]), 3)).round(6).tolist()
        [1.0, 6.0, 11.0, 6.0]
    """
    Budget(_MOST_WORK).spend(len(log_values) * (most + 1))
    sums = np.full(most + 1, -np.inf)
    sums[0] = 0.0
    for value in log_values[np.isfinite(log_values)].tolist():
        sums[1:] = np.logaddexp(sums[1:], sums[:-1] + value)
    return sums


def removed_shares(scores: Float64, real: Float64, kept: Sequence[float] = KEPT) -> list[float]:
    """The shares of fake transactions removed while keeping these shares of the real ones; the least likely go first.

    Of equally likely rows, chance decides which are kept.

    Example:
        >>> removed_shares(np.array([3.0, 2, 1, 0]), np.array([1.0, 0, 1, 0]), [1, 0.5, 0.25])
        [0.5, 1.0, 1.0]
    """
    _, group = np.unique(-scores, return_inverse=True)
    reals, fakes = np.bincount(group, weights=real), np.bincount(group, weights=1 - real)
    real_before, fake_before = np.cumsum(reals) - reals, np.cumsum(fakes) - fakes
    wanted = np.asarray(kept) * reals.sum()
    # The fewest rows that keep as many real ones; sums of fractions may be off in the last digits.
    at = np.minimum(np.searchsorted(np.cumsum(reals), wanted * (1 - 1e-12)), len(reals) - 1)
    part = np.clip((wanted - real_before[at]) / np.maximum(reals[at], 1e-300), 0, 1)
    staying: list[float] = ((fake_before[at] + part * fakes[at]) / max(float(fakes.sum()), 1e-300)).tolist()
    return [1 - share for share in staying]


def average_privacy(fakes: float, people: int = PEOPLE) -> float:
    """The chance that a guess of a person's row is wrong, when people are guessed in turn (equation 13).

    Example:
        >>> round(average_privacy(2.0), 4)
        0.8108
    """
    left = people - np.arange(people)
    return float(1 - np.mean(left / (fakes * people + left)))


def worst_case_privacy(fakes: float) -> float:
    """The chance that a row is fake."""
    return 1 - 1 / (1 + fakes)
