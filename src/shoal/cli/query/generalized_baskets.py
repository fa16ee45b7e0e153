"""What ``shoal query`` prints of generalized baskets: what is counted, and what is expected of items below groups."""

from __future__ import annotations

from shoal.analyse.answers import Answers
from shoal.cli.terminal import item_text
from shoal.cli.told import Rows, Told
from shoal.release.generalized_baskets import GeneralizedBaskets


def told(release: GeneralizedBaskets, answers: Answers) -> Told:
    """Bounds, means and deviations."""
    rows = []
    for row in answers.rows:
        names = ", ".join(map(item_text, row["all_of"]))
        counts = (f"{row['least']:,}", f"{row['most']:,}", f"{row['expected']:,.1f}", f"{row['deviation']:,.1f}")
        rows.append((names, *counts))
    drawn = Rows(("all of", "at least", "at most", "expected", "deviation"), tuple(rows))
    words = (
        "What rows hold is counted exactly; a record holds a group if it holds any item of it. An item below a group "
        "may be in all rows with the group or in none: expected divides them evenly over its items, each row holding "
        "one of them, so that two items of one group are never expected together."
    )
    return Told(f"of {release.n_rows:,} records:", (drawn,), words)
