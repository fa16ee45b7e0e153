"""Small trees for tests, in the shape of the oracle: simple clusters, and joints of up to three leaves, also nested."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.oracles import disassociation as oracle

ITEMS = "abcde"
PLACEMENTS = 600
"""Trees with more ways to place their subrecords are not drawn: the oracle goes through all of them."""


def bag(*rows: str) -> list[frozenset[str]]:
    return [frozenset(row) for row in rows]


PRINTED = ([(2, [bag("a", "a")], set()), (3, [bag("a", "a")], set())], [bag("b", "b")])
"""What REFINE as printed makes of {a}{ab} and {a}{a}{b}: {a, b} is in one record at most."""
NO_ROOM = (
    [
        ([(3, [bag("a", "a", "a")], {"q"}), (3, [bag("y", "y", "y")], {"r"})], [bag("z", "z", "z")]),
        (3, [bag("w", "w", "w")], {"t"}),
    ],
    [bag("a", "a", "a", "a", "b", "b", "b")],
)
"""Keeps Lemma 2 and Property 1 for k = 3, m = 2; but four a need six records, so that {b, y} is in two at most."""


@st.composite
def _chunk(draw: st.DrawFn, items: list[str], most: int) -> list[frozenset[str]]:
    rows = st.frozensets(st.sampled_from(items), min_size=1, max_size=2)
    kinds = draw(st.lists(rows, min_size=1, max_size=3, unique=True))
    counts = draw(st.lists(st.integers(1, most), min_size=len(kinds), max_size=len(kinds)))
    return [row for row, count in zip(kinds, counts, strict=True) for _ in range(count)][:most]


@st.composite
def _chunks(draw: st.DrawFn, pool: list[str], most: int) -> list[list[frozenset[str]]]:
    """Up to two chunks over different items, which are taken out of the pool."""
    chunks = []
    for width in draw(st.lists(st.integers(1, 2), max_size=2)):
        domain = [pool.pop() for _ in range(min(width, len(pool)))]
        if domain:
            chunks.append(draw(_chunk(domain, most)))
    return chunks


@st.composite
def _simple(draw: st.DrawFn, largest: int) -> Any:
    size, pool = draw(st.integers(1, largest)), list(draw(st.permutations(ITEMS)))
    chunks = draw(_chunks(pool, size))
    terms = set(pool[: draw(st.integers(0 if chunks else 1, 2))])
    return (size, chunks, terms)


@st.composite
def _joint(draw: st.DrawFn, nested: bool) -> Any:
    children = draw(st.lists(_simple(3), min_size=1 if nested else 2, max_size=2 if nested else 3))
    if nested:
        children.insert(draw(st.integers(0, len(children))), draw(_joint(nested=False)))
    pool, size = list(draw(st.permutations(ITEMS))), sum(leaf[0] for leaf in oracle.leaves((children, [])))
    return (children, draw(_chunks(pool, min(size, 4))))


def simple_trees() -> st.SearchStrategy[Any]:
    return _simple(5).filter(_is_small)


def joint_trees() -> st.SearchStrategy[Any]:
    return st.booleans().flatmap(lambda nested: _joint(nested=nested)).filter(_is_small)


def trees() -> st.SearchStrategy[Any]:
    return simple_trees() | joint_trees()


def _is_small(node: Any) -> bool:
    return _placements(node) <= PLACEMENTS


def _placements(node: Any) -> int:
    size = sum(leaf[0] for leaf in oracle.leaves(node))
    ways = math.prod(_placements(child) for child in node[0]) if len(node) == 2 else 1
    for chunk in node[1]:
        ways *= math.perm(size, len(chunk)) // math.prod(map(math.factorial, Counter(chunk).values()))
    return ways


def count_worlds(node: Any) -> int:
    """The number of possible originals with numbered records, by trying every set of records for every term item."""
    # In a joint the oracle places every chunk in every way; a marker in every term chunk keeps empty records.
    total = 0
    for world in oracle.worlds(([_marked(node)], [])):
        ways, start = 1, 0
        for size, _, terms in oracle.leaves(node):
            empty = {number for number, row in enumerate(world[start : start + size]) if row == {"#"}}
            sets = [{number for number in range(size) if code >> number & 1} for code in range(1, 2**size)]
            ways *= sum(empty <= set().union(*chosen) for chosen in product(sets, repeat=len(terms)))
            start += size
        total += ways
    return total


def _marked(node: Any) -> Any:
    if len(node) == 3:
        return (node[0], node[1], {"#"})
    return ([_marked(child) for child in node[0]], node[1])
