"""The manifest: the description of a release in words and numbers, without anything of the steward's file."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "shoal release"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Dropped:
    """What the publisher left out on purpose."""

    rare_items: int = 0
    """Items removed everywhere because they occur in fewer than k records (``--drop-rare``)."""
    emptied_records: int = 0
    """Records with no other items, removed with them."""
    sensitive_instances: int = 0
    """Occurrences of sensitive items removed from single records to keep an item's share in its cluster."""
    linking_instances: int = 0
    """Occurrences of items removed from single records to undo certain links (``--cover-safe``)."""
    linking_pairs: int = 0
    """Pairs of items that are no longer together in a subrecord for the same reason."""
    suppressed_instances: int = 0
    """Occurrences of items removed from single records so that more items share a chunk (``--vertical dls``)."""
    clusters_cut_short: int = 0
    """Clusters with too much to examine: there, items were put into other chunks instead."""

    @property
    def plain_instances(self) -> int:
        """Occurrences of items that are not sensitive, removed from single records: those records are incomplete."""
        return self.linking_instances + self.suppressed_instances


@dataclass(frozen=True)
class PartFile:
    """One data file of a release."""

    name: str
    rows: int
    sha256: str
