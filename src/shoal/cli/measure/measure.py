"""``shoal measure``: what did publishing cost?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli import options
from shoal.cli.basket_reading import Reading
from shoal.cli.evidence import TableReading, refuse
from shoal.cli.measure import asked
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import kernel_work, progress_bar, result, result_json
from shoal.errors import InputError
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.release import Release

_READ = {
    "baskets": frozenset({"format", "separator", "long", "column"}),
    "table": frozenset({"separator", "column_names", "missing"}),
}
"""How an original is read."""


@grouped
def measure(
    context: typer.Context,
    *,
    compared: asked.Compared,
    baskets: asked.OfBaskets,
    rows: asked.OfTables,
    randomized: asked.OfRandomized,
    tables: TableReading,
    common: asked.CommonOption = False,
    seed: options.DrawSeedOption = None,
    reading: Reading,
    json: options.JsonOption = False,
) -> None:
    """Measure what a release has lost of its original.

    Baskets: frequent itemsets, supports of pairs, items, records. Tables: association rules, queries that count rows,
    and what was generalized. Randomized releases: itemsets found wrongly or missed at several thresholds (sigma+ and
    sigma-), and the errors of estimated supports. Generalized baskets, noisy counts, and with --common all baskets:
    one set of metrics, with which methods can be compared.
    """
    from shoal.pipeline.measuring import measure as measured

    original, release = compared.original, compared.release
    baskets.require_hierarchy()
    given: dict[str, Any] = {**baskets.given(), **rows.given(), **vars(randomized), "seed": seed}
    about = asked.about(release, common=common)
    _refuse_idle(context, about)
    given = {name: value for name, value in given.items() if name in about.options}
    chance = given.pop("seed", None)
    with progress_bar() as progress:
        if about.data == "baskets":
            assert about.release is not None
            with kernel_work(progress) as step:
                data = reading.baskets(original)
                tree = _item_hierarchy(baskets.hierarchy, data, complete=baskets.complete)
                run = Run(progress=step, chance=chance)
                found = measured(data, about.release, common=common, hierarchy=tree, run=run, **given)
        else:
            progress("read", 0, 1)
            how = tables.arguments(reading.separator)
            people, published = _tables(original, release, about, given, how)
            trees = options.read_hierarchies(baskets.hierarchy, people, complete=baskets.complete)
            progress("read", 1, 1)
            found = measured(
                people, published, hierarchies=trees or None, run=Run(progress=progress, chance=chance), **given
            )
    result_json(found.as_dict()) if json else result(str(found))


def _refuse_idle(context: typer.Context, about: asked.About) -> None:
    """Refuse options that say nothing about such a release."""
    used = {"original", "release", "json", *about.options, *_READ[about.data]}
    if about.data == "baskets":
        used.add("common")
    if used & {"hierarchy", "hierarchies"}:
        used |= {"hierarchy", "complete"}
    refuse(context, {parameter.name or "" for parameter in context.command.params} - used, about.called)


def _tables(
    original: str, file: Path, about: asked.About, given: dict[str, Any], reading: dict[str, Any]
) -> tuple[Table, Release | Table]:
    """The original and what was published, with the columns that are compared."""
    from shoal.io.tables import read_table

    quasi = given["quasi"] or list(about.quasi)
    if about.release is not None:
        return read_table(original, quasi=quasi, sensitive=list(about.sensitive), **reading), about.release
    if not quasi or not given["sensitive"]:
        raise InputError(
            f"{file} is not a release folder, so it is read as a generalized table: name its columns with "
            "--quasi A,B and --sensitive COLUMN"
        )
    columns = {"quasi": quasi, "sensitive": given["sensitive"]}
    return read_table(original, **columns, **reading), read_table(file, **columns, missing="keep")


def _item_hierarchy(given: list[str] | None, data: Transactions, *, complete: bool) -> Hierarchy | None:
    from shoal.io.hierarchies import read_hierarchy

    if given and len(given) > 1:
        raise InputError("--hierarchy is given twice: items have one hierarchy")
    return read_hierarchy(given[0], column=data.words, complete=complete) if given else None
