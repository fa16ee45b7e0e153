"""In how many records an item is, by what a disassociated release leaves possible. Standard library only.

Clusters are written as in ``disassociation``: ``(size, chunks, terms)`` or ``(children, shared_chunks)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from tests.oracles.disassociation import leaves
from tests.oracles.utility import subrecords


def most_hidden(leaf: Any, item: str, k: int, m: int, sensitive: frozenset[str] = frozenset()) -> int:
    """In how many records of its cluster a term item may be.

    In fewer than k, or it would be in a chunk; unless it is sensitive, or no other plain item is in the term chunk and
    the chunks have too few subrecords for Lemma 2: then it may have been in a chunk.
    """
    size, chunks, terms = leaf
    needed = size + k * (max(1, min(m, len(chunks))) - 1)
    alone = set(terms) - sensitive == {item} and sum(map(len, chunks)) < needed
    return size if item in sensitive or alone else min(size, k - 1)


def _counts(nodes: Sequence[Any], item: str, k: int, m: int) -> Iterator[int]:
    """The number of records with an item, for every choice of how often it is in the clusters that have it as a term.

    What chunks tell is fixed; a term chunk says that some record has it.
    """
    told = sum(item in row for row in subrecords(nodes))
    every = [leaf for node in nodes for leaf in leaves(node) if item in leaf[2]]
    for chosen in product(*(range(1, most_hidden(leaf, item, k, m) + 1) for leaf in every)):
        yield told + sum(chosen)


def possible(nodes: Sequence[Any], item: str, k: int, m: int) -> set[int]:
    """All numbers of records with an item."""
    return set(_counts(nodes, item, k, m))


def moments(nodes: Sequence[Any], item: str, k: int, m: int) -> tuple[Fraction, Fraction]:
    """The mean and the variance of the number of records with an item, if every choice is as likely."""
    counts = list(_counts(nodes, item, k, m))
    mean = Fraction(sum(counts), len(counts))
    return mean, sum(((count - mean) ** 2 for count in counts), Fraction(0)) / len(counts)


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
