"""All reconstructions of a small release, by the definition: every chunk placed in every way that is possible.

Standard library only. Clusters are as in ``oracles.disassociation``: ``(size, chunks, terms)`` or
``(children, shared_chunks)``. The subrecords of a chunk go to different records. A record takes a subrecord of a shared
chunk only if no item of it is in a record chunk of its cluster, or in a shared chunk of a joint on the way up. Every
item of a term chunk is in exactly one record of its cluster. Records may stay empty here; whoever counts may skip those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

Record = frozenset[Any]


def reconstructions(node: Any) -> Iterator[list[Record]]:
    """Every reconstruction of a tree once, as records in the order of its leaves; all of them are equally likely."""
    size, sources = _sources(node)
    for placements in product(*(list(_placements(bag, allowed)) for bag, allowed in sources)):
        records: list[set[Any]] = [set() for _ in range(size)]
        for placement in placements:
            for record, subrecord in placement.items():
                assert not records[record] & subrecord, "an item came twice"
                records[record] |= subrecord
        yield [frozenset(record) for record in records]


def _sources(node: Any) -> tuple[int, list[tuple[Counter[Record], dict[Record, list[int]]]]]:
    """The number of records, and for each chunk its subrecords and the records each of them can go to."""
    sources: list[tuple[Counter[Record], dict[Record, list[int]]]] = []

    def visit(part: Any, start: int) -> tuple[int, list[tuple[range, set[Any]]]]:
        """Add the chunks of a node; returns its size, and for each leaf its records and what it has from chunks."""
        if len(part) == 3:
            size, chunks, terms = part
            records = range(start, start + size)
            for chunk in [*chunks, *([{item}] for item in terms)]:
                bag = Counter(frozenset(subrecord) for subrecord in chunk)
                sources.append((bag, {subrecord: list(records) for subrecord in bag}))
            return size, [(records, {item for chunk in chunks for subrecord in chunk for item in subrecord})]
        children, chunks = part
        total, leaves = 0, []
        for child in children:
            size, below = visit(child, start + total)
            total += size
            leaves += below
        for chunk in chunks:
            bag = Counter(frozenset(subrecord) for subrecord in chunk)
            allowed = {s: [r for records, closed in leaves if not s & closed for r in records] for s in bag}
            sources.append((bag, allowed))
        domain = {item for chunk in chunks for subrecord in chunk for item in subrecord}
        return total, [(records, closed | domain) for records, closed in leaves]

    return visit(node, 0)[0], sources


def _placements(bag: Counter[Record], allowed: dict[Record, list[int]]) -> Iterator[dict[int, Record]]:
    """All ways to give the subrecords to different records, equal subrecords being one and the same."""
    flat = sorted(bag.elements(), key=sorted)

    def place(at: int, taken: dict[int, Record]) -> Iterator[dict[int, Record]]:
        if at == len(flat):
            yield dict(taken)
            return
        # Of equal subrecords, a later one goes to a later record.
        after = max((r for r, s in taken.items() if s == flat[at]), default=-1)
        for record in allowed[flat[at]]:
            if record > after and record not in taken:
                taken[record] = flat[at]
                yield from place(at + 1, taken)
                del taken[record]

    yield from place(0, {})
