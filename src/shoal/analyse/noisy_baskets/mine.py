"""What is frequent in noisy counts."""

from __future__ import annotations

from dataclasses import replace

from shoal.mining.task import Mined, Task, mine_baskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import DEFAULT_RUN, Run


def mine(
    release: NoisyBaskets,
    task: Task,
    *,
    run: Run = DEFAULT_RUN,
) -> Mined:
    """The itemsets of the rows, or the rules between them."""
    found = mine_baskets(release.baskets(), task, run=run)
    return replace(
        found, summary=f"{found.summary}, by noisy counts; rare baskets are missing, and some that nobody has are there"
    )
