"""``shoal measure``: what did publishing cost?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import kernel_work, progress_bar, result, result_json
from shoal.errors import InputError


def measure(
    original: Annotated[
        str,
        typer.Argument(metavar="ORIGINAL", help="The baskets that were published; '-' reads standard input."),
    ],
    release: options.ReleaseArgument,
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
        str | None,
        typer.Option(
            "--hierarchy", metavar="FILE", help="A hierarchy of the items: compare itemsets of all its levels."
        ),
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Give items that the hierarchy misses a place below its top.")
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
    seed: options.DrawSeedOption = None,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    json: options.JsonOption = False,
) -> None:
    """Measure what a release has lost of its original: frequent itemsets, supports of pairs, items, records."""
    from shoal.io.hierarchies import read_hierarchy
    from shoal.io.release_folder import read_disassociated

    if complete and hierarchy is None:
        raise InputError("--complete is about a hierarchy: add --hierarchy FILE, or leave it out")
    chosen = [_range(text) for text in ranges or []]
    kept_sets = options.itemsets_of(keep_itemsets) if keep_itemsets else []
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.assess import utility

        opened = read_disassociated(release)
        data = options.read_baskets(original, format, separator, long, column)
        tree = None if hierarchy is None else read_hierarchy(hierarchy, column=data.words, complete=complete)
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


def _range(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,18})-(\d{1,18})", text, re.ASCII)
    if match is None:
        raise InputError(f"--range is {text!r}: give two ranks parted by a dash, as in --range 0-20")
    return int(match[1]), int(match[2])
