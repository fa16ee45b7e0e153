"""People singled out by random items rather than by the worst ones: estimated from sampled people, one set each.

People who have fewer items than the adversary knows are left out, so the shares are of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.transactions import Transactions
from shoal.measuring.risk.share import Share, sampled_share
from shoal.mining.counting import count_itemsets
from shoal.run import Run

DRAWN = 1000
"""The number of sampled people; all, if there are fewer."""


@dataclass(frozen=True)
class RandomKnown:
    """The risk from an adversary who knows this many random items of a person's record."""

    items: int
    people: int
    """The number of people who have that many items: the base of the shares."""
    alone: Share
    """The share of them whose known items are in no other record."""
    among_few: Share
    """The share of them whose known items are in fewer than k records."""

    def as_dict(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "items": self.items,
            "people": self.people,
            "alone": vars(self.alone),
            "among_fewer_than_k": vars(self.among_few),
        }


def singled_out_by_random(
    data: Transactions, k: int, m: int, *, chance: np.random.Generator, run: Run
) -> tuple[RandomKnown, ...]:
    """The shares for 1 to m random items, as far as anyone has that many."""
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
        held = count_itemsets(data, sets, run=run)
        alone, few = (
            sampled_share(0, len(people), int(np.count_nonzero(held < most)), len(drawn), len(people))
            for most in (2, k)
        )
        found.append(RandomKnown(size, len(people), alone, few))
    return tuple(found)
