"""What was published, from the release alone: the sizes of clusters, groups and rows, and what is hidden or named."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measuring.baskets.item_supports import published_supports
from shoal.release import BasketRelease, Release
from shoal.reporting.page import Block, Key, Section, Words
from shoal.reporting.top_items import TOP, supports_chart
from shoal.shapes import SHAPES

_COUNTED = {"ones": "items in all rows"}
"""Counts that have another name in manifests."""


def contents_section(release: Release, *, with_supports: bool) -> Section:
    """What was published; ``with_supports``: including its most frequent items, if no other section shows them."""
    return Section("shape", "What was published", tuple(_blocks(release, with_supports)))


def size_key(release: Release) -> Key:
    """The size of the release, in a few words."""
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
    yield from SHAPES[release.shape].load("report_charts")(release)
    if with_supports and isinstance(release, BasketRelease):
        yield supports_chart(published_supports(release).most_frequent(TOP), None)
