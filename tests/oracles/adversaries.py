"""What adversaries who know items of people count, slowly and by definition. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from tests.oracles.disassociation import Item, Joint, Simple, closed_to, worlds


def support(records: Iterable[frozenset[Item]], known: Iterable[Item]) -> int:
    """How many records hold all known items."""
    wanted = frozenset(known)
    return sum(wanted <= record for record in records)


def worst_support(records: Sequence[frozenset[Item]], record: frozenset[Item], most: int) -> int:
    """The fewest records that hold some set of 1 to ``most`` items of a record."""
    return min(support(records, chosen) for size in range(1, most + 1) for chosen in combinations(sorted(record), size))


def own_cluster_counts(node: Simple | Joint, known: frozenset[Item]) -> list[int]:
    """For each cluster of records, in order: how many of its records fit the known items, chunk by chunk.

    An item comes from the term chunk of the cluster, which any number of its records may hold; or else from its record
    chunks; or else from the shared chunk nearest above it. Of each chunk those subrecords count that hold the known
    items that come from it and that a record of the cluster may have. The smallest number counts, and never more than
    the cluster has records. Zero where an item comes from nowhere.
    """
    return [_count(leaf, shared, known) for leaf, shared in _with_shared_chunks(node)]


def _with_shared_chunks(node: Simple | Joint) -> list[tuple[Simple, list[list[frozenset[Item]]]]]:
    """Each cluster of records with the shared chunks above it, the nearest first: those that it may take from."""
    if len(node) == 3:
        return [(node, [])]
    found = []
    below = [one for child in node[0] for one in _with_shared_chunks(child)]
    shut = [items for child in node[0] for _, items in closed_to(child)]
    for (leaf, nearer), closed in zip(below, shut, strict=True):
        own = [[row for row in chunk if not row & closed] for chunk in node[1]]
        found.append((leaf, [*nearer, *own]))
    return found


def _count(leaf: Simple, shared: list[list[frozenset[Item]]], known: frozenset[Item]) -> int:
    size, chunks, terms = leaf
    left, smallest = known - terms, size
    for chunk in [*chunks, *shared]:
        piece = left & frozenset().union(*chunk)
        if piece:
            smallest = min(smallest, support(chunk, piece))
            left -= piece
    return 0 if left else smallest


def own_cluster_by_worlds(node: Simple | Joint, known: frozenset[Item]) -> list[int]:
    """The same by enumeration: of each chunk, the most records of the cluster that fit it in any possible original."""
    found, start = [], 0
    for leaf, shared in _with_shared_chunks(node):
        size, chunks, terms = leaf
        left, smallest = known - terms, size
        for chunk in [*chunks, *shared]:
            piece = left & frozenset().union(*chunk)
            if piece:
                fits = (support(world[start : start + size], piece) for world in worlds(node))
                smallest = min(smallest, max(fits, default=0))
                left -= piece
        found.append(0 if left else smallest)
        start += size
    return found
