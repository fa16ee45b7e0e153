"""The risk of re-identification in raw data: baskets in the clusters that publishing would make, or a table.

``measuring`` counts, and does not depend on publishing; the clusters are passed to it from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, overload

from shoal.data.arrays import Int64
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.measuring.risk.baskets import BasketRisk
    from shoal.measuring.risk.tables import TableRisk

Progress = Callable[[str, int, int], None]


@overload
def risk(
    data: Transactions,
    *,
    k: int = 5,
    m: int | None = None,
    max_cluster_size: int | None = None,
    top: int = 10,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BasketRisk: ...


@overload
def risk(
    data: Table, *, k: int = 5, quasi: str | Iterable[str] | None = None, population: Table | None = None
) -> TableRisk: ...


def risk(
    data: Transactions | Table,
    *,
    k: int = 5,
    m: int | None = None,
    quasi: str | Iterable[str] | None = None,
    population: Table | None = None,
    max_cluster_size: int | None = None,
    top: int = 10,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> BasketRisk | TableRisk:
    """Measure re-identification risk before anything is published.

    Args:
        data: baskets, or a table.
        k: how many people should remain possible.
        m: baskets: how many items of a person an adversary may know, up to 5; by default 3.
        quasi: tables: the columns that others may know; by default those with that role.
        population: tables: the people from whom the table was sampled; by default the table is all of them.
        max_cluster_size: baskets: the maximum number of records in a cluster; by default as when publishing.
        top: baskets: how many of the items that contribute most to list.
        seed: baskets: draw the same sample again, where one is needed; by default another every time.
        threads: baskets: how many threads may work; by default one for each processor.
        progress: called with (stage, done, total).

    Returns:
        The risk, a value of plain numbers; ``str`` of it is a paragraph.

    Raises:
        InputError: an argument is out of range, is for the other kind of data, or names a column that does not exist.
    """
    if isinstance(data, Table):
        if m is not None:
            raise InputError("m is for baskets, and these data are a table: remove it, or read them as baskets")
        from shoal.measuring.risk.tables import table_risk

        return table_risk(data, k, quasi=quasi, population=population)
    if not isinstance(data, Transactions):
        raise InputError("risk needs Transactions or a Table: read the data with shoal.read or shoal.read_table")
    if quasi is not None or population is not None:
        raise InputError("quasi-identifiers and populations are for tables, and these data are baskets")
    from shoal.kernels.compiling import announced
    from shoal.measuring.risk.baskets import basket_risk, require_options
    from shoal.randomness import generator

    longest = 3 if m is None else m
    require_options(k, longest, max_cluster_size, top, threads)
    report = progress or (lambda _stage, _done, _total: None)
    chance = generator(seed)
    bounds = None
    with announced(lambda: report("compile", 0, 1)):
        if len(data) >= k:
            data, bounds = _in_clusters(data, k, max_cluster_size, report)
        return basket_risk(data, k, longest, bounds=bounds, top=top, chance=chance, threads=threads, progress=report)


def _in_clusters(data: Transactions, k: int, most: int | None, progress: Progress) -> tuple[Transactions, Int64]:
    """The records in the order of the clusters that publishing would make, and the start of each cluster."""
    from shoal.kernels.rows import take_rows
    from shoal.publish.disassociation import default_max_cluster_size
    from shoal.publish.disassociation.horizontal import cluster_records

    progress("cluster records", 0, 1)
    made = cluster_records(data, least=k, most=default_max_cluster_size(k) if most is None else most)
    progress("cluster records", 1, 1)
    return Transactions(*take_rows(made.offsets, made.items, made.rows), data.vocabulary), made.bounds
