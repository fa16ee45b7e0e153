"""What anyone can do with a release: one reader for each shape, all with the same methods.

A release loads its reader through its entry in ``shoal.shapes``. What a shape cannot do, its reader refuses with one
sentence that says what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.analyse.answers import Answers
    from shoal.analyse.contents import AnswerTables, Contents, Wanted
    from shoal.analyse.description import Described
    from shoal.analyse.originals import Originals
    from shoal.io.export.exported import Export, Format
    from shoal.mining.task import Mined, Task
    from shoal.release import Release


class Reader(Protocol):
    """Reads one release. Options that are None or False count as not given; others that do not apply are refused."""

    query_options: ClassVar[frozenset[str]]
    """The options of queries that apply: ``none_of``, ``of``, ``term_items``."""
    mining_options: ClassVar[frozenset[str]]
    """The options of mining that apply; ``kind`` stands for closed and maximal sets."""
    drawing_options: ClassVar[frozenset[str]]
    """The options of drawing originals that apply: ``term_items``, ``hierarchy``."""
    formats: ClassVar[frozenset[str]]
    """The formats of exports: ``jsonl``, ``csv``, ``fimi``, ``parquet``."""
    halved_in: ClassVar[frozenset[str]]
    """The formats that hold either the rows or the counts."""
    needs_kernels: ClassVar[bool]
    """Whether queries run kernels, which a machine compiles when it first needs them."""
    instead_of_originals: ClassVar[str]
    """Where no possible original is drawn: why, and what to do instead."""

    def describe(self) -> Described:
        """What ``shoal info`` shows beside promises and counts."""

    def show(self, wanted: Wanted) -> Contents:
        """The contents, as the papers draw them."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """The contents as plain values: a cluster, a group or a row at a time, as a line of an export to jsonl."""

    def query(self, queries: str | Iterable[Any], *, run: Run = DEFAULT_RUN, **options: Any) -> Answers:
        """Count the records with some items, or the rows that meet conditions."""

    def tables_of(self, answers: Answers) -> AnswerTables:
        """Answers to queries as ``shoal query`` draws them."""

    def mine(self, task: Task, *, run: Run = DEFAULT_RUN, **options: Any) -> Mined:
        """Find frequent itemsets, or rules between them."""

    def originals(self, **options: Any) -> Originals:
        """How possible originals are drawn, and what they are."""

    def reconstruct(self, n: int = 1, *, run: Run = DEFAULT_RUN, **options: Any) -> Iterator[Any]:
        """Draw possible originals: baskets, or tables."""

    def export(self, format: Format) -> Export:
        """What writes the release for other programs."""

    def elsewhere(self, folder: str) -> dict[str, str]:
        """Code that reads its folder in a shell, in Python, and in SQL without Shoal."""


def reader_of(release: Release) -> Reader:
    """The reader of a release.

    Example:
        >>> import shoal
        >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "gin"}]), k=3, m=2)
        >>> next(reader_of(release).rows())["size"]
        5
    """
    reader: Reader = SHAPES[release.shape].load("reader")(release)
    return reader
