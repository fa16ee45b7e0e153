"""Counts of the rows of a table, as ``shoal query`` draws them."""

from __future__ import annotations

from shoal.analyse.answers import Answers
from shoal.analyse.contents import Table


def row_counts(answers: Answers) -> Table:
    """Bounds, means and deviations of all queries; nothing where a mean is not known."""
    rows = []
    for row in answers.rows:
        means = ("" if row[name] is None else f"{row[name]:,.1f}" for name in ("expected", "deviation"))
        rows.append((row["query"], row["least"], row["most"], *means))
    return Table(("rows with", "at least", "at most", "expected", "deviation"), rows)
