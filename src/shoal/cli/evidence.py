"""What an auditor has beside a release: the original, rules and hierarchies, read as the kind of release asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.every_command import EVERYWHERE
from shoal.errors import InputError
from shoal.quoting import shown

if TYPE_CHECKING:
    from shoal.data.background import Background
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.io.release_folder import OpenRelease

RulesOption = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Tables: the negative rules that are known, as shoal mine --negative writes them.",
    ),
]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="[COLUMN=]FILE",
        help="Tables: a generalization hierarchy of a column, from a file or made of the data (=ranges, =balanced, "
        "=prefixes, =frequency, =flat); may be repeated. Generalized baskets: the file of the hierarchy of items.",
    ),
]
CompleteOption = Annotated[
    bool, typer.Option("--complete", help="Give values or items that a hierarchy misses a place below its top.")
]
BASKETS = ("format", "long", "column")
"""Parameters that say how baskets are read."""
TABLES = ("rules", "hierarchy", "complete", "column_names", "missing")
"""Parameters about releases of tables."""
NOT_GENERALIZED_BASKETS = ("rules", "column_names", "missing")
"""Those of them that are not about generalized baskets either."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was given about a release of a table."""

    original: Table | None
    hierarchies: Mapping[str, Hierarchy] | None
    background: Background | None


def refuse(context: typer.Context, names: Collection[str], release: str) -> None:
    """Refuse options that are not about this kind of release, instead of passing over them."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if (
            parameter.name in names
            and parameter.name not in EVERYWHERE
            and source is not None
            and source.name == "COMMANDLINE"
        ):
            raise InputError(f"{parameter.opts[0]} is not about {release}: leave it out")


def refuse_about_tables(context: typer.Context, release: OpenRelease, *more: str) -> None:
    """Refuse options about tables for a release of baskets; of generalized ones there may be a hierarchy."""
    from shoal.io import generalized_baskets

    generalized = release.method in generalized_baskets.METHODS
    refused = (*(NOT_GENERALIZED_BASKETS if generalized else TABLES), *more)
    refuse(context, refused, "a release of baskets")


@dataclass(frozen=True, eq=False)
class BasketEvidence:
    """What was given about a release of baskets."""

    original: Transactions | None
    hierarchy: Hierarchy | None


def read_basket_evidence(
    original: str | None,
    hierarchy: list[str] | None,
    complete: bool,
    format: options.Format,
    separator: str | None,
    long: str | None,
    column: str | None,
) -> BasketEvidence:
    """Read what was given: the baskets, and the hierarchy of their items."""
    if original is None:
        if hierarchy:
            raise InputError("--hierarchy is for comparing a release with its original: give --original FILE, too")
        return BasketEvidence(None, None)
    if complete and not hierarchy:
        raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
    data = options.read_baskets(original, format, separator, long, column)
    if not hierarchy:
        return BasketEvidence(data, None)
    if len(hierarchy) > 1:
        raise InputError(f"--hierarchy is given {len(hierarchy)} times: a release of baskets has one hierarchy")
    (source,) = hierarchy
    if "=" in source and not Path(source).exists():
        raise InputError(f"--hierarchy is {shown(source)}: for baskets give a file, as in --hierarchy items.csv")
    return BasketEvidence(data, options.read_item_hierarchy(source, data, complete=complete))


def read_evidence(
    columns: tuple[list[str], list[str]],
    original: str | None,
    rules: Path | None,
    hierarchy: list[str] | None,
    separator: str | None,
    column_names: str | None,
    missing: options.Missing,
    complete: bool,
) -> Evidence:
    """Read what was given, the table with the columns of the release."""
    background = None
    if rules is not None:
        from shoal.io.background import read_background

        background = read_background(rules)
    if original is None:
        if hierarchy or separator or column_names:
            raise InputError("--hierarchy, --separator and --column-names are about the original: give --original FILE")
        return Evidence(None, None, background)
    from shoal.io.tables import read_table

    quasi, sensitive = columns
    table = read_table(
        original,
        quasi=quasi,
        sensitive=sensitive,
        missing=missing.value,
        separator=options.separator_of(separator),
        column_names=options.names(column_names) or None,
    )
    return Evidence(table, options.read_hierarchies(hierarchy, table, complete=complete) or None, background)
