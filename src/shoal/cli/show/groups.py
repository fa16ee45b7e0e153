"""A bucketized release as the paper prints it: rows with their group, and the values of each group (2008, Table II)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from shoal.cli.terminal import cell_text, counted, draw, result, table

if TYPE_CHECKING:
    from shoal.release.bucketized import Bucketized


def show_groups(release: Bucketized, numbers: Sequence[int], rows: int) -> None:
    """Print how much there is, and the two tables for some groups."""
    result(f"{release.n_rows:,} rows in {release.n_groups:,} groups\n")
    drawn = table("group", *(cell_text(name) for name in release.quasi.names))
    for group, found, more in _rows(release, numbers, rows):
        for row in found:
            drawn.add_row(f"{group:,}", *map(cell_text, row))
        if more:
            drawn.add_row(f"{group:,}", f"... {more:,} more")
    draw(drawn)
    drawn = table("group", cell_text(release.sensitive), "count")
    for group in numbers:
        for value, count in _counts(release, group):
            drawn.add_row(f"{group:,}", cell_text(value), f"{count:,}")
    draw(drawn)
    if release.discloses_background and release.background is not None:
        result(f"{counted(len(release.background), 'negative rule')} published with it (rules.parquet)")


def groups_as_json(release: Bucketized, numbers: Sequence[int], rows: int) -> dict[str, Any]:
    """The same groups for a machine."""
    groups = []
    for group, found, more in _rows(release, numbers, rows):
        groups.append(
            {
                "group": group,
                "rows": [dict(zip(release.quasi.names, row, strict=True)) for row in found],
                "more_rows": more,
                "sensitive": [{"value": value, "count": count} for value, count in _counts(release, group)],
            }
        )
    return {"groups": groups}


def _rows(release: Bucketized, numbers: Iterable[int], rows: int) -> Iterator[tuple[int, list[list[str]], int]]:
    """Of each group its number, its first rows, and how many others there are."""
    columns = [(column.texts, column.codes) for column in release.quasi]
    for group in numbers:
        first, end = release.group_offsets[group : group + 2].tolist()
        shown = range(first, min(end, first + rows))
        yield group, [[texts[codes[row]] for texts, codes in columns] for row in shown], end - first - len(shown)


def _counts(release: Bucketized, group: int) -> list[tuple[str, int]]:
    from shoal.data.table import text_of

    entries = range(*release.bucket_offsets[group : group + 2].tolist())
    values = (release.values[int(release.bucket_values[entry])].as_py() for entry in entries)
    return [(text_of(value), int(release.bucket_counts[entry])) for entry, value in zip(entries, values, strict=True)]
