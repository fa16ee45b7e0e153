"""What an auditor has beside a release: the original, rules and hierarchies, read as the kind of release asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.background import Background
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table

RulesOption = Annotated[
    Path | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Tables: the negative rules that are known, as shoal mine --negative writes them.",
    ),
]
BASKETS = ("format", "long", "column")
"""Parameters that say how baskets are read."""
TABLES = ("rules", "hierarchy", "complete", "column_names", "missing")
"""Parameters about releases of tables."""


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
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            raise InputError(f"{parameter.opts[0]} is not about {release}: leave it out")


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
