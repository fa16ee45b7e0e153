"""What ``shoal info`` reports on generalized baskets: the lengths of rows, and how many items were generalized."""

from __future__ import annotations

from shoal.cli.info.description import Described, lengths_line, row_lengths
from shoal.release.generalized_baskets import GeneralizedBaskets


def describe(release: GeneralizedBaskets) -> Described:
    """How many groups there are, and how large they are."""
    sizes = release.tree.leaves[release.is_held]
    groups = sizes[sizes > 1]
    n, items, largest = len(groups), int(groups.sum()), int(groups.max(initial=0))
    rows = row_lengths(release.lengths)
    whole = "whole" if release.discloses_hierarchy else "cut to the published items"
    lines = (
        lengths_line(rows),
        f"{n:,} of the published items represent several, {items:,} in all, one of them {largest:,}; the hierarchy is "
        f"{whole}",
    )
    numbers = {
        "published_groups": n,
        "items_in_groups": items,
        "items_in_the_largest": largest,
        "hierarchy_is_whole": release.discloses_hierarchy,
        "row_lengths": rows,
    }
    return Described(numbers, lines)
