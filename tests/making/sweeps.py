"""Sweeps with given losses, of which nothing was run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.data.transactions import Transactions
from shoal.study.losses import loss_of
from shoal.study.original import Original
from shoal.study.outcome import Measuring
from shoal.study.sweep import Sweep, jobs_of_grid, map_of
from tests.making.sweep_outcomes import done

BASKETS = Original.of(Transactions.from_records([{"tea", "milk"}] * 3 + [{"tea"}] * 5))


def swept(method: str, grid: dict[str, Any], losses: list[float | None], **changes: Any) -> Sweep:
    """A sweep whose points lost what is given, in the order of the jobs; ``changes`` are those of every outcome."""
    named, jobs, names = jobs_of_grid(method, grid, "baskets", None)
    outcomes = [
        replace(done(method, {"pairs kept": None if loss is None else 1 - loss, "tKd": 0.5}), **{"job": job, **changes})
        for job, loss in zip(jobs, losses, strict=True)
    ]
    found = map_of(named, names, outcomes, BASKETS, loss_of(["pairs kept"], outcomes))
    return Sweep(method, *found, "baskets", "8 records", Measuring())
