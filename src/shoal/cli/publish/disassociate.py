"""``shoal publish disassociate``: publish every item, but separate combinations of items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.parameter_options import option_of
from shoal.cli.publish.basket_source import BasketSource
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said, ThreadsOption
from shoal.cli.publish.traces import KeepTrace, KeepTraceOption
from shoal.cli.terminal import Progress, item_text, table, warn
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.plural import counted
from shoal.run import Run

if TYPE_CHECKING:
    from rich.table import Table

    from shoal.data.transactions import Transactions
    from shoal.release.disassociated import Disassociated


class Vertical(StrEnum):
    """How the items of a cluster are split into chunks."""

    greedy = "greedy"
    dls = "dls"
    best = "best"


@dataclass(frozen=True)
class SensitiveItems:
    """Items that must not be linked to any record, and how many records must remain possible for each."""

    sensitive: Annotated[
        list[str] | None,
        option_of("sensitive", "disassociate-l"),
    ] = None
    sensitive_from: Annotated[
        Path | None, typer.Option("--sensitive-from", metavar="FILE", help="A file with one sensitive item per line.")
    ] = None
    l: Annotated[  # noqa: E741  (the literature's name)
        int | None, option_of("l", "disassociate-l")
    ] = None

    @property
    def names(self) -> list[str]:
        """The items, from the command line and from the file."""
        names = list(self.sensitive or [])
        if self.sensitive_from:
            names += [line for _, line in options.lines_of(self.sensitive_from, "--sensitive-from", "one item")]
            if not names:
                raise InputError(f"{self.sensitive_from} contains no sensitive items: put one on each line")
        return names


@dataclass(frozen=True)
class Kept:
    """What is left out, suppressed, or kept together."""

    drop_rare: Annotated[
        bool, typer.Option("--drop-rare", help="Leave out items that occur in fewer than k records of all the data.")
    ] = False
    cover_safe: Annotated[
        bool,
        typer.Option("--cover-safe", help="Remove certain links by suppressing single occurrences of items."),
    ] = False
    keep_itemsets: options.KeepItemsetsOption = None


def disassociate(
    source: BasketSource,
    k: Annotated[int, option_of("k", "disassociate")],
    m: Annotated[int, option_of("m", "disassociate")],
    items: SensitiveItems,
    kept_items: Kept,
    max_cluster_size: Annotated[
        int | None,
        option_of("max_cluster_size", "disassociate", default=True),
    ] = None,
    vertical: Annotated[
        Vertical,
        typer.Option(
            "--vertical",
            help="How items are split into chunks. greedy: item by item; dls: suppress single occurrences so that more "
            "items fit together, which promises less; best: in each cluster the one that keeps more pairs.",
        ),
    ] = Vertical.greedy,
    refine_rounds: Annotated[
        int,
        typer.Option(
            "--refine-rounds",
            min=0,
            metavar="N",
            help="How often clusters are joined to share chunks of rare items; stops when nothing changes. 0: never.",
        ),
    ] = 10,
    keep_trace: KeepTraceOption = None,
    threads: ThreadsOption = None,
) -> AnyPublication:
    """Disassociation: publish every item, but separate combinations that would single out a person."""
    from shoal import promises

    promises.KmAnonymity(k, m)  # fail early, before a large file is read
    names = items.names
    kept_sets = options.itemsets_of(kept_items.keep_itemsets) if kept_items.keep_itemsets else []
    kept: list[dict[str, Any]] = []

    def publish(data: Transactions, step: Progress) -> Made[Disassociated]:
        from shoal.publish.disassociation import disassociate, publish_and_trace
        from shoal.release.trace import Trace

        _warn_of_rare_items(int((data.supports < k).sum()), k, kept_items.drop_rare)
        as_asked: dict[str, Any] = {
            "max_cluster_size": max_cluster_size,
            "sensitive": names,
            "l": items.l,
            "drop_rare": kept_items.drop_rare,
            "cover_safe": kept_items.cover_safe,
            "vertical": vertical.value,
            "refine_rounds": refine_rounds,
            "run": Run(engine=Threads(threads), progress=step),
        }
        release, clusters = publish_and_trace(data, k, m, keep_itemsets=kept_sets, **as_asked)
        if kept_sets:
            kept.extend(_kept(data, kept_sets, release, partial(disassociate, data, k, m, **as_asked)))
        return Made(release, trace=Trace.of(data, release, clusters) if keep_trace else None)

    acts = ((KeepTrace(), {"keep_trace": keep_trace}),)
    return Publication(source, publish, lambda release: _said(release, vertical, kept), acts=acts)


def _said(release: Disassociated, vertical: Vertical, kept: list[dict[str, Any]]) -> Said:
    counts, dropped = release.counts, release.dropped
    joint = f", {counted(counts['joint_clusters'], 'joint cluster')}," if counts["joint_clusters"] else ""
    sentences = [
        f"{counts['records']:,} records as {counts['clusters']:,} clusters{joint} with {counts['chunks']:,} chunks"
    ]
    if dropped.rare_items:
        sentences.append(
            f"left out: {counted(dropped.rare_items, 'item')} in fewer than {release.promise.k} records of all the data"
        )
    if release.diversity and dropped.sensitive_instances:
        sentences.append(
            f"suppressed: {counted(dropped.sensitive_instances, 'occurrence')} of sensitive items that would have "
            f"belonged to more than one in {release.diversity.l} records of their cluster"
        )
    if dropped.emptied_records:
        sentences.append(f"left out: {counted(dropped.emptied_records, 'record')} that held nothing else")
    if release.links:
        sentences.append(
            f"to remove certain links, suppressed {counted(dropped.linking_instances, 'occurrence')} of items and "
            f"separated {counted(dropped.linking_pairs, 'pair')}"
        )
    if vertical is not Vertical.greedy:
        sentences.append(f"suppressed {counted(dropped.suppressed_instances, 'occurrence')} of items in single records")
    if dropped.clusters_cut_short:
        sentences.append(
            f"in {counted(dropped.clusters_cut_short, 'cluster')} the search was cut short: there, items went to other "
            "chunks although more suppression might have kept them together"
        )
    if not kept:
        return Said(sentences, {"left_out": vars(dropped)})
    sentences.append(
        "records that hold the sets to keep: in the data, and in the release, where it is certain and on average"
    )
    return Said(sentences, {"left_out": vars(dropped), "kept_itemsets": kept}, _table_of_kept(kept))


def _kept(
    data: Transactions, sets: list[frozenset[str]], release: Disassociated, as_asked: Callable[[], Disassociated]
) -> list[dict[str, Any]]:
    """The support of each set that survives, with and without the option; both numbers are published."""
    from shoal.measuring.baskets.kept_itemsets import kept_itemsets

    found = zip(kept_itemsets(data, release, sets), kept_itemsets(data, as_asked(), sets), strict=True)
    return [
        {**asdict(with_it), "certain_without": without.certain, "expected_without": without.expected}
        for with_it, without in found
    ]


def _table_of_kept(kept: list[dict[str, Any]]) -> Table:
    drawn = table("itemset", "in the data", "certain", "without the option", "expected", "without the option")
    for one in kept:
        drawn.add_row(
            ", ".join(map(item_text, one["items"])),
            *(f"{one[name]:,}" for name in ("original", "certain", "certain_without")),
            *(f"{one[name]:,.1f}" for name in ("expected", "expected_without")),
        )
    return drawn


def _warn_of_rare_items(rare: int, k: int, drop_rare: bool) -> None:
    if rare and not drop_rare:
        warn(
            f"warning: {rare:,} {'item occurs' if rare == 1 else 'items occur'} in fewer than {k} records of all the "
            "data. Such an item is published by name, and its name alone may identify a person. --drop-rare leaves it "
            "out."
        )
