"""Possible originals of a cluster, up to the order of records: what its records may hold of a few items.

Every way to deal the subrecords of its chunks to the records of its leaves is tried. Records of a leaf that hold the
same of these items count as one kind, and so do subrecords that fit the same leaves. Otherwise this is the enumeration
of ``tests.oracles.disassociation.worlds``, and a test compares the two.

A node is written as there, but hashable: ``(size, chunks, terms)`` or ``(children, shared_chunks)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tests.fuzz.oracle.folder import Undecided
from tests.oracles.disassociation import chunk_items

Node = Any
Held = frozenset[str]
Record = tuple[int, Held, bool]
"""The leaf of a record, what it holds of the few items, and whether it holds anything at all."""
World = frozenset[tuple[Record, int]]
_MOST_WORLDS = 20_000
_MOST_STEPS = 400_000


def frozen(node: Node) -> Node:
    """A node that can be a key."""
    if len(node) == 3:
        size, chunks, terms = node
        return size, tuple(_chunk(chunk) for chunk in chunks), frozenset(terms)
    return tuple(frozen(child) for child in node[0]), tuple(_chunk(chunk) for chunk in node[1])


def _chunk(chunk: Any) -> tuple[frozenset[str], ...]:
    return tuple(sorted((frozenset(row) for row in chunk), key=sorted))


@lru_cache(maxsize=20_000)
def worlds(node: Node, few: Held, *, all_terms: bool) -> frozenset[World]:
    """All that records may hold of a few items, such that no record is empty.

    ``all_terms``: every record holds all items of its term chunk, which is enough to look for the largest supports.
    Otherwise each of the few items that is in a term chunk is in any of its records, one at least, and other items of
    term chunks are in all.
    """
    leaves: list[Node] = []
    steps: list[tuple[dict[int, frozenset[str]], Any]] = []

    def collect(part: Node) -> dict[int, frozenset[str]]:
        """Leaves below, each with the items that are closed to it."""
        if len(part) == 3:
            leaf = len(leaves)
            leaves.append(part)
            steps.extend(({leaf: frozenset()}, chunk) for chunk in part[1])
            return {leaf: frozenset(chunk_items(part))}
        closed: dict[int, frozenset[str]] = {}
        for child in part[0]:
            closed |= collect(child)
        steps.extend((dict(closed), chunk) for chunk in part[1])
        own = frozenset(item for chunk in part[1] for row in chunk for item in row)
        return {leaf: shut | own for leaf, shut in closed.items()}

    collect(node)
    start: Counter[Record] = Counter()
    for number, (size, _, terms) in enumerate(leaves):
        sure = terms if all_terms else terms - few
        start[number, frozenset(sure & few), bool(sure)] += size
    found = {frozenset(start.items())}
    for closed, chunk in steps:
        kinds = Counter(
            (row & few, frozenset(leaf for leaf, shut in closed.items() if not row & shut)) for row in chunk
        )
        found = _all(found, closed, list(kinds.items()))
    if not all_terms:
        for number, (_, _, terms) in enumerate(leaves):
            for item in sorted(terms & few):
                found = _anywhere(found, number, item)
    return frozenset(world for world in found if all(filled for (_, _, filled), _ in world))


def _all(found: set[World], where: Any, kinds: list[tuple[tuple[Held, frozenset[int]], int]]) -> set[World]:
    after: set[World] = set()
    steps = 0
    for world in found:
        inside = [(record, count) for record, count in world if record[0] in where]
        outside = Counter({record: count for record, count in world if record[0] not in where})
        for dealt in _deals(inside, kinds):
            after.add(frozenset((outside + dealt).items()))
            steps += 1
            if steps > _MOST_STEPS or len(after) > _MOST_WORLDS:
                raise Undecided("too many possible originals")
    return after


def _deals(
    records: list[tuple[Record, int]], kinds: list[tuple[tuple[Held, frozenset[int]], int]]
) -> Iterator[Counter[Record]]:
    """Every way to give each subrecord to a record of its own."""
    if not kinds:
        yield Counter(dict(records))
        return
    ((held, allowed), number), *rest = kinds
    for chosen in _chosen([(record, count) for record, count in records if record[0] in allowed], number):
        left = Counter(dict(records))
        left.subtract(chosen)
        for more in _deals([(record, count) for record, count in left.items() if count], rest):
            for (leaf, before, _), count in chosen.items():
                more[leaf, before | held, True] += count
            yield more


def _chosen(records: list[tuple[Record, int]], number: int) -> Iterator[dict[Record, int]]:
    """Every way to choose so many of some records."""
    if not records:
        if number == 0:
            yield {}
        return
    (record, count), *rest = records
    for taken in range(min(count, number) + 1):
        for more in _chosen(rest, number - taken):
            yield {**more, record: taken} if taken else more


def _anywhere(found: set[World], leaf: int, item: str) -> set[World]:
    """The item in some records of the leaf, one at least, in every way."""
    after: set[World] = set()
    for world in found:
        size = sum(count for record, count in world if record[0] == leaf)
        inside = [(record, count) for record, count in world if record[0] == leaf]
        for number in range(1, size + 1):
            for chosen in _chosen(inside, number):
                changed = Counter(dict(world))
                changed.subtract(chosen)
                for (_, held, _), count in chosen.items():
                    changed[leaf, held | {item}, True] += count
                after.add(frozenset((record, count) for record, count in changed.items() if count))
                if len(after) > _MOST_WORLDS:
                    raise Undecided("too many possible originals")
    return after
