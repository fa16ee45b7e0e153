"""What is frequent in noisy counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shoal.mining.task import Mined, Task, mine_baskets
from shoal.release.noisy_baskets import NoisyBaskets


def mine(
    release: NoisyBaskets,
    task: Task,
    *,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Mined:
    """The itemsets of the rows, or the rules between them."""
    found = mine_baskets(release.baskets(), task, threads=threads, progress=progress)
    return replace(
        found, summary=f"{found.summary}, by noisy counts; rare baskets are missing, and some that nobody has are there"
    )
