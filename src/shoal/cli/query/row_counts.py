"""Counts of the rows of a table, as ``shoal query`` draws them."""

from __future__ import annotations

from shoal.analyse.answers import Answers
from shoal.cli.terminal import cell_text
from shoal.cli.told import Rows


def row_counts(answers: Answers) -> Rows:
    """Bounds, means and deviations of all queries; nothing where a mean is not known."""
    rows = []
    for row in answers.rows:
        means = ("" if row[name] is None else f"{row[name]:,.1f}" for name in ("expected", "deviation"))
        rows.append((cell_text(row["query"]), f"{row['least']:,}", f"{row['most']:,}", *means))
    return Rows(("rows with", "at least", "at most", "expected", "deviation"), tuple(rows))
