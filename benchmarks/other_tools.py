"""ANJANA and anonypy on the same rows, in the environment that has them: ``.venv-rivals/bin/python other_tools.py``.

Standard input is a JSON object: tool, rows (a CSV file), quasi, sensitive, k, and for ANJANA hierarchies (by column the
rows of its file) and suppression (percent). Printed is one: seconds of CPU of the call, data frame in hand, and what it
publishes, as [cells of the quasi-identifiers, number of rows].
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pandas as pd

Published = Counter[tuple[str, ...]]


def anjana(asked: dict[str, Any]) -> Callable[[], Published]:
    """Full-domain generalization: the column with the most values, one level up, again and again."""
    from anjana.anonymity import k_anonymity

    people = pd.read_csv(asked["rows"], dtype=str)
    # Its hierarchies list the values of each row of the table, level by level.
    trees = {
        name: {level: pd.Series(values) for level, values in enumerate(zip(*rows, strict=True))}
        for name, rows in asked["hierarchies"].items()
    }

    def work() -> Published:
        with contextlib.redirect_stdout(io.StringIO()):
            made = k_anonymity(people.copy(), [], asked["quasi"], asked["k"], asked["suppression"], trees)
        return Counter(made[asked["quasi"]].itertuples(index=False, name=None)) if len(made) else Counter()

    return work


def anonypy(asked: dict[str, Any]) -> Callable[[], Published]:
    """Mondrian: ranges of numbers, and sets of the other values."""
    from anonypy import Preserver

    people = pd.read_csv(asked["rows"])
    for name in people.columns:
        if not pd.api.types.is_numeric_dtype(people[name]):
            people[name] = people[name].astype("category")

    def work() -> Published:
        made = Preserver(people, asked["quasi"], asked["sensitive"]).anonymize_k_anonymity(asked["k"])
        found: Published = Counter()
        for row in made:
            found[tuple(row[name][0] for name in asked["quasi"])] += row["count"]
        return found

    return work


def main() -> None:
    """Do what is asked for."""
    asked = json.load(sys.stdin)
    work = {"anjana": anjana, "anonypy": anonypy}[asked["tool"]](asked)
    start = time.process_time()
    published = work()
    seconds = time.process_time() - start
    json.dump({"seconds": seconds, "published": [[list(cells), n] for cells, n in published.items()]}, sys.stdout)


if __name__ == "__main__":
    main()
