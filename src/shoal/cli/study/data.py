"""What commands that publish the same data many times share: which data, what is kept, and how to go on."""

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
    "-o", "--out", metavar="FOLDER", help="Where numbers are kept as they come. The same command goes on there."
)
TopOption = Annotated[
    int | None, typer.Option("--top", metavar="N", help="Baskets: itemsets that are compared. Default: 1000.")
]
MinSupportOption = Annotated[
    float | None,
    typer.Option("--min-support", metavar="SHARE", help="From which share on itemsets and rules count. Default: .01."),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="For experiments: draw the same chance, or sample, again.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace what another request has left in the folder.")]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="FILE|COLUMN=FILE",
        help="Baskets: the hierarchy of the items. Tables: that of a column, from a file or made of the data "
        "(=ranges, =balanced, =prefixes, =frequency, =flat); may be repeated.",
    ),
]
SensitiveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        metavar="A,B",
        help="Tables: columns that must not be learnt of a person. Baskets: an item that must stay linked to nothing "
        "(disassociate-l); may be repeated.",
    ),
]


@dataclass(frozen=True)
class Measured:
    """How releases are measured, and what is drawn at random."""

    top: TopOption = None
    min_support: MinSupportOption = None
    seed: SeedOption = None


@dataclass(frozen=True)
class StudySource:
    """Baskets, or with quasi-identifiers a table, and how they are to be read."""

    file: FileArgument
    quasi: options.QuasiOption = None
    sensitive: SensitiveOption = None
    """Of tables columns; of baskets items, where a method speaks of them."""
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
        """What kind of data these are."""
        return "baskets" if self.quasi is None else "tables"

    @property
    def sensitive_items(self) -> list[str]:
        """Of baskets, the items that must stay linked to nothing."""
        return list(self.sensitive or []) if self.about == "baskets" else []

    def refuse_others(self, *, sensitive_items: bool = False) -> None:
        """Refuse options about the other kind of data, before a large file is read."""
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
            options.refuse_about("tables", tables, "name the columns that others may know, too (--quasi A,B)")
        else:
            options.refuse_about("baskets", baskets, "leave it out, or --quasi, which reads a table")

    def read(self, progress: Progress) -> tuple[Transactions | Table, Hierarchy | dict[str, Hierarchy] | None]:
        """The data and their hierarchies; what was left out, or may surprise, is said."""
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
        """The words by which a command that publishes reads the same, without hierarchies."""
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
        """The words by which hierarchies are read."""
        given = [word for text in self.hierarchy or [] for word in ("--hierarchy", text)]
        return [*given, "--complete"] if given and self.complete else given


def say_what_was_done_before(labels: tuple[str, ...]) -> None:
    """Which runs a study that went on did not do again."""
    if labels:
        note(f"note: done before, and not again: {'; '.join(labels)}")


def say_what_was_made(made: tuple[str, ...], about: About) -> None:
    """That hierarchies were made because none were given."""
    if made and about == "baskets":
        note(
            "note: no hierarchy of items given: neighbours by name are joined, ten at a time, which says nothing of "
            "what they are; give one with --hierarchy FILE"
        )
    elif made:
        note(f"note: no hierarchy given for {', '.join(made)}: numbers become intervals, all else all or nothing")


def check_report(report: Path | None, charts: Path | None, *, force: bool) -> None:
    """Refuse places that a report cannot go to, before hours of work."""
    if report is not None or charts is not None:
        Written(report, charts, force).check()


def report_on(
    found: Comparison | Sweep, file: str, report: Path | None, charts: Path | None, *, force: bool
) -> tuple[str, dict[str, object]]:
    """Write the report that was asked for; returns what to say of it, and that for JSON."""
    if report is None and charts is None:
        return "", {}
    from shoal.reporting.study_report import study_report

    to = Written(report, charts, force)
    with progress_bar() as progress:
        said = to.write(study_report(found, source=file), progress)
    return f"; {said}", to.told


def say_where_numbers_are(out: Path, more: str = "") -> None:
    """Where a study keeps what it measured, and that it is not to be published."""
    result()
    result(f"numbers are kept in {out}: internal, not for publication{more}")


@contextmanager
def keeping_numbers(out: Path | None) -> Iterator[None]:
    """Refuse to keep numbers in a release; tell whoever interrupts that none is left, and where what was done is."""
    from shoal.io.manifest import require_outside_releases

    if out is not None:
        require_outside_releases(out)
    try:
        yield
    except BaseException as error:
        if is_interruption(error):
            there = out is not None and out.is_dir()
            kept = f"; what was done is in {out}, and the same command goes on there" if there else ""
            raise Interrupted(f"no release is left{kept}") from None
        raise
