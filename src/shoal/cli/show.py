"""``shoal show``: what was published, as the papers draw it: clusters and chunks (VLDB 2012, figure 2b), or groups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.terminal import console, counted, draw, item_text, paragraph, result, table
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.release.disassociated import Disassociated

# A chunk is not drawn narrower than its items need, up to this; what does not fit beside it goes below.
_CHUNK_WIDTH = 48
_TERM_WIDTH = 24


def show(
    context: typer.Context,
    release: options.ReleaseArgument,
    cluster: Annotated[int | None, typer.Option("--cluster", metavar="N", help="Show this cluster only.")] = None,
    group: Annotated[int | None, typer.Option("--group", metavar="N", help="Tables: show this group only.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many clusters or groups to show.")] = 5,
    rows: Annotated[
        int,
        typer.Option(
            "--rows",
            metavar="N",
            min=1,
            help="How many different subrecords of a chunk, or rows of a group or of a release of rows, to show.",
        ),
    ] = 20,
) -> None:
    """Print what was published: the record chunks and term chunk of each cluster, the shared chunks of joint ones.

    Of a table: the rows of each group, and how often it has each sensitive value; or what the rows of each group agree
    on, and how often it has which sensitive values together. Of baskets that are rows: the first of them.
    """
    from shoal.io.release_folder import read_release
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized

    opened = read_release(release)
    if isinstance(opened, Randomized | GeneralizedBaskets | NoisyBaskets):
        from shoal.cli.show_rows import show_rows

        kind = "a randomized release" if isinstance(opened, Randomized) else f"a release by {opened.method}"
        refuse(context, ("cluster", "group", "limit"), f"{kind}, which has rows (--rows N)")
        _print_promises(opened)
        show_rows(opened, rows)
        return
    if not isinstance(opened, Disassociated):
        if cluster is not None:
            raise InputError(f"{release} is a release of a table, which has groups: --group {cluster}")
        if group is not None and not 0 <= group < opened.n_groups:
            raise InputError(f"there is no group {group}: they are numbered 0 to {opened.n_groups - 1}")
        _print_promises(opened)
        if isinstance(opened, Generalized):
            from shoal.cli.show_classes import show_classes

            show_classes(opened, group, limit, rows)
            return
        from shoal.cli.show_groups import show_groups

        result(f"{opened.n_rows:,} rows in {opened.n_groups:,} groups\n")
        show_groups(opened, group, limit, rows)
        return
    if group is not None:
        raise InputError(f"{release} is a release of baskets, which has clusters: --cluster {group}")
    if cluster is not None and not 0 <= cluster < opened.n_clusters:
        raise InputError(f"there is no cluster {cluster}: they are numbered 0 to {opened.n_clusters - 1}")
    _print_promises(opened)
    counts = opened.counts
    joints = f", {counted(counts['joint_clusters'], 'joint cluster')}" if counts["joint_clusters"] else ""
    result(f"{counts['records']:,} records, {counts['items']:,} items, {counts['clusters']:,} clusters{joints}\n")
    wanted = [cluster] if cluster is not None else range(min(limit, opened.n_clusters))
    for number in wanted:
        _draw(opened, number, rows)
    hidden = opened.n_clusters - len(wanted)
    if hidden and cluster is None:
        result(f"... and {hidden:,} more: --limit {opened.n_clusters} shows all of them, --cluster N one")


def _print_promises(release: Release) -> None:
    """In our words: those in the manifest could say anything."""
    for promise in release.promises:
        paragraph(promise.words)


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
    import numpy as np

    first, last = np.searchsorted(release.chunk_owner, [cluster, cluster + 1]).tolist()
    columns = []
    for place, chunk in enumerate(range(first, last), start=1):
        start, end = release.chunk_offsets[chunk : chunk + 2].tolist()
        bounds = release.subrecord_offsets[start : end + 1].tolist()
        codes = release.items[bounds[0] : bounds[-1]].tolist()
        subrecords = (tuple(codes[a - bounds[0] : b - bounds[0]]) for a, b in pairwise(bounds))
        lines: list[str] = []
        shown = 0
        for items, equal in groupby(subrecords):
            if len(lines) == rows:
                lines.append(f"... {end - start - shown:,} more")
                break
            times = sum(1 for _ in equal)
            shown += times
            lines.append(
                "{" + _names(release, items) + "}" + (f" \N{MULTIPLICATION SIGN}{times:,}" if times > 1 else "")
            )
        columns.append((f"{'Shared' if release.chunk_shared[chunk] else 'Record'} chunk {place}", lines))
    terms = release.term_items[slice(*release.term_offsets[cluster : cluster + 2].tolist())].tolist()
    if terms or not release.chunk_shared[first:last].any():  # a joint cluster has none
        columns.append(("Term chunk", [_names(release, terms)]))
    return columns


def _names(release: Disassociated, codes: Sequence[int]) -> str:
    return ", ".join(item_text(release.vocabulary[code].as_py()) for code in codes)
