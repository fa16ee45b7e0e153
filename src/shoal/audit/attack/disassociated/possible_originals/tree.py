"""One tree of a release as plain values: a root cluster with everything below it.

Terrovitis et al., VLDB 2012, section 3. `trees` has all of them as arrays.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A chunk of one tree: its distinct subrecords, how often each occurs, and which leaves may take which."""

    chunk: int
    first_leaf: int
    """The first of its leaves, numbered inside the tree."""
    rows: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    closed: tuple[frozenset[int], ...]
    """For each of its leaves: the items of this chunk that are closed there."""

    shared: bool

    @property
    def leaves(self) -> range:
        """The leaves, numbered inside the tree, whose records its subrecords belong to."""
        return range(self.first_leaf, self.first_leaf + len(self.closed))

    def takers(self, row: int) -> list[int]:
        """The leaves that may take a subrecord."""
        return [leaf for leaf, shut in zip(self.leaves, self.closed, strict=True) if shut.isdisjoint(self.rows[row])]


@dataclass(frozen=True)
class Tree:
    """One tree as plain values; chunks that are further down come first."""

    number: int
    sizes: tuple[int, ...]
    """How many records each leaf has."""
    terms: tuple[tuple[int, ...], ...]
    """The term chunk of each leaf."""
    parts: tuple[Part, ...]
