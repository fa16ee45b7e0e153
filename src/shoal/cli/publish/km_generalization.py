"""``shoal publish km-generalization``: baskets whose items are replaced by nodes of a hierarchy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.parameter_options import option_of
from shoal.cli.publish.basket_source import BasketSource
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said
from shoal.cli.terminal import Progress, note
from shoal.errors import InputError
from shoal.plural import counted
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions
    from shoal.release.generalized_baskets import GeneralizedBaskets


def km_generalization(
    source: BasketSource,
    k: Annotated[int, option_of("k", "km-generalization")],
    m: Annotated[int, option_of("m", "km-generalization")],
    hierarchy: Annotated[
        Path | None,
        typer.Option(
            "--hierarchy",
            metavar="FILE",
            help="What items may be replaced by: one line per item, from the item to the root. Default: items that are "
            "neighbours in alphabetical order are joined.",
        ),
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Place items that the hierarchy lacks under its root.")
    ] = False,
    fanout: Annotated[
        int | None,
        typer.Option(
            "--fanout", metavar="N", help="Without --hierarchy: how many neighbours are joined at a time. Default: 10."
        ),
    ] = None,
    publish_hierarchy: Annotated[
        bool,
        typer.Option(
            "--publish-hierarchy", help="Publish the whole hierarchy, including items below those in the rows."
        ),
    ] = False,
) -> AnyPublication:
    """k^m-anonymity by generalization: replace items by categories until no small set of them is rare.

    An item is replaced by the same category in all records, together with all other items of that category.
    """
    from shoal.data.item_hierarchies import FANOUT
    from shoal.limits import require_whole
    from shoal.promises import KmGeneralized

    # Fail early, before a large file is read.
    KmGeneralized(k, m)
    joined = FANOUT if fanout is None else fanout
    require_whole("fanout", joined, least=2)
    if hierarchy is None and complete:
        raise InputError(options.IDLE_COMPLETE)
    if hierarchy is not None and fanout is not None:
        raise InputError("--fanout applies to a hierarchy built from the items: remove it, or --hierarchy")

    def publish(baskets: Transactions, step: Progress) -> Made[GeneralizedBaskets]:
        from shoal.data.item_hierarchies import neighbours
        from shoal.publish.km_generalization import km_generalization

        if hierarchy is None:
            note(
                f"note: no hierarchy given: {joined} items that are neighbours in alphabetical order are joined at a "
                "time. A group is named after its first and its last item, however rare these are. --hierarchy FILE "
                "gives categories; shoal generate hierarchy --items writes this tree, to be edited."
            )
            tree = neighbours(baskets.words, fanout=joined)
        else:
            tree = options.read_item_hierarchy(str(hierarchy), baskets, complete=complete)
        release = km_generalization(
            baskets, k, m, hierarchy=tree, publish_hierarchy=publish_hierarchy, run=Run(progress=step)
        )
        return Made(release, None if hierarchy is None else tree)

    return Publication(source, publish, _sentences)


def _sentences(release: GeneralizedBaskets) -> Said:
    from shoal.measuring.baskets.item_generalization import published_ncp

    leaves = release.tree.leaves[release.is_held]
    alone = int((leaves == 1).sum())
    sentences = [
        f"{counted(release.n_rows, 'row')} of {counted(len(leaves), 'different item')}",
        f"{alone:,} of them {'is an item itself' if alone == 1 else 'are items themselves'}, the others represent up "
        f"to {int(leaves.max()):,} of {int(release.tree.leaves[0]):,} items",
    ]
    if alone == len(leaves):
        sentences[1] = "all of them are items themselves: nothing had to be generalized"
    elif release.is_held[0]:
        sentences[1] = f"{release.tree.labels[0]} represents all {int(leaves[0]):,} items: rows carry no information"
    penalty = published_ncp(release)
    sentences.append(f"NCP of the release: {penalty.shown} (0: nothing is lost, 1: everything)")
    return Said(sentences, {"ncp_of_published_items": penalty.value})
