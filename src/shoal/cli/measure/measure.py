"""``shoal measure``: what did publishing cost?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.measure import asked
from shoal.cli.terminal import kernel_work, progress_bar, result, result_json
from shoal.errors import InputError
from shoal.quoting import shown

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.data.transactions import Transactions
    from shoal.release import Release

_READ = {
    "baskets": frozenset({"format", "separator", "long", "column"}),
    "table": frozenset({"separator", "column_names", "missing"}),
}
"""How an original is read."""


def measure(
    context: typer.Context,
    original: Annotated[
        str,
        typer.Argument(metavar="ORIGINAL", help="The baskets or the table published; '-' reads standard input."),
    ],
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="The folder of a release, or the file of a generalized table.")
    ],
    top: Annotated[
        int, typer.Option("--top", metavar="K", help="How many of the most frequent itemsets to compare.")
    ] = 1000,
    ranges: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="A-B",
            help="Items whose pairs to compare: from the A-th to before the B-th by descending support, counted from "
            "0; may be repeated. Default: 0-20, 100-120, 200-220.",
        ),
    ] = None,
    reconstructions: Annotated[
        int, typer.Option("--reconstructions", metavar="R", help="How many possible originals to draw.")
    ] = 10,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="[COLUMN=]FILE",
            help="Baskets: a hierarchy of the items, whose levels are compared. Generalized releases and tables: "
            "COLUMN=FILE, the hierarchy that values are nodes of (or =ranges, =prefixes, =frequency); may be repeated.",
        ),
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Give items or values that a hierarchy misses a place below its top.")
    ] = False,
    trace: asked.TraceOption = None,
    quasi: options.QuasiOption = None,
    sensitive: asked.SensitiveOption = None,
    max_attributes: asked.MaxAttributesOption = None,
    min_support: asked.MinSupportOption = None,
    min_conviction: asked.MinConvictionOption = None,
    dim: asked.DimOption = None,
    sel: asked.SelOption = None,
    queries: asked.QueriesOption = None,
    runs: asked.RunsOption = 0,
    max_length: asked.MaxLengthOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    common: asked.CommonOption = False,
    seed: options.DrawSeedOption = None,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    json: options.JsonOption = False,
) -> None:
    """Measure what a release has lost of its original.

    Baskets: frequent itemsets, supports of pairs, items, records. Tables: association rules, queries that count rows,
    and what was generalized. Randomized releases: itemsets found wrongly or missed at several thresholds (sigma+ and
    sigma-), and the errors of estimated supports. Generalized baskets, noisy counts, and with --common all baskets:
    one set of metrics, with which methods can be compared.
    """
    from shoal.pipeline.measuring import measure as measured

    if complete and not hierarchy:
        raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
    given: dict[str, Any] = {
        "top": top,
        "ranges": [_range(text) for text in ranges or []] or None,
        "reconstructions": reconstructions,
        "trace": trace,
        "quasi": options.names(quasi) or None,
        "sensitive": sensitive,
        "max_attributes": max_attributes,
        "min_support": asked.thresholds_of(min_support),  # says at once what is wrong, before a large file is read
        "min_conviction": min_conviction,
        "dim": dim,
        "sel": sel,
        "queries": queries,
        "runs": runs,
        "max_length": max_length,
        "seed": seed,
    }
    about = asked.about(release, common=common)
    _refuse_idle(context, about)
    given = {name: value for name, value in given.items() if name in about.options}
    with progress_bar() as progress:
        if about.data == "baskets":
            assert about.release is not None
            with kernel_work(progress) as step:
                data = options.read_baskets(original, format, separator, long, column)
                tree = _item_hierarchy(hierarchy, data, complete=complete)
                found = measured(data, about.release, common=common, hierarchy=tree, progress=step, **given)
        else:
            progress("read", 0, 1)
            reading = {
                "missing": missing.value,
                "separator": options.separator_of(separator),
                "column_names": options.names(column_names) or None,
            }
            people, published = _tables(original, release, about, given, reading)
            trees = options.read_hierarchies(hierarchy, people, complete=complete)
            progress("read", 1, 1)
            found = measured(people, published, hierarchies=trees or None, progress=progress, **given)
    result_json(found.as_dict()) if json else result(str(found))


def _refuse_idle(context: typer.Context, about: asked.About) -> None:
    """Refuse options that say nothing about such a release."""
    used = {"original", "release", "json", *about.options, *_READ[about.data]}
    if about.data == "baskets":
        used.add("common")
    if used & {"hierarchy", "hierarchies"}:
        used |= {"hierarchy", "complete"}
    refuse(context, {parameter.name or "" for parameter in context.command.params} - used, about.called)


def _tables(
    original: str, file: Path, about: asked.About, given: dict[str, Any], reading: dict[str, Any]
) -> tuple[Table, Release | Table]:
    """The original and what was published, with the columns that are compared."""
    from shoal.io.tables import read_table

    quasi = given["quasi"] or list(about.quasi)
    if about.release is not None:
        return read_table(original, quasi=quasi, sensitive=list(about.sensitive), **reading), about.release
    if not quasi or not given["sensitive"]:
        raise InputError(
            f"{file} is no release folder, so that it is read as a generalized table: name its columns with "
            "--quasi A,B and --sensitive COLUMN"
        )
    columns = {"quasi": quasi, "sensitive": given["sensitive"]}
    return read_table(original, **columns, **reading), read_table(file, **columns, missing="keep")


def _item_hierarchy(given: list[str] | None, data: Transactions, *, complete: bool) -> Hierarchy | None:
    from shoal.io.hierarchies import read_hierarchy

    if given and len(given) > 1:
        raise InputError("--hierarchy is given twice: items have one hierarchy")
    return read_hierarchy(given[0], column=data.words, complete=complete) if given else None


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,18})-(\d{1,18})", text, re.ASCII)
    if match is None:
        raise InputError(f"--range is {shown(text)}: give two ranks parted by a dash, as in --range 0-20")
    return int(match[1]), int(match[2])
