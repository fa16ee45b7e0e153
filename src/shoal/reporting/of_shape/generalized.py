"""The parts of a report that are specific to generalized tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.audit.attack.adversary import Adversary
from shoal.audit.attack.finding import Attacks
from shoal.data.table import Table
from shoal.measuring.risk.baskets import BasketRisk
from shoal.measuring.risk.published import published_value_chances, row_chances, value_chances
from shoal.measuring.risk.tables import TableRisk, table_risk
from shoal.measuring.tables.generalization import generalization
from shoal.release.evidence import NOTHING, Evidence
from shoal.release.generalized import Generalized
from shoal.reporting.charts import labelled, lying_bars
from shoal.reporting.named_values import named_values
from shoal.reporting.page import Chart, Key, Section, Value, Words
from shoal.reporting.reading import Reading, equals
from shoal.reporting.remaining_risk import Line, Risks
from shoal.reporting.size_charts import group_sizes
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    pass

_WORDS = (
    "A value is published unchanged, or as a node of a hierarchy that represents several values. So counts have "
    "certain bounds; suppressed rows have no value at all."
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
    """Its groups, the loss of each column, and what is hidden."""
    yield group_sizes(release.group_sizes, "groups of rows that agree on all quasi-identifiers")
    metrics = generalization(release)
    for name, title, unit, what in (
        ("NCP", "Loss of each column by generalization", "NCP: 0 unchanged, 1 nothing left", "quasi-identifier"),
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


def risks(release: Generalized, original: Table | None, before: BasketRisk | None, attacks: Attacks | None) -> Risks:
    """The probability of finding a person's row, and of guessing sensitive values."""
    del before, attacks  # the files show these probabilities
    quasi = [column.name for column in release.quasi]
    whole = None if original is None else table_risk(original, release.promise.k, quasi=quasi)
    lines = [*_picked_rows(release, whole)]
    for column in release.sensitive:
        was = None if original is None else value_chances(original, quasi, column.name)
        lines += named_values(column.name, was, published_value_chances(release, column.name))
    return Risks(tuple(lines), "" if whole is None or not quasi else str(whole))


def _picked_rows(release: Generalized, original: TableRisk | None) -> Iterator[Line]:
    k = release.promise.k
    before, after = None if original is None else original.prosecutor, row_chances(release, k)
    for short, words, at in (
        ("at worst", "to pick a person's row, for the smallest group", "highest"),
        ("average", "to pick a person's row, over all rows", "average"),
        (f"over 1/{k}", f"rows that are picked with a probability of more than 1/{k}", "above"),
    ):
        yield Line(
            short,
            words,
            None if before is None else getattr(before, at),
            getattr(after, at),
            "counted in the files",
            headline=at == "average",
        )


def costs(release: Generalized, evidence: Evidence, run: Run = DEFAULT_RUN) -> tuple[Section, Key | None]:
    """The cost for rules and queries about its first sensitive column, or else the generalization loss."""
    from shoal.reporting.costs import cost_section, table_costs

    if not release.sensitive:
        without = Words("No column is sensitive, so there are no rules and queries to measure.", "note")
        return cost_section(generalization(release), "NCP", without)
    quasi = [column.name for column in release.quasi]
    return table_costs(release, evidence, run, quasi=quasi, sensitive=release.sensitive[0].name)


def attacked_with(release: Generalized, evidence: Evidence, adversary: Adversary) -> tuple[Evidence, Adversary]:
    """Hidden cells are guessed; guesses can be counted right or wrong only if it is known whose each row is."""
    hides = release.hidden is not None
    at_hand = hides and evidence.hierarchies
    known = Evidence(evidence.original, hierarchies=evidence.hierarchies) if at_hand else NOTHING
    return known, replace(adversary, fill=hides)
