"""Ask data or a release the same: count records or rows, find itemsets or rules."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.release_folder import read_release
from shoal.release import Release
from shoal.run import DEFAULT_RUN, Run

if TYPE_CHECKING:
    from shoal.analyse.answers import Answers
    from shoal.analyse.disassociated.term_chunks import TermItems
    from shoal.mining.search import Kind
    from shoal.mining.task import Mined

Folder = str | os.PathLike[str]


def query(
    data: Transactions | Table | Release | Folder,
    queries: str | Iterable[str] | Iterable[Iterable[str]],
    *,
    none_of: Iterable[str] | None = None,
    of: str | None = None,
    term_items: TermItems | None = None,
    run: Run = DEFAULT_RUN,
) -> Answers:
    """Count the records with all of some items, or the rows that meet conditions.

    Args:
        data: baskets or a table, which are counted exactly; or a release, or its folder (see
            :meth:`shoal.release.base.Release.query`).
        queries: of baskets the items of each query (a text is one item); of a table its conditions, as in
            ``"age in 30..40 and disease = flu"``.
        none_of: items that a record must not hold, in every query; of releases in chunks.
        of: a column whose minimum, maximum and average are asked for, too; of bucketized releases.
        term_items: how often the model has an item of a term chunk; of releases in chunks.
        run: threads, progress and chance (:class:`shoal.Run`).

    Raises:
        InputError: a query cannot be read or asks for what is not there, or an option does not apply.

    Example:
        >>> import shoal
        >>> print(query(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "gin"}]), [{"tea", "milk"}])[0])
        4 for certain
    """
    if isinstance(data, Release | str | os.PathLike):
        release = data if isinstance(data, Release) else read_release(data)
        return release.query(queries, none_of=none_of, of=of, term_items=term_items, run=run)
    if not isinstance(data, Transactions | Table):
        raise InputError("query needs baskets, a table, a release or its folder")
    given = {"none_of": none_of, "of": of, "term_items": term_items}
    idle = [name for name, value in given.items() if value is not None]
    if idle:
        raise InputError(f"{', '.join(idle)}: about releases, and these are raw data: leave it out")
    wanted: list[Any] = [queries] if isinstance(queries, str) else list(queries)
    if isinstance(data, Table):
        from shoal.analyse.original_counts import count_table

        return count_table(data, wanted)
    from shoal.analyse.original_counts import count_baskets

    return count_baskets(data, wanted, run)


def mine(
    data: Transactions | Release | Folder,
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
    """Find frequent itemsets in baskets or in a release of them, or rules between them.

    Args:
        data: baskets; or a release of baskets, or its folder (see :meth:`shoal.release.base.Release.mine`).
        min_support: a share of the records up to 1., or (as a whole number) how many records it takes. By default
            .001, and with ``top`` one record.
        top: only so many, the most frequent.
        kind: ``"closed"`` or ``"maximal"``, where counts are exact.
        rules: rules rather than itemsets.
        min_confidence: the smallest confidence of rules; by default .5.
        max_length: how many items a set may have; by default any number.
        run: threads, progress and chance (:class:`shoal.Run`).
        options: those of the shape of a release.

    Returns:
        What was found: a table (``to_arrow``) and a sentence; ``found`` has it as the algorithm returned it.

    Raises:
        InputError: an argument is out of range, or does not apply.
        Infeasible: there are too many sets.

    Example:
        >>> import shoal
        >>> mine(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "gin"}]), 4).to_arrow()["count"].to_pylist()
        [5, 4, 4]
    """
    from shoal.mining.task import Task, mine_baskets

    confidence = (0.5 if min_confidence is None else min_confidence) if rules else None
    if isinstance(data, Transactions):
        idle = sorted(name for name, value in options.items() if value is not None and value is not False)
        if idle:
            raise InputError(f"{', '.join(idle)}: about releases, and these are raw data: leave it out")
        task = Task(min_support, top, kind, confidence, max_length)
        return mine_baskets(data, task, run=run)
    if not isinstance(data, Release | str | os.PathLike):
        raise InputError(
            "mine needs baskets, a release of them or its folder; negative rules of a table: shoal.negative_rules"
        )
    release = data if isinstance(data, Release) else read_release(data)
    return release.mine(
        min_support,
        top=top,
        kind=kind,
        rules=rules,
        min_confidence=min_confidence,
        max_length=max_length,
        run=run,
        **options,
    )
