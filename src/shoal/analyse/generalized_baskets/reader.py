"""Reads generalized baskets: what is counted, and what is expected of items below groups."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.analyse.answers import Answers
from shoal.analyse.contents import AnswerTables, Contents, Items, Table, Wanted
from shoal.analyse.description import Described, lengths_line, row_lengths
from shoal.analyse.first_rows import plain_rows
from shoal.analyse.generalized_baskets.query import query
from shoal.analyse.generalized_baskets.show import show
from shoal.analyse.node_rows.row_baskets import filled_baskets
from shoal.analyse.originals import Originals
from shoal.analyse.shape_readers import BasketReader
from shoal.data.item_sets import ItemSets
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.mining.task import Mined, Task


class GeneralizedBasketsReader(BasketReader[GeneralizedBaskets]):
    """Reads rows of items and groups of items."""

    mining_options = frozenset({"kind"})
    drawing_options = frozenset({"hierarchy"})

    def describe(self) -> Described:
        """How long rows are, how many groups they hold, and how large these are."""
        release = self.release
        sizes = release.tree.leaves[release.is_held]
        groups = sizes[sizes > 1]
        n, items, largest = len(groups), int(groups.sum()), int(groups.max(initial=0))
        rows = row_lengths(release.lengths)
        whole = "whole" if release.discloses_hierarchy else "cut to the published items"
        lines = (
            lengths_line(rows),
            f"{n:,} of the published items represent several, {items:,} in all, one of them {largest:,}; the hierarchy "
            f"is {whole}",
        )
        numbers = {
            "published_groups": n,
            "items_in_groups": items,
            "items_in_the_largest": largest,
            "hierarchy_is_whole": release.discloses_hierarchy,
            "row_lengths": rows,
        }
        return Described(numbers, lines)

    def show(self, wanted: Wanted) -> Contents:
        """The first rows."""
        return show(self.release, wanted)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row at a time."""
        release = self.release
        return plain_rows(ItemSets(release.offsets, release.nodes, pa.array(release.tree.labels, pa.string())))

    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        return query(self.release, queries, run=run, **options)

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Bounds, means and deviations."""
        rows = []
        for row in answers.rows:
            names = Items(row["all_of"], is_set=False)
            rows.append((names, row["least"], row["most"], f"{row['expected']:,.1f}", f"{row['deviation']:,.1f}"))
        drawn = Table(("all of", "at least", "at most", "expected", "deviation"), rows)
        words = (
            "What rows hold is counted exactly; a record holds a group if it holds any item of it. An item below a "
            "group may be in all rows with the group or in none: expected divides them evenly over its items, each row "
            "holding one of them, so that two items of one group are never expected together."
        )
        return AnswerTables(f"of {self.release.n_rows:,} records:", (drawn,), words)

    def _mine(self, task: Task, run: Run, **options: Any) -> Mined:
        from shoal.analyse.generalized_baskets.mine import mine

        return mine(self.release, task, run=run, **options)

    def _originals(self, given: dict[str, Any]) -> Originals:
        """Draws records; the hierarchy says which items groups stand for, unless the release has all of it."""
        release = self.release
        return Originals(
            partial(filled_baskets, release, hierarchy=given.get("hierarchy")),
            {"records": release.n_rows},
            f"{release.n_rows:,} records",
            "Each is a possible original: generalized, its records give back exactly the rows of the release. None is "
            "the original, unless by chance. Each group in a row became one of its items, each as likely, though "
            "records may have held several: items of groups have chance neighbours, so take averages over several.",
        )
