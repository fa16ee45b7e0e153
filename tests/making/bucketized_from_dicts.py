"""Bucketized releases out of plain Python lists: groups of rows, and of the sensitive values that they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from shoal.promises import FrequencyDiversity
from shoal.release.bucketized import Bucketized
from tests.making import bucketized_releases
from tests.making.bucketized_releases import PATIENTS_COLUMNS
from tests.oracles.table_counts import Group

PATIENTS: list[Group] = [
    ([dict(zip(PATIENTS_COLUMNS, row[:3], strict=False)) for row in rows], [row[3] for row in rows])
    for rows in (bucketized_releases.PATIENTS[at : at + 3] for at in (0, 3, 6))
]
"""Table II of T. Li, N. Li: Injector, 2008."""


def arrow_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as an Arrow table."""
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def bucketized(groups: Sequence[Group], sensitive: str, l: int = 2) -> Bucketized:  # noqa: E741
    """A release of these groups; nothing is sorted but the values."""
    columns = list(groups[0][0][0])
    parts = [
        (
            [tuple(row[name] for name in columns) for row in rows],
            {value: values.count(value) for value in sorted(set(values), key=lambda value: (value is None, value))},
        )
        for rows, values in groups
    ]
    return bucketized_releases.bucketized(parts, columns, FrequencyDiversity(l, sensitive), sort=False)
