"""What an auditor has besides a release (original, rules, hierarchies), read as the shape of the release needs it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.audit.attack.adversary import Adversary
from shoal.cli import options
from shoal.cli.basket_reading import Reading
from shoal.cli.every_command import EVERYWHERE
from shoal.errors import InputError
from shoal.quoting import shown
from shoal.shapes import Shape

if TYPE_CHECKING:
    from shoal.io.release_folder import Opened
    from shoal.release.evidence import Evidence
    from shoal.release.trace import Trace

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
    bool, typer.Option("--complete", help="Place values or items that a hierarchy misses under its root.")
]
TraceOption = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="Disassociated releases: which record of the original went to which cluster, as shoal publish "
        "disassociate --keep-trace FILE wrote it. The attacks then use the true cluster of each person.",
    ),
]
_BASKETS = ("format", "long", "column")
"""Parameters that say how baskets are read."""
_TABLES = ("column_names", "missing")
"""Parameters that say how tables are read."""


@dataclass(frozen=True)
class Hierarchies:
    """Hierarchies of columns, or that of items."""

    hierarchy: HierarchyOption = None
    complete: CompleteOption = False


@dataclass(frozen=True)
class TableReading:
    """How tables are read, beside their separator."""

    column_names: options.ColumnNamesOption = None
    missing: options.MissingOption = options.Missing.error

    def arguments(self, separator: str | None) -> dict[str, Any]:
        """The same as arguments of ``read_table``."""
        return {
            "missing": self.missing.value,
            "separator": options.separator_of(separator),
            "column_names": options.names(self.column_names) or None,
        }


@dataclass(frozen=True)
class Given:
    """What was given on the command line about a release."""

    original: str | None
    rules: Path | None
    hierarchies: Hierarchies
    reading: Reading
    tables: TableReading
    trace: Path | None = None

    def read(self, context: typer.Context, release: Opened, *, others: bool = False) -> Evidence:
        """Read it, as the shape of the release asks for it; what says nothing about that shape is refused.

        Others: whether other releases of the same people were given, too.
        """
        shape = release.shape
        _refuse_idle(context, shape, others)
        return self._baskets() if shape.data == "baskets" else self._table(release)

    def _baskets(self) -> Evidence:
        from shoal.release.evidence import NOTHING, Evidence

        hierarchy, complete = self.hierarchies.hierarchy, self.hierarchies.complete
        if self.original is None:
            if self.trace is not None:
                raise InputError("--trace is about the records of the original: give --original FILE, too")
            if hierarchy:
                raise InputError("--hierarchy is for comparing a release with its original: give --original FILE, too")
            return NOTHING
        if complete and not hierarchy:
            raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
        data = self.reading.baskets(self.original)
        if not hierarchy:
            return Evidence(data, trace=self._trace(len(data)))
        if len(hierarchy) > 1:
            raise InputError(f"--hierarchy is given {len(hierarchy)} times: a release of baskets has one hierarchy")
        (source,) = hierarchy
        if "=" in source and not Path(source).exists():
            raise InputError(f"--hierarchy is {shown(source)}: for baskets give a file, as in --hierarchy items.csv")
        return Evidence(data, hierarchy=options.read_item_hierarchy(source, data, complete=complete))

    def _trace(self, records: int) -> Trace | None:
        from shoal.io.traces import read_trace

        return None if self.trace is None else read_trace(self.trace, records)

    def _table(self, release: Opened) -> Evidence:
        from shoal.release.evidence import Evidence

        background = None
        if self.rules is not None:
            from shoal.io.background import read_background

            background = read_background(self.rules)
        if self.original is None:
            if self.hierarchies.hierarchy or self.reading.separator or self.tables.column_names:
                raise InputError(
                    "--hierarchy, --separator and --column-names are about the original: give --original FILE"
                )
            return Evidence(rules=background)
        from shoal.io.tables import read_table

        quasi, sensitive = release.columns or ([], [])
        how = self.tables.arguments(self.reading.separator)
        table = read_table(self.original, quasi=quasi, sensitive=sensitive, **how)
        given = self.hierarchies
        trees = options.read_hierarchies(given.hierarchy, table, complete=given.complete)
        return Evidence(table, background, trees or None)


def _refuse_idle(context: typer.Context, shape: Shape, others: bool) -> None:
    """Refuse options that say nothing about a shape of release, instead of passing over them."""
    idle = [*(_TABLES if shape.data == "baskets" else _BASKETS)]
    if "rules" not in shape.evidence:
        idle.append("rules")
    if "trace" not in shape.evidence:
        idle.append("trace")
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
