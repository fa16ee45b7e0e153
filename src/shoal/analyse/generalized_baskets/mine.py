"""What is frequent in generalized baskets: items and groups of items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.mining.task import Mined, Task, mine_baskets
from shoal.release.generalized_baskets import GeneralizedBaskets


def mine(
    release: GeneralizedBaskets,
    task: Task,
    *,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Mined:
    """The itemsets of the rows, or the rules between them."""
    found = mine_baskets(release.baskets(), task, threads=threads, progress=progress)
    return replace(found, summary=f"{found.summary}; counts are exact, and a group stands for any of its items")
