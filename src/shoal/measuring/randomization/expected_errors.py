"""How far supports that are estimated from a randomized release are off: standard errors, before anything is published.

The estimate of a set of k items is a mean of products over the published rows. Given the original, a row that had j of
the items adds (1 + v)^j v^(k - j), less 1 where it had all of them, to N^2 times its variance, with v = keep flip /
(keep - flip)^2; the made-up rows add the variance of their number that hold the set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.measuring.randomization.release_size import Lengths
from shoal.promises import Randomization

SIZES = (1, 2, 3)
"""Of itemsets, whose errors are shown."""


@dataclass(frozen=True)
class ExpectedError:
    """How far the estimated support of an itemset at the threshold is off."""

    size: int
    """Items of the set."""
    standard_error: float
    """As a share of the records."""
    of_threshold: float
    """The same, as a multiple of the threshold."""


def fake_shares(lengths: Lengths, n_items: int) -> tuple[float, ...]:
    """The chances that a made-up row, before anything is flipped, holds 0, 1, 2, 3 given items."""
    promise = Randomization(1.0, 1.0, lengths)
    return tuple(promise.fake_share(size, n_items) for size in range(max(SIZES) + 1))


def usual_rows(size: int, support: float, mean_support: float) -> list[float]:
    """What real rows are taken to hold of a set: the share of them that holds 0, 1, ... all of its items.

    A share of ``support`` holds all of them. The others hold each of its items by chance, as often as items are held on
    average, but never all of them: what they hold of a frequent item beside the set is not known beforehand.
    """
    other = 0.0 if size == 1 else max(0.0, mean_support - support) / (1 - support) if support < 1 else 0.0
    held = [math.comb(size, j) * other**j * (1 - other) ** (size - j) for j in range(size)]
    if other == 1:  # they hold as many as they can: all but one
        held[-1] = 1.0
    total = math.fsum(held)
    return [(1 - support) * share / total for share in held] + [support]


def standard_error(
    rows: Sequence[float], *, keep_prob: float, fakes: float, records: int, made_up: Sequence[float] = ()
) -> float:
    """The standard error of an estimated support, as a share of the records.

    Args:
        rows: the share of the real rows that hold 0, 1, ... all of the items of the set.
        keep_prob: the chance that an item stays as it is.
        fakes: made-up rows for each real one.
        records: how many real rows there are.
        made_up: the chances that a made-up row holds 0, 1, ... given items; needed where there are such rows.

    Example:
        >>> round(standard_error([0.99, 0.01], keep_prob=0.9, fakes=0, records=10_000), 6)
        0.00375
    """
    size = len(rows) - 1
    spread = keep_prob * (1 - keep_prob) / (2 * keep_prob - 1) ** 2
    variance = math.fsum(share * (1 + spread) ** j * spread ** (size - j) for j, share in enumerate(rows)) - rows[size]
    if fakes:
        squares = math.fsum(math.comb(size, m) * spread ** (size - m) * made_up[m] for m in range(size + 1))
        variance += fakes * (squares - made_up[size] ** 2)
    return math.sqrt(max(variance, 0.0) / records)


def expected_errors(
    keep_prob: float,
    fakes: float,
    *,
    mean_support: float,
    records: int,
    min_support: float,
    made_up: Sequence[float] = (),
) -> tuple[ExpectedError, ...]:
    """How far estimated supports of sets at the threshold are off, for sets of 1, 2 and 3 items."""
    found = []
    for size in SIZES:
        rows = usual_rows(size, min_support, mean_support)
        error = standard_error(rows, keep_prob=keep_prob, fakes=fakes, records=records, made_up=made_up)
        found.append(ExpectedError(size, error, error / min_support))
    return tuple(found)
