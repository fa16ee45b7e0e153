"""What is frequent in generalized baskets: items and groups of items."""

from __future__ import annotations

from dataclasses import replace

from shoal.mining.task import Mined, Task, mine_baskets
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import DEFAULT_RUN, Run


def mine(
    release: GeneralizedBaskets,
    task: Task,
    *,
    run: Run = DEFAULT_RUN,
) -> Mined:
    """The itemsets of the rows, or the rules between them."""
    found = mine_baskets(release.baskets(), task, run=run)
    return replace(found, summary=f"{found.summary}; counts are exact, and a group stands for any of its items")
