"""Bucketized releases, rules and tables out of plain Python lists, for tests.

A group is ``(rows, counts)``: a list of tuples of quasi-identifiers, and a dictionary from sensitive values to counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.audit.verdict import Verdict
from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.table import Table
from shoal.promises import BucketPromise, FrequencyDiversity, MatchingDiversity
from shoal.release.bucketized import Bucketized
from tests.making.disassociated_releases import offsets

Group = tuple[Sequence[tuple[Any, ...]], dict[Any, int]]


def anatomized(l: int, sensitive: str = "disease") -> FrequencyDiversity:  # noqa: E741
    return FrequencyDiversity(l, sensitive)


def injected(l: int, sensitive: str = "disease", **options: Any) -> MatchingDiversity:  # noqa: E741
    return MatchingDiversity(l, sensitive, options.pop("min_expectation", 0.9), **options)


def bucketized(
    groups: Iterable[Group], columns: Sequence[str], promise: BucketPromise, *, sort: bool = True, **options: Any
) -> Bucketized:
    """Build a release; ``sort=False`` keeps groups, rows and values as they are given."""
    parts = [(list(rows), dict(counts)) for rows, counts in groups]
    every = [row for rows, _ in parts for row in rows]
    names = list(columns)
    ranks = [_ranks([row[j] for row in every]) for j in range(len(names))]
    values = _ranks([value for _, counts in parts for value in counts])
    if sort:
        for number, (rows, counts) in enumerate(parts):
            ordered = sorted(rows, key=lambda row: [rank[cell] for rank, cell in zip(ranks, row, strict=True)])
            parts[number] = (ordered, {value: counts[value] for value in sorted(counts, key=lambda v: values[v])})
        parts.sort(
            key=lambda part: (
                [[rank[cell] for rank, cell in zip(ranks, row, strict=True)] for row in part[0]],
                [(values[value], count) for value, count in part[1].items()],
            )
        )
    flat = [row for rows, _ in parts for row in rows]
    quasi = Table.from_arrow(pa.table({name: [row[j] for row in flat] for j, name in enumerate(names)}), quasi=names)
    return Bucketized(
        method="injector" if isinstance(promise, MatchingDiversity) else "anatomy",
        promise=promise,
        quasi=quasi,
        group_offsets=offsets(len(rows) for rows, _ in parts),
        values=pa.array(sorted(values, key=lambda value: values[value])),
        bucket_offsets=offsets(len(counts) for _, counts in parts),
        bucket_values=np.array([values[value] for _, counts in parts for value in counts], np.int32),
        bucket_counts=np.array([count for _, counts in parts for count in counts.values()], np.int64),
        **options,
    )


def _ranks(values: Iterable[Any]) -> dict[Any, int]:
    return {value: rank for rank, value in enumerate(sorted(set(values), key=lambda value: (value is None, value)))}


def rules(*given: tuple[dict[str, str | tuple[str, ...]], str], sensitive: str = "disease") -> Background:
    """``({"sex": "M"}, "ovarian cancer")`` is the rule sex = M => not ovarian cancer."""
    made = []
    for conditions, excluded in given:
        parts = []
        for column, values in conditions.items():
            texts = (values,) if isinstance(values, str) else tuple(values)
            parts.append(Condition(column, "|".join(texts), texts))
        made.append(NegativeRule(tuple(parts), excluded))
    return Background(sensitive, tuple(made))


def table_of(rows: Sequence[tuple[Any, ...]], columns: Sequence[str], sensitive: str = "disease") -> Table:
    """A table; the sensitive column is one of the columns, all others are quasi-identifiers."""
    data = pa.table({name: [row[j] for row in rows] for j, name in enumerate(columns)})
    return Table.from_arrow(data, quasi=[name for name in columns if name != sensitive], sensitive=sensitive)


PATIENTS_COLUMNS = ("zip", "age", "sex", "disease")
PATIENTS = [
    ("47677", 29, "F", "Ovarian Cancer"),
    ("47602", 22, "F", "Ovarian Cancer"),
    ("47678", 27, "M", "Prostate Cancer"),
    ("47905", 43, "M", "Flu"),
    ("47909", 52, "F", "Heart Disease"),
    ("47906", 47, "M", "Heart Disease"),
    ("47605", 30, "M", "Heart Disease"),
    ("47673", 36, "M", "Flu"),
    ("47607", 32, "M", "Flu"),
]
"""Table I of Li and Li 2008; its first three rows are group 1 of Table II, and so on."""


def patients(promise: BucketPromise) -> Bucketized:
    """Table II of Li and Li 2008."""
    groups = []
    for start in (0, 3, 6):
        part = PATIENTS[start : start + 3]
        counts: dict[str, int] = {}
        for row in part:
            counts[row[3]] = counts.get(row[3], 0) + 1
        groups.append(([row[:3] for row in part], counts))
    return bucketized(groups, PATIENTS_COLUMNS[:3], promise)


SEX_RULES = rules(({"sex": "M"}, "Ovarian Cancer"), ({"sex": "F"}, "Prostate Cancer"))
"""What everybody knows (section I of the paper)."""


COLUMNS = ("age", "sex")
GROUPS = [
    ([(20, "f"), (30, "m")], {"cold": 1, "flu": 1}),
    ([(21, "m"), (40, "f")], {"flu": 1, "gout": 1}),
    ([(25, "m"), (33, "m"), (41, "f")], {"cold": 1, "gout": 1, "mumps": 1}),
]
ORIGINAL = [
    (20, "f", "flu"),
    (30, "m", "cold"),
    (21, "m", "gout"),
    (40, "f", "flu"),
    (25, "m", "cold"),
    (33, "m", "mumps"),
    (41, "f", "gout"),
]


def good(promise: Any = None) -> Bucketized:
    return bucketized(GROUPS, COLUMNS, promise or anatomized(2))


def original(rows: list[tuple[Any, ...]] = ORIGINAL) -> Table:
    return table_of(rows, (*COLUMNS, "disease"))


def failing(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.witness or "" for check in verdict.failures}
