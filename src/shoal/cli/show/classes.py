"""A generalized release, group by group: what its rows agree on, and how often which sensitive values go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.cli.terminal import cell_text, counted, draw, result, table

if TYPE_CHECKING:
    from shoal.release.generalized import Generalized


def show_classes(release: Generalized, numbers: Sequence[int], rows: int) -> None:
    """Print two tables for some groups: their quasi-identifiers, and their different sensitive rows, counted."""
    hidden = release.counts["hidden_cells"]
    result(
        f"{counted(release.n_rows, 'row')} in {counted(release.n_groups, 'group')}, {release.suppressed:,} suppressed; "
        f"{counted(hidden, 'sensitive cell')} hidden\n"
    )
    drawn = table("group", "rows", *(cell_text(column.name) for column in release.quasi))
    for number in numbers:
        labels = map(cell_text, _agreed(release, number))
        drawn.add_row(f"{number:,}", f"{int(release.group_sizes[number]):,}", *labels)
    draw(drawn)
    if release.sensitive:
        _draw_sensitive(release, numbers, rows)


def classes_as_json(release: Generalized, numbers: Sequence[int], rows: int) -> dict[str, Any]:
    """The same groups for a machine."""
    groups = []
    for number in numbers:
        counted_rows, more = _sensitive(release, number, rows)
        names = [column.name for column in release.sensitive]
        groups.append(
            {
                "group": number,
                "rows": int(release.group_sizes[number]),
                "quasi": dict(zip((column.name for column in release.quasi), _agreed(release, number), strict=True)),
                "sensitive": [
                    {"values": dict(zip(names, labels, strict=True)), "count": times} for labels, times in counted_rows
                ],
                "more_sensitive": more,
            }
        )
    return {"groups": groups}


def _agreed(release: Generalized, group: int) -> list[str]:
    """What the rows of a group agree on."""
    first = int(release.group_offsets[group])
    return [column.tree.labels[column.nodes[first]] for column in release.quasi]


def _sensitive(release: Generalized, group: int, rows: int) -> tuple[list[tuple[list[str], int]], int]:
    """The most frequent sensitive rows of a group, how often each is there, and how many others there are."""
    import numpy as np

    if not release.sensitive:
        return [], 0
    here = slice(*release.group_offsets[group : group + 2].tolist())
    nodes = np.stack([column.nodes[here] for column in release.sensitive])
    different, times = np.unique(nodes, axis=1, return_counts=True)
    order = np.argsort(-times, kind="stable")
    found = [
        (
            [column.tree.labels[node] for column, node in zip(release.sensitive, different[:, place], strict=True)],
            int(times[place]),
        )
        for place in order[:rows].tolist()
    ]
    return found, len(order) - len(found)


def _draw_sensitive(release: Generalized, numbers: Sequence[int], rows: int) -> None:
    drawn = table("group", *(cell_text(column.name) for column in release.sensitive), "count")
    for group in numbers:
        found, more = _sensitive(release, group, rows)
        for labels, times in found:
            drawn.add_row(f"{group:,}", *map(cell_text, labels), f"{times:,}")
        if more:
            drawn.add_row(f"{group:,}", f"... {more:,} more")
    draw(drawn)
