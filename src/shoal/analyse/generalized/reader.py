"""Reads a generalized release: counts of rows, suppressed ones among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shoal.analyse.answers import Answers
from shoal.analyse.contents import AnswerTables, Contents, Wanted
from shoal.analyse.description import Described
from shoal.analyse.generalized.query import query
from shoal.analyse.generalized.show import show
from shoal.analyse.shape_readers import TableReader
from shoal.analyse.tables.row_counts import row_counts
from shoal.loading import loaded
from shoal.release.generalized import Generalized
from shoal.run import Run


class GeneralizedReader(TableReader[Generalized]):
    """Reads rows of nodes of hierarchies, in groups."""

    instead_of_originals = (
        "this is a generalized release, which is a table already: shoal export writes its rows, for any program, and "
        "shoal query counts them"
    )

    def describe(self) -> Described:
        """What the release alone shows of its cost."""
        report = loaded("shoal.measuring.tables.generalization:generalization")(self.release)
        return Described({"metrics": [metric.as_dict() for metric in report]}, ("", str(report)))

    def show(self, wanted: Wanted) -> Contents:
        """Groups: what their rows agree on, and how often which sensitive values go together."""
        return show(self.release, wanted)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row at a time; a suppressed one has no group."""
        release = self.release
        columns = [(column.name, column.tree.labels, column.nodes) for column in release.columns]
        for row, group in enumerate(release.row_groups.tolist()):
            yield {"group": group, **{name: labels[nodes[row]] for name, labels, nodes in columns}}
        for _ in range(release.suppressed):
            yield {"group": None, **{name: labels[0] for name, labels, _ in columns}}

    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        return query(self.release, queries, run=run, **options)

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Bounds and means, and why some means are not known."""
        release = self.release
        suppressed = f" and {release.suppressed:,} suppressed" if release.suppressed else ""
        about = [
            "Certain: every possible original lies between at least and at most. Expected and deviation hold if "
            f"{answers.said['expected_if']}."
        ]
        if release.suppressed:
            about.append("Suppressed rows may be any rows: they count in the upper bound.")
        if any(None in row.values() for row in answers.rows):
            about.append(
                "Where no mean is shown, the release does not tell how many of the values below some cells are meant: "
                "its hierarchies are cut to the published nodes and do not list what was asked for, or labels that are "
                "not ranges of numbers stand for numbers."
            )
        return AnswerTables(f"of {release.n_rows:,} rows{suppressed}:", (row_counts(answers),), " ".join(about))
