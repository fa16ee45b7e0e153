"""A bucketized release as the paper prints it: rows with their group, and the values of each group (2008, Table II)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli.terminal import counted, draw, printable, result, table

if TYPE_CHECKING:
    from shoal.release.bucketized import Bucketized


def show_groups(release: Bucketized, group: int | None, limit: int, rows: int) -> None:
    """Print the two tables for some groups."""
    wanted = [group] if group is not None else list(range(min(limit, release.n_groups)))
    _draw_rows(release, wanted, rows)
    _draw_counts(release, wanted)
    if release.discloses_background and release.background is not None:
        result(f"{counted(len(release.background), 'negative rule')} published with it (rules.parquet)")
    hidden = release.n_groups - len(wanted)
    if hidden and group is None:
        result(f"... and {hidden:,} more groups: --limit {release.n_groups} shows all of them, --group N one")


def _draw_rows(release: Bucketized, groups: list[int], rows: int) -> None:
    texts = [column.texts for column in release.quasi]
    drawn = table("group", *(printable(name) for name in release.quasi.names))
    for group in groups:
        first, end = release.group_offsets[group : group + 2].tolist()
        for row in range(first, min(end, first + rows)):
            drawn.add_row(
                f"{group:,}",
                *(printable(text[column.codes[row]]) for text, column in zip(texts, release.quasi, strict=True)),
            )
        if end - first > rows:
            drawn.add_row(f"{group:,}", f"... {end - first - rows:,} more")
    draw(drawn)


def _draw_counts(release: Bucketized, groups: list[int]) -> None:
    from shoal.data.table import text_of

    drawn = table("group", printable(release.sensitive), "count")
    for group in groups:
        for entry in range(*release.bucket_offsets[group : group + 2].tolist()):
            value = text_of(release.values[int(release.bucket_values[entry])].as_py())
            drawn.add_row(f"{group:,}", printable(value), f"{int(release.bucket_counts[entry]):,}")
    draw(drawn)
