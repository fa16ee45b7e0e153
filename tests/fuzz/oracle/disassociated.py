"""What a disassociated release must be, and what its promises say, over all its possible originals."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

from tests.fuzz.oracle.folder import Folder, Rows, ascending, counts_are, demand, item_key, never_falling
from tests.fuzz.oracle.placing import frozen, worlds

Node = Any


def check(folder: Folder) -> None:
    """Raises Broken where something is not as the format and the promises say."""
    nodes = nodes_of(folder)
    promises = folder.promises
    first = promises.get("KmAnonymity") or promises.get("SuppressedKm")
    demand(first is not None, "no promise of k^m")
    assert first
    for node in nodes:
        demand(worlds(node, frozenset(), all_terms=True), "a cluster has no possible original")
        _km(node, first["k"], first["m"])
        if "LDiversity" in promises:
            _diverse(node, promises["LDiversity"]["l"], set(promises["LDiversity"]["sensitive"]))
        if "NoCertainLinks" in promises:
            _no_links(node)


def nodes_of(folder: Folder) -> list[Node]:
    """The clusters as trees, after all conditions on their form."""
    clusters, chunks, subrecords, terms = (
        folder.tables[name] for name in ("clusters", "chunks", "subrecords", "term_chunks")
    )
    n = len(clusters)
    demand([row["cluster"] for row in clusters] == list(range(n)), "numbers of clusters")
    demand([row["chunk"] for row in chunks] == list(range(len(chunks))), "numbers of chunks")
    demand(never_falling([row["owner"] for row in chunks]), "owners ascend")
    demand(never_falling([row["chunk"] for row in subrecords]), "chunks of subrecords ascend")
    demand(ascending([row["cluster"] for row in terms]), "term chunks ascend")
    demand(all(0 <= row["owner"] < n for row in chunks), "owners are clusters")
    demand(all(0 <= row["chunk"] < len(chunks) for row in subrecords), "subrecords are of chunks")
    joints = {row["joint"] for row in clusters} - {None}
    demand(all(0 <= joint < n for joint in joints), "joints are clusters")
    _lists(subrecords, terms)
    by_chunk: dict[int, list[frozenset[str]]] = {row["chunk"]: [] for row in chunks}
    for row in subrecords:
        by_chunk[row["chunk"]].append(frozenset(row["items"]))
    demand(all(by_chunk.values()), "a chunk is empty")
    own: dict[int, list[Any]] = {number: [] for number in range(n)}
    for row in chunks:
        demand(row["kind"] == ("shared" if row["owner"] in joints else "record"), "the kind of a chunk")
        own[row["owner"]].append(by_chunk[row["chunk"]])
    named = {row["cluster"]: frozenset(row["items"]) for row in terms}
    demand(all(0 <= number < n and number not in joints for number in named), "term chunks are of leaves")
    sizes = [row["size"] for row in clusters]
    parents = [row["joint"] for row in clusters]
    for number in range(n):
        seen = set()
        up: int | None = number
        while up is not None:
            demand(up not in seen, "joints form a circle")
            seen.add(up)
            up = parents[up]

    def built(number: int) -> Node:
        demand(sizes[number] >= 1, "a size below 1")
        demand(all(len(chunk) <= sizes[number] for chunk in own[number]), "more subrecords than records")
        domains = [frozenset().union(*chunk) for chunk in own[number]]
        for one, other in combinations([*domains, named.get(number, frozenset())], 2):
            demand(not one & other, "an item in two chunks of a cluster")
        if number not in joints:
            demand(domains or named.get(number), "a cluster without items")
            return sizes[number], own[number], named.get(number, frozenset())
        children = [built(child) for child in range(n) if parents[child] == number]
        demand(sizes[number] == sum(map(_size, children)), "the size of a joint")
        shared = frozenset().union(*domains)
        demand(
            not any(shared & terms for child in children for terms in _terms(child)), "a shared item in a term chunk"
        )
        return children, own[number]

    nodes = [built(number) for number in range(n) if parents[number] is None]
    items = {item for row in [*subrecords, *terms] for item in row["items"]}
    leaves = [number for number in range(n) if number not in joints]
    counts_are(
        folder,
        records=sum(sizes[number] for number in leaves),
        items=len(items),
        clusters=len(leaves),
        joint_clusters=len(joints),
        chunks=len(chunks),
        subrecords=len(subrecords),
    )
    return [frozen(node) for node in nodes]


def _lists(subrecords: Rows, terms: Rows) -> None:
    key = item_key({item for row in [*subrecords, *terms] for item in row["items"]})
    for row in [*subrecords, *terms]:
        demand(row["items"] or "cluster" in row, "an empty subrecord")  # an empty term chunk is none
        demand(ascending([key(item) for item in row["items"]]), "items ascend")
    for one, other in pairwise(subrecords):
        if one["chunk"] == other["chunk"]:
            demand(
                [key(item) for item in one["items"]] <= [key(item) for item in other["items"]], "subrecords in order"
            )


def _size(node: Node) -> int:
    return node[0] if len(node) == 3 else sum(map(_size, node[0]))


def _terms(node: Node) -> list[frozenset[str]]:
    return [node[2]] if len(node) == 3 else [terms for child in node[0] for terms in _terms(child)]


def _leaves(node: Node) -> list[Node]:
    return [node] if len(node) == 3 else [leaf for child in node[0] for leaf in _leaves(child)]


def _items(node: Node) -> set[str]:
    if len(node) == 3:
        return {item for chunk in node[1] for row in chunk for item in row} | node[2]
    return {item for chunk in node[1] for row in chunk for item in row}.union(*map(_items, node[0]))


def _km(node: Node, k: int, m: int) -> None:
    """Every set of up to m items that some possible original holds is in k records of one."""
    for size in range(1, min(m, len(_items(node))) + 1):
        for few in map(frozenset, combinations(sorted(_items(node)), size)):
            most = max(
                sum(count for (_, held, _), count in world if held == few)
                for world in worlds(node, few, all_terms=True)
            )
            demand(most == 0 or most >= k, f"{sorted(few)} is in at most {most} records of any possible original")


def _diverse(node: Node, l: int, sensitive: set[str]) -> None:  # noqa: E741
    """Sensitive items are in term chunks only, of l records, and the others can fill all records."""
    for leaf in _leaves(node):
        demand(not leaf[2] & sensitive or leaf[0] >= l, "a sensitive item in a cluster of fewer than l records")
    without = _without(node, frozenset(sensitive))
    demand(_items(node) & sensitive == set().union(*_terms(node)) & sensitive, "a sensitive item in a chunk")
    held = {item for leaf in _leaves(node) for chunk in leaf[1] for row in chunk for item in row}
    demand(not held & sensitive and not _chunked(node) & sensitive, "a sensitive item in a chunk")
    demand(worlds(without, frozenset(), all_terms=True), "a sensitive item is forced on a record")


def _chunked(node: Node) -> set[str]:
    own = {item for chunk in node[1] for row in chunk for item in row}
    return own if len(node) == 3 else own.union(*map(_chunked, node[0]))


def _without(node: Node, sensitive: frozenset[str]) -> Node:
    if len(node) == 3:
        return node[0], node[1], node[2] - sensitive
    return tuple(_without(child, sensitive) for child in node[0]), node[1]


def _no_links(node: Node) -> None:
    """For any two items that records of a leaf may hold, one may be there without the other."""
    for one, other in combinations(sorted(_items(node)), 2):
        apart, there = set(), set()
        for world in worlds(node, frozenset((one, other)), all_terms=False):
            for (leaf, held, _), _count in world:
                there |= {(leaf, item) for item in held}
                if len(held) == 1:
                    apart |= {(leaf, item) for item in held}
        for leaf, item in there:
            lone = other if item == one else one
            if (leaf, lone) in there:
                demand((leaf, item) in apart, f"{item} implies {lone} in a cluster")
