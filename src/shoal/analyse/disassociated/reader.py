"""Reads a disassociated release: supports between certain bounds, and what a model expects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analyse.answers import Answers, Supports
from shoal.analyse.contents import AnswerTables, Cell, Contents, Items, Table, Wanted
from shoal.analyse.disassociated.show import show
from shoal.analyse.disassociated.term_chunks import DRAWN, TermItems, model_words
from shoal.analyse.originals import Originals
from shoal.analyse.shape_readers import BasketReader
from shoal.release.disassociated import Disassociated
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.mining.task import Mined, Task


class DisassociatedReader(BasketReader[Disassociated]):
    """Reads clusters of record chunks, term chunks and shared chunks."""

    query_options = frozenset({"none_of", "term_items"})
    mining_options = frozenset({"term_items"})
    drawing_options = frozenset({"term_items"})
    formats = frozenset({"jsonl", "csv", "fimi"})
    needs_kernels = True

    def show(self, wanted: Wanted) -> Contents:
        """Clusters, each with its chunks."""
        return show(self.release, wanted)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A cluster at a time."""
        release = self.release
        words = release.words
        chunks_upto = np.searchsorted(release.chunk_owner, np.arange(release.n_clusters + 1)).tolist()
        parents, leaves = release.cluster_parent.tolist(), release.is_leaf.tolist()
        for cluster, size in enumerate(release.cluster_size.tolist()):
            kind = "record_chunks" if leaves[cluster] else "shared_chunks"
            terms = release.term_items[slice(*release.term_offsets[cluster : cluster + 2].tolist())]
            yield {
                "cluster": cluster,
                "size": size,
                "joint": None if parents[cluster] < 0 else parents[cluster],
                kind: [self._chunk(chunk, words) for chunk in range(*chunks_upto[cluster : cluster + 2])],
                "term_chunk": [words[code] for code in terms.tolist()],
            }

    def _chunk(self, chunk: int, words: list[str]) -> list[list[str]]:
        start, end = self.release.chunk_offsets[chunk : chunk + 2].tolist()
        bounds = self.release.subrecord_offsets[start : end + 1].tolist()
        return [[words[code] for code in self.release.items[a:b].tolist()] for a, b in pairwise(bounds)]

    def _query(self, queries: list[Any], run: Run, **options: Any) -> Answers:
        from shoal.analyse.disassociated.query import query

        return query(self.release, queries, run=run, **options)

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Bounds, means and deviations, and what these take for granted."""
        found = answers.found
        assert isinstance(found, Supports)
        rows: list[tuple[Cell, ...]] = []
        for at, row in enumerate(answers.rows):
            one = found[at]
            names = (Items(row[part], is_set=False) for part in ("all_of", "none_of"))
            rows.append((*names, one.least, one.most, f"{one.expected:,.1f}", f"{one.deviation:,.1f}"))
        drawn = Table(("all of", "none of", "at least", "at most", "expected", "deviation"), rows)
        words = " ".join(self._about(found, answers.said["term_items"]))
        return AnswerTables(f"of {self.release.n_records:,} records:", (drawn,), words)

    def _about(self, found: Supports, term_items: str) -> Iterator[str]:
        """What is certain, what is a model, and which way the truth may lie from it (measured in docs/query.md)."""
        yield "Certain: every possible original lies between at least and at most."
        if found.left_out:
            yield f"Publishing left out {found.left_out:,} occurrences of items: the original may differ by as many."
        yield (
            f"Expected and deviation hold if {found.model}. The release does not tell whether that is so, nor how "
            "items of different chunks went together: the truth may lie many deviations away."
        )
        if model_words(self.release, "once") == model_words(self.release, "uniform"):
            return
        if term_items == "once":
            yield "The truth is greater where such an item is in more records: --term-items uniform assumes that."
        else:
            yield (
                "On real baskets most of these items are in one record: of single items --term-items once comes nearer."
            )

    def _mine(self, task: Task, run: Run, **options: Any) -> Mined:
        from shoal.analyse.disassociated.mine_chunks import mine

        return mine(self.release, task, run=run, **options)

    def _originals(self, given: dict[str, Any]) -> Originals:
        """Draws records that give back exactly the chunks; an item of a term chunk is in as many as the model says."""
        from shoal.analyse.disassociated.reconstruct import reconstruct

        release = self.release
        term_items: TermItems = given.get("term_items", DRAWN)
        often = "one record"
        if term_items == "uniform":
            often = f"1 to {release.promise.k - 1} records (in 1 to all, if sensitive or possibly moved there)"
        return Originals(
            partial(reconstruct, release, term_items=term_items),
            {"records": release.n_records, "term_items": term_items},
            f"{release.n_records:,} records",
            "Each is a possible original: its records give back exactly the chunks of the release. None is the "
            "original, unless by chance. Subrecords were placed at random in their clusters, and term-chunk items in "
            f"{often} of theirs (or more, where a record would be empty); all that items of different chunks have to "
            "do with each other is chance, so take averages over several.",
        )
