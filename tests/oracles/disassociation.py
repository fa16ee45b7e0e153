"""Disassociation by its definitions, slowly: Terrovitis et al., VLDB 2012, read as in docs/papers.md.

Standard library only. A simple cluster is ``(size, chunks, terms)``: its number of records, a list of chunks (each a
list of non-empty frozensets, the subrecords) and the set of its term-chunk items. A joint cluster is
``(children, shared_chunks)``; children are simple or joint clusters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

Item = Any
Chunk = list[frozenset[Item]]
Simple = tuple[int, list[Chunk], set[Item] | frozenset[Item]]
Joint = tuple[list[Any], list[Chunk]]


# -- the conditions of section 5 -------------------------------------------------------------------------------------


def itemset_supports(chunk: Iterable[frozenset[Item]], m: int) -> Counter[frozenset[Item]]:
    """How many subrecords contain each itemset of 1..m items that occurs."""
    supports: Counter[frozenset[Item]] = Counter()
    for subrecord in chunk:
        for size in range(1, min(m, len(subrecord)) + 1):
            supports.update(frozenset(chosen) for chosen in combinations(sorted(subrecord), size))
    return supports


def is_km_anonymous(chunk: Iterable[frozenset[Item]], k: int, m: int) -> bool:
    return all(support >= k for support in itemset_supports(chunk, m).values())


def is_k_anonymous(chunk: Iterable[frozenset[Item]], k: int) -> bool:
    return all(count >= k for count in Counter(chunk).values())


def lemma2(cluster: Simple, k: int, m: int) -> bool:
    """Condition (b), counting non-empty subrecords; without record chunks only a term chunk helps."""
    size, chunks, terms = cluster
    if terms:
        return True
    filled = [chunk for chunk in chunks if any(chunk)]
    if not filled:
        return False
    subrecords = sum(1 for chunk in filled for subrecord in chunk if subrecord)
    return subrecords >= size + k * (min(m, len(filled)) - 1)


def chunk_items(node: Simple | Joint) -> set[Item]:
    """The items in record and shared chunks of a cluster and of everything below it."""
    if len(node) == 3:
        return {item for chunk in node[1] for subrecord in chunk for item in subrecord}
    own = {item for chunk in node[1] for subrecord in chunk for item in subrecord}
    return own.union(*(chunk_items(child) for child in node[0]))


def property1(node: Simple | Joint, k: int, m: int) -> bool:
    """A shared chunk with an item of T^r is k-anonymous, any other k^m-anonymous; here and everywhere below."""
    if len(node) == 3:
        return True
    below = set().union(*(chunk_items(child) for child in node[0]))
    for chunk in node[1]:
        domain = set().union(*chunk)
        if not (is_k_anonymous(chunk, k) if domain & below else is_km_anonymous(chunk, k, m)):
            return False
    return all(property1(child, k, m) for child in node[0])


def leaves(node: Simple | Joint) -> list[Simple]:
    return [node] if len(node) == 3 else [leaf for child in node[0] for leaf in leaves(child)]


def has_room(node: Simple | Joint, k: int) -> bool:
    """What Property 1 lacks, here and everywhere below.

    An item of a shared chunk is closed to the clusters that have it in a record chunk, or in a shared chunk on the way
    up. The clusters to which no item of the chunk is closed must have room for all subrecords with an item that is
    closed somewhere, and for k others, if there are any.
    """
    if len(node) == 3:
        return True
    closed = [(leaf, shut) for child in node[0] for leaf, shut in closed_to(child)]
    for chunk in node[1]:
        domain = set().union(*chunk)
        restricted = [row for row in chunk if any(row & shut for _, shut in closed)]
        room = sum(leaf[0] for leaf, shut in closed if not domain & shut)
        others = k if len(restricted) < len(chunk) else 0
        if restricted and room < len(restricted) + others:
            return False
    return all(has_room(child, k) for child in node[0])


def closed_to(node: Simple | Joint) -> list[tuple[Simple, set[Item]]]:
    """Each cluster below, and the items that it cannot take from a shared chunk further up."""
    if len(node) == 3:
        return [(node, chunk_items(node))]
    own = {item for chunk in node[1] for subrecord in chunk for item in subrecord}
    return [(leaf, shut | own) for child in node[0] for leaf, shut in closed_to(child)]


def keeps_promise(nodes: Iterable[Simple | Joint], k: int, m: int) -> bool:
    """The conditions from which Guarantee 1 follows."""
    return all(
        property1(node, k, m)
        and has_room(node, k)
        and all(
            leaf[0] >= k and lemma2(leaf, k, m) and all(is_km_anonymous(chunk, k, m) for chunk in leaf[1])
            for leaf in leaves(node)
        )
        for node in nodes
    )


# -- possible worlds (Guarantee 1 itself) ------------------------------------------------------------------------------


def arrangements(values: Sequence[Hashable]) -> Iterator[tuple[Hashable, ...]]:
    """The different orders of a bag."""
    left = Counter(values)
    order: list[Hashable] = []

    def extend() -> Iterator[tuple[Hashable, ...]]:
        if len(order) == len(values):
            yield tuple(order)
            return
        for value in [value for value, count in left.items() if count]:
            left[value] -= 1
            order.append(value)
            yield from extend()
            order.pop()
            left[value] += 1

    return extend()


def worlds(node: Simple | Joint) -> Iterator[list[frozenset[Item]]]:
    """Possible originals of a small cluster: every placement of subrecords, every term item in every record.

    Term chunks hide how often an item occurs, so every record may hold all of its cluster's term items; any world is
    contained, record by record, in one of these. A cluster that would have an empty record is not possible. A record
    takes nothing from a shared chunk that shares an item with a chunk it belongs to further down.
    """
    n_records = sum(leaf[0] for leaf in leaves(node))
    empty = frozenset[Item]()

    def place_chunks(
        rows: list[frozenset[Item]], todo: list[tuple[Chunk, list[int], list[set[Item]]]]
    ) -> Iterator[list[frozenset[Item]]]:
        if not todo:
            yield rows
            return
        chunk, where, closed = todo[0]
        padded = [*chunk, *[empty] * (len(where) - len(chunk))]
        for order in arrangements(padded):
            if any(part & shut for part, shut in zip(order, closed, strict=True)):
                continue
            filled = list(rows)
            for place, part in zip(where, order, strict=True):
                filled[place] = filled[place] | part
            yield from place_chunks(filled, todo[1:])

    todo: list[tuple[Chunk, list[int], list[set[Item]]]] = []
    terms: list[frozenset[Item]] = []

    def collect(part: Simple | Joint, start: int) -> tuple[int, list[set[Item]]]:
        if len(part) == 3:
            where = list(range(start, start + part[0]))
            todo.extend((chunk, where, [set() for _ in where]) for chunk in part[1])
            terms.extend([frozenset(part[2])] * part[0])
            return start + part[0], [chunk_items(part) for _ in where]
        end, closed = start, list[set[Item]]()
        for child in part[0]:
            end, inner = collect(child, end)
            closed.extend(inner)
        where = list(range(start, end))
        todo.extend((chunk, where, closed) for chunk in part[1])
        own = {item for chunk in part[1] for subrecord in chunk for item in subrecord}
        return end, [shut | own for shut in closed]

    collect(node, 0)
    first = todo[:1] if len(node) == 3 else []
    start_rows = [empty] * n_records
    if first:
        # The records of one simple cluster have no names: the first chunk may be placed in any one way.
        start_rows = [*first[0][0], *[empty] * (n_records - len(first[0][0]))]
        todo = todo[1:]
    for rows in place_chunks(start_rows, todo):
        world = [row | term for row, term in zip(rows, terms, strict=True)]
        if all(world):
            yield world


def largest_supports(node: Simple | Joint, m: int) -> Counter[frozenset[Item]]:
    """For each set of 1..m items that some possible original holds: the most records that contain it in any."""
    best: Counter[frozenset[Item]] = Counter()
    for world in worlds(node):
        best |= itemset_supports(world, m)
    return best


def guarantee1(node: Simple | Joint, k: int, m: int) -> bool:
    """Every set of 1..m items that may occur in a record may occur in k records of one possible original."""
    return all(support >= k for support in largest_supports(node, m).values())


def reconstructable(cluster: Simple, records: Sequence[Iterable[Item]]) -> bool:
    """Whether the records are a possible original of a simple cluster: the projections are exactly its chunks."""
    size, chunks, terms = cluster
    rows = [frozenset(record) for record in records]
    if len(rows) != size or not all(rows):
        return False
    domains = [frozenset().union(*chunk) for chunk in chunks]
    everything = frozenset().union(*rows)
    if everything != frozenset(terms).union(*domains):
        return False
    return all(
        Counter(row & domain for row in rows if row & domain) == Counter(chunk)
        for chunk, domain in zip(chunks, domains, strict=True)
    )


# -- the publisher as printed (section 4) ------------------------------------------------------------------------------


def horpart_literal(records: Sequence[frozenset[Item]], max_size: int) -> list[list[int]]:
    """Algorithm HORPART, as lists of record numbers.

    Ties go to the smallest item; where no unused item is left, which the paper leaves open, a part stays whole.
    """
    parts: list[list[int]] = []

    def split(part: list[int], ignore: frozenset[Item]) -> None:
        if not part:
            return
        supports = Counter(item for number in part for item in records[number] if item not in ignore)
        if len(part) < max_size or not supports:
            parts.append(part)
            return
        chosen = min(supports, key=lambda item: (-supports[item], item))
        split([number for number in part if chosen in records[number]], ignore | {chosen})
        split([number for number in part if chosen not in records[number]], ignore)

    split(list(range(len(records))), frozenset())
    return parts


def verpart_literal(records: Sequence[frozenset[Item]], k: int, m: int) -> Simple:
    """Algorithm VERPART: items by falling support (ties: smaller first) into greedy chunks, rare ones into terms."""
    supports = Counter(item for record in records for item in record)
    remaining = sorted((item for item in supports if supports[item] >= k), key=lambda item: (-supports[item], item))
    terms = {item for item in supports if supports[item] < k}
    chunks: list[Chunk] = []
    while remaining:
        domain: set[Item] = set()
        for item in remaining:
            if is_km_anonymous(_project(records, domain | {item}), k, m):
                domain.add(item)
        chunks.append(_project(records, domain))
        remaining = [item for item in remaining if item not in domain]
    return len(records), chunks, terms


def _project(records: Sequence[frozenset[Item]], domain: set[Item]) -> Chunk:
    return [record & domain for record in records if record & domain]


def repaired(records: Sequence[frozenset[Item]], cluster: Simple, k: int, m: int) -> Simple:
    """Section 5: where Lemma 2 fails, the least frequent item of the record chunks goes to the term chunk."""
    if lemma2(cluster, k, m):
        return cluster
    supports = Counter(item for record in records for item in record)
    moved = min(chunk_items(cluster), key=lambda item: (supports[item], item))
    domains = [set().union(*chunk) - {moved} for chunk in cluster[1]]
    return len(records), [_project(records, domain) for domain in domains if domain], {moved}
