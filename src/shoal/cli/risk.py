"""``shoal risk``: measure re-identification risk of raw data, or of the groups of a release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import evidence, options
from shoal.cli.basket_reading import Reading
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import (
    draw,
    item_text,
    kernel_work,
    paragraph,
    progress_bar,
    result,
    result_json,
    table,
)
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.kernels.needed import require_numba
from shoal.run import Run
from shoal.shapes import Shape

if TYPE_CHECKING:
    from shoal.measuring.risk.baskets import BasketRisk, Lengths
    from shoal.measuring.risk.groups import GroupRisk
    from shoal.measuring.risk.tables import TableRisk


@dataclass(frozen=True)
class BasketOptions:
    """The options about the risk of baskets."""

    m: Annotated[
        int | None, typer.Option("-m", "--m", help="Baskets: number of a person's items that are known. Default: 3.")
    ] = None
    top: Annotated[int, typer.Option("--top", help="Baskets: list this many of the items that contribute most.")] = 10
    max_cluster_size: Annotated[
        int | None,
        typer.Option("--max-cluster-size", metavar="N", help="Baskets: maximum records per cluster. Default: 4 k."),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Baskets: make the sample reproducible, if one is needed."),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option("--threads", min=1, metavar="N", help="Threads to use. Default: all processors."),
    ] = None


@dataclass(frozen=True)
class TableOptions:
    """The options about the risk of a table."""

    quasi: options.QuasiOption = None
    population: Annotated[
        str | None,
        typer.Option("--population", metavar="FILE", help="Tables: the people from whom the table was sampled."),
    ] = None
    column_names: options.ColumnNamesOption = None
    missing: options.MissingOption = options.Missing.error


@dataclass(frozen=True)
class GroupOptions:
    """The options about what the groups of a release reveal."""

    support: Annotated[
        float, typer.Option("--support", metavar="SHARE", help="Releases: the least support of a rule in its group.")
    ] = 0.1
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="SHARE", help="Releases: the least confidence of an association.")
    ] = 0.5
    limit: Annotated[
        int, typer.Option("--limit", min=0, metavar="N", help="Releases: how many associations to list.")
    ] = 10


@grouped
def risk(
    *,
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Baskets, or a table (CSV, TSV, Parquet); '-' reads standard input. Or the folder of a generalized "
            "release.",
        ),
    ],
    k: Annotated[int, typer.Option("-k", "--k", help="How many people should remain possible.")] = 5,
    of_baskets: BasketOptions,
    reading: Reading,
    of_table: TableOptions,
    of_groups: GroupOptions,
    json: options.JsonOption = False,
) -> None:
    """Measure re-identification risk: unique records, people singled out by a few items or columns, and the causes.

    The file is read as baskets, unless --quasi names the columns of a table that others may know. For a generalized
    release: what its groups reveal about their sensitive columns, the strongest association first.
    """
    if Path(file).is_dir():
        others = {parameter.name or "" for parameter in context.command.params} - {"file", "json", *vars(of_groups)}
        evidence.refuse(context, others, "a release")
        told = _group_risk(file, of_groups)
        result_json(told.as_dict()) if json else _print_groups(told)
        return
    evidence.refuse(context, vars(of_groups), "raw data")
    if of_table.quasi is not None:
        if of_baskets.m is not None:
            raise InputError("-m is for baskets, and --quasi for tables: give only one of them")
        found = _table_risk(file, k, of_table, reading.separator)
        result_json(found.as_dict()) if json else _print_table(found)
        return
    if of_table != TableOptions():
        raise InputError("--population, --column-names and --missing are for tables: name their columns with --quasi")
    require_numba()
    with progress_bar() as progress:
        progress("read", 0, 1)
        data = reading.baskets(file)
        progress("read", 1, 1)
        with kernel_work(progress) as step:
            from shoal.pipeline.risk import risk

            asked = dict(vars(of_baskets))
            run = Run(engine=Threads(asked.pop("threads")), progress=step, chance=asked.pop("seed"))
            seen = risk(data, k=k, **asked, run=run)
    result_json(seen.as_dict()) if json else _print_baskets(seen)


def _table_risk(file: str, k: int, asked: TableOptions, separator: str | None) -> TableRisk:
    from shoal.io.tables import read_table
    from shoal.measuring.risk.tables import table_risk

    quasi = options.names(asked.quasi)
    if not quasi:
        raise InputError("--quasi names no column: name those that others may know, as in --quasi age,sex,postcode")
    people, everybody = (
        None
        if source is None
        else read_table(
            source,
            quasi=quasi,
            missing=asked.missing.value,
            separator=options.separator_of(separator),
            column_names=options.names(asked.column_names) or None,
        )
        for source in (file, asked.population)
    )
    assert people is not None
    return table_risk(people, k, population=everybody)


def _group_risk(folder: str, asked: GroupOptions) -> GroupRisk:
    from shoal.io.release_folder import open_release

    with open_release(folder) as found:
        release, shape, columns = found.release, found.shape, found.columns
    group_risk = shape.load("group_risk")
    if group_risk is None:
        raise InputError(
            f"{folder} is {shape.called} ({release.method}), and this command is for raw data and generalized tables: "
            + _who_says_it(shape)
        )
    if columns is not None and not columns[1]:
        raise InputError(f"{folder} has no sensitive columns: its groups cannot reveal anything")
    with progress_bar() as progress, kernel_work(progress) as step:
        told: GroupRisk = group_risk(
            release, asked.support, asked.confidence, limit=asked.limit, run=Run(progress=step)
        )
        return told


def _who_says_it(shape: Shape) -> str:
    """Which command shows what a release without groups reveals."""
    if shape.privacy is not None:
        return "shoal privacy computes how likely its items are to be reconstructed, and shoal attack tries it"
    attack = "" if shape.attack is None else ", and shoal attack what it reveals"
    return f"shoal verify shows whether it keeps its promise{attack}"


def _print_groups(told: GroupRisk) -> None:
    paragraph(str(told))
    if told.strongest:
        result()
    for one in told.strongest:
        paragraph(str(one))
    if len(told.strongest) < told.associations:
        result()
        result(f"{told.associations - len(told.strongest):,} more (--limit)")


def _print_baskets(seen: BasketRisk) -> None:
    paragraph(str(seen))
    result()
    result(f"{seen.records:,} records, {seen.items:,} different items; {seen.unique_records:,} records are unique")
    drawn = table("known items", "tested on", "finds one record only", f"finds fewer than {seen.k}")
    for worst in seen.known:
        everybody = f"{seen.records:,} people"
        drawn.add_row(f"the worst {_items(worst.items)}", everybody, worst.alone.shown, worst.among_few.shown)
    for one in seen.random:
        items = _items(one.items).replace(" ", " random ")
        drawn.add_row(items, f"{one.people:,} people", one.alone.shown, one.among_few.shown)
    draw(drawn)
    result(f"Minimal problematic itemsets: in fewer than {seen.k} records, all their subsets in {seen.k} or more")
    _print_lengths("all records", seen.lengths)
    if seen.clusters:
        result(
            f"The same in {seen.clusters.number:,} clusters, as publishing would make them; shares are means over them"
        )
        _print_lengths("clusters", seen.clusters.lengths)
    if seen.contributors:
        drawn = table("items that contribute most", "records", "minimal itemsets with it", "of all")
        for item in seen.contributors:
            drawn.add_row(item_text(item.item), f"{item.records:,}", f"{item.minimal:,}", f"{item.share:.2%}")
        draw(drawn)
    for text in seen.notes:
        paragraph(f"note: {text}")


def _print_lengths(where: str, lengths: tuple[Lengths, ...]) -> None:
    drawn = table(where, "itemsets", "in k or more", "minimal problematic", "of all", "of candidates")
    for one in lengths:
        shares = ("" if share is None else f"{share:.3%}" for share in (one.share, one.share_of_candidates))
        drawn.add_row(_items(one.length), f"{one.sets:,}", f"{one.common:,}", f"{one.minimal:,}", *shares)
    draw(drawn)


def _print_table(seen: TableRisk) -> None:
    paragraph(str(seen))
    result()
    result(
        f"{seen.rows:,} rows in {seen.groups:,} groups on {', '.join(map(item_text, seen.quasi))}; k reached: "
        f"{seen.k_reached:,}"
    )
    result(
        f"{seen.unique_rows:,} rows are unique; {seen.rows_in_small_groups:,} rows are in the {seen.small_groups:,} "
        f"groups of fewer than {seen.k}"
    )
    drawn = table("probability of being found by", "highest", "average", f"rows with more than 1/{seen.k}")
    for name, one in (("prosecutor", seen.prosecutor), ("journalist", seen.journalist)):
        drawn.add_row(name, f"{one.highest:.2%}", f"{one.average:.2%}", f"{one.above:.2%}")
    drawn.add_row("marketer", "", f"{seen.marketer:.2%}", "")
    draw(drawn)
    if seen.population is None:
        result(
            "no population was given (--population FILE): journalist and marketer assume that the table is all of it"
        )


def _items(n: int) -> str:
    return f"{n} item{'' if n == 1 else 's'}"
