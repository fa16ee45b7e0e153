"""Bucketized releases out of plain Python lists: groups of rows, and of the sensitive values that they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.table import Table
from shoal.promises import FrequencyDiversity
from shoal.release.bucketized import Bucketized
from tests.builders import offsets
from tests.oracles.table_counts import Group

# Table II of T. Li, N. Li: Injector, 2008.
_PEOPLE = [
    (47677, 29, "F"), (47602, 22, "F"), (47678, 27, "M"),
    (47905, 43, "M"), (47909, 52, "F"), (47906, 47, "M"),
    (47605, 30, "M"), (47673, 36, "M"), (47607, 32, "M"),
]  # fmt: skip
_DISEASES = [
    ["Ovarian Cancer", "Ovarian Cancer", "Prostate Cancer"],
    ["Flu", "Heart Disease", "Heart Disease"],
    ["Heart Disease", "Flu", "Flu"],
]
PATIENTS: list[Group] = [
    ([{"zip": str(code), "age": age, "sex": sex} for code, age, sex in _PEOPLE[3 * at : 3 * at + 3]], values)
    for at, values in enumerate(_DISEASES)
]


def arrow_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as an Arrow table."""
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def bucketized(groups: Sequence[Group], sensitive: str, l: int = 2) -> Bucketized:  # noqa: E741
    """A release of these groups; nothing is sorted but the values."""
    rows = [row for part, _ in groups for row in part]
    values = [value for _, part in groups for value in part]
    codes = Table.from_arrow(pa.table({"value": values})).columns[0]
    starts = offsets(len(part) for _, part in groups)
    parts = [Counter(codes.codes[start:end].tolist()) for start, end in pairwise(starts)]
    quasi = Table.from_arrow(arrow_of(rows), quasi=list(rows[0]))
    return Bucketized(
        method="anatomy",
        promise=FrequencyDiversity(l, sensitive),
        quasi=quasi,
        group_offsets=starts,
        values=codes.values,
        bucket_offsets=offsets(len(part) for part in parts),
        bucket_values=np.array([code for part in parts for code in sorted(part)], np.int32),
        bucket_counts=np.array([part[code] for part in parts for code in sorted(part)], np.int64),
    )
