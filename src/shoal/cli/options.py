"""Options that mean the same in every command."""

from __future__ import annotations

import csv
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.terminal import note, warn
from shoal.errors import InputError
from shoal.quoting import named, shown
from shoal.suggestions import did_you_mean

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Column, Table
    from shoal.data.transactions import Transactions


class Format(StrEnum):
    """Formats of baskets."""

    auto = "auto"
    fimi = "fimi"
    delimited = "delimited"
    long = "long"
    parquet = "parquet"


Baskets = Annotated[
    str, typer.Argument(metavar="FILE", help="Baskets: FIMI, delimited, long CSV or Parquet; '-' reads standard input.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="File format; 'auto' detects it.")]
SeparatorOption = Annotated[
    str | None,
    typer.Option("--separator", metavar="TEXT", help="Separator of items (or columns); \\t is a tab."),
]
LongOption = Annotated[
    str | None,
    typer.Option("--long", metavar="RECORD,ITEM", help="Long format: the columns with the record's key and the item."),
]
ColumnOption = Annotated[str | None, typer.Option("--column", metavar="NAME", help="Parquet: the list column to read.")]
KeepItemsetsOption = Annotated[
    Path | None,
    typer.Option(
        "--keep-itemsets",
        metavar="FILE",
        help="A file with one itemset per line, items comma-separated: sets that an analysis needs. They are kept "
        "together where the promise allows it.",
    ),
]
ReleaseArgument = Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a release.")]
RawOption = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="CSV: write text values unchanged. By default an apostrophe is put before those that a spreadsheet would "
        "read as formulas: those that begin with = + - @, a tab or a line end, and are not numbers.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class TermItems(StrEnum):
    """How often an item of a term chunk occurs."""

    once = "once"
    uniform = "uniform"


_TERM_ITEMS = (
    "The model of term chunks. once: an item is in one record of its cluster; uniform: in 1 to k - 1 (in 1 to all, if "
    "it is sensitive or may have been moved there), each number equally likely. Default: "
)
TermItemsOption = Annotated[
    TermItems | None, typer.Option("--term-items", help=f"{_TERM_ITEMS}uniform. Bounds do not depend on it.")
]
DrawnTermItemsOption = Annotated[TermItems | None, typer.Option("--term-items", help=f"{_TERM_ITEMS}once.")]
DrawSeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Draw the same again. Default: random."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Make the same data again. Default: random."),
]


def read_baskets(
    source: str,
    format: Format = Format.auto,
    separator: str | None = None,
    long: str | None = None,
    column: str | None = None,
    *,
    publishing: bool = False,
) -> Transactions:
    """Read baskets as the options say; warn if the file looks like a table and will be published as baskets."""
    from shoal.io.baskets import read_baskets

    looks_like_a_table = source.removesuffix(".gz").endswith((".csv", ".tsv"))
    if looks_like_a_table and format is Format.auto and separator is None and long is None:
        say, kind = (warn, "warning") if publishing else (note, "note")
        say(
            f"{kind}: {source} is read as baskets, one record per line. Use --format delimited if that is intended, or "
            "--long RECORD,ITEM if each row is one item. To read a table, use shoal info --table, shoal risk --quasi, "
            "or shoal publish anatomy, injector or k-anonymity"
        )
    return read_baskets(
        source,
        format=format.value,
        separator=separator_of(separator),
        long=None if long is None else column_pair(long),
        column=column,
    )


def say_what_was_read(data: Transactions) -> None:
    """Report what was merged and dropped in baskets, if anything."""
    if data.merged:
        note(f"note: {data.merged:,} repetitions of an item inside a record were merged")
    if data.dropped:
        note(f"note: {data.dropped:,} empty records were dropped")


def item_names(text: str) -> list[str]:
    """Comma-separated items; a name that contains commas is put in double quotes."""
    try:
        names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error as error:
        raise InputError(f"{shown(text)} is not a list of items: {error}") from None
    if not names or not all(names):
        raise InputError(f"{shown(text)} has an empty item: write comma-separated items, as in 'bread, milk'")
    return list(dict.fromkeys(names))


def lines_of(path: Path, option: str, what: str) -> list[tuple[int, str]]:
    """The non-blank lines of a text file, with their line numbers."""
    from shoal.io.opening import like_named, small_file

    try:
        text = small_file(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{like_named(path)} ({option})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({option}): {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text ({option}): put {what} on each line") from None
    # Not splitlines(): it also splits at characters that an item may contain.
    lines = [(number, line.strip(" \t\r")) for number, line in enumerate(text.split("\n"), start=1)]
    return [(number, line) for number, line in lines if line]


def itemsets_of(path: Path) -> list[frozenset[str]]:
    """The itemsets of a file, one per line."""
    sets = []
    for number, line in lines_of(path, "--keep-itemsets", "an itemset"):
        try:
            names = item_names(line)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        if len(names) < 2:
            raise InputError(f"{path}, line {number}: {shown(line)} is a single item: a set to keep has two or more")
        sets.append(frozenset(names))
    if not sets:
        raise InputError(f"{path} contains no itemsets: put one on each line, as in bread, milk")
    return sets


def column_pair(text: str) -> tuple[str, str]:
    """The two columns of ``--long``."""
    names = text.split(",")
    if len(names) != 2 or not all(names):
        raise InputError(f"--long needs two comma-separated column names, as in --long user,item; got {shown(text)}")
    return names[0], names[1]


IdentifierOption = Annotated[
    str | None, typer.Option("--identifier", metavar="A,B", help="Tables: columns that identify a person.")
]
QuasiOption = Annotated[
    str | None, typer.Option("--quasi", metavar="A,B", help="Tables: columns that others may know about a person.")
]
SensitiveColumnsOption = Annotated[
    str | None, typer.Option("--sensitive", metavar="A,B", help="Tables: columns that must stay private.")
]
HierarchyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="Tables: a generalization hierarchy, from a file or built from the data (=ranges, =balanced, =prefixes, "
        "=frequency, =flat); may be repeated.",
    ),
]


