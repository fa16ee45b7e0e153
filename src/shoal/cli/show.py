"""``shoal show``: clusters and chunks side by side, as the paper draws them (VLDB 2012, figure 2b)."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import console, printable, result, table
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.release.disassociated import Disassociated


def show(
    release: options.ReleaseArgument,
    cluster: Annotated[int | None, typer.Option("--cluster", metavar="N", help="Show this cluster only.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many clusters to show.")] = 5,
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="How many subrecords of a chunk to show.")] = 20,
) -> None:
    """Print what was published: for each cluster its record chunks and its term chunk."""
    from shoal.io.release_folder import read_manifest, read_release

    opened = read_release(release)
    if cluster is not None and not 0 <= cluster < opened.n_clusters:
        raise InputError(f"there is no cluster {cluster}: they are numbered 0 to {opened.n_clusters - 1}")
    counts = opened.counts
    for promise in read_manifest(release)["promises"]:
        result(str(promise["words"]))
    result(f"{counts['records']:,} records, {counts['items']:,} items, {counts['clusters']:,} clusters\n")
    wanted = [cluster] if cluster is not None else range(min(limit, opened.n_clusters))
    for number in wanted:
        _draw(opened, number, rows)
    hidden = opened.n_clusters - len(wanted)
    if hidden and cluster is None:
        result(f"... and {hidden:,} more clusters: --limit {opened.n_clusters} shows all, --cluster N one of them")


def _draw(release: Disassociated, cluster: int, rows: int) -> None:
    from rich.text import Text

    import numpy as np

    words = release.words
    first, last = np.searchsorted(release.chunk_owner, [cluster, cluster + 1]).tolist()
    columns = []
    for chunk in range(first, last):
        start, end = release.chunk_offsets[chunk : chunk + 2].tolist()
        cells = [_items(words, release.items[slice(*release.subrecord_offsets[r : r + 2])]) for r in range(start, min(end, start + rows))]
        if end - start > rows:
            cells.append(f"... {end - start - rows:,} more")
        columns.append(cells)
    terms = ", ".join(words[item] for item in release.term_items[slice(*release.term_offsets[cluster : cluster + 2])].tolist())
    columns.append([terms])
    kind = "Record" if not release.chunk_shared[first:last].any() else "Shared"
    parent = int(release.cluster_parent[cluster])
    drawn = table(
        *(f"{kind} chunk {number + 1}" for number in range(last - first)),
        "Term chunk",
        title=f"Cluster {cluster}: {release.cluster_size[cluster]:,} records" + (f", in joint cluster {parent}" if parent >= 0 else ""),
    )
    for cells in zip_longest(*columns, fillvalue=""):
        drawn.add_row(*(Text(printable(cell)) for cell in cells))
    console().print(drawn)


def _items(words: list[str], codes: object) -> str:
    return "{" + ", ".join(words[code] for code in codes.tolist()) + "}"  # type: ignore[attr-defined]
