"""Who is singled out by random items, rather than by the worst: estimated from people drawn, one random set each.

People who have fewer items than an adversary knows are not asked for, so that the shares are of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.transactions import Transactions
from shoal.measuring.risk.share import Share, sampled_share
from shoal.mining.counting import count_itemsets
from shoal.mining.search import Progress

DRAWN = 1000
"""How many people are drawn; all, where there are not so many."""


@dataclass(frozen=True)
class RandomKnown:
    """What somebody finds who knows so many random items of a person's record."""

    items: int
    people: int
    """How many people have so many items: what the shares are of."""
    alone: Share
    """The share of them whose items are in no other record."""
    among_few: Share
    """The share of them whose items are in fewer than k records."""

    def as_dict(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "items": self.items,
            "people": self.people,
            "alone": vars(self.alone),
            "among_fewer_than_k": vars(self.among_few),
        }


def singled_out_by_random(
    data: Transactions, k: int, m: int, *, chance: np.random.Generator, progress: Progress
) -> tuple[RandomKnown, ...]:
    """The shares for 1 to m random items, as far as anybody has so many."""
    found = []
    for size in range(1, m + 1):
        people = np.flatnonzero(data.lengths >= size)
        if not len(people):
            break
        drawn = np.sort(chance.choice(people, size=min(DRAWN, len(people)), replace=False))
        items = [
            np.sort(chance.choice(data.items[data.offsets[at] : data.offsets[at + 1]], size=size, replace=False))
            for at in drawn.tolist()
        ]
        sets = np.arange(len(drawn) + 1) * size, np.concatenate(items)
        held = count_itemsets(data, sets, progress=progress)
        alone, few = (
            sampled_share(0, len(people), int(np.count_nonzero(held < most)), len(drawn), len(people))
            for most in (2, k)
        )
        found.append(RandomKnown(size, len(people), alone, few))
    return tuple(found)
