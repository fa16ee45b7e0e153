"""A generalized release, group by group: what its rows agree on, and how often which sensitive values go together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from shoal.analyse.contents import Cell, Contents, Table, Wanted
from shoal.plural import counted
from shoal.release.generalized import Generalized


def show(release: Generalized, wanted: Wanted) -> Contents:
    """Two tables for some groups: their quasi-identifiers, and their different sensitive rows, counted."""
    numbers = wanted.numbers("group", release.n_groups)
    groups = [_group(release, number, wanted.rows) for number in numbers]
    return Contents(
        f"{counted(release.n_rows, 'row')} in {counted(release.n_groups, 'group')}, {release.suppressed:,} suppressed; "
        f"{counted(release.counts['hidden_cells'], 'sensitive cell')} hidden",
        _tables(release, groups),
        {"groups": groups},
        release.n_groups,
        release.n_groups - len(numbers),
    )


def _group(release: Generalized, group: int, rows: int) -> dict[str, Any]:
    first = int(release.group_offsets[group])
    found, more = _sensitive(release, group, rows)
    return {
        "group": group,
        "rows": int(release.group_sizes[group]),
        "quasi": {column.name: column.tree.labels[column.nodes[first]] for column in release.quasi},
        "sensitive": found,
        "more_sensitive": more,
    }


def _sensitive(release: Generalized, group: int, rows: int) -> tuple[list[dict[str, Any]], int]:
    """The most frequent sensitive rows of a group, how often each is there, and how many others there are."""
    if not release.sensitive:
        return [], 0
    here = slice(*release.group_offsets[group : group + 2].tolist())
    nodes = np.stack([column.nodes[here] for column in release.sensitive])
    different, times = np.unique(nodes, axis=1, return_counts=True)
    order = np.argsort(-times, kind="stable")
    found = []
    for place in order[:rows].tolist():
        row = zip(release.sensitive, different[:, place], strict=True)
        values = {column.name: column.tree.labels[node] for column, node in row}
        found.append({"values": values, "count": int(times[place])})
    return found, len(order) - len(found)


def _tables(release: Generalized, groups: list[dict[str, Any]]) -> Iterator[Table]:
    yield Table(
        ("group", "rows", *(column.name for column in release.quasi)),
        [(group["group"], group["rows"], *group["quasi"].values()) for group in groups],
    )
    if not release.sensitive:
        return
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        rows += [(group["group"], *found["values"].values(), found["count"]) for found in group["sensitive"]]
        if group["more_sensitive"]:
            rows.append((group["group"], f"... {group['more_sensitive']:,} more"))
    yield Table(("group", *(column.name for column in release.sensitive), "count"), rows)
