"""What a report says of generalized tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.measure.tables.generalization import generalization
from shoal.release.generalized import Generalized
from shoal.report.charts import labelled, lying_bars
from shoal.report.page import Chart, Value
from shoal.report.reading import Reading, equals
from shoal.report.size_charts import group_sizes

_WORDS = (
    "A value is published as it is, or as a node of a hierarchy that stands for several. So counts have bounds "
    "that are certain; suppressed rows have no value at all."
)
_REMARK = "groups of rows that agree on all quasi-identifiers"
_SQL = """SELECT QUASI, count(*) AS number
FROM 'FOLDER/rows.parquet' WHERE "group" IS NOT NULL
GROUP BY ALL ORDER BY number DESC LIMIT 10;"""


def reading(release: Generalized) -> Reading:
    """How to read it: counts of conditions, with bounds."""
    column = (release.sensitive or release.quasi)[0]
    return Reading(
        _WORDS,
        "--limit",
        _REMARK,
        _SQL,
        condition=equals(column.name, column.tree.labels[int(np.argmax(column.counts))]),
        quasi=tuple(one.name for one in release.quasi),
    )


def charts(release: Generalized) -> Iterator[Chart]:
    """Its groups, what generalizing took from each column, and what is hidden."""
    yield group_sizes(release.group_sizes, "groups of rows that agree on all quasi-identifiers")
    metrics = generalization(release)
    for name, title, unit, what in (
        ("NCP", "What generalizing took from each column", "NCP: 0 as it was, 1 nothing left", "quasi-identifier"),
        ("hidden cells", "Hidden cells of sensitive columns", "share of the cells", "sensitive column"),
    ):
        parts = [metric for metric in metrics if metric.name == name and metric.part and metric.value is not None]
        if not parts:
            continue
        labels = labelled([metric.part for metric in parts])
        records: list[dict[str, Value]] = [
            {"label": label, "column": metric.part, "value": metric.value}
            for label, metric in zip(labels, parts, strict=True)
        ]
        most = max(parts, key=lambda metric: metric.value or 0.0)
        says = f"{most.part} has most: {most.value or 0:.1%}." if most.value else f"No {what} has any."
        yield lying_bars(
            name.lower().replace(" ", "-"), title, says, records, {"column": what, "value": unit}, unit=unit
        )
