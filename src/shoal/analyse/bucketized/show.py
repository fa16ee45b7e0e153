"""A bucketized release as the paper prints it: rows with their group, and the values of each group (2008, Table II)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.analyse.contents import Cell, Contents, Table, Wanted
from shoal.data.table import text_of
from shoal.plural import counted
from shoal.release.bucketized import Bucketized


def show(release: Bucketized, wanted: Wanted) -> Contents:
    """How much there is, and the two tables for some groups."""
    numbers = wanted.numbers("group", release.n_groups)
    groups = [_group(release, number, wanted.rows) for number in numbers]
    closing = None
    if release.discloses_background and release.background is not None:
        closing = f"{counted(len(release.background), 'negative rule')} published with it (rules.parquet)"
    return Contents(
        f"{release.n_rows:,} rows in {release.n_groups:,} groups",
        _tables(release, groups),
        {"groups": groups},
        release.n_groups,
        release.n_groups - len(numbers),
        closing,
    )


def _group(release: Bucketized, group: int, rows: int) -> dict[str, Any]:
    """Its first rows, how many others there are, and its sensitive values, counted."""
    first, end = release.group_offsets[group : group + 2].tolist()
    shown = range(first, min(end, first + rows))
    entries = range(*release.bucket_offsets[group : group + 2].tolist())
    return {
        "group": group,
        "rows": [{column.name: column.texts[column.codes[row]] for column in release.quasi} for row in shown],
        "more_rows": end - first - len(shown),
        "sensitive": [
            {
                "value": text_of(release.values[int(release.bucket_values[entry])].as_py()),
                "count": int(release.bucket_counts[entry]),
            }
            for entry in entries
        ],
    }


def _tables(release: Bucketized, groups: list[dict[str, Any]]) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        rows += [(group["group"], *row.values()) for row in group["rows"]]
        if group["more_rows"]:
            rows.append((group["group"], f"... {group['more_rows']:,} more"))
    yield Table(("group", *release.quasi.names), rows)
    yield Table(
        ("group", release.sensitive, "count"),
        [(group["group"], found["value"], found["count"]) for group in groups for found in group["sensitive"]],
    )
