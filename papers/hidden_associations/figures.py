"""What groups give away, and what hiding it costs: the two experiments of the paper on Q-S associations again.

The paper on k-anonymity that hides Q-S associations, section 6, figure 3, on the Adult data. What it leaves open:

* Figure 3 is drawn, without numbers in the text. The text says that greedy hiding generalizes fewer cells than IGA; and
  of evaluating associations, that the later it starts, the nearer the entropy loss comes to that without; the earlier
  it starts, the more time it takes and the fewer cells are left to hide; and that a start at 50 or 100 is best.
* Results are averages over "different combinations of quasi-identifier and sensitive columns", which are not named: the
  caller says which. Nor is said how the groups of the first experiment were made: here as those of the second one,
  without evaluation, and of their sensitive columns all choices of two or more are taken.
* Steps are never undone (``take_back`` is off): the paper says nothing of that.
* "Execution time after building the inverted file tree" has no counterpart where there is no such tree: the CPU time of
  generalizing, all of it, is compared.
* Equation 3, the score, is not in the text. In Shoal's, associations multiply by 1 to 2 what spans orders of magnitude,
  so that the study also tries a weight at which they count more.

Beside that, what the paper does not look at: how much an adversary gets back who fills hidden cells with the most
frequent value of their group, and what hiding costs that resists her.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Int32
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Role, Table
from shoal.promises import HiddenAssociations
from shoal.publish.hiding import hide, residual_of
from shoal.publish.k_anonymity import k_anonymity
from shoal.release.generalized import Generalized, GeneralizedColumn

Progress = Callable[[str, int, int], None]
Method = Literal["greedy", "iga", "resistant"]

K = 250
STARTS = (25, 50, 100, 150, 200, 250)
"""The paper names the first three and goes on."""
SUPPORT, CONFIDENCE = 0.1, 0.5
RATIO_SUPPORT = 0.2
"""Of the first experiment."""
WEIGHTS = (1.0, 100.0)
"""How much associations count in the score."""
METHODS: tuple[Method, ...] = ("greedy", "iga", "resistant")
MEASURED = ("entropy_loss", "seconds", "hidden_cells")

Roles = tuple[Sequence[str], Sequence[str]]
"""Quasi-identifiers, sensitive columns."""


@dataclass(frozen=True)
class Start:
    """Figure 3(b): what comes out if associations are evaluated from a smallest group on."""

    evaluate_from: int | None
    weight: float
    groups: int
    entropy_loss: float
    """Bits that the quasi-identifiers lose."""
    seconds: float
    """Of the processor, to generalize."""
    hidden_cells: int
    """Cells that greedy hiding generalizes then."""


@dataclass(frozen=True)
class Pair:
    """Figure 3(a): cells that greedy hiding and IGA generalize to hide association rules."""

    columns: tuple[str, ...]
    greedy: int
    iga: int


@dataclass(frozen=True)
class Hiding:
    """What hiding by one method costs, in the groups without evaluation, and what filling brings back."""

    method: str
    seconds: float
    hidden_cells: int
    share: float
    """Of all sensitive cells."""
    filled_right: int
    associations: int
    associations_back: int


@dataclass(frozen=True)
class Combination:
    """All that was measured with one combination of columns."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    starts: tuple[Start, ...]
    """The first one is without evaluation."""
    pairs: tuple[Pair, ...]
    hidings: tuple[Hiding, ...]


@dataclass(frozen=True)
class Mean:
    """A point of a curve: the mean over the combinations in which there is something to compare."""

    combinations: int
    mean: float | None
    least: float | None
    most: float | None

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Mean:
        """The mean of some ratios."""
        mean = float(np.mean(ratios)) if ratios else None
        return cls(len(ratios), mean, min(ratios, default=None), max(ratios, default=None))


