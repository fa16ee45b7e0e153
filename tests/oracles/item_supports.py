"""In how many records an item is, by what a disassociated release leaves possible. Standard library only.

Clusters are written as in ``disassociation``: ``(size, chunks, terms)`` or ``(children, shared_chunks)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from tests.oracles.disassociation import leaves
from tests.oracles.utility import subrecords


def possible(nodes: Sequence[Any], item: str, k: int) -> set[int]:
    """All numbers of records with an item: what chunks tell is fixed, a term chunk says that some record has it.

    A term item is in fewer than k records of its cluster, or it would be in a chunk, unless it is alone there: then it
    may have been left over so that no record need be empty.
    """
    told = sum(item in row for row in subrecords(nodes))
    hidden = [
        range(1, size + 1) if set(terms) == {item} else range(1, min(size, k - 1) + 1)
        for node in nodes
        for size, _, terms in leaves(node)
        if item in terms
    ]
    return {told + sum(chosen) for chosen in product(*hidden)}


def expected(nodes: Sequence[Any], item: str) -> int:
    """By the reading in which a term item is in one record of its cluster."""
    terms = sum(item in leaf[2] for node in nodes for leaf in leaves(node))
    return terms + sum(item in row for row in subrecords(nodes))


def pair_classes(records: Sequence[frozenset[str]]) -> dict[int, Counter[frozenset[str]]]:
    """The pairs that occur, with their counts, by the last of 1, 2, 5, 10, 20, 50, ... that does not exceed them."""
    counts = Counter(frozenset(pair) for record in records for pair in combinations(sorted(record), 2))
    found: dict[int, Counter[frozenset[str]]] = {}
    for pair, count in counts.items():
        found.setdefault(_start(count), Counter())[pair] = count
    return dict(sorted(found.items()))


def _start(count: int) -> int:
    return max(start for start in _starts() if start <= count)


def _starts() -> Iterator[int]:
    yield from (step * 10**power for power in range(4) for step in (1, 2, 5))


def sure(nodes: Sequence[Any], pairs: Mapping[frozenset[str], int]) -> int:
    """Of the occurrences of pairs, how many stand inside chunks; never more than there are."""
    rows = subrecords(nodes)
    return sum(min(count, sum(pair <= row for row in rows)) for pair, count in pairs.items())
