"""``shoal publish``: make a release, verify it, and only then let it appear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import (
    options,
    publish_diffpart,
    publish_k_anonymity,
    publish_km_generalization,
    publish_randomized,
    publish_table,
)
from shoal.cli.publishing import ForceOption, OutOption, ThreadsOption
from shoal.cli.terminal import (
    counted,
    draw,
    item_text,
    kernel_work,
    note,
    paragraph,
    progress_bar,
    result,
    result_json,
    saying_that_nothing_was_published,
    table,
    timed,
)
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions
    from shoal.release.disassociated import Disassociated

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Publish data under a stated promise.")


class Vertical(StrEnum):
    """How the items of a cluster are split into chunks."""

    greedy = "greedy"
    dls = "dls"
    best = "best"


@app.callback()
def _publish() -> None:
    """Publish data under a stated promise."""


app.command("anatomy")(publish_table.anatomy)
app.command("injector")(publish_table.injector)
app.command("k-anonymity")(publish_k_anonymity.k_anonymity)
app.command("km-generalization")(publish_km_generalization.km_generalization)
app.command("diffpart")(publish_diffpart.diffpart)
app.command("mask")(publish_randomized.mask)
app.command("fakes")(publish_randomized.fakes)
app.command("hybrid")(publish_randomized.hybrid)


@app.command("disassociate")
def disassociate(
    file: options.Baskets,
    k: Annotated[int, typer.Option("-k", "--k", help="How many candidate records must remain.")],
    m: Annotated[int, typer.Option("-m", "--m", help="How many items of a record an adversary may know.")],
    out: OutOption,
    max_cluster_size: Annotated[
        int | None,
        typer.Option("--max-cluster-size", metavar="N", help="Records a cluster may hold. Default: 4 times max(k, l)."),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", metavar="ITEM", help="An item that must stay linked to nothing; may be repeated."),
    ] = None,
    sensitive_from: Annotated[
        Path | None, typer.Option("--sensitive-from", metavar="FILE", help="A file with one sensitive item a line.")
    ] = None,
    l: Annotated[  # noqa: E741  (the literature's name)
        int | None, typer.Option("-l", "--l", help="A sensitive item belongs to at most one in l records of a cluster.")
    ] = None,
    drop_rare: Annotated[
        bool, typer.Option("--drop-rare", help="Leave out items that occur in fewer than k records of all the data.")
    ] = False,
    cover_safe: Annotated[
        bool,
        typer.Option("--cover-safe", help="Undo links that are certain, by striking out single occurrences of items."),
    ] = False,
    keep_itemsets: options.KeepItemsetsOption = None,
    vertical: Annotated[
        Vertical,
        typer.Option(
            "--vertical",
            help="How items are split into chunks. greedy: item by item; dls: suppressing single occurrences so that "
            "more items fit together, which promises less; best: in each cluster whatever keeps more pairs.",
        ),
    ] = Vertical.greedy,
    refine_rounds: Annotated[
        int,
        typer.Option(
            "--refine-rounds",
            min=0,
            metavar="N",
            help="How often clusters are joined to share chunks of rare items; ends when nothing changes. 0: never.",
        ),
    ] = 10,
    threads: ThreadsOption = None,
    force: ForceOption = False,
    format: options.FormatOption = options.Format.auto,
    separator: options.SeparatorOption = None,
    long: options.LongOption = None,
    column: options.ColumnOption = None,
    json: options.JsonOption = False,
) -> None:
    """Disassociation: publish every item, but tear apart the combinations that would single somebody out."""
    from shoal import pipeline, promises

    promises.KmAnonymity(k, m)  # say at once what is wrong, before a large file is read
    pipeline.require_free(out, force=force)
    names = list(sensitive or [])
    if sensitive_from:
        names += [line for _, line in options.lines_of(sensitive_from, "--sensitive-from", "one item")]
        if not names:
            raise InputError(f"{sensitive_from} names no sensitive items: put one on each line")
    kept_sets = options.itemsets_of(keep_itemsets) if keep_itemsets else []
    with timed() as seconds, progress_bar() as progress:
        with saying_that_nothing_was_published():
            progress("read", 0, 1)
            data = options.read_baskets(file, format, separator, long, column)
            progress("read", 1, 1)
            options.say_what_was_read(data)
            _warn_of_rare_items(int((data.supports < k).sum()), k, drop_rare)

            with kernel_work(progress) as step:
                from shoal.publish.disassociation import disassociate

                as_asked = partial(
                    disassociate,
                    data,
                    k,
                    m,
                    max_cluster_size=max_cluster_size,
                    sensitive=names,
                    l=l,
                    drop_rare=drop_rare,
                    cover_safe=cover_safe,
                    vertical=vertical.value,
                    refine_rounds=refine_rounds,
                    threads=threads,
                    progress=step,
                )
                release = as_asked(keep_itemsets=kept_sets)
                kept = _kept(data, kept_sets, release, as_asked) if kept_sets else []
                del as_asked
            del data  # it is not needed any more, and may be large
            verdict = pipeline.write(release, out, force=force, progress=progress)
        took = seconds()
    if json:
        kept_part = {"kept_itemsets": kept} if kept_sets else {}
        result_json(
            {
                "release": str(out),
                "counts": release.counts,
                "left_out": vars(release.dropped),
                **kept_part,
                **verdict.as_dict(),
            }
        )
        return
    counts = release.counts
    joint = f", {counted(counts['joint_clusters'], 'joint cluster')}," if counts["joint_clusters"] else ""
    result(
        f"published {counts['records']:,} records as {counts['clusters']:,} clusters{joint} with {counts['chunks']:,} "
        f"chunks in {out}, verified from disk ({took:.1f} s)"
    )
    dropped = release.dropped
    if dropped.rare_items:
        result(f"left out: {counted(dropped.rare_items, 'item')} in fewer than {k} records of all the data")
    if dropped.sensitive_instances:
        result(
            f"struck out: {counted(dropped.sensitive_instances, 'occurrence')} of sensitive items that would have "
            f"belonged to more than one in {l} records of their cluster"
        )
    if dropped.emptied_records:
        result(f"left out: {counted(dropped.emptied_records, 'record')} that held nothing else")
    if release.links:
        result(
            f"to undo certain links, struck out {counted(dropped.linking_instances, 'occurrence')} of items and tore "
            f"apart {counted(dropped.linking_pairs, 'pair')}"
        )
    if vertical is not Vertical.greedy:
        result(f"suppressed {counted(dropped.suppressed_instances, 'occurrence')} of items in single records")
    if dropped.clusters_cut_short:
        result(
            f"in {counted(dropped.clusters_cut_short, 'cluster')} there was too much to look at: there, items went to "
            "other chunks that more suppression might have kept together"
        )
    if kept_sets:
        _show_kept(kept)
    for promise in release.promises:
        paragraph(promise.words)
    result(f"what is not promised stands in {out / 'manifest.json'}; check with: shoal verify {out}")


def _kept(
    data: Transactions, sets: list[frozenset[str]], release: Disassociated, as_asked: Callable[[], Disassociated]
) -> list[dict[str, Any]]:
    """How much of the support of each set survives, and how much would without the option: it is published that way."""
    from shoal.measure.baskets.kept_itemsets import kept_itemsets

    found = zip(kept_itemsets(data, release, sets), kept_itemsets(data, as_asked(), sets), strict=True)
    return [
        {**asdict(with_it), "certain_without": without.certain, "expected_without": without.expected}
        for with_it, without in found
    ]


def _show_kept(kept: list[dict[str, Any]]) -> None:
    result("records that hold the sets to keep: in the data, and in the release, where it is certain and on average")
    drawn = table("itemset", "in the data", "certain", "without the option", "expected", "without the option")
    for one in kept:
        drawn.add_row(
            ", ".join(map(item_text, one["items"])),
            *(f"{one[name]:,}" for name in ("original", "certain", "certain_without")),
            *(f"{one[name]:,.1f}" for name in ("expected", "expected_without")),
        )
    draw(drawn)


def _warn_of_rare_items(rare: int, k: int, drop_rare: bool) -> None:
    if rare and not drop_rare:
        note(
            f"warning: {rare:,} {'item occurs' if rare == 1 else 'items occur'} in fewer than {k} records of all the "
            "data. Such an item is published by name, and its name may identify somebody by itself. --drop-rare leaves "
            "it out."
        )
