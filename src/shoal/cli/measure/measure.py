"""``shoal measure``: what did publishing cost?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.measure import baskets as measure_baskets
from shoal.cli.measure import randomized as measure_randomized
from shoal.cli.measure import tables as measure_table
from shoal.cli.terminal import kernel_work, progress_bar, result, result_json
from shoal.errors import InputError
from shoal.quoting import shown

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.transactions import Transactions


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
    max_cluster_size: Annotated[
        int | None,
        typer.Option(
            "--max-cluster-size",
            metavar="N",
            help="With which the release was published, for ANR and ARE. Default: 4 times max(k, l).",
        ),
    ] = None,
    refine_rounds: Annotated[
        int,
        typer.Option(
            "--refine-rounds", min=0, metavar="N", help="With which the release was published, for ANR and ARE."
        ),
    ] = 10,
    keep_itemsets: Annotated[
        Path | None,
        typer.Option("--keep-itemsets", metavar="FILE", help="With which the release was published, for ANR and ARE."),
    ] = None,
    quasi: options.QuasiOption = None,
    sensitive: measure_table.SensitiveOption = None,
    max_attributes: measure_table.MaxAttributesOption = None,
    min_support: measure_table.MinSupportOption = None,
    min_conviction: measure_table.MinConvictionOption = None,
    dim: measure_table.DimOption = None,
    sel: measure_table.SelOption = None,
    queries: measure_table.QueriesOption = None,
    runs: measure_randomized.RunsOption = 0,
    max_length: measure_randomized.MaxLengthOption = None,
    column_names: options.ColumnNamesOption = None,
    missing: options.MissingOption = options.Missing.error,
    common: measure_baskets.CommonOption = False,
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
    from shoal.io.release_folder import read_release
    from shoal.release import BasketRelease
    from shoal.release.disassociated import Disassociated
    from shoal.release.randomized import Randomized

    if complete and not hierarchy:
        raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
    asked = measure_table.TableOptions(
        quasi, sensitive, max_attributes, min_support, min_conviction, dim, sel, queries, column_names, missing
    )
    opened = release if release.is_file() else read_release(release)
    if isinstance(opened, BasketRelease) and (common or not isinstance(opened, Disassociated | Randomized)):
        others = {parameter.name or "" for parameter in context.command.params} - {*measure_baskets.USED}
        refuse(context, others, "metrics that all releases of baskets have")
        chosen = [_range(text) for text in ranges or []]
        if min_support is not None:
            options.support_of(min_support)  # say at once what is wrong, before a large file is read
        with progress_bar() as progress:
            data = options.read_baskets(original, format, separator, long, column)
            told_by_all = measure_baskets.measure_baskets(
                data,
                opened,
                hierarchy=_item_hierarchy(hierarchy, data, complete=complete),
                top=top,
                ranges=chosen,
                min_support=min_support,
                seed=seed,
                progress=progress,
            )
        result_json(told_by_all.as_dict()) if json else result(str(told_by_all))
        return
    if isinstance(opened, Randomized):
        others = {parameter.name or "" for parameter in context.command.params} - {*measure_randomized.USED, "json"}
        refuse(context, others, "randomized releases")
        measure_randomized.thresholds_of(min_support)  # say at once what is wrong, before a large file is read
        with progress_bar() as progress:
            data = options.read_baskets(original, format, separator, long, column)
            told = measure_randomized.measure_randomized(
                data, opened, min_support, max_length=max_length, runs=runs, seed=seed, progress=progress
            )
        result_json(told.as_dict()) if json else result(str(told))
        return
    refuse(context, ("runs", "max_length"), "this release, which is not randomized")
    if not isinstance(opened, BasketRelease):
        about_baskets = {
            "--common": common,
            "--top": top != 1000,
            "--range": ranges,
            "--reconstructions": reconstructions != 10,
            "--max-cluster-size": max_cluster_size,
            "--refine-rounds": refine_rounds != 10,
            "--keep-itemsets": keep_itemsets,
            "--format": format is not options.Format.auto,
            "--long": long,
            "--column": column,
        }
        idle = [name for name, value in about_baskets.items() if value]
        if idle:
            raise InputError(f"{', '.join(idle)}: about baskets, and {release} is about a table: leave it out")
        with progress_bar() as progress:
            table = measure_table.measure_table(
                original,
                opened,
                asked,
                hierarchies=hierarchy,
                complete=complete,
                separator=separator,
                seed=seed,
                progress=progress,
            )
        result_json(table.as_dict()) if json else result(str(table))
        return
    asked.require_none()
    assert isinstance(opened, Disassociated)
    chosen = [_range(text) for text in ranges or []]
    kept_sets = options.itemsets_of(keep_itemsets) if keep_itemsets else []
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.assess import utility

        data = options.read_baskets(original, format, separator, long, column)
        tree = _item_hierarchy(hierarchy, data, complete=complete)
        found = utility(
            data,
            opened,
            top=top,
            ranges=chosen or None,
            reconstructions=reconstructions,
            hierarchy=tree,
            max_cluster_size=max_cluster_size,
            refine_rounds=refine_rounds,
            keep_itemsets=kept_sets,
            seed=seed,
            progress=step,
        )
    if json:
        result_json(found.as_dict())
    else:
        result(str(found))


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
