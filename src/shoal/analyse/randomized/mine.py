"""What is frequent in a randomized release: estimates with their errors, or thresholds for other miners."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal.analyse.randomized.fake_thresholds import fake_thresholds
from shoal.analyse.randomized.itemsets import MAX_CANDIDATES, Estimator, GrowFrom, estimated_itemsets
from shoal.analyse.randomized.rules import estimated_rules
from shoal.errors import InputError
from shoal.mining.task import DEFAULT_SUPPORT, Mined, Task
from shoal.plural import counted
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run


def mine(
    release: Randomized,
    task: Task,
    *,
    estimator: Estimator | None = None,
    grow_from: GrowFrom | None = None,
    max_candidates: int | None = None,
    print_thresholds: bool = False,
    run: Run = DEFAULT_RUN,
) -> Mined:
    """The itemsets by their estimates, or the rules between them; or what sets must reach in other miners."""
    # One record of many is far below what chance does to an estimate: the best ones are looked for among others.
    support = task.min_support or DEFAULT_SUPPORT
    if print_thresholds:
        others = (task.top, task.min_confidence, estimator, grow_from, max_candidates)
        if any(one is not None for one in others):
            raise InputError(
                "thresholds for other miners depend on the support and the length only: leave the other options out"
            )
        return _thresholds(release, support, task.max_length)
    found = estimated_itemsets(
        release,
        support,
        top=task.top,
        max_length=task.max_length,
        max_candidates=max_candidates or MAX_CANDIDATES,
        grow_from=grow_from or "estimate",
        estimator=estimator or "counts",
        run=run,
    )
    reach = f"estimated in at least {found.least_share * release.n_records:,.6g} of {release.n_records:,} records"
    chance: dict[str, Any] = {"notes": found.unexplored, "warnings": found.warnings}
    if task.min_confidence is None:
        summary = f"{counted(len(found), 'itemset')} {reach}; from low to high are 95 % intervals"
        return Mined(found, found.to_arrow(), summary, **chance)
    rules = estimated_rules(found, task.min_confidence)
    summary = f"{counted(len(rules), 'rule')} {reach}; from low to high are 95 % intervals of the confidence"
    return Mined(rules, rules.to_arrow(), summary, **chance)


def _thresholds(release: Randomized, support: float, max_length: int | None) -> Mined:
    """What sets of each size must reach in the rows, and how to use it."""
    found = fake_thresholds(release, support, max_length=max_length)
    columns = {name: [getattr(one, name) for one in found] for name in ("size", "share", "rows")}
    summary = (
        f"what sets must reach in the {release.n_rows:,} rows, real and fake, which shoal export writes: a set is "
        "found if it does, and all of its subsets do"
        + ("" if max_length else "; larger sets need what those of the last size need")
    )
    return Mined(found, pa.table(columns), summary)