@dataclass(frozen=True)
class Reproduction:
    """All that was measured on one table."""

    rows: int
    k: int
    combinations: tuple[Combination, ...]

    def as_dict(self) -> dict[str, Any]:
        """The study as plain values, ready for JSON."""
        return {
            **asdict(self),
            "cells_to_iga": {number: asdict(mean) for number, mean in self.cells_to_iga.items()},
            "to_no_evaluation": [
                {"weight": weight, "evaluate_from": start, **{name: asdict(mean) for name, mean in means.items()}}
                for (weight, start), means in self.to_no_evaluation.items()
            ],
            "claims": self.claims,
        }

    @property
    def cells_to_iga(self) -> dict[int, Mean]:
        """Figure 3(a): cells of greedy hiding by those of IGA, by the number of sensitive columns."""
        ratios: dict[int, list[float]] = {}
        for one in self.combinations:
            for pair in one.pairs:
                ratios.setdefault(len(pair.columns), []).extend([pair.greedy / pair.iga] if pair.iga else [])
        return {number: Mean.of(found) for number, found in sorted(ratios.items())}

    @property
    def to_no_evaluation(self) -> dict[tuple[float, int], dict[str, Mean]]:
        """Figure 3(b): entropy loss, time and hidden cells by those without evaluation, by weight and start."""
        ratios: dict[tuple[float, int], dict[str, list[float]]] = {}
        for one in self.combinations:
            plain = one.starts[0]
            for start in one.starts[1:]:
                assert start.evaluate_from is not None
                lists = ratios.setdefault((start.weight, start.evaluate_from), {name: [] for name in MEASURED})
                for name in MEASURED:
                    if getattr(plain, name):
                        lists[name].append(getattr(start, name) / getattr(plain, name))
        return {at: {name: Mean.of(found) for name, found in lists.items()} for at, lists in sorted(ratios.items())}

    @property
    def changed(self) -> dict[float, int]:
        """By weight, in how many combinations evaluation changes what is published, wherever it starts."""
        weights = dict.fromkeys(start.weight for one in self.combinations for start in one.starts[1:])
        return {weight: sum(_is_changed(one, weight) for one in self.combinations) for weight in weights}

    @property
    def claims(self) -> dict[str, bool | None]:
        """The statements of the paper's text, and whether they hold; None if there is nothing to compare.

        Means at the first and the last start, at the usual weight.
        """
        ratios = [mean.mean for mean in self.cells_to_iga.values() if mean.mean is not None]
        found = [means for (weight, _), means in self.to_no_evaluation.items() if weight == WEIGHTS[0]]
        first, last = (found[0], found[-1]) if len(found) > 1 else ({}, {})

        def compared(name: str, holds: Callable[[float, float], bool]) -> bool | None:
            early, late = (means[name].mean if means else None for means in (first, last))
            return None if early is None or late is None else holds(early, late)

        return {
            "greedy hiding generalizes fewer cells than IGA": max(ratios) < 1 if ratios else None,
            "the later evaluation starts, the closer the entropy loss is to that without evaluation": compared(
                "entropy_loss", lambda early, late: abs(late - 1) < abs(early - 1)
            ),
            "the earlier evaluation starts, the more time it takes": compared(
                "seconds", lambda early, late: early > late
            ),
            "the earlier evaluation starts, the fewer cells are left to hide": compared(
                "hidden_cells", lambda early, late: early < late
            ),
        }


def _is_changed(one: Combination, weight: float) -> bool:
    plain = one.starts[0]
    return any(
        (start.groups, start.entropy_loss, start.hidden_cells) != (plain.groups, plain.entropy_loss, plain.hidden_cells)
        for start in one.starts[1:]
        if start.weight == weight
    )


def reproduce(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    roles: Sequence[Roles],
    *,
    k: int = K,
    starts: Iterable[int] = STARTS,
    weights: Iterable[float] = WEIGHTS,
    progress: Progress | None = None,
) -> Reproduction:
    """Measure all settings of the paper on a table.

    Args:
        table: the data; the roles of its columns do not matter.
        hierarchies: by column, for quasi-identifiers; sensitive columns are hidden whole, as the paper's are.
        roles: the combinations of columns.
        k: how many rows a group has at least.
        starts: the sizes of the smallest group from which on associations are evaluated.
        weights: how much they count then.
        progress: called with (stage, done, total).
    """
    report = progress or (lambda _stage, _done, _total: None)
    settings = [(None, 1.0), *((start, weight) for weight in weights for start in sorted(starts))]
    made = []
    for number, (quasi, sensitive) in enumerate(roles):
        report("publish and hide", number, len(roles))
        chosen = table.with_roles(plain=table.names).with_roles(quasi=quasi, sensitive=sensitive)
        trees = {name: tree for name, tree in hierarchies.items() if name in quasi}
        made.append(_combination(chosen, trees, k, settings, warm=number > 0))
    report("publish and hide", len(roles), len(roles))
    return Reproduction(len(table), k, tuple(made))


