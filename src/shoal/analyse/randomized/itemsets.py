"""Frequent itemsets of a randomized release, by unbiased estimates of their supports.

Level by level, as in A. Mohaisen et al., IEICE Trans. E93-D, 2010, section 3 and 6, after S. Rizvi, J. Haritsa, VLDB
2002: a set is a candidate if all of its subsets were kept. These have been counted, so that a candidate takes one count
more. Estimates are no counts: a set may seem more frequent than its subsets, and chance decides near the threshold; how
far it reaches is part of the answer, and so is what was not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from shoal.analyse.candidates import Candidates, Chosen, best_candidates, set_keys
from shoal.analyse.randomized.estimates import Chance, Estimates
from shoal.analyse.randomized.estimators import ByCounts, ByMatrix, Estimating
from shoal.analyse.randomized.supports import MOST_ITEMS
from shoal.data.arrays import Float64, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.item_sets import ItemSets
from shoal.errors import InputError
from shoal.kernels.compiling import announced
from shoal.limits import require_whole
from shoal.mining.support import least_share
from shoal.quoting import shown
from shoal.release.randomized import Randomized
from shoal.run import DEFAULT_RUN, Run

Estimator = Literal["counts", "matrix", "constant"]
GrowFrom = Literal["estimate", "upper"]

MAX_CANDIDATES = 2_000_000
ROUNDING = 1e-12
"""Estimates are sums of products of fractions: what is this little below the threshold is taken to be at it."""
_MOST_JOINS = 100_000_000
_NEARLY_ALL = 0.9


@dataclass(frozen=True, eq=False)
class Level:
    """What was looked at of one size."""

    size: int
    candidates: int
    """How many sets were estimated."""
    left_out: int
    """How many candidates were not, because there were too many."""
    kept: int
    """How many sets larger ones were made of."""
    reported: int
    median_error: float
    largest_error: float
    keys: Int64
    """The sets that were kept, as ``candidates`` numbers them."""
    rows: Int64
    """In how many rows of the release each of them stands."""
    places: Int64
    """Where each of them stands among what is reported, or -1."""

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False)
class EstimatedItemsets(ItemSets):
    """Itemsets of a randomized release, the greatest estimate first, then the shorter, then by items."""

    estimates: Estimates
    release: Randomized
    least_share: float
    """The share of the records that a set had to reach, by its estimate."""
    estimator: Estimator
    levels: tuple[Level, ...]
    """What was looked at, size by size."""
    unexplored: tuple[str, ...]
    """What was not looked at, and why: a sentence for each reason."""
    warnings: tuple[str, ...]
    """Where chance is about as large as what is looked for."""

    def __iter__(self) -> Iterator[tuple[frozenset[str], float]]:
        yield from zip(self.sets(), self.estimates.estimate.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"EstimatedItemsets({len(self):,} of {self.n_records:,} records)"

    @property
    def n_records(self) -> int:
        """How many records the original has."""
        return self.release.n_records

    @property
    def counts(self) -> Float64:
        """In how many records each set is, by its estimate."""
        counts: Float64 = self.estimates.estimate * self.n_records
        return counts

    def to_arrow(self) -> pa.Table:
        """A table of the sets: items, size, support (the estimate, as a share), error, low, high."""
        table = self.estimates.to_arrow()
        return table.add_column(0, "size", pa.array(self.sizes)).add_column(0, "items", self.names())


def estimated_itemsets(
    release: Randomized,
    min_support: float = 0.001,
    *,
    top: int | None = None,
    max_length: int | None = None,
    max_candidates: int = MAX_CANDIDATES,
    grow_from: GrowFrom = "estimate",
    estimator: Estimator = "counts",
    counts: int = 3,
    run: Run = DEFAULT_RUN,
) -> EstimatedItemsets:
    """All itemsets whose estimated support reaches a threshold, as those of all of their subsets do.

    Args:
        release: what was published.
        min_support: a share of the records up to 1., or (as a whole number) how many records it takes.
        top: of these, only so many, the greatest estimates; of equal ones the shorter, then by items.
        max_length: how many items a set may have; by default any number.
        max_candidates: how many sets of one size are estimated. Where there are more, those whose least frequent subset
            has the greatest estimate are, and ``unexplored`` says how many others there were.
        grow_from: what a subset must reach the threshold with, for a larger set to be looked at: its ``"estimate"``, or
            the ``"upper"`` end of its interval, so that fewer sets are missed and more are looked at. Only sets whose
            own estimate reaches it are reported.
        estimator: ``"counts"``; or, for comparison, ``"matrix"``: all patterns of a set's items are counted and undone
            by a matrix, as MASK does it, which says the same, slower; or ``"constant"``: only rows with nearly all
            items of a set are counted, and what that leaves out makes the interval wider.
        counts: for ``"constant"``: so many numbers of rows are used of each set: those with all of its items, with all
            but one, and so on.
        run: threads, progress and chance (:class:`shoal.Run`).

    Raises:
        InputError: an argument is out of range.

    Example:
        >>> import shoal
        >>> again = shoal.Run(chance=1)
        >>> release = shoal.mask(shoal.read([{"tea", "milk"}] * 800 + [{"tea"}] * 200), keep_prob=.99, run=again)
        >>> found = estimated_itemsets(release, .5)
        >>> sorted((sorted(items), round(share, 1)) for items, share in found)
        [(['milk'], 0.8), (['milk', 'tea'], 0.8), (['tea'], 1.0)]
    """
    wanted = least_share(min_support, release.n_records)
    limits = (("top", top), ("max_length", max_length), ("max_candidates", max_candidates), ("counts", counts))
    for name, value in limits:
        if value is not None:
            require_whole(name, value, least=1)
    _require_known("grow_from", grow_from, ("estimate", "upper"))
    _require_known("estimator", estimator, ("counts", "matrix", "constant"))
    limits_of_search = _Limits(wanted, max_length, max_candidates, grow_from)
    undo: Estimating
    if estimator == "matrix":
        undo = ByMatrix(release)
    else:
        undo = ByCounts(release, counts if estimator == "constant" else None)
    with announced(lambda: run.report("compile", 0, 1)):
        explored = _explore(release, undo, limits_of_search, run)
    return _in_order(release, explored, wanted, estimator, top)


def _require_known(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"{name} is {shown(value)}: it must be one of {', '.join(known)}")


class _Limits(NamedTuple):
    """How far the search goes."""

    least_share: float
    max_length: int | None
    max_candidates: int
    grow_from: GrowFrom


class _Found(NamedTuple):
    """A level, and those of its kept sets that are reported."""

    level: Level
    sets: Int32
    estimates: Estimates
    kept: Int64
    """The number of each set among those that were kept."""


class _Explored(NamedTuple):
    found: list[_Found]
    unexplored: list[str]
    warnings: list[str]


def _explore(release: Randomized, undo: Estimating, limits: _Limits, run: Run) -> _Explored:
    """Look at sets level by level."""
    explored = _Explored([], [], [])
    tables: list[Int64] = []
    items = np.arange(release.n_items, dtype=np.int32)[:, None]
    chosen = Chosen(Candidates(items, np.zeros(items.shape, np.int64)), len(items), 1)
    threshold = limits.least_share - ROUNDING
    longest = MOST_ITEMS if Chance.of(release).depth is None else release.n_items
    run.report("mine", 0, 2)
    counted = undo.single()
    while True:
        sets = chosen.candidates.sets
        size = sets.shape[1]
        estimates = counted.estimates
        reported = estimates.estimate >= threshold
        kept = np.flatnonzero(reported if limits.grow_from == "estimate" else reported | (estimates.high >= threshold))
        tables.append(set_keys(tables, sets[kept], release.n_items))
        level = Level(
            size=size,
            candidates=len(sets),
            left_out=chosen.n_all - len(sets),
            kept=len(kept),
            reported=int(np.count_nonzero(reported)),
            median_error=float(np.median(estimates.error)) if len(sets) else 0.0,
            largest_error=float(estimates.error.max(initial=0)),
            keys=tables[-1],
            rows=counted.sums[kept, 0],
            places=np.full(len(kept), -1, np.int64),
        )
        shown = np.flatnonzero(reported[kept])
        explored.found.append(_Found(level, sets[kept[shown]], estimates.take(kept[shown]), shown))
        explored.warnings.extend(_about_errors(level, estimates.error, limits.least_share))
        run.report("mine", size, size + 1)
        if len(kept) < 2:
            break
        if size in (limits.max_length, longest):
            explored.unexplored.append(
                f"sets of more than {size} items, which {len(kept):,} sets of {size} might be part of: "
                + (f"--max-length is {size}" if size == limits.max_length else "so many flips are not undone together")
            )
            break
        chosen = best_candidates(
            tables, sets[kept], release.n_items, estimates.estimate[kept], limits.max_candidates, _MOST_JOINS
        )
        explored.unexplored.extend(_left_out(chosen, len(kept), size + 1, limits.max_candidates))
        if not len(chosen.candidates.sets):
            break
        if size == 1:
            undo.index(sets[kept, 0])
        counted = undo.sets(chosen.candidates, counted.sums[kept], run)
    return explored


def _left_out(chosen: Chosen, kept: int, size: int, max_candidates: int) -> Iterator[str]:
    """What limits left out of a level."""
    looked_at = len(chosen.candidates.sets)
    if chosen.n_joined < kept:
        yield (
            f"sets of {size} items that contain one of the {kept - chosen.n_joined:,} least frequent of {kept:,} sets "
            f"of {size - 1}: there are more than {_MOST_JOINS:,} ways to join these"
        )
    if looked_at < chosen.n_all:
        yield (
            f"{chosen.n_all - looked_at:,} of {chosen.n_all:,} candidates of {size} items: --max-candidates is "
            f"{max_candidates:,}, and those were taken whose least frequent subset has the greatest estimate"
        )


def _about_errors(level: Level, errors: Float64, least_share: float) -> Iterator[str]:
    """Say where chance is about as large as what is looked for."""
    if not level.candidates or level.median_error <= least_share / 2:
        return
    said = (
        f"{_sets_of(level.size)}: the standard error is {level.median_error:.2g} in the middle, and the threshold "
        f"is {least_share:.2g}"
    )
    if np.count_nonzero(errors >= least_share) >= _NEARLY_ALL * len(errors):
        yield f"{said}: the {level.reported:,} reported say nearly nothing about the original"
    else:
        yield f"{said}: many of the {level.reported:,} reported may be chance, and frequent ones may be missing"


def _sets_of(size: int) -> str:
    return "single items" if size == 1 else f"sets of {size} items"


def _in_order(
    release: Randomized, explored: _Explored, wanted: float, estimator: Estimator, top: int | None
) -> EstimatedItemsets:
    """All that is reported, in its canonical order."""
    from shoal.kernels.rows import take_rows

    found = explored.found
    sizes = np.concatenate([np.full(len(part.sets), part.sets.shape[1]) for part in found])
    together = Estimates.concatenate([part.estimates for part in found])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    items = np.concatenate([part.sets.ravel() for part in found]).astype(np.int32)
    # Sets of a level stand in lexicographic order. Equal estimates may differ in their last bits.
    order = np.lexsort((np.arange(len(sizes)), sizes, -np.round(together.estimate, 12)))[:top]
    offsets, items = take_rows(offsets, items, order)
    place = np.full(len(sizes), -1, np.int64)
    place[order] = np.arange(len(order))
    levels, first = [], 0
    for part in found:
        places = part.level.places.copy()
        places[part.kept] = place[first : first + len(part.sets)]
        levels.append(replace(part.level, places=places))
        first += len(part.sets)
    return EstimatedItemsets(
        offsets=offsets,
        items=items,
        vocabulary=release.vocabulary,
        estimates=together.take(order),
        release=release,
        least_share=wanted,
        estimator=estimator,
        levels=tuple(levels),
        unexplored=tuple(explored.unexplored),
        warnings=tuple(explored.warnings),
    )
