"""``shoal mine`` on a randomized release: estimates with their errors, and thresholds for other miners."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from shoal.cli.terminal import Progress, counted, note, warn
from shoal.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.release.randomized import Randomized


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
        help="Releases with made-up rows and no flips: what sets of each size must reach in other miners.",
    ),
]


class Asked(NamedTuple):
    """The options that only randomized releases have."""

    estimator: Estimator | None
    grow_from: GrowFrom | None
    max_candidates: int | None
    print_thresholds: bool

    def require_none(self, file: str) -> None:
        """Refuse them for anything else."""
        names = ("--estimator", "--grow-from", "--max-candidates", "--print-thresholds")
        idle = [name for name, value in zip(names, self, strict=True) if value not in (None, False)]
        if idle:
            raise InputError(f"{', '.join(idle)}: about randomized releases, and {file} is none: leave it out")


def mine_randomized(
    release: Randomized,
    support: float,
    top: int | None,
    confidence: float | None,
    max_length: int | None,
    threads: int | None,
    asked: Asked,
    progress: Progress,
) -> tuple[pa.Table, str]:
    """The itemsets of a randomized release by their estimates, or rules between them, and a sentence about them."""
    if asked.print_thresholds:
        return _thresholds(release, support, top, confidence, max_length, asked)
    from shoal.analyse.randomized.itemsets import MAX_CANDIDATES, estimated_itemsets

    found = estimated_itemsets(
        release,
        support,
        top=top,
        max_length=max_length,
        max_candidates=asked.max_candidates or MAX_CANDIDATES,
        grow_from=(asked.grow_from or GrowFrom.estimate).value,
        estimator=(asked.estimator or Estimator.counts).value,
        threads=threads,
        progress=progress,
    )
    for sentence in found.unexplored:
        note(f"not explored: {sentence}")
    for sentence in found.warnings:
        warn(f"warning: {sentence}")
    told = f"estimated in at least {found.least_share * release.n_records:,.6g} of {release.n_records:,} records"
    if confidence is None:
        return found.to_arrow(), f"{counted(len(found), 'itemset')} {told}; from low to high are 95 % intervals"
    from shoal.analyse.randomized.rules import estimated_rules

    rules = estimated_rules(found, confidence)
    return rules.to_arrow(), (
        f"{counted(len(rules), 'rule')} {told}; from low to high are 95 % intervals of the confidence"
    )


def _thresholds(
    release: Randomized,
    support: float,
    top: int | None,
    confidence: float | None,
    max_length: int | None,
    asked: Asked,
) -> tuple[pa.Table, str]:
    """What sets of each size must reach in the rows, and how to use it."""
    import pyarrow as pa

    from shoal.analyse.randomized.fake_thresholds import fake_thresholds

    if top is not None or confidence is not None or asked._replace(print_thresholds=False) != (None, None, None, False):
        raise InputError("--print-thresholds goes with --min-support and --max-length only: other miners do the rest")
    found = fake_thresholds(release, support, max_length=max_length)
    columns = {name: [getattr(one, name) for one in found] for name in ("size", "share", "rows")}
    return pa.table(columns), (
        f"what sets must reach in the {release.n_rows:,} rows, real and made up, which shoal export writes: a set is "
        "found if it does, and all of its subsets do"
        + ("" if max_length else "; larger sets need what those of the last size need")
    )
