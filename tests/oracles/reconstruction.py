"""Reconstructions by their definition, slowly: Terrovitis et al., VLDB 2012, section 3, read as in docs/papers.md.

Standard library only. Clusters are written as in ``disassociation``: ``(size, chunks, terms)`` or
``(children, shared_chunks)``. Records come in the order of the leaves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from tests.oracles.disassociation import Chunk, Item, Joint, Simple, chunk_items, closed_to, leaves
from tests.oracles.item_supports import most_hidden

Record = frozenset[Item]
World = tuple[Record, ...]


def projections(node: Simple | Joint, records: Sequence[Record]) -> list[tuple[Chunk, Chunk]]:
    """For every chunk of the tree: what is published, and what the records below give it.

    A record gives a shared chunk nothing of an item that is closed to its cluster: it has that item from elsewhere.
    """
    if len(node) == 3:
        domains = [set().union(*chunk) for chunk in node[1]]
        return [
            (chunk, [row & domain for row in records if row & domain])
            for chunk, domain in zip(node[1], domains, strict=True)
        ]
    found, start = [], 0
    closed: list[set[Item]] = []
    for child in node[0]:
        below = closed_to(child)
        size = sum(leaf[0] for leaf, _ in below)
        found += projections(child, records[start : start + size])
        closed += [shut for leaf, shut in below for _ in range(leaf[0])]
        start += size
    for chunk in node[1]:
        domain = set().union(*chunk)
        given = [row & domain - shut for row, shut in zip(records, closed, strict=True)]
        found.append((chunk, [part for part in given if part]))
    return found


def why_impossible(nodes: Sequence[Simple | Joint], records: Sequence[Record]) -> str | None:
    """Why these records are not a possible original of these trees, or None if they are one."""
    every = [leaf for node in nodes for leaf in leaves(node)]
    if len(records) != sum(leaf[0] for leaf in every):
        return "the number of records"
    if not all(records):
        return "an empty record"
    start = 0
    for node in nodes:
        size = sum(leaf[0] for leaf in leaves(node))
        for chunk, given in projections(node, records[start : start + size]):
            if Counter(map(frozenset, chunk)) != Counter(given):
                return f"records {start} to {start + size - 1} do not give back {chunk}"
        above = _shared_above(node)
        for leaf, shared in zip(leaves(node), above, strict=True):
            rows = records[start : start + leaf[0]]
            held = set().union(*rows)
            if not set(leaf[2]) <= held:
                return f"term-chunk items {set(leaf[2]) - held} are in no record"
            if strange := held - set(leaf[2]) - chunk_items(leaf) - shared:
                return f"items {strange} are in no part of the cluster"
            start += leaf[0]
    return None


def _shared_above(node: Simple | Joint) -> list[set[Item]]:
    """The items of shared chunks above each leaf."""
    if len(node) == 3:
        return [set()]
    own = {item for chunk in node[1] for row in chunk for item in row}
    return [own | found for child in node[0] for found in _shared_above(child)]


def distribution(
    node: Simple | Joint,
    *,
    k: int | None = None,
    m: int = 2,
    sensitive: frozenset[Item] = frozenset(),
    may_be_empty: bool = False,
) -> dict[World, Fraction]:
    """The chance of every possible original of one small tree, given that no record is empty, unless they may be.

    Every chunk is placed on its own, all allowed placements being equally likely, and every term-chunk item in one
    record; with ``k`` in 1 to the most of them that a term item may be in, each number being equally likely.
    """
    size = sum(leaf[0] for leaf in leaves(node))
    chances: dict[World, Fraction] = {(frozenset(),) * size: Fraction(1)}
    for part in _parts(node, 0, k, m, sensitive):
        step: dict[World, Fraction] = defaultdict(Fraction)
        for world, chance in chances.items():
            for placed, share in part.items():
                rows = list(world)
                for place, row in placed:
                    rows[place] |= row
                step[tuple(rows)] += chance * share
        chances = step
    chances = {world: chance for world, chance in chances.items() if may_be_empty or all(world)}
    total = sum(chances.values())
    return {world: chance / total for world, chance in chances.items()}


Placement = frozenset[tuple[int, Record]]


def _parts(
    node: Simple | Joint, start: int, k: int | None, m: int, sensitive: frozenset[Item]
) -> Iterator[dict[Placement, Fraction]]:
    """For every part of the tree, the chance of each of its placements."""
    if len(node) == 3:
        size, chunks, terms = node
        for chunk in chunks:
            yield _placements(chunk, [(start + i, set()) for i in range(size)])
        for item in sorted(terms):
            most = 1 if k is None else most_hidden(node, item, k, m, sensitive)
            spread: dict[Placement, Fraction] = {}
            for count in range(1, most + 1):
                ways = list(combinations(range(start, start + size), count))
                for chosen in ways:
                    spread[frozenset((place, frozenset({item})) for place in chosen)] = Fraction(1, most * len(ways))
            yield spread
        return
    closed: list[tuple[int, set[Item]]] = []
    for child in node[0]:
        yield from _parts(child, start, k, m, sensitive)
        for leaf, shut in closed_to(child):
            closed += [(start + i, shut) for i in range(leaf[0])]
            start += leaf[0]
    for chunk in node[1]:
        yield _placements(chunk, closed)


def _placements(chunk: Chunk, places: list[tuple[int, set[Item]]]) -> dict[Placement, Fraction]:
    found: Counter[Placement] = Counter()
    for chosen in permutations(places, len(chunk)):
        pairs = list(zip(chosen, chunk, strict=True))
        if not any(row & shut for (_, shut), row in pairs):
            found[frozenset((place, row) for (place, _), row in pairs)] += 1
    total = sum(found.values())
    return {placement: Fraction(count, total) for placement, count in found.items()}
