"""The risk of re-identification in raw data: baskets in the clusters that publishing would make, or a table.

``measuring`` counts, and does not depend on publishing; the clusters are passed to it from here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from shoal.data.arrays import Int64
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.io.release_folder import read_release
from shoal.keywords import require_known
from shoal.release import Release
from shoal.run import DEFAULT_RUN, Run
from shoal.shapes import SHAPES

if TYPE_CHECKING:
    from shoal.measuring.risk.baskets import BasketRisk
    from shoal.measuring.risk.groups import GroupRisk
    from shoal.measuring.risk.tables import TableRisk


class OfGroups(TypedDict, total=False):
    """What is asked of the groups of a release."""

    support: float | None
    confidence: float | None
    limit: int | None


@overload
def risk(
    data: Transactions,
    *,
    k: int = 5,
    m: int | None = None,
    max_cluster_size: int | None = None,
    top: int = 10,
    run: Run = DEFAULT_RUN,
) -> BasketRisk: ...


@overload
def risk(
    data: Table, *, k: int = 5, quasi: str | Iterable[str] | None = None, population: Table | None = None
) -> TableRisk: ...


@overload
def risk(
    data: Release | str | os.PathLike[str], *, run: Run = DEFAULT_RUN, **groups: Unpack[OfGroups]
) -> GroupRisk: ...


def risk(
    data: Transactions | Table | Release | str | os.PathLike[str],
    *,
    k: int | None = None,
    m: int | None = None,
    quasi: str | Iterable[str] | None = None,
    population: Table | None = None,
    max_cluster_size: int | None = None,
    top: int | None = None,
    run: Run = DEFAULT_RUN,
    **groups: Unpack[OfGroups],
) -> BasketRisk | TableRisk | GroupRisk:
    """Measure re-identification risk before anything is published; or what the groups of a generalized release reveal.

    Args:
        data: baskets, or a table; or a generalized release, or its folder.
        k: data: how many people should remain possible; by default 5.
        m: baskets: how many items of a person an adversary may know, up to 5; by default 3.
        quasi: tables: the columns that others may know; by default those with that role.
        population: tables: the people from whom the table was sampled; by default the table is all of them.
        max_cluster_size: baskets: the maximum number of records in a cluster; by default as when publishing.
        top: baskets: how many of the items that contribute most to list; by default 10.
        run: threads, progress and chance (:class:`shoal.Run`).
        support: releases: the share of a group's rows from which on a rule counts; by default .1.
        confidence: releases: the confidence from which on an association counts; by default .5.
        limit: releases: how many of the strongest associations to name; by default 10.

    Returns:
        The risk, a value of plain numbers; ``str`` of it is a paragraph.

    Raises:
        InputError: an argument is out of range, is for the other kind of data, or names a column that does not exist.
    """
    require_known(groups, OfGroups.__annotations__, "risk")
    about_data = {
        "k": k,
        "m": m,
        "quasi": quasi,
        "population": population,
        "max_cluster_size": max_cluster_size,
        "top": top,
    }
    if isinstance(data, Release | str | os.PathLike):
        _refuse(about_data, "a release")
        return _group_risk(data, groups, run)
    _refuse(groups, "raw data")
    k = 5 if k is None else k
    top = 10 if top is None else top
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
    require_options(k, longest, max_cluster_size, top)
    report = run.report
    chance = generator(run.chance)
    bounds = None
    with announced(lambda: report("compile", 0, 1)):
        if len(data) >= k:
            data, bounds = _in_clusters(data, k, max_cluster_size, run)
        return basket_risk(data, k, longest, bounds=bounds, top=top, chance=chance, run=run)


def _refuse(given: Mapping[str, object], called: str) -> None:
    """Refuse arguments that do not apply."""
    idle = [name for name, value in given.items() if value is not None]
    if idle:
        raise InputError(f"{', '.join(idle)}: not about {called}: leave it out")


def _group_risk(data: Release | str | os.PathLike[str], groups: OfGroups, run: Run) -> GroupRisk:
    release = data if isinstance(data, Release) else read_release(data)
    shape = SHAPES[release.shape]
    group_risk = shape.load("group_risk")
    if group_risk is None:
        raise InputError(f"this is {shape.called}: risk is measured of raw data and of generalized releases")
    names = {"support": "min_support", "confidence": "min_confidence", "limit": "limit"}
    options = {names[name]: value for name, value in groups.items() if value is not None}
    found: GroupRisk = group_risk(release, **options, run=run)
    return found


def _in_clusters(data: Transactions, k: int, most: int | None, run: Run) -> tuple[Transactions, Int64]:
    """The records in the order of the clusters that publishing would make, and the start of each cluster."""
    from shoal.kernels.rows import take_rows
    from shoal.publish.disassociation import default_max_cluster_size
    from shoal.publish.disassociation.horizontal import cluster_records

    run.report("cluster records", 0, 1)
    made = cluster_records(data, least=k, most=default_max_cluster_size(k) if most is None else most)
    run.report("cluster records", 1, 1)
    return Transactions(*take_rows(made.offsets, made.items, made.rows), data.vocabulary), made.bounds
