"""How many labels and ends of intervals in the trees of a release are values of few people."""

from __future__ import annotations

from shoal.audit.attack.finding import Finding, Row
from shoal.audit.generalized.named_values import counts_of
from shoal.data.table import Table
from shoal.release.generalized import Generalized

NAME = "values named by trees"
_ORIGINS: dict[str | None, str] = {None: "given", "completed": "given, and completed from the data"}


def attack_names(release: Generalized, original: Table) -> Finding:
    """Count the values that trees name, and those of them that fewer than k rows of the original hold."""
    k = release.promise.k
    rows: list[Row] = []
    named = few = from_data = 0
    for column, found in counts_of(release, original):
        rare = [value for value in found if 0 < value.rows < k]
        named, few = named + len(found), few + len(rare)
        from_data += sum(value.from_data for value in rare)
        rows.append(
            {
                "column": column.name,
                "hierarchy": _ORIGINS.get(column.making, "made from the data"),
                "ends_of_intervals": sum(value.is_end for value in found),
                "labels_that_are_values": sum(not value.is_end for value in found),
                "held_by_fewer_than_k": len(rare),
                "held_by_one": sum(value.rows == 1 for value in rare),
            }
        )
    sentence = (
        f"Labels of the hierarchies name {named:,} values; {few:,} of them are values of fewer than k = {k:,} people"
    )
    if few:
        sentence += (
            f": {from_data:,} come from hierarchies made from the data, and {few - from_data:,} from what the steward "
            "gave, about which nothing is promised"
        )
    sentence += "."
    return Finding(
        NAME,
        sentence,
        {"named": named, "held_by_fewer_than_k": few, "of_trees_made_from_the_data": from_data, "columns": rows},
        breaks_promise=from_data > 0,
    )
