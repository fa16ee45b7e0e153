"""``shoal publish diffpart``: baskets with noisy counts, under differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.parameter_options import option_of
from shoal.cli.publish.basket_source import BasketSource, ItemsOption, ListedBaskets, names_of
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said, SeedOption
from shoal.cli.terminal import Progress
from shoal.errors import InputError
from shoal.parameters import PARAMETERS
from shoal.plural import counted

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions
    from shoal.release.noisy_baskets import NoisyBaskets


def diffpart(
    source: BasketSource,
    epsilon: Annotated[
        float,
        option_of("epsilon", "diffpart"),
    ],
    hierarchy: Annotated[
        Path | None,
        typer.Option(
            "--hierarchy",
            metavar="FILE",
            help="A hierarchy of items, one line an item, from the item to the root. It is published, and must not "
            "have been made from these data. Default: neighbours in the order of their names are joined.",
        ),
    ] = None,
    fanout: Annotated[
        int | None,
        typer.Option("--fanout", metavar="N", help="How many neighbours are joined, level by level. Default: 10."),
    ] = None,
    items: ItemsOption = None,
    seed: SeedOption = None,
) -> AnyPublication:
    """DiffPart: which baskets there are, and how often, give or take some noise; differentially private.

    Rare baskets are missing, by far most of them where there are many items, and baskets that nobody has are among
    those published.
    """
    from shoal.data.item_hierarchies import FANOUT
    from shoal.limits import require_whole

    PARAMETERS["epsilon"].check(epsilon)  # say at once what is wrong
    if hierarchy is not None and (items is not None or fanout is not None):
        raise InputError("--hierarchy lists the items and how they are joined: give it, or --items and --fanout")
    if fanout is not None:
        require_whole("fanout", fanout, least=2)
    names = names_of(items)

    def publish(baskets: Transactions, step: Progress) -> Made[NoisyBaskets]:
        from shoal.io.hierarchies import read_hierarchy
        from shoal.publish.diffpart import diffpart

        tree = None if hierarchy is None else read_hierarchy(hierarchy)
        release = diffpart(
            baskets, epsilon, hierarchy=tree, fanout=fanout or FANOUT, items=names, seed=seed, progress=step
        )
        return Made(release, tree)

    listed = names is not None or hierarchy is not None
    lists = "--items FILE or --hierarchy FILE gives"
    data = ListedBaskets(**vars(source), listed=listed, private=True, lists=lists)
    return Publication(data, publish, _sentences)


def _sentences(release: NoisyBaskets) -> Said:
    sentences = [f"{counted(release.n_rows, 'different basket')}, {release.n_records:,} in all by their noisy counts,"]
    if release.n_rows:
        held = len(set(release.items.tolist()))
        sentences.append(
            f"{held:,} of {counted(release.n_items, 'item')} are in a basket that is published. Rare baskets are "
            "missing, and some of those that are there nobody has: which, only the original shows."
        )
    else:
        sentences.append(
            "No basket was frequent enough. Another try spends its own epsilon on the same people, on top of this one."
        )
    return Said(sentences, {"reproducible": release.reproducible})
