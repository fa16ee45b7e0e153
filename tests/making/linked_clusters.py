"""Small clusters and joints of two, of any chunks: as likely with certain links as without."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import strategies as st


def rows_over(items: str) -> st.SearchStrategy[frozenset[str]]:
    chosen = [frozenset(some) for size in range(1, len(items) + 1) for some in combinations(items, size)]
    return st.sampled_from(chosen)


@st.composite
def clusters(draw: st.DrawFn) -> Any:
    """Any cluster over four items: up to two chunks, up to two term items."""
    size = draw(st.integers(2, 5))
    names = draw(st.permutations("abcd"))
    one, two = sorted(draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))
    parts = ["".join(sorted(part)) for part in (names[:one], names[one:two])]
    chunks = [draw(st.lists(rows_over(part), min_size=2, max_size=size)) for part in parts if part]
    return size, chunks, frozenset(names[two:][:2])


@st.composite
def joints(draw: st.DrawFn) -> Any:
    """Any two small clusters that share a chunk, whose items they may have elsewhere."""
    leaves = []
    for items in ("ab", "ac"):
        size = draw(st.integers(2, 3))
        own = draw(st.sampled_from(["", items, items[0], items[1]]))
        chunks = [draw(twice(own))] if own else []
        leaves.append((size, chunks, frozenset(draw(st.sampled_from(["", "t"])))))
    shared = draw(st.sampled_from(["d", "de", "ad", "ab"]))
    return leaves, [draw(twice(shared) | st.lists(rows_over(shared), min_size=2, max_size=4))]


def twice(items: str) -> st.SearchStrategy[list[frozenset[str]]]:
    """One subrecord two times."""
    return rows_over(items).map(lambda row: [row, row])
