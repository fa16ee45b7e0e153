"""How often a set must be in rows, fake ones among them, for any miner to find what is frequent.

J.-L. Lin, J. Liu, SAC 2007; A. Mohaisen et al., IEICE Trans. E93-D, 2010, equation 10, with the number of fake rows
that there are, and their own distribution of lengths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.analyse.randomized.estimates import Chance
from shoal.analyse.randomized.itemsets import ROUNDING
from shoal.errors import InputError
from shoal.limits import require_whole
from shoal.mining.support import least_share
from shoal.release.randomized import Randomized


@dataclass(frozen=True)
class FakeThreshold:
    """What sets of one size must reach in the rows of a release, real and fake ones together."""

    size: int
    share: float
    """The share of the rows: s'_k of equation 10."""
    rows: int
    """The smallest number of rows that reaches it."""


def fake_thresholds(
    release: Randomized, min_support: float = 0.001, *, max_length: int | None = None
) -> list[FakeThreshold]:
    """The thresholds for sets of 1, 2, ... items with which any miner finds in the rows what is frequent without them.

    A set is then frequent if it reaches the threshold of its size, and all of its subsets reach theirs: just what
    :func:`estimated_itemsets` finds.

    Args:
        release: what was published, with fake rows among the real ones, which are as they were.
        min_support: a share of the records up to 1., or (as a whole number) how many records it takes.
        max_length: for sets of up to so many items; by default as many as have a threshold of their own: that of the
            last size is also that of all larger ones.

    Raises:
        InputError: an argument is out of range, or items were flipped: what a set then says depends on its subsets.

    Example:
        >>> import shoal
        >>> again = shoal.Run(chance=1)
        >>> baskets = shoal.read([{"tea", "milk"}] * 40 + [{"tea"}] * 60)
        >>> release = shoal.fakes(baskets, fakes=2, fake_length=1, run=again)
        >>> fake_thresholds(release, .3)
        [FakeThreshold(size=1, share=0.43333333333333335, rows=130), FakeThreshold(size=2, share=0.1, rows=30)]
    """
    if release.promise.keep_prob < 1:
        raise InputError(
            f"items of this release were flipped ({release.method}): how often a set stands in its rows says nothing "
            "without its subsets, so that no threshold serves other miners: use shoal mine without --print-thresholds"
        )
    least = least_share(min_support, release.n_records) * release.n_records
    if max_length is not None:
        require_whole("max_length", max_length, least=1)
    chance = Chance.of(release)
    slack = ROUNDING * release.n_records
    fewest = math.ceil(least - slack)
    thresholds: list[FakeThreshold] = []
    for size in range(1, (max_length or release.n_items) + 1):
        reached = least + release.n_fakes * chance.fake_share(size)
        rows = max(fewest, math.ceil(reached - slack))
        thresholds.append(FakeThreshold(size, reached / release.n_rows, rows))
        if max_length is None and rows == fewest:
            break
    return thresholds
