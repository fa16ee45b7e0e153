"""``shoal show``: what was published, as the papers draw it: clusters and chunks, groups, or rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.evidence import refuse
from shoal.cli.terminal import paragraph, result, result_json
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.release import Release


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
    json: options.JsonOption = False,
) -> None:
    """Print what was published: the record chunks and term chunk of each cluster, the shared chunks of joint ones.

    Of a table: the rows of each group, and how often it has each sensitive value; or what the rows of each group agree
    on, and how often it has which sensitive values together. Of baskets that are rows: the first of them.
    """
    from shoal.cli.show.classes import classes_as_json, show_classes
    from shoal.cli.show.clusters import clusters_as_json, show_clusters
    from shoal.cli.show.groups import groups_as_json, show_groups
    from shoal.cli.show.rows import rows_as_json, show_rows
    from shoal.io.release_folder import read_release
    from shoal.release.disassociated import Disassociated
    from shoal.release.generalized import Generalized
    from shoal.release.generalized_baskets import GeneralizedBaskets
    from shoal.release.noisy_baskets import NoisyBaskets
    from shoal.release.randomized import Randomized

    opened = read_release(release)
    if isinstance(opened, Randomized | GeneralizedBaskets | NoisyBaskets):
        kind = "a randomized release" if isinstance(opened, Randomized) else f"a release by {opened.method}"
        refuse(context, ("cluster", "group", "limit"), f"{kind}, which has rows (--rows N)")
        if json:
            result_json(_with_promises(opened, rows_as_json(opened, rows)))
            return
        _print_promises(opened)
        show_rows(opened, rows)
        return
    if isinstance(opened, Disassociated):
        if group is not None:
            raise InputError(f"{release} is a release of baskets, which has clusters: --cluster {group}")
        part, asked, n_parts = "cluster", cluster, opened.n_clusters
    else:
        if cluster is not None:
            raise InputError(f"{release} is a release of a table, which has groups: --group {cluster}")
        part, asked, n_parts = "group", group, opened.n_groups
    if asked is not None and not 0 <= asked < n_parts:
        raise InputError(f"there is no {part} {asked}: they are numbered 0 to {n_parts - 1}")
    numbers = range(min(limit, n_parts)) if asked is None else range(asked, asked + 1)
    if json:
        if isinstance(opened, Disassociated):
            shown = clusters_as_json(opened, numbers, rows)
        elif isinstance(opened, Generalized):
            shown = classes_as_json(opened, numbers, rows)
        else:
            shown = groups_as_json(opened, numbers, rows)
        result_json(_with_promises(opened, shown))
        return
    _print_promises(opened)
    if isinstance(opened, Disassociated):
        show_clusters(opened, numbers, rows)
    elif isinstance(opened, Generalized):
        show_classes(opened, numbers, rows)
    else:
        show_groups(opened, numbers, rows)
    hidden = n_parts - len(numbers)
    if hidden and asked is None:
        of_groups = "" if part == "cluster" else " groups" if hidden > 1 else " group"
        result(f"... and {hidden:,} more{of_groups}: --limit {n_parts} shows all of them, --{part} N one")


def _print_promises(release: Release) -> None:
    """In our words: those in the manifest could say anything."""
    for promise in release.promises:
        paragraph(promise.words)


def _with_promises(release: Release, shown: dict[str, Any]) -> dict[str, Any]:
    return {"promises": [promise.words for promise in release.promises], "counts": release.counts, **shown}
