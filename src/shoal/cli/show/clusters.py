"""A disassociated release, cluster by cluster, as its paper draws it (VLDB 2012, figure 2b)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.cli.terminal import console, counted, draw, item_text, result, table

if TYPE_CHECKING:
    from shoal.release.disassociated import Disassociated

# A chunk is not drawn narrower than its items need, up to this; what does not fit beside it goes below.
_CHUNK_WIDTH = 48
_TERM_WIDTH = 24


class _Chunk(NamedTuple):
    kind: str
    subrecords: list[tuple[list[str], int]]
    """The different ones that are shown, and how often each is there."""
    more: int
    """Subrecords that are not shown."""


def show_clusters(release: Disassociated, numbers: Sequence[int], rows: int) -> None:
    """Print how much there is, and some clusters."""
    counts = release.counts
    joints = f", {counted(counts['joint_clusters'], 'joint cluster')}" if counts["joint_clusters"] else ""
    result(f"{counts['records']:,} records, {counts['items']:,} items, {counts['clusters']:,} clusters{joints}\n")
    for number in numbers:
        _draw(release, number, rows)


def clusters_as_json(release: Disassociated, numbers: Iterable[int], rows: int) -> dict[str, Any]:
    """The same clusters for a machine."""
    return {"clusters": [_as_json(release, number, rows) for number in numbers]}


def _as_json(release: Disassociated, cluster: int, rows: int) -> dict[str, Any]:
    parent = int(release.cluster_parent[cluster])
    chunks = [
        {
            "kind": chunk.kind,
            "subrecords": [{"items": items, "times": times} for items, times in chunk.subrecords],
            "more_subrecords": chunk.more,
        }
        for chunk in _chunks(release, cluster, rows)
    ]
    return {
        "cluster": cluster,
        "records": int(release.cluster_size[cluster]),
        "joint": not release.is_leaf[cluster],
        "parent": parent if parent >= 0 else None,
        "chunks": chunks,
        "term_chunk": _terms(release, cluster),
    }


def _draw(release: Disassociated, cluster: int, rows: int) -> None:
    """One cluster as a table, or several below each other where its chunks do not fit side by side."""
    from rich.cells import cell_len
    from rich.text import Text

    columns = _columns(release, cluster, rows)
    parent = int(release.cluster_parent[cluster])
    size = int(release.cluster_size[cluster])
    inside = f", in joint cluster {parent}" if parent >= 0 else ""
    kind = "Cluster" if release.is_leaf[cluster] else "Joint cluster"
    result(f"{kind} {cluster}: {size:,} {'record' if size == 1 else 'records'}{inside}")
    room = console().width
    while columns:
        width = taken = 0
        while taken < len(columns):
            heading, lines = columns[taken]
            most = _TERM_WIDTH if heading == "Term chunk" else _CHUNK_WIDTH
            width += 3 + min(most, max(cell_len(line) for line in (heading, *lines)))
            if taken and width > room:
                break
            taken += 1
        drawn = table(*(heading for heading, _ in columns[:taken]))
        # One row, so that a long term chunk does not push the subrecords beside it apart.
        drawn.add_row(*(Text("\n".join(lines)) for _, lines in columns[:taken]))
        draw(drawn)
        columns = columns[taken:]


def _columns(release: Disassociated, cluster: int, rows: int) -> list[tuple[str, list[str]]]:
    """The chunks of a cluster, each as its heading and its lines. Equal subrecords share a line."""
    columns = []
    chunks = list(_chunks(release, cluster, rows))
    for place, chunk in enumerate(chunks, start=1):
        lines = [
            "{" + ", ".join(map(item_text, items)) + "}" + (f" \N{MULTIPLICATION SIGN}{times:,}" if times > 1 else "")
            for items, times in chunk.subrecords
        ]
        if chunk.more:
            lines.append(f"... {chunk.more:,} more")
        columns.append((f"{chunk.kind.capitalize()} chunk {place}", lines))
    terms = _terms(release, cluster)
    if terms or not any(chunk.kind == "shared" for chunk in chunks):  # a joint cluster has none
        columns.append(("Term chunk", [", ".join(map(item_text, terms))]))
    return columns


def _chunks(release: Disassociated, cluster: int, rows: int) -> Iterator[_Chunk]:
    import numpy as np

    first, last = np.searchsorted(release.chunk_owner, [cluster, cluster + 1]).tolist()
    for chunk in range(first, last):
        start, end = release.chunk_offsets[chunk : chunk + 2].tolist()
        bounds = release.subrecord_offsets[start : end + 1].tolist()
        codes = release.items[bounds[0] : bounds[-1]].tolist()
        parts = (tuple(codes[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds))
        found: list[tuple[list[str], int]] = []
        left = end - start
        for items, equal in groupby(parts):
            if len(found) == rows:
                break
            times = sum(1 for _ in equal)
            left -= times
            found.append((_names(release, items), times))
        yield _Chunk("shared" if release.chunk_shared[chunk] else "record", found, left)


def _terms(release: Disassociated, cluster: int) -> list[str]:
    return _names(release, release.term_items[slice(*release.term_offsets[cluster : cluster + 2].tolist())].tolist())


def _names(release: Disassociated, codes: Sequence[int]) -> list[str]:
    return [release.vocabulary[code].as_py() for code in codes]
