"""A tree up to the names of its items: trees that differ in names only have one shape.

Terrovitis et al., VLDB 2012, section 3. Items that are in the same term chunks and in the same subrecords of a tree
occur together in every possible original of it, so they are merged; the remaining ones are bits, numbered by where they
are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shoal.audit.attack.disassociated.possible_originals.tree import Tree

Rows = tuple[tuple[int, int], ...]
"""Masks of items, and how many subrecords, or records, have each."""
Shared = tuple[tuple[int, int, tuple[int, ...]], ...]
"""The subrecords of a shared chunk: mask, count, and the leaves that may take them."""


@dataclass(frozen=True)
class Shape:
    """A tree up to the names of its items, which are bits here."""

    sizes: tuple[int, ...]
    n_terms: tuple[int, ...]
    terms: tuple[int, ...]
    """The items of each leaf's term chunk."""
    own: tuple[tuple[Rows, ...], ...]
    """The record chunks of each leaf."""
    shared: tuple[Shared, ...]


def shape_of(tree: Tree) -> tuple[Shape, dict[int, int]]:
    """The shape of a tree, and the bit of each item."""
    places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for leaf, terms in enumerate(tree.terms):
        for item in terms:
            places[item].append((-1, leaf))
    orders = [
        sorted(range(len(part.rows)), key=lambda row: (-part.counts[row], len(part.rows[row]), row))
        for part in tree.parts
    ]
    for number, (part, order) in enumerate(zip(tree.parts, orders, strict=True)):
        for rank, row in enumerate(order):
            for item in part.rows[row]:
                places[item].append((number, rank))
    # Bits depend on where items are, never on their names.
    signature = {item: tuple(where) for item, where in places.items()}
    rank_of = {where: rank for rank, where in enumerate(sorted(set(signature.values())))}
    bit = {item: rank_of[where] for item, where in signature.items()}

    def masked(items: Iterable[int]) -> int:
        mask = 0
        for item in items:
            mask |= 1 << bit[item]
        return mask

    own: list[list[Rows]] = [[] for _ in tree.sizes]
    shared = []
    for part, order in zip(tree.parts, orders, strict=True):
        if part.shared:
            shared.append(tuple((masked(part.rows[row]), part.counts[row], tuple(part.takers(row))) for row in order))
        else:
            own[part.first_leaf].append(tuple((masked(part.rows[row]), part.counts[row]) for row in order))
    shape = Shape(
        tree.sizes,
        tuple(map(len, tree.terms)),
        tuple(map(masked, tree.terms)),
        tuple(map(tuple, own)),
        tuple(shared),
    )
    return shape, bit


def first_names(bit: Mapping[int, int]) -> dict[int, int]:
    """The first item of each bit."""
    return {place: item for item, place in sorted(bit.items(), reverse=True)}


def members(mask: int, name: Mapping[int, int]) -> tuple[int, ...]:
    """The items of a mask, by a name for each of its bits."""
    return tuple(sorted(name[place] for place in range(mask.bit_length()) if mask >> place & 1))
