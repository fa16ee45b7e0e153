"""What releases of all shapes have: methods that write, check and read them.

A release is plain data and knows none of the code behind these methods. They load it by name when they are called
(:mod:`shoal.loading`), so that nothing is loaded early and no part of Shoal depends on another through a release.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from shoal.loading import loaded
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.analyse.answers import Answers
    from shoal.analyse.contents import Contents
    from shoal.analyse.description import Described
    from shoal.analyse.disassociated.term_chunks import TermItems
    from shoal.analyse.reader import Reader
    from shoal.audit.verdict import Verdict
    from shoal.data.background import Background
    from shoal.mining.search import Kind
    from shoal.mining.task import Mined
    from shoal.promises.promise import Promise


class Release:
    """A release of any shape."""

    shape: ClassVar[str]
    """The name of its shape in ``shoal.shapes.SHAPES``."""

    if TYPE_CHECKING:

        @property
        def method(self) -> str:
            """What made it."""

        @property
        def promise(self) -> Any:
            """What it promises first."""

        @property
        def promises(self) -> tuple[Promise, ...]:
            """Everything that is promised, in the order of the manifest."""

        @property
        def counts(self) -> dict[str, int]:
            """What the manifest says about size."""

    @property
    def rules_at_hand(self) -> Background | None:
        """The rules that its promise is about, if it is about rules and they are known."""
        return None

    def write(self, folder: str | os.PathLike[str], *, force: bool = False, even_if_empty: bool = False) -> Verdict:
        """Write to a new folder, which appears only after what was written has been read back and verified.

        What keeps its promise and is worth nothing is refused (:class:`shoal.errors.EmptyRelease`), unless it is to
        appear even if it is empty.
        """
        return loaded("shoal.pipeline:write")(self, folder, force=force, even_if_empty=even_if_empty)

    def query(
        self,
        queries: str | Iterable[str] | Iterable[Iterable[str]],
        *,
        none_of: Iterable[str] | None = None,
        of: str | None = None,
        term_items: TermItems | None = None,
        run: Run = DEFAULT_RUN,
    ) -> Answers:
        """Count the records with all of some items, or the rows that meet conditions, as ``shoal query`` does.

        Args:
            queries: of baskets the items of each query (a text is one item); of a table its conditions, as in
                ``"age in 30..40 and disease = flu"``.
            none_of: items that a record must not hold, in every query; of releases in chunks.
            of: a column whose minimum, maximum and average are asked for, too; of bucketized releases.
            term_items: how often the model has an item of a term chunk, ``"once"`` or ``"uniform"``; of releases in
                chunks.
            run: threads, progress and chance (:class:`shoal.Run`).

        Raises:
            InputError: a query cannot be read or asks for what is not in the release, or an option does not apply.

        Example:
            >>> import shoal
            >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "gin"}]), k=3, m=2)
            >>> print(release.query([{"tea", "milk"}])[0])
            4 for certain
        """
        return self.reader().query(queries, none_of=none_of, of=of, term_items=term_items, run=run)

    def mine(
        self,
        min_support: float | None = None,
        *,
        top: int | None = None,
        kind: Kind = "all",
        rules: bool = False,
        min_confidence: float | None = None,
        max_length: int | None = None,
        run: Run = DEFAULT_RUN,
        **options: Any,
    ) -> Mined:
        """Find frequent itemsets of a release of baskets, or rules between them, as ``shoal mine`` does.

        Args:
            min_support: a share of the records up to 1., or (as a whole number) how many records it takes. By default
                .001, and with ``top`` one record.
            top: only so many, the most frequent.
            kind: ``"closed"`` or ``"maximal"``, of releases that are rows of items or groups.
            rules: rules rather than itemsets.
            min_confidence: the smallest confidence of rules; by default .5.
            max_length: how many items a set may have; by default any number.
            run: threads, progress and chance (:class:`shoal.Run`).
            options: ``term_items`` of releases in chunks; ``estimator``, ``grow_from``, ``max_candidates`` and
                ``print_thresholds`` of randomized ones.

        Raises:
            InputError: an argument is out of range, or does not apply to this release.
            Infeasible: there are too many sets.

        Example:
            >>> import shoal
            >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "gin"}]), k=3, m=2)
            >>> release.mine(4).to_arrow()["expected"].to_pylist()
            [5.0, 4.0, 4.0]
        """
        confidence = (0.5 if min_confidence is None else min_confidence) if rules else None
        task = loaded("shoal.mining.task:Task")(min_support, top, kind, confidence, max_length)
        return self.reader().mine(task, run=run, **options)

    def reconstruct(
        self,
        n: int = 1,
        *,
        run: Run = DEFAULT_RUN,
        **options: Any,
    ) -> Iterator[Any]:
        """Draw possible originals, as ``shoal reconstruct`` does.

        Args:
            n: how many.
            run: threads, progress and chance (:class:`shoal.Run`).
            options: ``term_items`` of releases in chunks, ``"once"`` (the default) or ``"uniform"``; of generalized
                baskets ``hierarchy``, with which they were made, unless the release has all of it.

        Returns:
            An iterator over n data sets: baskets, or tables. Of noisy counts nothing is drawn: there is one, the
            published baskets, each as often as its count says.

        Raises:
            InputError: an argument is out of range or does not apply, or no originals are drawn from such a release.

        Example:
            >>> import shoal
            >>> release = shoal.disassociate(shoal.quest(300, n_items=30, seed=1), k=3, m=2)
            >>> [len(possible) for possible in release.reconstruct(2, run=shoal.Run(chance=1))]
            [300, 300]
        """
        return self.reader().reconstruct(n, run=run, **options)

    def describe(self) -> Described:
        """What ``shoal info`` shows beside promises and counts, in numbers and in words."""
        return self.reader().describe()

    def show(self, number: int | None = None, *, limit: int = 5, rows: int = 20) -> Contents:
        """The contents as plain data, as ``shoal show`` draws them.

        Args:
            number: only the cluster or group of this number.
            limit: how many clusters or groups, where no number is given.
            rows: how many different subrecords of a chunk, or rows of a group or of a release of rows.
        """
        return self.reader().show(loaded("shoal.analyse.contents:Wanted")(number, limit, rows))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The contents as plain values, a cluster, a group or a row at a time: each a line of an export to jsonl.

        Example:
            >>> import shoal
            >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4), k=3, m=2)
            >>> next(release.rows())["record_chunks"]
            [[['milk', 'tea'], ['milk', 'tea'], ['milk', 'tea'], ['milk', 'tea']]]
        """
        return self.reader().rows()

    def export(
        self,
        file: str | os.PathLike[str] | BinaryIO,
        format: str = "jsonl",
        *,
        part: str | None = None,
        raw: bool = False,
        force: bool = False,
    ) -> None:
        """Write the release for other programs, as ``shoal export`` does.

        Args:
            file: the path of the file, or an open binary file.
            format: ``"jsonl"``, ``"csv"``, ``"fimi"`` (of baskets) or ``"parquet"`` (of rows).
            part: of a bucketized release, for CSV and Parquet: its ``"rows"``, or the ``"counts"`` of its values.
            raw: CSV: texts that a spreadsheet would take for formulas stay as they are.
            force: replace a file that is there already.

        Raises:
            InputError: there is no such format of such a release, or the file cannot be written.
        """
        form = loaded("shoal.io.export.exported:Format")(format, part, raw)
        loaded("shoal.io.export.exported:write_export")(self.reader().export(form), file, force=force)

    def reader(self) -> Reader:
        """What reads it: all that anyone can do with a release of its shape."""
        return loaded("shoal.analyse.reader:reader_of")(self)

    def to_arrow(self) -> dict[str, pa.Table]:
        """The tables of the release folder, by the names of its files."""
        return loaded("shoal.io.release_folder:arrow_tables")(self)


class BasketRelease(Release):
    """A release of baskets, of any shape."""


class TableRelease(Release):
    """A release of a table, of any shape."""
