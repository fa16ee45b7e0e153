"""Reads a randomized release: estimates, and how far off they may be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from shoal.analyse.answers import Answers
from shoal.analyse.contents import AnswerTables, Cell, Contents, Items, Table, Wanted
from shoal.analyse.description import SEEDED, Described, lengths_line, row_lengths
from shoal.analyse.first_rows import plain_rows
from shoal.analyse.randomized.show import show
from shoal.analyse.shape_readers import BasketReader
from shoal.release.randomized import Randomized
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.mining.task import Mined, Task


class RandomizedReader(BasketReader[Randomized]):
    """Reads rows of items that chance flipped, and fake rows."""

    mining_options = frozenset({"estimator", "grow_from", "max_candidates", "print_thresholds"})
    needs_kernels = True
    instead_of_originals = (
        "this is a randomized release, and no possible original is drawn from one: its chance is undone on average, "
        "not row by row. shoal mine and shoal query estimate supports in the original, with their errors, and shoal "
        "export writes the rows as they were published"
    )

    def describe(self) -> Described:
        """How it was made, and how long its rows are."""
        release, promise = self.release, self.release.promise
        rows = row_lengths(release.lengths)
        lines = [f"{lengths_line(rows)}; {rows['empty']:,} of them empty"]
        if promise.fake_lengths:
            lengths = list(dict(promise.fake_lengths))
            lines.append(f"fake transactions were drawn with {lengths[0]:,} to {lengths[-1]:,} items, before flipping")
        if release.reproducible:
            lines.append(SEEDED)
        numbers = {
            "keep_prob": promise.keep_prob,
            "fakes": promise.fakes,
            "fake_lengths": dict(promise.fake_lengths),
            "row_lengths": rows,
            "reproducible": release.reproducible,
        }
        return Described(numbers, tuple(lines))

    def show(self, wanted: Wanted) -> Contents:
        """The first rows."""
        return show(self.release, wanted)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row at a time."""
        return plain_rows(self.release)

    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        from shoal.analyse.randomized.query import query

        return query(self.release, queries, run=run, **options)

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Estimates with their errors and intervals."""
        rows: list[tuple[Cell, ...]] = []
        for row in answers.rows:
            shares = (f"{row[name]:.3%}" for name in ("support", "error", "low", "high"))
            names = Items(row["all_of"], is_set=False)
            rows.append((names, f"{row['support'] * self.release.n_records:,.1f}", *shares))
        drawn = Table(("all of", "records", "support", "error", "low", "high"), rows)
        words = (
            "Support is an estimate: on average over the chance that made the release, it is that of the original, and "
            "its standard error says how far it may be off. Of intervals from low to high, about 95 in 100 hold the "
            "truth. What cannot be, as less than nothing, is chance, too."
        )
        return AnswerTables(f"of {self.release.n_records:,} records:", (drawn,), words)

    def _mine(self, task: Task, run: Run, **options: Any) -> Mined:
        from shoal.analyse.randomized.mine import mine

        return mine(self.release, task, run=run, **options)
