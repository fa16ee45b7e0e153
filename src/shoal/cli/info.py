"""``shoal info``: what is in this file, or in this release?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.leftovers import leftovers_as_dict, warn_of_leftovers
from shoal.cli.terminal import draw, item_text, paragraph, result, result_json, table
from shoal.data.arrays import Int64
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.table import Table
    from shoal.measuring.describe import Description
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized


def info(
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
    top: Annotated[int, typer.Option("--top", help="How many of the most frequent items to name.")] = 10,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    as_table: Annotated[
        bool, typer.Option("--table", help="Read a table rather than baskets; a role below says so too.")
    ] = False,
    column_names: options.ColumnNamesOption = None,
    identifier: options.IdentifierOption = None,
    quasi: options.QuasiOption = None,
    sensitive: options.SensitiveColumnsOption = None,
    missing: options.MissingOption = options.Missing.error,
    hierarchy: options.HierarchyOption = None,
    complete: options.CompleteOption = False,
    json: options.JsonOption = False,
) -> None:
    """Print what was read: how much, how long, what is frequent, what is unique, what is rare.

    Of a release: what it promises and how much it holds; of a generalized one also what that alone tells of its cost.
    """
    about_a_table = as_table or column_names or identifier or quasi or sensitive or hierarchy
    if file != "-" and (Path(file) / "manifest.json").is_file():
        if about_a_table:
            raise InputError(f"{file} is a release, and names its columns itself: leave out all options but --json")
        _print_release(file, json=json)
        return
    if about_a_table:
        from shoal.io.tables import read_table

        read = read_table(
            file,
            identifier=options.names(identifier),
            quasi=options.names(quasi),
            sensitive=options.names(sensitive),
            missing=missing.value,
            separator=options.separator_of(separator),
            column_names=options.names(column_names) or None,
        )
        trees = options.read_hierarchies(hierarchy, read, complete=complete)
        described = _described(read, trees, k)
        result_json(described) if json else _print_table(described, k)
        return
    from shoal.measuring.describe import describe

    description = describe(options.read_baskets(file, format, separator, long, column), k=k, top=top)
    result_json(description.as_dict()) if json else _print_baskets(description)


def _print_release(folder: str, *, json: bool) -> None:
    from shoal.io.release_folder import DO_NOT_PUBLISH, opened
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized

    left = warn_of_leftovers(folder)
    with opened(folder) as found:
        release, marked = found.release, DO_NOT_PUBLISH in found.manifest
    report = None
    more: dict[str, Any] = {}
    if isinstance(release, Randomized):
        more = _randomized(release)
    if isinstance(release, GeneralizedBaskets):
        more = _generalized_baskets(release)
    if isinstance(release, NoisyBaskets):
        more = _noisy_baskets(release)
    if isinstance(release, Generalized):
        from shoal.measuring.tables.generalization import generalization

        report = generalization(release)
    if json:
        metrics = {} if report is None else {"metrics": [metric.as_dict() for metric in report]}
        # In our words: those in the manifest could say anything.
        promises = [promise.words for promise in release.promises]
        mark = {DO_NOT_PUBLISH: True} if marked else {}
        result_json(
            {"method": release.method, **mark, "promises": promises, "counts": release.counts, **metrics, **more}
            | leftovers_as_dict(left)
        )
        return
    if marked:
        result("do not publish: one of several releases of the same people, which undo each other")
    for promise in release.promises:
        paragraph(promise.words)
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in release.counts.items())
    result(f"{release.method}: {counts}")
    if more:
        _print_rows(more)
    if report is not None:
        result()
        result(str(report))


def _randomized(release: Randomized) -> dict[str, Any]:
    """What an analyst needs to know of a randomized release, and what its rows look like."""
    promise = release.promise
    return {
        "keep_prob": promise.keep_prob,
        "fakes": promise.fakes,
        "fake_lengths": dict(promise.fake_lengths),
        "row_lengths": _lengths(release.lengths),
        "reproducible": release.reproducible,
    }


def _generalized_baskets(release: GeneralizedBaskets) -> dict[str, Any]:
    """What rows hold, and how much of it stands for several items."""
    sizes = release.tree.leaves[release.is_held]
    groups = sizes[sizes > 1]
    return {
        "published_groups": len(groups),
        "items_in_groups": int(groups.sum()),
        "items_in_the_largest": int(groups.max(initial=0)),
        "hierarchy_is_whole": release.discloses_hierarchy,
        "row_lengths": _lengths(release.lengths),
    }


def _noisy_baskets(release: NoisyBaskets) -> dict[str, Any]:
    """How much noise there is, and what it is on."""
    counts = release.row_counts
    return {
        "epsilon": release.promise.epsilon,
        "basket_counts": {
            "least": int(counts.min()) if len(counts) else 0,
            "most": int(counts.max(initial=0)),
            "mean": float(counts.mean()) if len(counts) else 0.0,
        },
        "row_lengths": _lengths(release.lengths),
        "reproducible": release.reproducible,
    }


def _lengths(lengths: Int64) -> dict[str, Any]:
    return {
        "shortest": int(lengths.min()) if len(lengths) else 0,
        "longest": int(lengths.max(initial=0)),
        "mean": float(lengths.mean()) if len(lengths) else 0.0,
        "empty": int((lengths == 0).sum()),
    }


def _print_rows(seen: dict[str, Any]) -> None:
    """What was found of rows, in sentences."""
    rows = seen["row_lengths"]
    empty = f"; {rows['empty']:,} of them empty" if "keep_prob" in seen else ""
    result(f"items a row: {rows['shortest']:,} to {rows['longest']:,}, mean {rows['mean']:.2f}{empty}")
    if seen.get("fake_lengths"):
        lengths = list(seen["fake_lengths"])
        result(f"made-up rows were drawn with {lengths[0]:,} to {lengths[-1]:,} items, before anything was flipped")
    if "published_groups" in seen:
        result(
            f"{seen['published_groups']:,} of the published items stand for several, for {seen['items_in_groups']:,} "
            f"in all, one for {seen['items_in_the_largest']:,}; the hierarchy is "
            + ("whole" if seen["hierarchy_is_whole"] else "cut at what rows hold")
        )
    if "basket_counts" in seen:
        counts = seen["basket_counts"]
        result(f"noisy counts: {counts['least']:,} to {counts['most']:,}, mean {counts['mean']:.2f}")
    if seen.get("reproducible"):
        result("a seed stood in for chance: do not publish")


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
        f"{seen.unique_records:,} records are unique: nobody else has the same items "
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
