"""Which links of a small release are certain: by all its possible originals, slowly.

Standard library only; clusters are those of ``disassociation``. Nothing here knows in which ways a link can arise: all
placements of subrecords are tried, with every term item in every non-empty set of the records of its cluster, and every
possible original with an empty record is discarded.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, product
from typing import Any

from tests.oracles.disassociation import Item, Joint, Simple, leaves, worlds

_MARK = "\0"


def certain_links(node: Simple | Joint) -> set[tuple[int, Item, Item]]:
    """(leaf number, one item, another): every record of the leaf that holds the one holds the other, in all worlds.

    The first item is in some record of the leaf in some possible original.
    """
    below = leaves(node)
    ends = list(accumulate(leaf[0] for leaf in below))
    parts: list[set[tuple[Any, ...]]] = [set() for _ in below]
    for world in worlds(_marked(node)):
        for part, leaf, end in zip(parts, below, ends, strict=True):
            rows = (tuple(sorted(row - {_MARK})) for row in world[end - leaf[0] : end])
            part.add(tuple(sorted(rows)))
    found = set()
    for number, (leaf, part) in enumerate(zip(below, parts, strict=True)):
        common: dict[Item, frozenset[Item]] = {}
        for rows in part:
            for records in _with_terms(rows, sorted(leaf[2])):
                for record in records:
                    for item in record:
                        common[item] = common.get(item, record) & record
        found |= {(number, item, other) for item, others in common.items() for other in others - {item}}
    return found


def _with_terms(rows: tuple[tuple[Item, ...], ...], terms: list[Item]) -> Iterator[list[frozenset[Item]]]:
    """The records with every term item in some of them, in all ways that leave none empty."""
    somewhere = range(1, 1 << len(rows))
    for masks in product(somewhere, repeat=len(terms)):
        records = [
            frozenset(row).union(term for term, mask in zip(terms, masks, strict=True) if mask >> place & 1)
            for place, row in enumerate(rows)
        ]
        if all(records):
            yield records


def _marked(node: Simple | Joint) -> Any:
    """Term chunks that hold a mark only, so that records that they could fill count as filled."""
    if len(node) == 3:
        return node[0], node[1], {_MARK} if node[2] else set()
    return [_marked(child) for child in node[0]], node[1]
