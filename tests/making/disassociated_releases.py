"""Releases and records out of plain Python lists, for tests.

A simple cluster is ``(size, chunks, terms)``, a joint cluster ``(children, shared_chunks)``; a chunk is a list of
subrecords, a subrecord any collection of names: ``"ab"`` is the two items a and b.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.transactions import vocabulary_order
from shoal.promises import KmAnonymity, LDiversity
from shoal.release.disassociated import Disassociated
from shoal.release.manifest import Dropped


def disassociated(
    nodes: Iterable[Any],
    k: int = 2,
    m: int = 2,
    *,
    sensitive: Iterable[str] = (),
    l: int = 2,  # noqa: E741
    dropped: Dropped | None = None,
    sort: bool = True,
    joint_size: int | None = None,
) -> Disassociated:
    """Build a release; ``sort=False`` keeps subrecords and items as they are given, repetitions and all."""
    sizes: list[int] = []
    parents: list[int] = []
    terms: list[list[str]] = []
    chunks: list[tuple[int, bool, list[list[str]]]] = []

    def add(node: Any, parent: int) -> int:
        number = len(sizes)
        sizes.append(0)
        parents.append(parent)
        terms.append([])
        if len(node) == 3:
            sizes[number] = node[0]
            terms[number] = list(node[2])
        else:
            sizes[number] = sum(add(child, number) for child in node[0])
            if joint_size is not None:
                sizes[number] = joint_size
        chunks.extend((number, len(node) == 2, [list(row) for row in chunk]) for chunk in node[1])
        return sizes[number]

    for node in nodes:
        add(node, -1)
    chunks.sort(key=lambda chunk: chunk[0])
    names = {name for row in terms for name in row} | {name for _, _, rows in chunks for row in rows for name in row}
    words = pa.array(sorted(names), pa.string())
    vocabulary = words.take(pa.array(vocabulary_order(words)))
    code = {name: number for number, name in enumerate(vocabulary.to_pylist())}

    def coded(row: list[str]) -> list[int]:
        codes = [code[name] for name in row]
        return sorted(set(codes)) if sort else codes

    rows = [sorted(coded(row) for row in chunk) if sort else [coded(row) for row in chunk] for _, _, chunk in chunks]
    flat = [row for chunk in rows for row in chunk]
    coded_terms = [coded(row) for row in terms]
    secret = tuple(sensitive)
    return Disassociated(
        promise=KmAnonymity(k, m),
        vocabulary=vocabulary,
        cluster_size=np.array(sizes, np.int64),
        cluster_parent=np.array(parents, np.int64),
        chunk_owner=np.array([owner for owner, _, _ in chunks], np.int64),
        chunk_shared=np.array([shared for _, shared, _ in chunks], bool),
        chunk_offsets=offsets(len(chunk) for chunk in rows),
        subrecord_offsets=offsets(len(row) for row in flat),
        items=np.array([item for row in flat for item in row], np.int32),
        term_offsets=offsets(len(row) for row in coded_terms),
        term_items=np.array([item for row in coded_terms for item in row], np.int32),
        diversity=LDiversity(l, secret) if secret else None,
        dropped=dropped or Dropped(),
    )


def offsets(lengths: Iterable[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Running starts, with the end."""
    return np.concatenate([[0], np.cumsum(list(lengths))]).astype(np.int64)


def flat(rows: Iterable[Iterable[int]]) -> tuple[Any, Any]:
    """Rows of numbers as a ragged array."""
    held = [list(row) for row in rows]
    return offsets(map(len, held)), np.array([value for row in held for value in row], np.int32)


def nodes_of(release: Disassociated) -> list[Any]:
    """A release as the nodes that it was built from; subrecords and term chunks are frozensets."""
    words = release.words
    rows = [frozenset(words[i] for i in part) for part in np.split(release.items, release.subrecord_offsets[1:-1])]
    chunks: list[list[Any]] = [[] for _ in range(release.n_clusters)]
    for chunk, owner in enumerate(release.chunk_owner):
        chunks[owner].append(rows[release.chunk_offsets[chunk] : release.chunk_offsets[chunk + 1]])
    terms = [frozenset(words[i] for i in part) for part in np.split(release.term_items, release.term_offsets[1:-1])]
    children: list[list[Any]] = [[] for _ in range(release.n_clusters)]
    nodes: list[Any] = []
    for p in reversed(range(release.n_clusters)):  # what lies below a joint comes after it
        below = children[p][::-1]
        node = (below, chunks[p]) if below else (int(release.cluster_size[p]), chunks[p], terms[p])
        parent = int(release.cluster_parent[p])
        (nodes if parent < 0 else children[parent]).append(node)
    return nodes[::-1]
