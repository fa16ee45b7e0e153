"""``shoal measure`` of randomized releases: its options, and what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import Progress, kernel_work
from shoal.errors import InputError
from shoal.quoting import shown

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions
    from shoal.measuring.baskets.randomized_utility import RandomizedUtility
    from shoal.release.randomized import Randomized

RunsOption = Annotated[
    int,
    typer.Option(
        "--runs",
        min=0,
        metavar="R",
        help="Randomized releases: publish the same R times again, in memory, for mean and spread.",
    ),
]
MaxLengthOption = Annotated[
    int | None,
    typer.Option("--max-length", metavar="N", help="Randomized releases: how many items an itemset may have."),
]
USED = ("original", "release", "min_support", "runs", "max_length", "seed", "format", "separator", "long", "column")
"""The parameters of the command that are about randomized releases, beside --json."""


def measure_randomized(
    original: Transactions,
    release: Randomized,
    min_support: str | None,
    *,
    max_length: int | None,
    runs: int,
    seed: int | None,
    progress: Progress,
) -> RandomizedUtility:
    """Measure a randomized release at the thresholds that were given."""
    with kernel_work(progress) as step:
        from shoal.assess import randomized_utility

        return randomized_utility(
            original,
            release,
            min_support=thresholds_of(min_support),
            max_length=max_length,
            runs=runs,
            seed=seed,
            progress=step,
        )


def thresholds_of(text: str | None) -> list[float] | None:
    """Thresholds parted by commas."""
    if text is None:
        return None
    found = [options.support_of(part) for part in text.split(",")]
    if len(set(found)) < len(found):
        raise InputError(f"--min-support is {shown(text)}: the same threshold stands there twice")
    return found
