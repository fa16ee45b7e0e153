"""A table to be published: where it is, and the roles of its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import note
from shoal.plural import counted
from shoal.quoting import called, named, shown

if TYPE_CHECKING:
    from shoal.data.table import Table

TableArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A table: CSV, TSV or Parquet; '-' reads standard input.")
]
QuasiOption = Annotated[
    str,
    typer.Option("--quasi", metavar="A,B", help="Columns that others may know about a person; published unchanged."),
]
SensitiveOption = Annotated[
    str, typer.Option("--sensitive", metavar="COLUMN", help="The column that must stay private.")
]
SensitiveColumnsOption = Annotated[
    str | None,
    typer.Option(
        "--sensitive",
        metavar="A,B",
        help="Columns that must stay private; published unchanged, or hidden.",
    ),
]


@dataclass(frozen=True)
class TableFile:
    """A file with a table, and how to read it."""

    file: TableArgument
    separator: options.SeparatorOption = None
    column_names: options.ColumnNamesOption = None
    missing: options.MissingOption = options.Missing.error


@dataclass(frozen=True)
class TableSource:
    """Where a table is, how to read it, and the roles of its columns."""

    table: TableFile
    quasi: str
    sensitive: str | None

    @property
    def file(self) -> str:
        """The file, or '-'."""
        return self.table.file

    def read(self) -> Table:
        """Read the table, and report what was left out."""
        from shoal.io.tables import read_table

        people = read_table(
            self.table.file,
            quasi=options.names(self.quasi),
            sensitive=options.names(self.sensitive),
            missing=self.table.missing.value,
            separator=options.separator_of(self.table.separator),
            column_names=options.names(self.table.column_names) or None,
        )
        _say_what_was_left_out(people)
        return people


def _say_what_was_left_out(people: Table) -> None:
    from shoal.data.number_texts import number_text
    from shoal.data.table import Role

    if people.dropped:
        note(f"note: {counted(people.dropped, 'row')} with missing values left out")
    for column in people:
        sample = number_text(column) if column.role is Role.QUASI else None
        if sample is not None:
            note(
                f"note: column {named(column.name)} holds numbers as texts, such as {shown(sample)}, and is "
                "published as text: queries for a range of values will not be possible"
            )
    others = people.names_of(Role.PLAIN)
    if others:
        note(
            f"note: {counted(len(others), 'column')} neither --quasi nor --sensitive, so not published: "
            f"{', '.join(map(called, others))}"
        )
