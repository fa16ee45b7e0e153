"""``shoal measure`` of tables: its options, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import Progress
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.measuring.tables.utility import TableUtility
    from shoal.release.bucketized import Bucketized
    from shoal.release.generalized import Generalized

DimOption = Annotated[
    int | None,
    typer.Option("--dim", metavar="N", help="Tables: how many quasi columns a query is about. Default: 3, or all."),
]
SelOption = Annotated[
    float | None,
    typer.Option(
        "--sel", metavar="SHARE", help="Tables: of a column's values a query names up to so many. Default: .1."
    ),
]
QueriesOption = Annotated[
    int | None, typer.Option("--queries", metavar="N", help="Tables: how many queries to draw. Default: 1000.")
]
MaxAttributesOption = Annotated[
    int | None,
    typer.Option("--max-attributes", metavar="N", help="Tables: how many columns a rule may be about. Default: 1."),
]
MinSupportOption = Annotated[
    str | None,
    typer.Option(
        "--min-support",
        metavar="S",
        help="Tables: a rule is in so many rows, as a share or a number. Default: .01. Randomized releases: an itemset "
        "is in so many records; several, parted by commas. Default: .01,.005,.0025. Metrics of all baskets: the same, "
        "one. Default: .01.",
    ),
]
MinConvictionOption = Annotated[
    float | None,
    typer.Option("--min-conviction", metavar="C", help="Tables: a rule's conviction, at least. Default: 1.05."),
]
SensitiveOption = Annotated[
    str | None,
    typer.Option("--sensitive", metavar="COLUMN", help="Tables: the sensitive column; by default the release's first."),
]


@dataclass(frozen=True)
class TableOptions:
    """What may be said of tables only."""

    quasi: str | None
    sensitive: str | None
    max_attributes: int | None
    min_support: str | None
    min_conviction: float | None
    dim: int | None
    sel: float | None
    queries: int | None
    column_names: str | None
    missing: options.Missing

    def require_none(self) -> None:
        """Refuse them all, where a release is not about a table."""
        given = [
            f"--{name.replace('_', '-')}"
            for name, value in vars(self).items()
            if value not in (None, options.Missing.error)
        ]
        if given:
            raise InputError(f"{', '.join(given)}: about tables, and this is a release of baskets: leave it out")


def measure_table(
    original: str,
    release: Bucketized | Generalized | Path,
    asked: TableOptions,
    *,
    hierarchies: list[str] | None,
    complete: bool,
    separator: str | None,
    seed: int | None,
    progress: Progress,
) -> TableUtility:
    """Measure a bucketized or a generalized release, or a generalized table in a file."""
    from shoal.io.tables import read_table
    from shoal.measuring.tables.utility import table_utility
    from shoal.release.generalized import Generalized

    quasi, sensitive = options.names(asked.quasi), asked.sensitive
    secrets: list[str] | str | None = sensitive
    if isinstance(release, Generalized):
        quasi = quasi or [column.name for column in release.quasi]
        secrets = [column.name for column in release.sensitive]
    elif isinstance(release, Path):
        if not quasi or not sensitive:
            raise InputError(
                f"{release} is no release folder, so that it is read as a generalized table: name its columns with "
                "--quasi A,B and --sensitive COLUMN"
            )
    elif hierarchies:
        raise InputError("--hierarchy is about generalized tables: a bucketized release has its values as they are")
    else:
        quasi, sensitive = quasi or release.quasi.names, sensitive or release.sensitive
        secrets = sensitive
    progress("read", 0, 1)
    people = read_table(
        original,
        quasi=quasi,
        sensitive=secrets or [],
        missing=asked.missing.value,
        separator=options.separator_of(separator),
        column_names=options.names(asked.column_names) or None,
    )
    published = (
        read_table(release, quasi=quasi, sensitive=secrets or [], missing="keep")
        if isinstance(release, Path)
        else release
    )
    trees = options.read_hierarchies(hierarchies, people, complete=complete)
    progress("read", 1, 1)
    numbers = {
        "max_attributes": asked.max_attributes,
        "min_conviction": asked.min_conviction,
        "dim": asked.dim,
        "sel": asked.sel,
        "queries": asked.queries,
        "min_support": None if asked.min_support is None else options.support_of(asked.min_support),
    }
    given = {name: value for name, value in numbers.items() if value is not None}
    return table_utility(
        people,
        published,
        quasi=quasi,
        sensitive=sensitive,
        hierarchies=trees,
        seed=seed,
        progress=progress,
        **given,  # type: ignore[arg-type]
    )
