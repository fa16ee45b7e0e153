"""``shoal publish mask``, ``fakes`` and ``hybrid``: baskets with flipped items, fake transactions, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.parameter_options import option_of
from shoal.cli.publish.basket_source import BasketSource, ItemsOption, ListedBaskets, names_of
from shoal.cli.publish.publishing import AnyPublication, Made, Publication, Said, SeedOption, ThreadsOption
from shoal.cli.terminal import Progress
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.plural import counted
from shoal.quoting import shown
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions
    from shoal.publish.randomization.fake_rows import FakeLength
    from shoal.release.randomized import Randomized

KeepOption = Annotated[float, option_of("keep_prob", "mask")]
FakesOption = Annotated[float, option_of("fakes", "fakes")]
LengthOption = Annotated[
    str | None,
    typer.Option(
        "--fake-length",
        metavar="LENGTHS",
        help="Lengths of fake transactions: 7 (all of them), 1-9 (uniform), 2:.7,5:.3 (each with its share), or data "
        "(as the real ones; their lengths are then published). Default: uniform from 1 to 2 l - 1, where l is the mean "
        "length of the records, rounded.",
    ),
]
BasketOption = Annotated[
    int | None,
    typer.Option(
        "--max-basket",
        metavar="N",
        help="Cut longer records at random to N items: then differential privacy can be promised, and is.",
    ),
]


def mask(
    source: BasketSource,
    keep_prob: KeepOption,
    max_basket: BasketOption = None,
    items: ItemsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
) -> AnyPublication:
    """MASK: flip every item of every record at random, present or absent.

    The release gives estimates of supports (shoal mine); single items of a record can only be guessed. Flipping makes
    records longer: each item that a record lacks is added with probability 1 - keep_prob.
    """
    from shoal.promises.randomized import require_keep_prob

    require_keep_prob(keep_prob)  # fail early, before a large file is read
    names = names_of(items)

    def publish(baskets: Transactions, step: Progress) -> Made[Randomized]:
        from shoal.publish.randomization import mask

        return Made(
            mask(
                baskets,
                keep_prob,
                max_basket=max_basket,
                items=names,
                run=Run(engine=Threads(threads), progress=step, chance=seed),
            )
        )

    data = ListedBaskets(
        **vars(source), listed=names is not None, private=max_basket is not None, max_basket=max_basket
    )
    return Publication(data, publish, _sentences)


def fakes(
    source: BasketSource,
    fakes: FakesOption,
    fake_length: LengthOption = None,
    items: ItemsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
) -> AnyPublication:
    """Fake transactions: mix fake transactions into the real ones, which are published unchanged.

    Any miner can be used on the release, with the thresholds from shoal mine --print-thresholds.
    """
    from shoal.promises.randomized import require_fakes

    require_fakes(fakes)
    names, lengths = names_of(items), length_of(fake_length)

    def publish(baskets: Transactions, step: Progress) -> Made[Randomized]:
        from shoal.publish.randomization import fakes as mix_in

        return Made(
            mix_in(
                baskets,
                fakes,
                fake_length=lengths,
                items=names,
                run=Run(engine=Threads(threads), progress=step, chance=seed),
            )
        )

    data = ListedBaskets(**vars(source), listed=names is not None)
    return Publication(data, publish, _sentences)


def hybrid(
    source: BasketSource,
    keep_prob: KeepOption,
    fakes: FakesOption,
    fake_length: LengthOption = None,
    max_basket: BasketOption = None,
    items: ItemsOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
) -> AnyPublication:
    """The hybrid: mix fake transactions into the real ones, then flip items of all of them."""
    from shoal.promises.randomized import require_fakes, require_keep_prob

    require_keep_prob(keep_prob)
    require_fakes(fakes)
    names, lengths = names_of(items), length_of(fake_length)

    def publish(baskets: Transactions, step: Progress) -> Made[Randomized]:
        from shoal.publish.randomization import hybrid

        release = hybrid(
            baskets,
            keep_prob,
            fakes,
            fake_length=lengths,
            max_basket=max_basket,
            items=names,
            run=Run(engine=Threads(threads), progress=step, chance=seed),
        )
        return Made(release)

    data = ListedBaskets(
        **vars(source), listed=names is not None, private=max_basket is not None, max_basket=max_basket
    )
    return Publication(data, publish, _sentences)


def length_of(text: str | None) -> FakeLength:
    """The lengths of fake transactions as typed."""
    if text is None:
        return None
    if text == "data":
        return "data"
    try:
        if ":" in text:
            pairs = [pair.split(":") for pair in text.split(",")]
            shares = [(int(length), float(share)) for length, share in pairs]
        else:
            low, dash, high = text.partition("-")
            return (int(low), int(high)) if dash else int(low)
    except ValueError:
        raise InputError(
            f"--fake-length is {shown(text)}: give a number of items (7), a range (1-9), lengths with their shares "
            "(2:.7,5:.3), or data"
        ) from None
    if len(dict(shares)) < len(shares):
        raise InputError(f"--fake-length is {shown(text)}: it gives one length two shares")
    return dict(shares)


def _sentences(release: Randomized) -> Said:
    of_fakes = f", {release.n_fakes:,} of them fake transactions," if release.n_fakes else ""
    ones = counted(len(release.items), "item")
    sentences = [
        f"{counted(release.n_rows, 'row')}{of_fakes} with {ones} ({len(release.items) / release.n_rows:.1f} per row)"
    ]
    return Said(sentences, {"reproducible": release.reproducible})
