"""What ``shoal query`` prints of a generalized release: counts of rows, suppressed ones among them."""

from __future__ import annotations

from shoal.analyse.answers import Answers
from shoal.cli.query.row_counts import row_counts
from shoal.cli.told import Told
from shoal.release.generalized import Generalized


def told(release: Generalized, answers: Answers) -> Told:
    """Bounds and means, and why some means are not known."""
    suppressed = f" and {release.suppressed:,} suppressed" if release.suppressed else ""
    about = [
        "Certain: every possible original lies between at least and at most. Expected and deviation hold if "
        f"{answers.said['expected_if']}."
    ]
    if release.suppressed:
        about.append("Suppressed rows may be any rows: they count in the upper bound.")
    if any(None in row.values() for row in answers.rows):
        about.append(
            "Where no mean is shown, the release does not tell how many of the values below some cells are meant: its "
            "hierarchies are cut at what rows hold, and do not list what was asked for, or labels that are no ranges "
            "of numbers stand for numbers."
        )
    return Told(f"of {release.n_rows:,} rows{suppressed}:", (row_counts(answers),), " ".join(about))
