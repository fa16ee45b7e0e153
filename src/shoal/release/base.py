"""What every release has, whatever its shape: methods that call the code to write, check and read it.

A release is plain data and imports none of that code. Its methods load it by name when called (:mod:`shoal.loading`),
so nothing is loaded early and no part of Shoal depends on another through a release.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.loading import loaded

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.analyse.answers import Answers
    from shoal.analyse.disassociated.term_chunks import TermItems
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
            """The method that made it."""

        @property
        def promise(self) -> Any:
            """Its first promise."""

        @property
        def promises(self) -> tuple[Promise, ...]:
            """All promises, in the order of the manifest."""

        @property
        def counts(self) -> dict[str, int]:
            """The sizes that the manifest states."""

    @property
    def rules_at_hand(self) -> Background | None:
        """The rules that its promise names, if any and if available."""
        return None

    def write(self, folder: str | os.PathLike[str], *, force: bool = False, even_if_empty: bool = False) -> Verdict:
        """Write to a new folder; the folder appears only after it has been read back and verified.

        A release that keeps its promise but is worthless is refused (:class:`shoal.EmptyRelease`), unless
        ``even_if_empty``.
        """
        return loaded("shoal.pipeline:write")(self, folder, force=force, even_if_empty=even_if_empty)

    def query(
        self,
        queries: str | Iterable[str] | Iterable[Iterable[str]],
        *,
        none_of: Iterable[str] | None = None,
        of: str | None = None,
        term_items: TermItems | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Answers:
        """Count the records with all of some items, or the rows that meet conditions, as ``shoal query`` does.

        Args:
            queries: for baskets the items of each query (a text is one item); for a table its conditions, such as
                ``"age in 30..40 and disease = flu"``.
            none_of: items that a record must not hold, in every query; for releases in chunks.
            of: a column whose minimum, maximum and average are also computed; for bucketized releases.
            term_items: how often the model has an item of a term chunk, ``"once"`` or ``"uniform"``; for releases in
                chunks.
            progress: called with (stage, done, total).

        Raises:
            InputError: a query cannot be read or names something that is not in the release, or an option does not
                apply.

        Example:
            >>> import shoal
            >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "gin"}]), k=3, m=2)
            >>> print(release.query([{"tea", "milk"}])[0])
            4 for certain
        """
        return loaded("shoal.analyse.any_shape:query")(
            self, queries, none_of=none_of, of=of, term_items=term_items, progress=progress
        )

    def mine(
        self,
        min_support: float | None = None,
        *,
        top: int | None = None,
        kind: Kind = "all",
        rules: bool = False,
        min_confidence: float | None = None,
        max_length: int | None = None,
        threads: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        **options: Any,
    ) -> Mined:
        """Find frequent itemsets of a release of baskets, or rules between them, as ``shoal mine`` does.

        Args:
            min_support: a share of the records below or equal to 1., or (as a whole number) a number of records. By
                default .001, and with ``top`` one record.
            top: only the most frequent, so many of them.
            kind: ``"closed"`` or ``"maximal"``, for releases that are rows of items or groups.
            rules: find rules instead of itemsets.
            min_confidence: the smallest confidence of rules; by default .5.
            max_length: the most items of a set; by default any number.
            threads: how many threads may work; by default one for each processor. The result is the same.
            progress: called with (stage, done, total).
            options: ``term_items`` for releases in chunks; ``estimator``, ``grow_from``, ``max_candidates`` and
                ``print_thresholds`` for randomized ones.

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
        return loaded("shoal.analyse.any_shape:mine")(self, task, threads=threads, progress=progress, **options)

    def to_arrow(self) -> dict[str, pa.Table]:
        """The tables of the release folder, by the names of its files."""
        return loaded("shoal.io.release_folder:arrow_tables")(self)


class BasketRelease(Release):
    """A release of baskets of any shape."""


class TableRelease(Release):
    """A release of a table of any shape."""
