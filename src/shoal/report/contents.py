"""What was published, from the release alone: how large clusters, groups and rows are, what is hidden and named."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.measuring.baskets.item_supports import published_supports
from shoal.measuring.tables.generalization import generalization
from shoal.release import BasketRelease, Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.randomized import Randomized
from shoal.report.charts import histogram, labelled, lying_bars
from shoal.report.page import Block, Chart, Key, Section, Value, Words
from shoal.report.top_items import TOP, supports_chart

_COUNTED = {"ones": "items in all rows"}
"""What is called differently in manifests."""


def contents_section(release: Release, *, with_supports: bool) -> Section:
    """What was published; ``with_supports``: and what it tells of its most frequent items, if nothing else says so."""
    return Section("shape", "What was published", tuple(_blocks(release, with_supports)))


def size_key(release: Release) -> Key:
    """How much was published, in a few words."""
    counts = release.counts
    unit = "records" if "records" in counts else "rows"
    parts = next((name for name in ("clusters", "groups") if name in counts), None)
    inside = "" if parts is None else f" in {counts[parts]:,} {parts}"
    return Key(f"Published by {release.method}", f"{counts[unit]:,} {unit}{inside}")


def _blocks(release: Release, with_supports: bool) -> Iterator[Block]:
    counts = ", ".join(
        f"{count:,} {_COUNTED.get(name, name.replace('_', ' '))}" for name, count in release.counts.items()
    )
    yield Words(f"By {release.method}: {counts}.")
    if isinstance(release, Disassociated):
        yield _cluster_sizes(release)
        yield _chunks(release)
    elif isinstance(release, Bucketized):
        yield _groups(release.group_sizes, "groups of rows whose sensitive values were detached from them")
    elif isinstance(release, Generalized):
        yield _groups(release.group_sizes, "groups of rows that agree on all quasi-identifiers")
        yield from _generalized(release)
    else:
        yield _rows(release)
        if isinstance(release, GeneralizedBaskets):
            yield _item_groups(release)
    if with_supports and isinstance(release, BasketRelease):
        yield supports_chart(published_supports(release).most_frequent(TOP), None)


def _cluster_sizes(release: Disassociated) -> Chart:
    sizes = release.cluster_size[release.is_leaf]
    least, most = int(sizes.min()), int(sizes.max())
    says = f"{len(sizes):,} clusters of {least:,} to {most:,} records, {sizes.mean():.1f} on average."
    return histogram("cluster-sizes", "Sizes of clusters", says, sizes, x="records of a cluster", y="clusters")


def _chunks(release: Disassociated) -> Chart:
    """Where the names of items stand: with others, or alone."""
    leaves = release.is_leaf
    terms = np.diff(release.term_offsets)[leaves]
    says = (
        f"A term chunk tells names of items, not who has them: {int(terms.sum()):,} in all, {terms.mean():.1f} in a "
        "cluster on average."
    )
    return histogram("term-chunks", "Items in term chunks", says, terms, x="items of a term chunk", y="clusters")


def _groups(sizes: np.ndarray[tuple[int], np.dtype[np.int64]], what: str) -> Chart:
    if not len(sizes):
        return histogram(
            "class-sizes", "Sizes of groups", "There are no groups.", sizes, x="rows of a group", y="groups"
        )
    says = f"{len(sizes):,} {what}, of {int(sizes.min()):,} to {int(sizes.max()):,}, {sizes.mean():.1f} on average."
    return histogram("class-sizes", "Sizes of groups", says, sizes, x="rows of a group", y="groups")


def _rows(release: Randomized | GeneralizedBaskets | BasketRelease) -> Chart:
    assert not isinstance(release, Disassociated)
    lengths = release.lengths
    mean = lengths.mean() if len(lengths) else 0.0
    says = f"{len(lengths):,} rows, with {mean:.1f} items on average."
    return histogram("row-lengths", "Lengths of rows", says, lengths, x="items of a row", y="rows")


def _item_groups(release: GeneralizedBaskets) -> Chart:
    sizes = release.tree.leaves[release.is_held]
    single = int(np.count_nonzero(sizes == 1))
    says = (
        f"{single:,} of {len(sizes):,} published names are items as they were; the largest group stands for "
        f"{int(sizes.max()):,}."
    )
    return histogram("item-groups", "Items that a name stands for", says, sizes, x="items", y="published names")


def _generalized(release: Generalized) -> Iterator[Chart]:
    metrics = generalization(release)
    for name, title, unit, what in (
        ("NCP", "What generalizing took from each column", "NCP: 0 as it was, 1 nothing left", "quasi-identifier"),
        ("hidden cells", "Hidden cells of sensitive columns", "share of the cells", "sensitive column"),
    ):
        parts = [metric for metric in metrics if metric.name == name and metric.part and metric.value is not None]
        if not parts:
            continue
        labels = labelled([metric.part for metric in parts])
        records: list[dict[str, Value]] = [
            {"label": label, "column": metric.part, "value": metric.value}
            for label, metric in zip(labels, parts, strict=True)
        ]
        most = max(parts, key=lambda metric: metric.value or 0.0)
        says = f"{most.part} has most: {most.value or 0:.1%}." if most.value else f"No {what} has any."
        yield lying_bars(
            name.lower().replace(" ", "-"), title, says, records, {"column": what, "value": unit}, unit=unit
        )
