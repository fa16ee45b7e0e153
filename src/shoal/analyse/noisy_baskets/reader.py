"""Reads baskets with noisy counts: sums of counts, and the errors of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.analyse.answers import Answers
from shoal.analyse.contents import AnswerTables, Contents, Items, Table, Wanted
from shoal.analyse.description import SEEDED, Described, lengths_line, row_lengths
from shoal.analyse.first_rows import plain_rows
from shoal.analyse.node_rows.supports import NoisyCount
from shoal.analyse.noisy_baskets.query import query
from shoal.analyse.noisy_baskets.show import show
from shoal.analyse.originals import Originals
from shoal.analyse.shape_readers import BasketReader
from shoal.data.item_sets import ItemSets
from shoal.data.transactions import Transactions
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.mining.task import Mined, Task


class NoisyBasketsReader(BasketReader[NoisyBaskets]):
    """Reads different baskets, each with its noisy count."""

    mining_options = frozenset({"kind"})

    def describe(self) -> Described:
        """How long baskets are, and how large their counts."""
        release = self.release
        counts = release.row_counts
        least, most = int(counts.min()) if len(counts) else 0, int(counts.max(initial=0))
        mean = float(counts.mean()) if len(counts) else 0.0
        rows = row_lengths(release.lengths)
        lines = [lengths_line(rows), f"noisy counts: {least:,} to {most:,}, mean {mean:.2f}"]
        if release.reproducible:
            lines.append(SEEDED)
        numbers = {
            "epsilon": release.promise.epsilon,
            "basket_counts": {"least": least, "most": most, "mean": mean},
            "row_lengths": rows,
            "reproducible": release.reproducible,
        }
        return Described(numbers, tuple(lines))

    def show(self, wanted: Wanted) -> Contents:
        """The first baskets."""
        return show(self.release, wanted)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A basket at a time, with its count."""
        release = self.release
        baskets = ItemSets(release.offsets, release.items, pa.array(release.tree.labels, pa.string()))
        return plain_rows(baskets, release.row_counts)

    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        return query(self.release, queries, run=run, **options)

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Sums with their errors, and how many baskets they are of."""
        rows = []
        for row, one in zip(answers.rows, answers, strict=True):
            assert isinstance(one, NoisyCount)
            rows.append((Items(row["all_of"], is_set=False), one.count, f"{one.error:,.1f}", one.baskets))
        words = (
            "Count is the sum of the noisy counts of the published baskets with all items. Noise takes it about the "
            "standard error from what these baskets had. Rare baskets are missing, so that the sum is low on "
            "average; and some of those published nobody has. Of records nothing is certain."
        )
        drawn = Table(("all of", "count", "error", "baskets"), rows)
        return AnswerTables(f"of {self.release.n_records:,} records, by noisy counts:", (drawn,), words)

    def _mine(self, task: Task, run: Run, **options: Any) -> Mined:
        from shoal.analyse.noisy_baskets.mine import mine

        return mine(self.release, task, run=run, **options)

    def _originals(self, given: dict[str, Any]) -> Originals:
        """Repeats the published baskets; chance plays no part."""
        del given  # nothing says how
        release = self.release
        return Originals(
            self._repeated,
            {"records": release.n_records},
            f"{release.n_records:,} records",
            "These are the published baskets, each as often as its noisy count says. They are not the original: rare "
            "baskets are missing, and some that nobody has are among them.",
            are_drawn=False,
        )

    def _repeated(self, n: int, *, run: Run) -> Iterator[Transactions]:
        assert run.chance is None  # chance plays no part here
        run.report("reconstruct", 0, n)
        yield self.release.baskets()
        run.report("reconstruct", n, n)
