"""The fewest pairs of items that one cluster must lose until no link is certain: by trying everything, slowly.

Standard library only; a cluster is that of ``disassociation``: its size, its chunks and its term chunk. Each item of a
chunk stays there, or gets a chunk of its own, or goes to the term chunk; then up to three occurrences are struck out.
What is left must keep every set of up to m items in k subrecords of its chunk or in none, have the subrecords that
Lemma 2 asks for, and have no link in its possible originals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product

from tests.oracles.certain_links import certain_links
from tests.oracles.disassociation import Item, Simple

Rows = list[frozenset[Item]]
_STRUCK = 3


def pairs_in(chunks: Sequence[Sequence[frozenset[Item]]]) -> int:
    """How many pairs of items the subrecords hold."""
    return sum(len(row) * (len(row) - 1) // 2 for rows in chunks for row in rows)


def fewest_pairs_lost(cluster: Simple, k: int, m: int) -> int:
    """Of all ways to undo the certain links of a cluster, the one that loses the fewest pairs."""
    size, chunks, terms = cluster
    before = pairs_in(chunks)
    ways = sorted((before - pairs_in(left), number, left, moved) for number, (left, moved) in enumerate(_ways(chunks)))
    for lost, _, left, moved in ways:
        rest = [[row for row in rows if row] for rows in left]
        node = (size, [rows for rows in rest if rows], set(terms) | moved)
        if _is_safe(node, k, m) and not certain_links(node):
            return lost
    raise ValueError("no way was found")


def _ways(chunks: Sequence[Sequence[frozenset[Item]]]) -> Iterator[tuple[list[Rows], set[Item]]]:
    """What can be left of the chunks, and which items joined the term chunk."""
    items = sorted(frozenset().union(*(row for rows in chunks for row in rows)))
    for fates in product(("stays", "apart", "terms"), repeat=len(items)):
        fate = dict(zip(items, fates, strict=True))
        parted: list[Rows] = [[frozenset(x for x in row if fate[x] == "stays") for row in rows] for rows in chunks]
        parted += [
            [frozenset([item]) for row in rows if item in row]
            for rows in chunks
            for item in sorted(frozenset().union(*rows))
            if fate[item] == "apart"
        ]
        places = [(c, r, x) for c, rows in enumerate(parted) for r, row in enumerate(rows) for x in sorted(row)]
        for number in range(_STRUCK + 1):
            for struck in combinations(places, number):
                gone = set(struck)
                left = [
                    [frozenset(x for x in row if (c, r, x) not in gone) for r, row in enumerate(rows)]
                    for c, rows in enumerate(parted)
                ]
                yield left, {item for item in items if fate[item] == "terms"}


def _is_safe(cluster: Simple, k: int, m: int) -> bool:
    size, chunks, terms = cluster
    for rows in chunks:
        held = Counter(part for row in rows for n in range(1, m + 1) for part in combinations(sorted(row), n))
        if any(times < k for times in held.values()):
            return False
    return bool(terms) or sum(map(len, chunks)) >= size + k * (min(len(chunks), m) - 1)
