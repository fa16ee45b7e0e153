"""How many of the people looked for have fewer than k candidates: a count, its denominator and a confidence interval.

C. Clopper and E. Pearson, Biometrika 1934: the interval holds the share among all people in at least 95 of 100 draws,
with or without replacement.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.audit.attack.finding import Row
from shoal.audit.attack.people import below
from shoal.audit.residual import percent

CONFIDENCE = 0.95
RANDOM, WORST = "random_items", "worst_items"
"""Two adversaries: one knows j random items of a person, the other the set of up to j items that the fewest records
hold."""


def few_left(name: str, counts: Sequence[int], k: int, *, undecided: int = 0, everybody: bool = False) -> Row:
    """How many counts are below k, their share, and the bounds of the share among all people.

    Args:
        name: where candidates were counted.
        counts: the number of candidates of each person asked for.
        k: how many candidates each should have.
        undecided: how many more people were drawn whose number is not known: they widen the interval.
        everybody: whether all people were asked for, without sampling: then the share is exact.

    Example:
        >>> row = few_left("release", [1, 7, 9, 9], 5)
        >>> row["below_k_in_release"], row["below_k_in_release_share"]
        (1, 0.25)
        >>> round(row["at_least_in_release_share"], 3), round(row["at_most_in_release_share"], 3)
        (0.006, 0.806)
    """
    few, people = below(counts, k), len(counts) + undecided
    low, high = interval(few, people)[0], interval(few + undecided, people)[1]
    if everybody and people:
        low, high = few / people, (few + undecided) / people
    return {
        f"below_k_in_{name}": few,
        f"below_k_in_{name}_share": few / len(counts) if counts else None,
        f"at_least_in_{name}_share": low if people else None,
        f"at_most_in_{name}_share": high if people else None,
    }


def told(columns: Sequence[Row], known: int, name: str) -> str:
    """How many people have fewer than k, their share and its bounds: ``11 of 205 people (5.4 %, 2.7 % to 9.4 %)``.

    Args:
        columns: one for each number of known items, made by ``few_left``.
        known: how many items are known.
        name: where candidates were counted.
    """
    column = columns[known - 1]
    share, low, high = (column[f"{which}_in_{name}_share"] for which in ("below_k", "at_least", "at_most"))
    people = f"{column[f'below_k_in_{name}']:,} of {column['people']:,} people"
    if not (isinstance(share, float) and isinstance(low, float) and isinstance(high, float)):
        return people
    bounds = "" if low == high else f", {round(100 * CONFIDENCE)} % interval {percent(low)} to {percent(high)}"
    return f"{people} ({percent(share)}{bounds})"


def both_told(random: Sequence[Row], worst: Sequence[Row], known: int, name: str, k: int) -> str:
    """For how many people each of the two adversaries finds fewer than k candidates, as one clause."""
    return (
        f"an adversary who knows {known_items(known, 'random')} of a person finds fewer than k = {k} candidates for "
        f"{told(random, known, name)}, and one who knows the worst {known_items(known)} for {told(worst, known, name)}"
    )


def known_items(known: int, kind: str = "") -> str:
    """``1 item``, ``2 random items``."""
    return f"{known} {kind}{' ' if kind else ''}item{'' if known == 1 else 's'}"


def interval(hits: int, sample: int) -> tuple[float, float]:
    """The bounds of a share, from so many hits in a random sample."""
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, sample - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, sample - hits, 1 - tail)) if hits < sample else 1.0
    return low, high
