"""A. Mohaisen et al., IEICE Trans. E93-D, 2010: the worked example of section 2, before and behind flipped items."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import shoal
from shoal.analyse.randomized.supports import estimated_supports
from shoal.engine.threads import Threads
from shoal.mining.itemsets import frequent_itemsets
from shoal.publish.randomization import randomize
from shoal.run import Run
from tests.oracles import randomized_supports as oracle

TRANSACTIONS = ["mcb", "mpj", "mb", "cj", "mpb", "mcbj", "cbj", "bc"]
# The paper prints 3/8 for {c, b}, which is in t1, t6, t7 and t8.
FREQUENT = {"m": 5, "c": 5, "b": 6, "j": 4, "mb": 4, "cb": 4, "jc": 3}


def test_the_eight_transactions_have_the_supports_of_the_paper_but_one():
    found = frequent_itemsets(shoal.read([set(items) for items in TRANSACTIONS]), 3)
    assert dict(found) == {frozenset(items): count for items, count in FREQUENT.items()}


@pytest.mark.parametrize(("keep", "fakes"), [(0.9, 0), (1.0, 2), (0.9, 2)], ids=["mask", "fakes", "hybrid"])
def test_estimates_recover_them_on_average(keep, fakes):
    # The mean of runs is a sum of independent rows. Each of 21 numbers is outside of its bound (Bernstein's inequality)
    # with a probability below 1e-8 if estimates are unbiased. Seeds are fixed.
    runs, n_records = 300, 8
    data = shoal.read([set(items) for items in TRANSACTIONS])
    mean = np.zeros(len(FREQUENT))
    for seed in range(runs):
        release = randomize(data, keep_prob=keep, fakes=fakes, fake_length=2 if fakes else None, run=Run(chance=seed))
        mean += estimated_supports(release, FREQUENT, run=Run(engine=Threads(1))).estimate / runs
    kept, log = Fraction(str(keep)), math.log(2 / 1e-8)
    v = kept * (1 - kept) / (2 * kept - 1) ** 2
    for (items, count), found in zip(FREQUENT.items(), mean.tolist(), strict=True):
        # No row has a larger variance than one that holds all items, or that fakes bring about.
        fake = oracle.fake_share([(2, Fraction(1))], len(items), 5) if fakes else Fraction(0)
        rows = n_records * (1 + fakes)
        largest = float(((1 + v) ** len(items) - 1 if kept < 1 else Fraction(0)) + fake * (1 - fake) * bool(fakes))
        bound = float(kept / (2 * kept - 1)) ** len(items) + 1
        reach = bound * log / 3 + math.sqrt((bound * log / 3) ** 2 + 2 * largest * rows * runs * log)
        assert abs(found * n_records - count) * runs <= reach, items
        assert reach / runs < n_records * 0.2, "the bound says something"
