"""Charts of sizes for releases of several shapes."""

from __future__ import annotations

from shoal.data.arrays import Int64
from shoal.reporting.charts import histogram
from shoal.reporting.page import Chart


def group_sizes(sizes: Int64, what: str) -> Chart:
    """The sizes of groups of rows; ``what`` says what the rows have in common."""
    if not len(sizes):
        return histogram(
            "class-sizes", "Sizes of groups", "There are no groups.", sizes, x="rows per group", y="groups"
        )
    says = f"{len(sizes):,} {what}, of {int(sizes.min()):,} to {int(sizes.max()):,}, {sizes.mean():.1f} on average."
    return histogram("class-sizes", "Sizes of groups", says, sizes, x="rows per group", y="groups")


def row_lengths(lengths: Int64) -> Chart:
    """The number of items in each row."""
    mean = lengths.mean() if len(lengths) else 0.0
    says = f"{len(lengths):,} rows, with {mean:.1f} items on average."
    return histogram("row-lengths", "Lengths of rows", says, lengths, x="items per row", y="rows")
