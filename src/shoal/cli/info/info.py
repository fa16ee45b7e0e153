"""``shoal info``: summarize a data file or a release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.basket_reading import Reading
from shoal.cli.leftovers import leftovers_as_dict, warn_of_leftovers
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import draw, item_text, paragraph, result, result_json, table
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.measuring.describe import Description


@dataclass(frozen=True)
class TableOptions:
    """The options that say that a table is read, and how."""

    as_table: Annotated[
        bool,
        typer.Option("--table", help="Read a table rather than baskets; implied by any of the column options below."),
    ] = False
    column_names: options.ColumnNamesOption = None
    identifier: options.IdentifierOption = None
    quasi: options.QuasiOption = None
    sensitive: options.SensitiveColumnsOption = None
    missing: options.MissingOption = options.Missing.error
    hierarchy: options.HierarchyOption = None
    complete: options.CompleteOption = False

    @property
    def given(self) -> bool:
        """Whether a table is meant."""
        columns = self.column_names or self.identifier or self.quasi or self.sensitive
        return bool(self.as_table or columns or self.hierarchy)


@grouped
def info(
    *,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|RELEASE",
            help="Baskets, or a table (CSV, TSV, Parquet); '-' reads standard input. Or the folder of a release.",
        ),
    ],
    k: Annotated[
        int,
        typer.Option(
            "-k", "--k", help="Items in fewer than k records, and groups of fewer than k rows, count as rare."
        ),
    ] = 5,
    top: Annotated[int, typer.Option("--top", help="How many of the most frequent items to list.")] = 10,
    reading: Reading,
    table_options: TableOptions,
    json: options.JsonOption = False,
) -> None:
    """Summarize a file: its size, the lengths of records, and what is frequent, unique, or rare.

    For a release: what it promises and its size; for a generalized one also the cost that the release alone shows.
    """
    if file != "-" and (Path(file) / "manifest.json").is_file():
        if table_options.given:
            raise InputError(f"{file} is a release, which names its columns itself: remove all options but --json")
        _print_release(file, json=json)
        return
    if table_options.given:
        from shoal.io.tables import read_table

        read = read_table(
            file,
            identifier=options.names(table_options.identifier),
            quasi=options.names(table_options.quasi),
            sensitive=options.names(table_options.sensitive),
            missing=table_options.missing.value,
            separator=options.separator_of(reading.separator),
            column_names=options.names(table_options.column_names) or None,
        )
        trees = options.read_hierarchies(table_options.hierarchy, read, complete=table_options.complete)
        described = _described(read, trees, k)
        result_json(described) if json else _print_table(described, k)
        return
    from shoal.measuring.describe import describe

    description = describe(reading.baskets(file), k=k, top=top)
    result_json(description.as_dict()) if json else _print_baskets(description)


def _print_release(folder: str, *, json: bool) -> None:
    from shoal.io.release_folder import DO_NOT_PUBLISH, open_release

    left = warn_of_leftovers(folder)
    with open_release(folder) as found:
        release, marked = found.release, DO_NOT_PUBLISH in found.manifest
    more = release.describe()
    if json:
        # In our words: those in the manifest could say anything.
        promises = [promise.words for promise in release.promises]
        mark = {DO_NOT_PUBLISH: True} if marked else {}
        result_json(
            {"method": release.method, **mark, "promises": promises, "counts": release.counts, **more.numbers}
            | leftovers_as_dict(left)
        )
        return
    if marked:
        result("do not publish: one of several releases of the same people, which undo each other")
    for promise in release.promises:
        paragraph(promise.words)
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in release.counts.items())
    result(f"{release.method}: {counts}")
    for line in more.lines:
        result(line)


def _print_baskets(seen: Description) -> None:
    result(f"{seen.records:,} records, {seen.items:,} different items, {seen.occurrences:,} occurrences")
    result(
        f"items a record: {seen.shortest:,} to {seen.longest:,}, mean {seen.mean_length:.2f}, "
        f"median {seen.median_length:g}"
    )
    if seen.merged:
        result(f"{seen.merged:,} repetitions of an item inside a record were merged")
    if seen.dropped:
        result(f"{seen.dropped:,} empty records were dropped")
    result(
        f"{seen.unique_records:,} records are unique: no other record has the same items "
        f"({seen.unique_records / max(1, seen.records):.1%})"
    )
    occur = "item occurs" if seen.rare_items == 1 else "items occur"
    result(f"{seen.rare_items:,} {occur} in fewer than {seen.k} records")
    drawn = table("most frequent items", "records", "share")
    for word, support in seen.top_items:
        drawn.add_row(item_text(word), f"{support:,}", f"{support / seen.records:.1%}")
    draw(drawn)


def _described(read: Table, trees: dict[str, Hierarchy], k: int) -> dict[str, Any]:
    from shoal.data.table import Role

    columns = [
        {
            "name": column.name,
            "role": column.role.value,
            "distinct": len(column.values),
            "missing": column.missing,
            "hierarchy_levels": trees[column.name].height + 1 if column.name in trees else None,
        }
        for column in read
    ]
    quasi = read.names_of(Role.QUASI)
    sizes = read.group_sizes(quasi) if quasi else None
    groups = None
    if sizes is not None:
        groups = {
            "groups": len(sizes),
            "smallest": int(sizes.min()),
            "unique_rows": int((sizes == 1).sum()),
            "rows_in_small_groups": int(sizes[sizes < k].sum()),
        }
    return {"rows": len(read), "dropped": read.dropped, "columns": columns, "quasi_identifier_groups": groups}


def _print_table(seen: dict[str, Any], k: int) -> None:
    result(f"{seen['rows']:,} rows, {len(seen['columns'])} columns")
    if seen["dropped"]:
        result(f"{seen['dropped']:,} rows with missing values were dropped")
    groups = seen["quasi_identifier_groups"]
    if groups:
        result(
            f"on the quasi-identifiers: {groups['groups']:,} groups, the smallest of {groups['smallest']:,}; "
            f"{groups['unique_rows']:,} rows are unique, "
            f"{groups['rows_in_small_groups']:,} are in groups of fewer than {k}"
        )
    drawn = table("column", "role", "distinct", "missing", "hierarchy")
    for column in seen["columns"]:
        levels = column["hierarchy_levels"]
        drawn.add_row(
            item_text(column["name"]),
            column["role"],
            f"{column['distinct']:,}",
            f"{column['missing']:,}",
            f"{levels} levels" if levels else "",
        )
    draw(drawn)
