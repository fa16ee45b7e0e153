"""What ``shoal query`` prints of a randomized release: estimates, and how far off they may be."""

from __future__ import annotations

from shoal.analyse.answers import Answers
from shoal.cli.terminal import item_text
from shoal.cli.told import Rows, Told
from shoal.release.randomized import Randomized


def told(release: Randomized, answers: Answers) -> Told:
    """Estimates with their errors and intervals."""
    rows = []
    for row in answers.rows:
        shares = (f"{row[name]:.3%}" for name in ("support", "error", "low", "high"))
        names = ", ".join(map(item_text, row["all_of"]))
        rows.append((names, f"{row['support'] * release.n_records:,.1f}", *shares))
    drawn = Rows(("all of", "records", "support", "error", "low", "high"), tuple(rows))
    words = (
        "Support is an estimate: on average over the chance that made the release, it is that of the original, and its "
        "standard error says how far it may be off. Of intervals from low to high, about 95 in 100 hold the truth. "
        "What cannot be, as less than nothing, is chance, too."
    )
    return Told(f"of {release.n_records:,} records:", (drawn,), words)