def _combination(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    k: int,
    settings: Sequence[tuple[int | None, float]],
    *,
    warm: bool,
) -> Combination:
    releases, starts = [], []
    if not warm:  # load what is needed before anything is timed
        for start, _ in settings[:2]:
            _timed(table, k, hierarchies, start, 1.0)
    for start, weight in settings:
        release, seconds = _timed(table, k, hierarchies, start, weight)
        cells = _hidden(release.sensitive, release, "greedy", SUPPORT)[0]
        changed = _changed(release.sensitive, cells)
        starts.append(Start(start, weight, release.n_groups, _lost_bits(table, release), seconds, changed))
        releases.append(release)
    plain = releases[0]
    return Combination(
        tuple(table.names_of(Role.QUASI)),
        tuple(table.names_of(Role.SENSITIVE)),
        tuple(starts),
        tuple(_pairs(plain)),
        tuple(_hidings(plain)),
    )


def _timed(
    table: Table, k: int, hierarchies: Mapping[str, Hierarchy], start: int | None, weight: float
) -> tuple[Generalized, float]:
    """A release, and the CPU seconds of making it."""
    before = time.process_time()
    release = k_anonymity(
        table,
        k,
        hierarchies=hierarchies,
        evaluate_from=start,
        weights=(1.0, 1.0, weight),
        take_back=False,
        min_support=SUPPORT,
        min_confidence=CONFIDENCE,
        publish_hierarchies=True,
    )
    return release, time.process_time() - before


def _hidden(
    columns: Sequence[GeneralizedColumn],
    release: Generalized,
    method: Method,
    support: float,
    *,
    rules_only: bool = False,
) -> tuple[list[Int32], HiddenAssociations, float]:
    """The cells after hiding, what they keep (unless rules only are hidden), and how long it took."""
    names = tuple(column.name for column in columns)
    promise = HiddenAssociations(names, support, CONFIDENCE, resists_filling=method == "resistant")
    nodes, trees = [column.nodes for column in columns], [column.tree for column in columns]
    start = time.process_time()
    every = not rules_only
    cells = hide(nodes, trees, release.group_offsets, promise, method=method, values=every, absence=every)
    return cells, promise, time.process_time() - start


def _changed(columns: Sequence[GeneralizedColumn], cells: Sequence[Int32]) -> int:
    """How many cells are not what they were."""
    return sum(int(np.count_nonzero(column.nodes != after)) for column, after in zip(columns, cells, strict=True))


def _pairs(release: Generalized) -> Iterator[Pair]:
    columns = release.sensitive
    for length in range(2, len(columns) + 1):
        for chosen in combinations(columns, length):
            greedy, iga = (
                _changed(chosen, _hidden(chosen, release, method, RATIO_SUPPORT, rules_only=True)[0])
                for method in METHODS[:2]
            )
            yield Pair(tuple(column.name for column in chosen), greedy, iga)


def _hidings(release: Generalized) -> Iterator[Hiding]:
    columns = release.sensitive
    nodes, trees = [column.nodes for column in columns], [column.tree for column in columns]
    for method in METHODS:
        cells, promise, seconds = _hidden(columns, release, method, SUPPORT)
        found = residual_of(nodes, cells, trees, release.group_offsets, promise)
        yield Hiding(
            method,
            seconds,
            found.hidden_cells,
            found.hidden_cells / (len(columns) * release.n_rows),
            found.filled_right,
            found.associations,
            found.associations_back,
        )


def _lost_bits(table: Table, release: Generalized) -> float:
    """The bits needed to recover the values of the quasi-identifiers.

    A cell with the node g that had the value v loses log2 n(g) - log2 n(v). Global recoding without suppressed rows: a
    node is held by all rows that have a value below it, so that n(g) can be counted in the release.
    """
    return sum(_log_sum(column.counts) - _log_sum(table.column(column.name).counts) for column in release.quasi)


def _log_sum(counts: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    held = counts[counts > 0]
    return float((held * np.log2(held)).sum())
