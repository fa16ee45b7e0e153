"""Small data and made-up outcomes for studies that compare methods."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.measuring.metric import Metric
from shoal.study.outcome import Costs, Job, Outcome

# Run by every Python that finds it on its path when it starts: the children of a study get methods that misbehave.
MISBEHAVING = """
import os, signal, sys, time

if any("shoal.study.job_process" in argument for argument in sys.orig_argv):
    from shoal import pipeline
    from shoal.method import Method

    def die(method, original, settings, run):
        if method.name != {name!r}:
            return right(method, original, settings, run)
        print("this is no message of a child")
        if len(original.data) < 20:  # those it is loaded with
            {loading}
            return right(method, original, settings, run)
        {what}

    right = Method.make
    Method.make = die
"""


def misbehaving(folder: Path, name: str, what: str, loading: str = "") -> str:
    """A value of PYTHONPATH with which a method misbehaves in child processes, or while it is loaded."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(MISBEHAVING.format(what=what, name=name, loading=loading))
    return str(folder)


def baskets(n: int = 60) -> Transactions:
    """Some baskets of six items, two of which often go together."""
    chance = random.Random(3)
    rows = [set(chance.sample("abcdef", chance.randint(1, 4))) | set(chance.choice(["ab", "c"])) for _ in range(n)]
    return Transactions.from_records(rows)


def people(n: int = 60) -> Table:
    """Some people with an age that may be missing, a sex, and an illness."""
    chance = random.Random(4)
    rows = {
        "age": [None if i == 7 else chance.randint(20, 50) for i in range(n)],
        "sex": [chance.choice("fm") for _ in range(n)],
        "name": [f"person {i}" for i in range(n)],
        "illness": [chance.choice(["flu", "gout", "cold", "mumps"]) for _ in range(n)],
    }
    return Table.from_arrow(pa.table(rows), identifier="name", quasi=["age", "sex"], sensitive="illness")


def metric(name: str, value: float | None, *, part: str = "", higher: bool = False) -> Metric:
    """A number of which nothing but name, value and direction matters."""
    better: Any = "higher is better" if higher else "lower is better"
    return Metric(name, value, better, (0.0, float("inf")), f"what {name} is", "nothing", part=part)


def outcome(label: str, *metrics: Metric, **changes: Any) -> Outcome:
    """A job that was done and verified."""
    job = Job(label, "mask", {"keep_prob": 0.9, "seed": None})
    costs = Costs(0.5, 0.25, 200_000_000, 150_000_000, 4_000_000)
    return Outcome(job, **{"state": "done", "checks": 7, "metrics": metrics, "costs": costs, **changes})
