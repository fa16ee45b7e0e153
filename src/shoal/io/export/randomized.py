"""A randomized release: its rows as they were published."""

from __future__ import annotations

from shoal.io.export.basket_rows import export_rows
from shoal.io.export.exported import Export, Format
from shoal.release.randomized import Randomized


def export(release: Randomized, format: Format) -> Export:
    """Its rows, and what programs would read wrongly of empty ones."""
    empty = int((release.lengths == 0).sum())
    notes: tuple[str, ...] = ()
    if empty and format.name == "fimi":
        notes = (
            f"note: {empty:,} of the {release.n_rows:,} rows are empty and stand as blank lines, which many programs "
            "skip: give these supports as numbers of rows, not as shares of what they read",
        )
    elif empty and format.name == "csv":
        notes = (
            f"note: {empty:,} of the {release.n_rows:,} rows are empty: their numbers, from 0 on, are not in the file",
        )
    return export_rows(release, format, notes=notes)
