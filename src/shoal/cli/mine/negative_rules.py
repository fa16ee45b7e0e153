"""``shoal mine --negative``: the sensitive values that a group of people never has in a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.options import Missing
from shoal.cli.terminal import Progress, cell_text, draw, note, result, table
from shoal.errors import InputError
from shoal.plural import counted
from shoal.run import Run

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.table import Table
    from shoal.mining.negative_rules import NegativeRules

DEFAULT_EXPECTATION = 0.9


class Fuzzy(StrEnum):
    """How the degrees of a row's values make the degree of the row."""

    product = "product"
    minimum = "minimum"


NegativeOption = Annotated[
    bool,
    typer.Option(
        "--negative",
        help="Of a table: negative rules, the sensitive values that a group never has. Needs --sensitive.",
    ),
]
SensitiveOption = Annotated[
    str | None, typer.Option("--sensitive", metavar="COLUMN", help="With --negative: the column to exclude values of.")
]
QuasiOption = Annotated[
    str | None,
    typer.Option("--quasi", metavar="A,B", help="With --negative: columns to describe people by. Default: all others."),
]
ExpectationOption = Annotated[
    float | None,
    typer.Option(
        "--min-expectation",
        metavar="SHARE",
        help="With --negative: how likely the value would be seen among as many people, were it as frequent there as "
        f"everywhere. Default: {DEFAULT_EXPECTATION:g}.",
    ),
]
AttributesOption = Annotated[
    int | None,
    typer.Option("--max-attributes", min=1, metavar="N", help="With --negative: columns a rule may use. Default: 1."),
]
FuzzyOption = Annotated[
    Fuzzy | None,
    typer.Option(
        "--fuzzy",
        help="With --negative: numbers near those of a condition count in part, and several columns by the product or "
        "minimum of these parts.",
    ),
]
CrispOption = Annotated[
    str | None,
    typer.Option("--crisp", metavar="A,B", help="With --fuzzy: columns whose numbers are codes, near to nothing."),
]
MissingOption = Annotated[
    Missing | None,
    typer.Option(
        "--missing",
        help="With --negative: missing values are an error, or their rows dropped, or kept as a value. Default: error.",
    ),
]


@dataclass(frozen=True)
class NegativeOptions:
    """The options of negative rules."""

    negative: NegativeOption = False
    sensitive: SensitiveOption = None
    quasi: QuasiOption = None
    hierarchy: options.HierarchyOption = None
    complete: options.CompleteOption = False
    min_expectation: ExpectationOption = None
    max_attributes: AttributesOption = None
    fuzzy: FuzzyOption = None
    crisp: CrispOption = None
    column_names: options.ColumnNamesOption = None
    missing: MissingOption = None


def mine_negative(
    file: str, asked: NegativeOptions, min_confidence: float | None, separator: str | None, progress: Progress
) -> NegativeRules:
    """Read the table and mine it, as the options say."""
    if not asked.sensitive:
        raise InputError("--negative needs the column to exclude values of, as in --sensitive occupation")
    if asked.crisp is not None and asked.fuzzy is None:
        raise InputError("--crisp is about columns that --fuzzy would take for numbers: add --fuzzy, or leave it out")
    if asked.complete and not asked.hierarchy:
        raise InputError(options.IDLE_COMPLETE)
    progress("read", 0, 1)
    people = _read(file, asked, separator)
    trees = options.read_hierarchies(asked.hierarchy, people, complete=asked.complete)
    progress("read", 1, 1)
    if people.dropped:
        note(f"note: {counted(people.dropped, 'row')} with missing values left out")
    from shoal.mining.negative_rules import negative_rules

    return negative_rules(
        people,
        DEFAULT_EXPECTATION if asked.min_expectation is None else asked.min_expectation,
        hierarchies=trees,
        min_confidence=1.0 if min_confidence is None else min_confidence,
        max_attributes=1 if asked.max_attributes is None else asked.max_attributes,
        membership="crisp" if asked.fuzzy is None else asked.fuzzy.value,
        crisp=options.names(asked.crisp),
        run=Run(progress=progress),
    )


def _read(file: str, asked: NegativeOptions, separator: str | None) -> Table:
    """The table; without --quasi all columns but the sensitive one are quasi, which is known when it is read."""
    from shoal.io.tables import read_table, without_missing

    sensitive = asked.sensitive or ()
    people = read_table(
        file,
        quasi=options.names(asked.quasi),
        sensitive=sensitive,
        missing="keep",
        separator=options.separator_of(separator),
        column_names=options.names(asked.column_names) or None,
    )
    if asked.quasi is None:
        people = people.with_roles(quasi=[name for name in people.names if name != sensitive])
    return without_missing(people, (asked.missing or Missing.error).value, file)


def summary(rules: NegativeRules, min_expectation: float | None) -> str:
    """A sentence about what was found."""
    expected = DEFAULT_EXPECTATION if min_expectation is None else min_expectation
    enough = len(rules.background())
    others = f"; from {enough:,} of them the others follow" if enough < len(rules) else ""
    return (
        f"{counted(len(rules), 'negative rule')} about {rules.sensitive.name} in {len(rules.sensitive):,} rows, with "
        f"an expectation of at least {expected:g}{others}"
    )


def draw_rules(rows: pa.Table, limit: int) -> None:
    """Print the first rules."""
    drawn = table("rows with", "do not have", "rows", "expectation", "confidence")
    for row in rows.slice(0, limit).to_pylist():
        count = row["count"]
        drawn.add_row(
            cell_text(" and ".join(row["antecedent"])),
            cell_text(row["excluded"]),
            f"{count:,}" if isinstance(count, int) else f"{count:,.1f}",
            f"{row['expectation']:.4f}",
            f"{row['confidence']:.2%}",
        )
    if len(rows):
        draw(drawn)
    if len(rows) > limit:
        result(f"the first {limit:,} of {len(rows):,}: --limit N shows more, -o FILE writes all of them")
