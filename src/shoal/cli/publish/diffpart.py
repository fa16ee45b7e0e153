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
from shoal.run import Run

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
            help="A hierarchy of items, one line per item, from the item to the root. It is published, and must not be "
            "built from these data. Default: items that are neighbours in alphabetical order are joined.",
        ),
    ] = None,
    fanout: Annotated[
        int | None,
        typer.Option("--fanout", metavar="N", help="How many neighbours are joined at each level. Default: 10."),
    ] = None,
    items: ItemsOption = None,
    seed: SeedOption = None,
) -> AnyPublication:
    """DiffPart: publish which baskets occur and how often, with noise; differentially private.

    Rare baskets are missing: by far most of them if there are many items. Some published baskets occur in no record of
    the data.
    """
    from shoal.data.item_hierarchies import FANOUT
    from shoal.limits import require_whole

    PARAMETERS["epsilon"].check(epsilon)  # fail early
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
            baskets, epsilon, hierarchy=tree, fanout=fanout or FANOUT, items=names, run=Run(progress=step, chance=seed)
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
            f"{held:,} of {counted(release.n_items, 'item')} are in a published basket. Rare baskets are missing, and "
            "some published baskets occur in no record; only the original shows which."
        )
    else:
        sentences.append("No basket was frequent enough. Another attempt uses additional epsilon on the same people.")
    return Said(sentences, {"reproducible": release.reproducible})
