"""What every release has, whatever its shape: its doors to what writes, checks and reads it.

A release is plain data and knows none of these. Its doors load them by name when they are called
(:mod:`shoal.loading`), so that nothing is loaded early and no part of Shoal depends on another through a release.
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
    """Any release, whatever its shape."""

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
        """The rules that its promise speaks of, where it does and they are at hand."""
        return None

    def write(self, folder: str | os.PathLike[str], *, force: bool = False, even_if_empty: bool = False) -> Verdict:
        """Write to a new folder, which appears only after what was written has been read back and verified.

        What keeps its promise and is worth nothing is refused (:class:`shoal.EmptyRelease`), unless it is to appear
        even if it is empty.
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
            queries: of baskets the items of each query (a text is one item); of a table its conditions, as in
                ``"age in 30..40 and disease = flu"``.
            none_of: items that a record must not hold, in every query; of releases in chunks.
            of: a column whose minimum, maximum and average are asked for, too; of bucketized releases.
            term_items: how often the model has an item of a term chunk, ``"once"`` or ``"uniform"``; of releases in
                chunks.
            progress: called with (stage, done, total).

        Raises:
            InputError: a query cannot be read or asks for what is not in the release, or an option does not apply.

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
            min_support: a share of the records up to 1., or (as a whole number) how many records it takes. By default
                .001, and with ``top`` one record.
            top: only so many, the most frequent.
            kind: ``"closed"`` or ``"maximal"``, of releases that are rows of items or groups.
            rules: rules rather than itemsets.
            min_confidence: the smallest confidence of rules; by default .5.
            max_length: how many items a set may have; by default any number.
            threads: how many threads may work; by default one for each processor. The result is the same.
            progress: called with (stage, done, total).
            options: ``term_items`` of releases in chunks; ``estimator``, ``grow_from``, ``max_candidates`` and
                ``print_thresholds`` of randomized ones.

        Raises:
            InputError: an argument is out of range, or says nothing about this release.
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
    """A release of baskets, whatever its shape."""


class TableRelease(Release):
    """A release of a table, whatever its shape."""
