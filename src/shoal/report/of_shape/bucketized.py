"""What a report says of bucketized releases."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.release.bucketized import Bucketized
from shoal.report.page import Chart
from shoal.report.reading import Reading, equals
from shoal.report.size_charts import group_sizes

_WORDS = (
    "Quasi-identifiers stand in one table, sensitive values with their counts in another; a group says which "
    "belong together, not which row has which value. So counts have bounds that are certain, and an expectation."
)
_REMARK = "rows, each with the values that its group has, and how often"
_SQL = """SELECT * FROM 'FOLDER/quasi_identifiers.parquet'
JOIN 'FOLDER/sensitive.parquet' USING ("group")
LIMIT 10;"""


def reading(release: Bucketized) -> Reading:
    """How to read it: counts of conditions, with bounds."""
    value = next(value for value in release.values.cast("string").to_pylist() if value is not None)
    return Reading(_WORDS, "--limit", _REMARK, _SQL, condition=equals(release.sensitive, value))


def charts(release: Bucketized) -> Iterator[Chart]:
    """Its groups."""
    yield group_sizes(release.group_sizes, "groups of rows whose sensitive values were detached from them")
