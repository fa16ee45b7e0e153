"""A generalized release, group by group: what its rows agree on, and how often which sensitive values go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli.terminal import counted, draw, printable, result, table

if TYPE_CHECKING:
    from shoal.release.generalized import Generalized


def show_classes(release: Generalized, group: int | None, limit: int, rows: int) -> None:
    """Print two tables for some groups: their quasi-identifiers, and their different sensitive rows, counted."""
    hidden = release.counts["hidden_cells"]
    result(
        f"{counted(release.n_rows, 'row')} in {counted(release.n_groups, 'group')}, {release.suppressed:,} suppressed; "
        f"{counted(hidden, 'sensitive cell')} hidden\n"
    )
    wanted = [group] if group is not None else list(range(min(limit, release.n_groups)))
    drawn = table("group", "rows", *(printable(column.name) for column in release.quasi))
    for number in wanted:
        first = int(release.group_offsets[number])
        labels = (printable(column.tree.labels[column.nodes[first]]) for column in release.quasi)
        drawn.add_row(f"{number:,}", f"{int(release.group_sizes[number]):,}", *labels)
    draw(drawn)
    if release.sensitive:
        _draw_sensitive(release, wanted, rows)
    others = release.n_groups - len(wanted)
    if others and group is None:
        result(f"... and {counted(others, 'more group')}: --limit {release.n_groups} shows all of them, --group N one")


def _draw_sensitive(release: Generalized, groups: list[int], rows: int) -> None:
    import numpy as np

    drawn = table("group", *(printable(column.name) for column in release.sensitive), "count")
    for group in groups:
        here = slice(*release.group_offsets[group : group + 2].tolist())
        different, times = np.unique(
            np.stack([column.nodes[here] for column in release.sensitive]), axis=1, return_counts=True
        )
        order = np.argsort(-times, kind="stable")
        for place in order[:rows].tolist():
            labels = (
                printable(column.tree.labels[node])
                for column, node in zip(release.sensitive, different[:, place], strict=True)
            )
            drawn.add_row(f"{group:,}", *labels, f"{int(times[place]):,}")
        if len(order) > rows:
            drawn.add_row(f"{group:,}", f"... {len(order) - rows:,} more")
    draw(drawn)
