"""The parts of a report that are specific to bucketized releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.audit.attack.finding import Attacks
from shoal.data.table import Table
from shoal.measuring.risk.baskets import BasketRisk
from shoal.measuring.risk.published import published_value_chances, value_chances
from shoal.measuring.risk.tables import table_risk
from shoal.release.bucketized import Bucketized
from shoal.release.evidence import Evidence
from shoal.reporting.named_values import named_values
from shoal.reporting.page import Chart, Key, Section
from shoal.reporting.reading import Reading, equals
from shoal.reporting.remaining_risk import USUAL_K, Risks
from shoal.reporting.size_charts import group_sizes
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    pass

_WORDS = (
    "One table has the quasi-identifiers, another the sensitive values with their counts; a group says which rows and "
    "values belong together, not which row has which value. So counts have certain bounds and an expectation."
)
_REMARK = "rows, each with the values of its group and how often they occur"
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


def risks(release: Bucketized, original: Table | None, before: BasketRisk | None, attacks: Attacks | None) -> Risks:
    """The probability of guessing the sensitive value."""
    del before, attacks  # the files show these probabilities
    quasi, name = list(release.quasi.names), release.sensitive
    was = None if original is None else value_chances(original, quasi, name)
    lines = named_values(name, was, published_value_chances(release, release.sensitive), headline=True)
    said = "" if original is None or not quasi else str(table_risk(original, USUAL_K, quasi=quasi))
    return Risks(tuple(lines), said)


def costs(release: Bucketized, evidence: Evidence, run: Run = DEFAULT_RUN) -> tuple[Section, Key | None]:
    """The cost for rules and queries about its sensitive column."""
    from shoal.reporting.costs import table_costs

    return table_costs(release, evidence, run, quasi=release.quasi.names, sensitive=release.sensitive)
