"""The options of ``shoal mine`` that apply to releases of some shapes only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.option_groups import given_in
from shoal.errors import InputError


class Estimator(StrEnum):
    """How flipped items are undone."""

    counts = "counts"
    matrix = "matrix"
    constant = "constant"


class GrowFrom(StrEnum):
    """What subsets must reach the threshold with."""

    estimate = "estimate"
    upper_end = "upper"  # a text has a method of the shorter name


EstimatorOption = Annotated[
    Estimator | None,
    typer.Option(
        "--estimator",
        help="Randomized releases: counts of sets; or, to compare, the matrix of all patterns (MASK), or a constant "
        "number of counts. Default: counts.",
    ),
]
GrowFromOption = Annotated[
    GrowFrom | None,
    typer.Option(
        "--grow-from",
        help="Randomized releases: look at larger sets if the estimates of all subsets reach --min-support, or the "
        "upper ends of their intervals do. Default: estimate.",
    ),
]
CandidatesOption = Annotated[
    int | None,
    typer.Option(
        "--max-candidates",
        min=1,
        metavar="N",
        help="Randomized releases: how many sets of one size to look at, the likeliest first. Default: 2,000,000.",
    ),
]
ThresholdsOption = Annotated[
    bool,
    typer.Option(
        "--print-thresholds",
        help="Releases with fake transactions and no flips: what sets of each size must reach in other miners.",
    ),
]


@dataclass(frozen=True)
class ReleaseOptions:
    """The options of mining that apply to releases of some shapes only."""

    estimator: EstimatorOption = None
    grow_from: GrowFromOption = None
    max_candidates: CandidatesOption = None
    print_thresholds: ThresholdsOption = False
    term_items: options.TermItemsOption = None

    def refuse_idle(self, file: str, known: Collection[str]) -> None:
        """Refuse those that do not apply to what is mined."""
        chunks = ("term_items",)
        idle = given_in(self, but=(*known, *chunks))
        if idle:
            raise InputError(f"{', '.join(idle)}: about randomized releases, and {file} is none: leave it out")
        if self.term_items is not None and "term_items" not in known:
            raise InputError(f"--term-items is about releases of baskets in chunks, and {file} is none: leave it out")

    def values(self) -> dict[str, Any]:
        """What was given, as plain values."""
        return {name: value.value if isinstance(value, StrEnum) else value for name, value in vars(self).items()}
