"""What ``shoal query`` prints of a bucketized release: counts of rows, and the numbers of a column among them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.analyse.answers import Answers
from shoal.analyse.tables.aggregates import Aggregate
from shoal.cli.query.row_counts import row_counts
from shoal.cli.terminal import cell_text
from shoal.cli.told import Rows, Told
from shoal.release.bucketized import Bucketized


def told(release: Bucketized, answers: Answers) -> Told:
    """Bounds and means of counts, and of the numbers of a column where one was named."""
    aggregates = answers.aggregates
    tables = [row_counts(answers)]
    if aggregates:
        tables.append(_numbers(answers))
    words = (
        "Certain: every possible original lies between at least and at most. Expected and deviation hold if "
        f"{answers.said['expected_if']}." + _about(aggregates)
    )
    return Told(f"of {release.n_rows:,} rows:", tuple(tables), words)


def _numbers(answers: Answers) -> Rows:
    rows = []
    for text, found in zip(answers.asked, answers.aggregates, strict=True):
        average = "" if found.expected_average is None else f"{found.expected_average:,.6g}"
        ranges = ("" if part is None else str(part) for part in (found.minimum, found.maximum, found.average))
        rows.append((cell_text(str(text)), *ranges, average))
    column = cell_text(answers.aggregates[0].column)
    return Rows((f"{column} of rows with", "minimum", "maximum", "average", "expected average"), tuple(rows))


def _about(found: Sequence[Aggregate]) -> str:
    if not found:
        return ""
    text = (
        " Bounds of the average are those of all possible originals; the expected average is the expected sum by the "
        "expected count. Rows without a number do not count."
    )
    if any(one.minimum is None for one in found):
        text += " Where nothing is shown, no row can meet the conditions and have a number."
    if any(one.minimum is not None and not one.least_rows for one in found):
        text += " Where no row is certain to meet them, the bounds are those of the originals in which some do."
    return text
