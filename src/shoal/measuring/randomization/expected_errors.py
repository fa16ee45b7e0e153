"""Standard errors of supports that are estimated from a randomized release, before anything is published.

The estimate of a set of k items is a mean of products over the published rows. Given the original, a row that had j of
the items adds (1 + v)^j v^(k - j), minus 1 if it had all of them, to N^2 times the variance, with v = keep flip /
(keep - flip)^2; the fake transactions add the variance of the number of them that hold the set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.measuring.randomization.release_size import Lengths
from shoal.promises import Randomization

SIZES = (1, 2, 3)
"""The largest itemsets whose errors are shown."""


@dataclass(frozen=True)
class ExpectedError:
    """The error of the estimated support of an itemset at the threshold."""

    size: int
    """Items of the set."""
    standard_error: float
    """As a share of the records."""
    of_threshold: float
    """The same, as a multiple of the threshold."""


def fake_shares(lengths: Lengths, n_items: int) -> tuple[float, ...]:
    """The probabilities that a fake transaction, before anything is flipped, holds 0, 1, 2, 3 given items."""
    promise = Randomization(1.0, 1.0, lengths)
    return tuple(promise.fake_share(size, n_items) for size in range(max(SIZES) + 1))


def usual_rows(size: int, support: float, mean_support: float) -> list[float]:
    """The assumed share of the real rows that hold 0, 1, ... all items of a set.

    A share of ``support`` holds all of them. The others hold each item independently, as often as items are held on
    average, but never all of them: their other frequent items are not known beforehand.
    """
    other = 0.0 if size == 1 else max(0.0, mean_support - support) / (1 - support) if support < 1 else 0.0
    held = [math.comb(size, j) * other**j * (1 - other) ** (size - j) for j in range(size)]
    if other == 1:  # they hold as many as possible: all but one
        held[-1] = 1.0
    total = math.fsum(held)
    return [(1 - support) * share / total for share in held] + [support]


def standard_error(
    rows: Sequence[float], *, keep_prob: float, fakes: float, records: int, fake_shares: Sequence[float] = ()
) -> float:
    """The standard error of an estimated support, as a share of the records.

    Args:
        rows: the share of the real rows that hold 0, 1, ... all of the items of the set.
        keep_prob: the probability that an item is kept.
        fakes: fake transactions per real one.
        records: the number of real rows.
        fake_shares: the probabilities that a fake transaction holds 0, 1, ... given items; needed if there are any.

    Example:
        >>> round(standard_error([0.99, 0.01], keep_prob=0.9, fakes=0, records=10_000), 6)
        0.00375
    """
    size = len(rows) - 1
    spread = keep_prob * (1 - keep_prob) / (2 * keep_prob - 1) ** 2
    variance = math.fsum(share * (1 + spread) ** j * spread ** (size - j) for j, share in enumerate(rows)) - rows[size]
    if fakes:
        squares = math.fsum(math.comb(size, m) * spread ** (size - m) * fake_shares[m] for m in range(size + 1))
        variance += fakes * (squares - fake_shares[size] ** 2)
    return math.sqrt(max(variance, 0.0) / records)


def expected_errors(
    keep_prob: float,
    fakes: float,
    *,
    mean_support: float,
    records: int,
    min_support: float,
    fake_shares: Sequence[float] = (),
) -> tuple[ExpectedError, ...]:
    """The errors of estimated supports at the threshold, for sets of 1, 2 and 3 items."""
    found = []
    for size in SIZES:
        rows = usual_rows(size, min_support, mean_support)
        error = standard_error(rows, keep_prob=keep_prob, fakes=fakes, records=records, fake_shares=fake_shares)
        found.append(ExpectedError(size, error, error / min_support))
    return tuple(found)
