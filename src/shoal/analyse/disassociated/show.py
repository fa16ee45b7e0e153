"""A disassociated release, cluster by cluster, as its paper draws it (VLDB 2012, figure 2b)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from shoal.analyse.contents import Column, Contents, Items, SideBySide, Wanted
from shoal.plural import counted
from shoal.release.disassociated import Disassociated

_CHUNK_WIDTH = 48
_TERM_WIDTH = 24


def show(release: Disassociated, wanted: Wanted) -> Contents:
    """How much there is, and some clusters with their chunks."""
    counts = release.counts
    joints = f", {counted(counts['joint_clusters'], 'joint cluster')}" if counts["joint_clusters"] else ""
    numbers = wanted.numbers("cluster", release.n_clusters)
    is_leaf = release.is_leaf.tolist()
    clusters = [_cluster(release, number, is_joint=not is_leaf[number], rows=wanted.rows) for number in numbers]
    return Contents(
        f"{counts['records']:,} records, {counts['items']:,} items, {counts['clusters']:,} clusters{joints}",
        map(_drawn, clusters),
        {"clusters": clusters},
        release.n_clusters,
        release.n_clusters - len(numbers),
    )


def _cluster(release: Disassociated, cluster: int, *, is_joint: bool, rows: int) -> dict[str, Any]:
    parent = int(release.cluster_parent[cluster])
    terms = release.term_items[slice(*release.term_offsets[cluster : cluster + 2].tolist())].tolist()
    return {
        "cluster": cluster,
        "records": int(release.cluster_size[cluster]),
        "joint": is_joint,
        "parent": parent if parent >= 0 else None,
        "chunks": list(_chunks(release, cluster, rows)),
        "term_chunk": _names(release, terms),
    }


def _chunks(release: Disassociated, cluster: int, rows: int) -> Iterator[dict[str, Any]]:
    """The chunks of a cluster, each with its first different subrecords."""
    first, last = np.searchsorted(release.chunk_owner, [cluster, cluster + 1]).tolist()
    for chunk in range(first, last):
        start, end = release.chunk_offsets[chunk : chunk + 2].tolist()
        bounds = release.subrecord_offsets[start : end + 1].tolist()
        codes = release.items[bounds[0] : bounds[-1]].tolist()
        parts = (tuple(codes[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds))
        found: list[dict[str, Any]] = []
        left = end - start
        for items, equal in groupby(parts):
            if len(found) == rows:
                break
            times = sum(1 for _ in equal)
            left -= times
            found.append({"items": _names(release, items), "times": times})
        kind = "shared" if release.chunk_shared[chunk] else "record"
        yield {"kind": kind, "subrecords": found, "more_subrecords": left}


def _names(release: Disassociated, codes: Sequence[int]) -> list[str]:
    return [release.vocabulary[code].as_py() for code in codes]


def _drawn(cluster: dict[str, Any]) -> SideBySide:
    """A cluster with its chunks side by side. Equal subrecords share a line."""
    inside = "" if cluster["parent"] is None else f", in joint cluster {cluster['parent']}"
    kind = "Joint cluster" if cluster["joint"] else "Cluster"
    title = f"{kind} {cluster['cluster']}: {counted(cluster['records'], 'record')}{inside}"
    columns = []
    for place, chunk in enumerate(cluster["chunks"], start=1):
        lines: list[Items | str] = [Items(found["items"], times=found["times"]) for found in chunk["subrecords"]]
        if chunk["more_subrecords"]:
            lines.append(f"... {chunk['more_subrecords']:,} more")
        columns.append(Column(f"{chunk['kind'].capitalize()} chunk {place}", lines, _CHUNK_WIDTH))
    terms = cluster["term_chunk"]
    if terms or not any(chunk["kind"] == "shared" for chunk in cluster["chunks"]):  # a joint cluster has none
        columns.append(Column("Term chunk", [Items(terms, is_set=False)], _TERM_WIDTH))
    return SideBySide(title, columns)
