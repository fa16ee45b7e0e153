"""Reads a bucketized release: counts of rows, and the numbers of a column among them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from shoal.analyse.answers import Answers
from shoal.analyse.bucketized.query import query
from shoal.analyse.bucketized.show import show
from shoal.analyse.contents import AnswerTables, Contents, Table, Wanted
from shoal.analyse.originals import Originals
from shoal.analyse.shape_readers import TableReader
from shoal.analyse.tables.aggregates import Aggregate
from shoal.analyse.tables.possible_tables import possible_tables
from shoal.analyse.tables.row_counts import row_counts
from shoal.release.bucketized import Bucketized
from shoal.run import Run


class BucketizedReader(TableReader[Bucketized]):
    """Reads rows in groups, and the sensitive values of each group."""

    query_options = frozenset({"of"})
    halved_in = frozenset({"csv", "parquet"})

    def show(self, wanted: Wanted) -> Contents:
        """Groups, each with its rows and its sensitive values."""
        return show(self.release, wanted)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A group at a time."""
        release = self.release
        columns = [(column.name, _plain(column.values), column.codes) for column in release.quasi]
        values = _plain(release.values)
        for group in range(release.n_groups):
            here = slice(*release.group_offsets[group : group + 2].tolist())
            held = [[words[code] for code in codes[here].tolist()] for _, words, codes in columns]
            there = slice(*release.bucket_offsets[group : group + 2].tolist())
            counted = zip(release.bucket_values[there].tolist(), release.bucket_counts[there].tolist(), strict=True)
            yield {
                "group": group,
                "rows": [dict(zip(release.quasi.names, row, strict=True)) for row in zip(*held, strict=True)],
                "sensitive": release.sensitive,
                "values": [{"value": values[value], "count": count} for value, count in counted],
            }

    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        return query(self.release, queries, run=run, **options)

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Bounds and means of counts, and of the numbers of a column where one was named."""
        aggregates = answers.aggregates
        tables = [row_counts(answers)]
        if aggregates:
            tables.append(_numbers(answers))
        words = (
            "Certain: every possible original lies between at least and at most. Expected and deviation hold if "
            f"{answers.said['expected_if']}." + _about(aggregates)
        )
        return AnswerTables(f"of {self.release.n_rows:,} rows:", tables, words)

    def _originals(self, given: dict[str, Any]) -> Originals:
        """Draws tables: in each group, its values are dealt to its rows."""
        del given  # nothing says how
        release = self.release
        return Originals(
            partial(possible_tables, release),
            {"rows": release.n_rows},
            f"{release.n_rows:,} rows",
            "Each is a possible original: its rows and values give back exactly the groups of the release. None is the "
            f"original, unless by chance. Inside each group, which row has which value of {release.sensitive} is "
            "chance, whatever somebody may know beside, so take averages over several.",
        )


def _plain(values: pa.Array) -> list[Any]:
    """Values as JSON has them."""
    return [
        value
        if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        else str(value)
        for value in values.to_pylist()
    ]


def _numbers(answers: Answers) -> Table:
    rows = []
    for text, found in zip(answers.asked, answers.aggregates, strict=True):
        average = "" if found.expected_average is None else f"{found.expected_average:,.6g}"
        ranges = ("" if part is None else str(part) for part in (found.minimum, found.maximum, found.average))
        rows.append((str(text), *ranges, average))
    column = answers.aggregates[0].column
    return Table((f"{column} of rows with", "minimum", "maximum", "average", "expected average"), rows)


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
