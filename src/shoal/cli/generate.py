"""``shoal generate``: synthetic data for demonstrations and measurements."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import note, result_json, warn
from shoal.errors import InputError
from shoal.quoting import named

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy

Out = Annotated[str, typer.Option("-o", "--out", metavar="FILE", help="The file to write; '-' is standard output.")]
_JsonOption = Annotated[
    bool, typer.Option("--json", help="Print what was written as JSON; not with '-o -', which prints the data.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")]


@dataclass(frozen=True)
class Model:
    """The numbers of the Quest model."""

    records: Annotated[int, typer.Option("--records", help="How many baskets (D).")] = 100_000
    mean_length: Annotated[float, typer.Option("--mean-length", help="Mean items of a basket (T).")] = 10.0
    items: Annotated[int, typer.Option("--items", help="How many different items (N).")] = 1_000
    patterns: Annotated[int, typer.Option("--patterns", help="How many itemsets tend to occur together (L).")] = 2_000
    mean_pattern: Annotated[float, typer.Option("--mean-pattern", help="Mean items of a pattern (I).")] = 4.0
    correlation: Annotated[
        float, typer.Option("--correlation", help="Mean share of a pattern taken from the one before.")
    ] = 0.5
    corruption: Annotated[float, typer.Option("--corruption", help="Mean corruption level of a pattern.")] = 0.5


@grouped
def quest(
    out: Out,
    model: Model,
    seed: options.SeedOption = None,
    force: Force = False,
    json: _JsonOption = False,
) -> None:
    """Baskets by the IBM Quest model (Agrawal and Srikant 1994); the defaults are those of T10I4D100K."""
    from shoal.generate.quest import write_quest

    _require_new(out, force, json)
    write_quest(
        out,
        model.records,
        mean_length=model.mean_length,
        n_items=model.items,
        n_patterns=model.patterns,
        mean_pattern=model.mean_pattern,
        correlation=model.correlation,
        corruption=model.corruption,
        seed=seed,
    )
    _say(f"{model.records:,} baskets to ", out, json, records=model.records)


def people(
    out: Out,
    rows: Annotated[int, typer.Option("--rows", help="How many people.")] = 1_000,
    seed: options.SeedOption = None,
    force: Force = False,
    json: _JsonOption = False,
) -> None:
    """A table of people: age, sex, education, occupation, postcode, diagnosis. CSV, or Parquet by its name."""
    from shoal.generate.people import write_people

    _require_new(out, force, json)
    write_people(out, rows, seed=seed)
    _say(f"{rows:,} people to ", out, json, rows=rows)


class Sample(StrEnum):
    """Data sets that come with Shoal."""

    baskets = "baskets"
    people = "people"


def sample(
    name: Annotated[Sample, typer.Argument(metavar="NAME", help="baskets: 1,000 of them; people: a table of 1,000.")],
    out: Out,
    force: Force = False,
    json: _JsonOption = False,
) -> None:
    """A small data set that comes with Shoal: the same on every machine."""
    from shoal.generate.bundled import path
    from shoal.generate.destination import destination

    _require_new(out, force, json)
    with destination(out) as file:
        file.write(path(name.value).read_bytes())
    _say("", out, json, sample=name.value)


class Kind(StrEnum):
    """Hierarchies that can be made of a column, or of the items of baskets."""

    ranges = "ranges"
    balanced = "balanced"
    prefixes = "prefixes"
    frequency = "frequency"
    neighbours = "neighbours"


@dataclass(frozen=True)
class OfItems:
    """Whether a hierarchy is one of items, and how many are joined at a time."""

    items: Annotated[
        bool, typer.Option("--items", help="The file holds baskets: make a hierarchy (neighbours, frequency) of items.")
    ] = False
    fanout: Annotated[
        int | None,
        typer.Option("--fanout", metavar="N", help="With --items: how many are joined at a time. Default: 10."),
    ] = None


@dataclass(frozen=True)
class HowRead:
    """How the file is read."""

    format: options.FormatOption = options.Format.auto
    long: options.LongOption = None
    separator: options.SeparatorOption = None


@grouped
def hierarchy(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The table: CSV, TSV or Parquet. With --items: baskets.")],
    kind: Annotated[
        Kind,
        typer.Option(
            "--kind",
            help="ranges, balanced: of numbers; prefixes: of texts; frequency: of anything; neighbours: of items, by "
            "their names alone. A tree by frequency shows which items are frequent: do not give it to shoal "
            "publish diffpart, which assumes that its hierarchy is public.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="The file to write, a leaf a line, to be edited.")
    ],
    column: Annotated[
        str | None,
        typer.Option(
            "--column", metavar="NAME", help="The column to make a hierarchy for; of Parquet, that of baskets."
        ),
    ] = None,
    *,
    of_items: OfItems,
    read: HowRead,
    force: Force = False,
    json: _JsonOption = False,
) -> None:
    """A generalization hierarchy of values or items, as a file that can be edited and given to --hierarchy."""
    from shoal.io.hierarchies import write_hierarchy

    _require_new(str(out), force, json)
    make = _of_items if of_items.items else _of_column
    made = make(file, kind, of_items.fanout, read, column)
    write_hierarchy(made, out)
    levels = made.height + 1
    _say(f"{made.n_leaves:,} values in {levels} levels to ", str(out), json, values=made.n_leaves, levels=levels)


def _of_items(file: str, kind: Kind, fanout: int | None, read: HowRead, column: str | None) -> Hierarchy:
    if kind not in (Kind.neighbours, Kind.frequency):
        raise InputError(f"--kind {kind.value} is about a column of a table: of items give neighbours or frequency")
    from shoal.data.item_hierarchies import FANOUT, by_support, neighbours

    baskets = options.read_baskets(file, read.format, read.separator, read.long, column)
    joined = FANOUT if fanout is None else fanout
    if kind is Kind.neighbours:
        return neighbours(baskets.words, fanout=joined)
    warn("warning: this tree shows which items are frequent: do not give it to shoal publish diffpart")
    return by_support(baskets, fanout=joined)


def _of_column(file: str, kind: Kind, fanout: int | None, read: HowRead, column: str | None) -> Hierarchy:
    from shoal.data.balanced_intervals import balanced
    from shoal.io.tables import read_table

    if column is None:
        raise InputError(
            "name the column to make a hierarchy for (--column NAME), or say that these are baskets (--items)"
        )
    if kind is Kind.neighbours:
        raise InputError("--kind neighbours is about the items of baskets: add --items")
    if fanout is not None or read.long is not None or read.format is not options.Format.auto:
        raise InputError("--fanout, --long and --format are about baskets: add --items, or leave them out")
    table = read_table(file, missing="keep", separator=options.separator_of(read.separator))
    note(
        f"note: the file lists every value of column {named(column)}. Given to --hierarchy it is yours, and "
        f"published as it is; --hierarchy {column}={kind.value} makes the same from the rows that are kept, without "
        "values of fewer than k rows"
    )
    if kind is Kind.balanced:  # k is not known yet: no value may be named, however many rows hold it
        return balanced(table.column(column), k=len(table) + 1)
    return options.build_hierarchy(kind.value, table.column(column))


def _require_new(out: str, force: bool, json: bool) -> None:
    if out == "-" and json:
        raise InputError("--json and the data cannot both go to standard output: give -o FILE, or leave out --json")
    if out == "-":
        return
    from shoal.io.manifest import require_outside_releases

    require_outside_releases(Path(out))
    if Path(out).exists() and not force:
        raise InputError(f"{out} exists already; choose another name, or --force to replace it")


def _say(what: str, out: str, json: bool, **told: object) -> None:
    if json:
        result_json({"file": out, **told})
    elif out != "-":
        note(f"wrote {what}{out}")