class Missing(StrEnum):
    """What to do with missing values of a table."""

    error = "error"
    drop = "drop"
    keep = "keep"


MissingOption = Annotated[
    Missing,
    typer.Option(
        "--missing", help="Tables: missing values: report an error, drop their rows, or keep them as a value."
    ),
]
ColumnNamesOption = Annotated[
    str | None,
    typer.Option("--column-names", metavar="A,B", help="Tables: names for a file without a header line."),
]
CompleteOption = Annotated[
    bool, typer.Option("--complete", help="Tables: place values that a hierarchy lacks under its root.")
]


def names(text: str | None) -> list[str]:
    """Comma-separated column names."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else []


def support_of(text: str) -> float:
    """A share if it is written with a decimal point, a number of records or rows if it is a whole number."""
    from shoal.mining.support import least_count

    try:
        value = int(text) if text.strip().lstrip("+-").isdecimal() else float(text)
    except ValueError:
        raise InputError(
            f"--min-support is {shown(text)}: give a share, as in .01, or a whole number of records"
        ) from None
    least_count(value, 1)  # fail early, before a large file is read
    return value


def separator_of(text: str | None) -> str | None:
    r"""A separator as typed, where ``\t`` stands for a tab."""
    return None if text is None else text.replace("\\t", "\t")


def read_hierarchies(given: list[str] | None, table: Table, *, complete: bool) -> dict[str, Hierarchy]:
    """The hierarchies of ``--hierarchy``, each checked against its column."""
    from shoal.io.hierarchies import read_hierarchy

    trees = {}
    for text in given or []:
        name, equals, source = text.partition("=")
        if not (name and equals and source):
            raise InputError(f"--hierarchy needs a column and a file, as in --hierarchy age=age.csv; got {shown(text)}")
        if name in trees:
            raise InputError(f"--hierarchy gives column {named(name)} two hierarchies")
        column = table.column(name)
        meant = did_you_mean(source, HIERARCHY_KINDS)
        if meant and source not in HIERARCHY_KINDS and not Path(source).exists():
            raise InputError(f"no such file: {source}{meant} (--hierarchy {text})")
        trees[name] = (
            build_hierarchy(source, column)
            if source in HIERARCHY_KINDS
            else read_hierarchy(source, column=column, name=name, complete=complete)
        )
    return trees


def read_item_hierarchy(source: str, baskets: Transactions, *, complete: bool) -> Hierarchy:
    """The hierarchy of the items of baskets; every item has a place in it."""
    from shoal.io.hierarchies import read_hierarchy

    return read_hierarchy(source, column=baskets.words, complete=complete)


IDLE_COMPLETE = "--complete applies to hierarchies: add --hierarchy, or remove --complete"
"""The message for --complete without a hierarchy."""


def read_any_hierarchies(
    given: list[str] | None, data: Transactions | Table, *, complete: bool
) -> Hierarchy | dict[str, Hierarchy] | None:
    """The hierarchies of ``--hierarchy``: for baskets that of their items, for a table one per column."""
    from shoal.data.table import Table

    if isinstance(data, Table):
        return read_hierarchies(given, data, complete=complete)
    if not given:
        if complete:
            raise InputError(IDLE_COMPLETE)
        return None
    if len(given) > 1:
        raise InputError("baskets have one hierarchy, that of their items: give --hierarchy once")
    return read_item_hierarchy(given[0], data, complete=complete)


def refuse_about(kind: str, given: dict[str, bool], instead: str) -> None:
    """Refuse given options that apply to another kind of data.

    Raises:
        InputError: names the first of them, and what to do instead.
    """
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"{name} is only for {kind}: {instead}")


HIERARCHY_KINDS = ("ranges", "balanced", "prefixes", "frequency", "flat")


def build_hierarchy(kind: str, column: Column) -> Hierarchy:
    """A hierarchy built from a column's own values."""
    from shoal.data import hierarchy_builders

    builders: dict[str, Callable[[Column], Hierarchy]] = {
        "ranges": hierarchy_builders.ranges,
        "balanced": hierarchy_builders.balanced,
        "prefixes": hierarchy_builders.prefixes,
        "frequency": hierarchy_builders.by_frequency,
        "flat": hierarchy_builders.flat,
    }
    return builders[kind](column)
