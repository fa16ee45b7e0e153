"""Hypothesis strategies: records, chunks, and releases made by the literal publisher of the oracles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.oracles import disassociation as oracle

ITEMS = "abcdefgh"


def records(min_size: int = 1, max_size: int = 14, items: str = ITEMS) -> st.SearchStrategy[list[frozenset[str]]]:
    """Lists of non-empty records."""
    record = st.frozensets(st.sampled_from(items), min_size=1, max_size=len(items))
    return st.lists(record, min_size=min_size, max_size=max_size)


def transactions(min_size: int = 1, max_size: int = 14) -> st.SearchStrategy[Any]:
    """The same as :class:`shoal.data.transactions.Transactions`."""
    from shoal.data.transactions import Transactions

    return records(min_size, max_size).map(Transactions.from_records)


def chunks(max_rows: int = 12, items: str = ITEMS) -> st.SearchStrategy[list[frozenset[str]]]:
    """A bag of subrecords in which some repeat often, so that both verdicts turn up."""
    row = st.frozensets(st.sampled_from(items), min_size=1, max_size=len(items))
    repeated = st.lists(st.tuples(row, st.integers(1, 4)), min_size=1, max_size=max_rows)
    return repeated.map(lambda rows: [row for row, times in rows for _ in range(times)])


@dataclass(frozen=True)
class Published:
    """What the literal publisher made of some records."""

    records: list[frozenset[str]]
    nodes: list[Any]
    k: int
    m: int


@st.composite
def publications(draw: st.DrawFn, joints: bool = True) -> Published:
    """Releases that keep their promise: literal clusters of at least k records, repaired, some of them joined."""
    k, m = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    parts = draw(st.lists(records(k, 6, "abcde"), min_size=1, max_size=4))
    clusters = [(part, oracle.repaired(part, oracle.verpart_literal(part, k, m), k, m)) for part in parts]
    nodes: list[Any] = []
    while clusters:
        if joints and len(clusters) > 1 and draw(st.booleans()):
            nodes.append(_join(clusters.pop(), clusters.pop(), k, m))
        else:
            nodes.append(clusters.pop()[1])
    return Published([record for part in parts for record in part], nodes, k, m)


def _join(one: tuple[Any, Any], two: tuple[Any, Any], k: int, m: int) -> Any:
    """A joint with one shared chunk for each common term item that is frequent enough, unless Lemma 2 needs it."""
    terms = [set(one[1][2]), set(two[1][2])]
    shared = []
    for item in sorted(terms[0] & terms[1]):
        support = sum(item in record for record in one[0] + two[0])
        left = [(part[1][0], part[1][1], own - {item}) for part, own in zip((one, two), terms, strict=True)]
        if support >= k and all(oracle.lemma2(leaf, k, m) for leaf in left):
            shared.append([frozenset(item)] * support)
            terms = [own - {item} for own in terms]
    children = [(part[1][0], part[1][1], own) for part, own in zip((one, two), terms, strict=True)]
    return (children, shared)
