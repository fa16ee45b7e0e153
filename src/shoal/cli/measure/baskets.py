"""``shoal measure`` by the metrics that all releases of baskets have: its options, and what they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import Progress, kernel_work

if TYPE_CHECKING:
    from shoal.data.hierarchy import Hierarchy
    from shoal.data.transactions import Transactions
    from shoal.measuring.baskets.common_utility import BasketUtility
    from shoal.release import BasketRelease

CommonOption = Annotated[
    bool,
    typer.Option(
        "--common",
        help="Baskets: only the metrics that all releases of baskets have, to compare methods. Releases of generalized "
        "baskets and of noisy counts have no others.",
    ),
]
USED = (
    "original",
    "release",
    "common",
    "top",
    "ranges",
    "hierarchy",
    "complete",
    "min_support",
    "seed",
    "format",
    "separator",
    "long",
    "column",
    "json",
)
"""The parameters of the command that are about these metrics."""


def measure_baskets(
    original: Transactions,
    release: BasketRelease,
    *,
    hierarchy: Hierarchy | None,
    top: int,
    ranges: list[tuple[int, int]],
    min_support: str | None,
    seed: int | None,
    progress: Progress,
) -> BasketUtility:
    """Measure a release by what all kinds have in common."""
    with kernel_work(progress) as step:
        from shoal.measuring.baskets.common_utility import RANGES, basket_utility

        return basket_utility(
            original,
            release,
            hierarchy=hierarchy,
            top=top,
            ranges=ranges or RANGES,
            min_support=0.01 if min_support is None else options.support_of(min_support),
            seed=seed,
            progress=step,
        )
