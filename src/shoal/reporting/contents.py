"""What was published, from the release alone: how large clusters, groups and rows are, what is hidden and named."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.measuring.baskets.item_supports import published_supports
from shoal.release import BasketRelease, Release
from shoal.reporting.page import Block, Key, Section, Words
from shoal.reporting.top_items import TOP, supports_chart
from shoal.shapes import SHAPES

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
    yield from SHAPES[release.shape].load("report_charts")(release)
    if with_supports and isinstance(release, BasketRelease):
        yield supports_chart(published_supports(release).most_frequent(TOP), None)
