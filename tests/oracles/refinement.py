"""Algorithm REFINE, slowly: as printed in Terrovitis et al., VLDB 2012, section 4, and as read in docs/papers.md.

Standard library only. Clusters are given with their records; what comes out are the nodes of
:mod:`tests.oracles.disassociation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.oracles.disassociation import (
    Chunk,
    Item,
    Joint,
    Simple,
    is_k_anonymous,
    is_km_anonymous,
    lemma2,
)


@dataclass(eq=False)
class Leaf:
    """A cluster with its records, and the plain items that its term chunk still has."""

    records: Sequence[frozenset[Item]]
    chunks: list[Chunk]
    terms: set[Item]

    @property
    def node(self) -> Simple:
        return len(self.records), self.chunks, frozenset(self.terms)

    @property
    def leaves(self) -> list[Leaf]:
        return [self]

    @property
    def domain(self) -> set[Item]:
        return {item for chunk in self.chunks for row in chunk for item in row}


@dataclass(eq=False)
class Union:
    """Two nodes joined."""

    children: list[Leaf | Union]
    shared: list[Chunk] = field(default_factory=list)

    @property
    def node(self) -> Joint:
        return [child.node for child in self.children], self.shared

    @property
    def leaves(self) -> list[Leaf]:
        return [leaf for child in self.children for leaf in child.leaves]

    @property
    def domain(self) -> set[Item]:
        own = {item for chunk in self.shared for row in chunk for item in row}
        return own.union(*(child.domain for child in self.children))


def refine(leaves: Sequence[Leaf], k: int, m: int, rounds: int, *, printed: bool) -> list[Leaf | Union]:
    """Join until nothing changes; ``printed`` without what keeps Lemma 2, and with Property 1 as it stands."""
    roots: list[Leaf | Union] = list(leaves)
    failed: set[tuple[int, int]] = set()
    rank = ranks(roots)
    newly_ranked = True
    for _ in range(rounds):
        made = one_round(roots, rank, failed, k, m, printed=printed)
        if not made and not newly_ranked:
            rank, newly_ranked = ranks(roots), True
            made = one_round(roots, rank, failed, k, m, printed=printed)
        if not made:
            break
        newly_ranked = False
        roots.extend(made)
    return roots


def virtual_terms(root: Leaf | Union) -> set[Item]:
    return set().union(*(leaf.terms for leaf in root.leaves))


def ranks(roots: Sequence[Leaf | Union]) -> dict[Item, int]:
    """Items by the number of roots that have them in term chunks; the most frequent first, ties by item."""
    counts = Counter(item for root in roots for item in virtual_terms(root))
    return {item: place for place, item in enumerate(sorted(counts, key=lambda item: (-counts[item], item)))}


def one_round(
    roots: list[Leaf | Union], rank: dict[Item, int], failed: set[tuple[int, int]], k: int, m: int, *, printed: bool
) -> list[Leaf | Union]:
    """Sort the roots, join neighbours from the front, and take those that were joined off the list."""
    roots.sort(key=lambda root: sorted(rank[item] for item in virtual_terms(root)))
    made: list[Leaf | Union] = []
    at = 0
    while at + 1 < len(roots):
        pair = roots[at], roots[at + 1]
        names = id(pair[0]), id(pair[1])
        union = None if names in failed else join(*pair, rank, k, m, printed=printed)
        if union is None:
            failed.add(names)
            at += 1
        else:
            made.append(union)
            del roots[at : at + 2]
    return made


def holders(leaves: Sequence[Leaf], item: Item) -> list[Leaf]:
    return [leaf for leaf in leaves if item in leaf.terms]


def join(one: Leaf | Union, two: Leaf | Union, rank: dict[Item, int], k: int, m: int, *, printed: bool) -> Union | None:
    """The joint of two nodes, or None where they share nothing or equation 1 says no."""
    leaves = one.leaves + two.leaves
    left = {id(leaf): len(leaf.terms) for leaf in leaves}
    support: dict[Item, int] = {}
    for item in sorted(virtual_terms(one) & virtual_terms(two), key=lambda item: rank[item]):
        count = sum(item in record for leaf in holders(leaves, item) for record in leaf.records)
        last = any(
            left[id(leaf)] <= 1 and not lemma2((len(leaf.records), leaf.chunks, set()), k, m)
            for leaf in holders(leaves, item)
        )
        if count >= k and (printed or not last):
            support[item] = count
            for leaf in holders(leaves, item):
                left[id(leaf)] -= 1
    involved = [leaf for leaf in leaves if leaf.terms & set(support)]
    entries = sum(len(leaf.terms & set(support)) for leaf in involved)
    records = sum(len(leaf.records) for leaf in involved)
    everybody = sum(len(leaf.records) for leaf in leaves)
    if not support or sum(support.values()) * records < entries * everybody:
        return None
    order = sorted(support, key=lambda item: (-support[item], item))
    below = one.domain | two.domain
    union = Union([one, two])
    for domain in (printed_domains if printed else safe_domains)(leaves, order, below, k, m):
        union.shared.append(list(projected(leaves, domain)))
    for leaf in leaves:
        leaf.terms -= set(support)
    return union


def projected(leaves: Sequence[Leaf], domain: set[Item]) -> Iterator[frozenset[Item]]:
    for leaf in leaves:
        for record in leaf.records:
            if part := record & domain & leaf.terms:
                yield part


def greedy(items: Sequence[Item], fits) -> Iterator[set[Item]]:
    remaining = list(items)
    while remaining:
        domain: set[Item] = set()
        for item in remaining:
            if fits(domain | {item}):
                domain.add(item)
        yield domain
        remaining = [item for item in remaining if item not in domain]


def printed_domains(leaves, order, below, k, m) -> Iterator[set[Item]]:
    """Property 1 as it stands: k-anonymous with an item of T^r, else k^m-anonymous."""

    def fits(domain: set[Item]) -> bool:
        chunk = list(projected(leaves, domain))
        return is_k_anonymous(chunk, k) if domain & below else is_km_anonymous(chunk, k, m)

    return greedy(order, fits)


def safe_domains(leaves, order, below, k, m) -> Iterator[set[Item]]:
    """Items of T^r apart, in chunks with one subrecord only; the others k^m-anonymous."""
    free = [item for item in order if item not in below]
    yield from greedy(free, lambda domain: is_km_anonymous(projected(leaves, domain), k, m))
    yield from greedy(
        [item for item in order if item in below], lambda domain: len(set(projected(leaves, domain))) == 1
    )
