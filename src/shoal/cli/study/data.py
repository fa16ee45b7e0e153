"""The common part of studies, which publish the same data many times: the data, what is kept, and how to resume."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.report.written import Written
from shoal.cli.terminal import Interrupted, Progress, note, progress_bar, result
from shoal.interruption import is_interruption

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.study.compare import Comparison
    from shoal.study.original import About
    from shoal.study.sweep import Sweep


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Baskets or, with --quasi, a table; '-' reads standard input.")
]
KEPT = typer.Option(
    "-o", "--out", metavar="FOLDER", help="Where numbers are kept as they come. The same command resumes there."
)
TopOption = Annotated[
    int | None, typer.Option("--top", metavar="N", help="Baskets: number of itemsets to compare. Default: 1000.")
]
MinSupportOption = Annotated[
    float | None,
    typer.Option(
        "--min-support", metavar="SHARE", help="The least share at which itemsets and rules count. Default: .01."
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="For experiments: make random choices and samples reproducible."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace the results of another request in the folder.")]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="FILE|COLUMN=FILE",
        help="Baskets: the hierarchy of the items. Tables: the hierarchy of a column, from a file or built from the "
        "data (=ranges, =balanced, =prefixes, =frequency, =flat); may be repeated.",
    ),
]
SensitiveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        metavar="A,B",
        help="Tables: columns that must stay private. Baskets: an item that must not be linked to any record "
        "(disassociate-l); may be repeated.",
    ),
]


@dataclass(frozen=True)
class Measured:
    """How releases are measured, and how random choices are made."""

    top: TopOption = None
    min_support: MinSupportOption = None
    seed: SeedOption = None


@dataclass(frozen=True)
class StudySource:
    """Baskets or, with quasi-identifiers, a table, and how to read them."""

    file: FileArgument
    quasi: options.QuasiOption = None
    sensitive: SensitiveOption = None
    """Columns of tables; items of baskets, where a method uses them."""
    hierarchy: HierarchyOption = None
    complete: options.CompleteOption = False
    format: options.FormatOption = options.Format.auto
    separator: options.SeparatorOption = None
    long: options.LongOption = None
    column: options.ColumnOption = None
    column_names: options.ColumnNamesOption = None
    missing: options.MissingOption = options.Missing.error

    @property
    def about(self) -> About:
        """The kind of data."""
        return "baskets" if self.quasi is None else "tables"

    @property
    def sensitive_items(self) -> list[str]:
        """For baskets, the items that must not be linked to any record."""
        return list(self.sensitive or []) if self.about == "baskets" else []

    def refuse_others(self, *, sensitive_items: bool = False) -> None:
        """Refuse options for the other kind of data, before a large file is read."""
        tables = {
            "--sensitive": self.sensitive is not None and not sensitive_items,
            "--column-names": self.column_names is not None,
            "--missing": self.missing is not options.Missing.error,
        }
        baskets = {
            "--format": self.format is not options.Format.auto,
            "--long": self.long is not None,
            "--column": self.column is not None,
        }
        if self.about == "baskets":
            options.refuse_about("tables", tables, "also name the columns that others may know (--quasi A,B)")
        else:
            options.refuse_about("baskets", baskets, "remove it, or --quasi, which reads a table")

    def read(self, progress: Progress) -> tuple[Transactions | Table, Hierarchy | dict[str, Hierarchy] | None]:
        """Read the data and their hierarchies, and report what was left out."""
        progress("read", 0, 1)
        found = self._read()
        progress("read", 1, 1)
        return found

    def _read(self) -> tuple[Transactions | Table, Hierarchy | dict[str, Hierarchy] | None]:
        if self.quasi is None:
            data = options.read_baskets(self.file, self.format, self.separator, self.long, self.column)
            options.say_what_was_read(data)
            return data, options.read_any_hierarchies(self.hierarchy, data, complete=self.complete)
        from shoal.cli.publish.table_source import TableFile, TableSource

        sensitive = None if self.sensitive is None else ",".join(self.sensitive)
        table = TableFile(self.file, self.separator, self.column_names, self.missing)
        people = TableSource(table, self.quasi, sensitive).read()
        return people, options.read_any_hierarchies(self.hierarchy, people, complete=self.complete)

    @property
    def as_typed(self) -> list[str]:
        """The words that make a publishing command read the same data, without hierarchies."""
        given = {
            "--quasi": self.quasi,
            "--sensitive": ",".join(self.sensitive) if self.sensitive and self.quasi is not None else None,
            "--format": None if self.format is options.Format.auto else self.format.value,
            "--separator": self.separator,
            "--long": self.long,
            "--column": self.column,
            "--column-names": self.column_names,
            "--missing": None if self.missing is options.Missing.error else self.missing.value,
        }
        return [self.file, *(word for name, value in given.items() if value is not None for word in (name, value))]

    @property
    def hierarchies_as_typed(self) -> list[str]:
        """The words that make it read the same hierarchies."""
        given = [word for text in self.hierarchy or [] for word in ("--hierarchy", text)]
        return [*given, "--complete"] if given and self.complete else given


def say_what_was_done_before(labels: tuple[str, ...]) -> None:
    """Report which runs a resumed study did not repeat."""
    if labels:
        note(f"note: done before, and not repeated: {'; '.join(labels)}")


def say_what_was_made(made: tuple[str, ...], about: About) -> None:
    """Report that hierarchies were built because none were given."""
    if made and about == "baskets":
        note(
            "note: no hierarchy of items given: items that are neighbours by name are joined, ten at a time, which "
            "ignores what they are; give a hierarchy with --hierarchy FILE"
        )
    elif made:
        note(
            f"note: no hierarchy given for {', '.join(made)}: numbers become intervals, all else is kept or suppressed"
        )


def check_report(report: Path | None, charts: Path | None, *, force: bool) -> None:
    """Refuse places that a report cannot be written to, before hours of work."""
    if report is not None or charts is not None:
        Written(report, charts, force).check()


def report_on(
    found: Comparison | Sweep, file: str, report: Path | None, charts: Path | None, *, force: bool
) -> tuple[str, dict[str, object]]:
    """Write the requested report; returns a sentence about it, and its part of the JSON."""
    if report is None and charts is None:
        return "", {}
    from shoal.reporting.study_report import study_report

    to = Written(report, charts, force)
    with progress_bar() as progress:
        said = to.write(study_report(found, source=file), progress)
    return f"; {said}", to.told


def say_where_numbers_are(out: Path, more: str = "") -> None:
    """Report where a study keeps what it measured, and that it must not be published."""
    result()
    result(f"numbers are kept in {out}: internal, not for publication{more}")


@contextmanager
def keeping_numbers(out: Path | None) -> Iterator[None]:
    """Refuse to keep numbers in a release; on interruption, report that no release is left, and where results are."""
    from shoal.io.manifest import require_outside_releases

    if out is not None:
        require_outside_releases(out)
    try:
        yield
    except BaseException as error:
        if is_interruption(error):
            there = out is not None and out.is_dir()
            kept = f"; the results so far are in {out}, and the same command resumes there" if there else ""
            raise Interrupted(f"no release is left{kept}") from None
        raise
