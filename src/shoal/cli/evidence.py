"""What an auditor has beside a release: the original, rules and hierarchies, read as the kind of release asks for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.audit.attack.adversary import Adversary
from shoal.cli import options
from shoal.cli.every_command import EVERYWHERE
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.shapes import Shape

if TYPE_CHECKING:
    from shoal.io.release_folder import Opened
    from shoal.release.evidence import Evidence

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
_BASKETS = ("format", "long", "column")
"""Parameters that say how baskets are read."""
_TABLES = ("column_names", "missing")
"""Parameters that say how tables are read."""


@dataclass(frozen=True)
class Given:
    """What was given on the command line about a release."""

    original: str | None
    rules: Path | None
    hierarchy: list[str] | None
    complete: bool
    format: options.Format
    separator: str | None
    long: str | None
    column: str | None
    column_names: str | None
    missing: options.Missing

    def read(self, context: typer.Context, release: Opened, *, others: bool = False) -> Evidence:
        """Read it, as the shape of the release asks for it; what says nothing about that shape is refused.

        Others: whether other releases of the same people were given, too.
        """
        shape = release.shape
        _refuse_idle(context, shape, others)
        return self._baskets() if shape.data == "baskets" else self._table(release)

    def _baskets(self) -> Evidence:
        from shoal.release.evidence import NOTHING, Evidence

        if self.original is None:
            if self.hierarchy:
                raise InputError("--hierarchy is for comparing a release with its original: give --original FILE, too")
            return NOTHING
        if self.complete and not self.hierarchy:
            raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
        data = options.read_baskets(self.original, self.format, self.separator, self.long, self.column)
        if not self.hierarchy:
            return Evidence(data)
        if len(self.hierarchy) > 1:
            raise InputError(
                f"--hierarchy is given {len(self.hierarchy)} times: a release of baskets has one hierarchy"
            )
        (source,) = self.hierarchy
        if "=" in source and not Path(source).exists():
            raise InputError(f"--hierarchy is {shown(source)}: for baskets give a file, as in --hierarchy items.csv")
        return Evidence(data, hierarchy=options.read_item_hierarchy(source, data, complete=self.complete))

    def _table(self, release: Opened) -> Evidence:
        from shoal.release.evidence import Evidence

        background = None
        if self.rules is not None:
            from shoal.io.background import read_background

            background = read_background(self.rules)
        if self.original is None:
            if self.hierarchy or self.separator or self.column_names:
                raise InputError(
                    "--hierarchy, --separator and --column-names are about the original: give --original FILE"
                )
            return Evidence(rules=background)
        from shoal.io.tables import read_table

        quasi, sensitive = release.columns or ([], [])
        table = read_table(
            self.original,
            quasi=quasi,
            sensitive=sensitive,
            missing=self.missing.value,
            separator=options.separator_of(self.separator),
            column_names=options.names(self.column_names) or None,
        )
        trees = options.read_hierarchies(self.hierarchy, table, complete=self.complete)
        return Evidence(table, background, trees or None)


def _refuse_idle(context: typer.Context, shape: Shape, others: bool) -> None:
    """Refuse options that say nothing about a shape of release, instead of passing over them."""
    idle = [*(_TABLES if shape.data == "baskets" else _BASKETS)]
    if "rules" not in shape.evidence:
        idle.append("rules")
    if not shape.evidence & {"hierarchies", "hierarchy"}:
        idle += ["hierarchy", "complete"]
    idle += [field.name for field in fields(Adversary) if field.name not in shape.adversary | shape.with_others]
    refuse(context, idle, shape.called)
    if not others:
        refuse(context, shape.with_others, f"{shape.called} without --other")


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
