"""``shoal query``: how many records hold these items, as far as a release tells."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import draw, item_text, kernel_work, paragraph, progress_bar, result, result_json, table
from shoal.errors import InputError


def query(
    release: options.ReleaseArgument,
    itemsets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ITEMS...", help='Items parted by commas, as in "bread, milk"; quote a name that has commas.'
        ),
    ] = None,
    none_of: Annotated[
        str | None,
        typer.Option("--none-of", metavar="ITEMS", help="Count only records with none of these items, in every query."),
    ] = None,
    term_items: options.TermItemsOption = options.TermItems.once,
    json: options.JsonOption = False,
) -> None:
    """Count the records that hold all of the items: certain bounds, and the mean over random reconstructions."""
    from shoal.io.release_folder import read_disassociated

    wanted = [options.item_names(text) for text in itemsets or []]
    unwanted = options.item_names(none_of) if none_of else []
    if not wanted and not unwanted:
        raise InputError('nothing is asked: name some items, as in shoal query release "bread, milk"')
    wanted = wanted or [[]]
    with progress_bar() as progress, kernel_work(progress) as step:
        from shoal.analyse.supports import supports

        opened = read_disassociated(release)
        found = supports(opened, wanted, without=[unwanted] * len(wanted), term_items=term_items.value, progress=step)
    struck = opened.dropped.plain_instances + opened.dropped.sensitive_instances
    if json:
        answers = [{"all_of": items, "none_of": unwanted, **asdict(found[at])} for at, items in enumerate(wanted)]
        result_json({"records": opened.n_records, "occurrences_left_out": struck, "supports": answers})
        return
    drawn = table("all of", "none of", "expected", "deviation", "at least", "at most")
    for at, items in enumerate(wanted):
        one = found[at]
        drawn.add_row(
            ", ".join(map(item_text, items)),
            ", ".join(map(item_text, unwanted)),
            *(f"{one.expected:,.1f}", f"{one.deviation:,.1f}", f"{one.least:,}", f"{one.most:,}"),
        )
    result(f"of {opened.n_records:,} records:")
    draw(drawn)
    paragraph(
        "Every possible original lies between the bounds. Expected is the mean over random reconstructions, each chunk "
        "placed independently and uniformly; it is no estimate of how items of different chunks went together."
        + (
            f" Publishing left out {struck:,} occurrences of items: the original may have up to so many records more."
            if struck
            else ""
        )
    )
