"""What groups give away, and what hiding it costs: the two experiments of the paper on Q-S associations again.

The paper on k-anonymity that hides Q-S associations, section 6, figure 3, on the Adult data. What it leaves open:

* Figure 3 is drawn, without numbers in the text. The text says that greedy hiding generalizes fewer cells than IGA; and
  of evaluating associations, that the later it starts, the nearer the entropy loss comes to that without; the earlier
  it starts, the more time it takes and the fewer cells are left to hide; and that a start at 50 or 100 is best.
* Which columns were combined, and how the groups of the first experiment were made, is not said: here all combinations
  of two or more sensitive columns, in the groups of the second experiment without evaluation.
* "Execution time after building the inverted file tree" has no counterpart where there is no such tree: the CPU time of
  generalizing, all of it, is compared.

Beside that, what the paper does not look at: how much an adversary gets back who fills hidden cells with the most
frequent value of their group, and what hiding costs that resists her.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Int32, Role, Table
from shoal.promises import HiddenAssociations
from shoal.publish.hiding import hide, residual_of
from shoal.publish.k_anonymity import k_anonymity
from shoal.release.generalized import Generalized, GeneralizedColumn, Residual

Progress = Callable[[str, int, int], None]
Method = Literal["greedy", "iga", "resistant"]

K = 250
STARTS = (25, 50, 100, 150, 200, 250)
"""The paper names the first three and goes on."""
SUPPORT, CONFIDENCE = 0.1, 0.5
RATIO_SUPPORT = 0.2
"""Of the first experiment."""
METHODS: tuple[Method, ...] = ("greedy", "iga", "resistant")


@dataclass(frozen=True)
class Ratio:
    """Figure 3(a): cells that greedy hiding generalizes by those that IGA does; association rules only."""

    n_columns: int
    """How many sensitive columns."""
    combinations: int
    """How many choices of columns there are with anything to hide."""
    greedy: int
    iga: int
    """Cells, summed over the combinations."""
    ratio: float | None
    """The mean of their ratios."""
    least: float | None
    most: float | None


@dataclass(frozen=True)
class Start:
    """Figure 3(b): what comes out if associations are evaluated from a smallest group on."""

    evaluate_from: int | None
    groups: int
    entropy_loss: float
    """Bits that the quasi-identifiers lose."""
    seconds: float
    """Of the processor, to generalize."""
    hidden_cells: int
    """Cells that greedy hiding generalizes then."""


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
class Reproduction:
    """All that was measured on one table."""

    rows: int
    k: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    ratios: tuple[Ratio, ...]
    starts: tuple[Start, ...]
    """The first one is without evaluation."""
    hidings: tuple[Hiding, ...]

    def as_dict(self) -> dict[str, Any]:
        """The study as plain values, ready for JSON."""
        return {**asdict(self), "claims": self.claims}

    @property
    def claims(self) -> dict[str, bool | None]:
        """What the text of the paper says, and whether it came out; None where there is nothing to compare."""
        ratios = [one.ratio for one in self.ratios if one.ratio is not None]
        nothing = (None, None, None)
        first, last = (self.relative(self.starts[at]) for at in (1, -1)) if len(self.starts) > 2 else (nothing, nothing)
        (loss, seconds, cells), (late_loss, late_seconds, late_cells) = first, last
        return {
            "greedy hiding generalizes fewer cells than IGA": max(ratios) < 1 if ratios else None,
            "the later evaluation starts, the nearer is the entropy loss to that without": (
                None if loss is None or late_loss is None else abs(late_loss - 1) <= abs(loss - 1)
            ),
            "the earlier evaluation starts, the more time it takes": (
                None if seconds is None or late_seconds is None else seconds > late_seconds
            ),
            "the earlier evaluation starts, the fewer cells are left to hide": (
                None if cells is None or late_cells is None else cells < late_cells
            ),
        }

    def relative(self, start: Start) -> tuple[float | None, float | None, float | None]:
        """Entropy loss, time and hidden cells, as ratios to those without evaluation."""
        plain = self.starts[0]
        pairs = (
            (start.entropy_loss, plain.entropy_loss),
            (start.seconds, plain.seconds),
            (start.hidden_cells, plain.hidden_cells),
        )
        loss, seconds, cells = (ours / theirs if theirs else None for ours, theirs in pairs)
        return loss, seconds, cells


def reproduce(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    *,
    k: int = K,
    starts: Iterable[int] = STARTS,
    runs: int = 3,
    progress: Progress | None = None,
) -> Reproduction:
    """Measure all settings of the paper on a table with quasi-identifiers and several sensitive columns.

    Args:
        table: the data.
        hierarchies: by column, of quasi-identifiers; sensitive columns are hidden whole, as the paper's are.
        k: how many rows a group has at least.
        starts: the sizes of the smallest group from which on associations are evaluated.
        runs: how often generalizing is timed; the least time counts.
        progress: called with (stage, done, total).
    """
    report = progress or (lambda _stage, _done, _total: None)
    table = table.with_roles(plain=table.names_of(Role.IDENTIFIER))
    settings = [None, *sorted(starts)]
    made = []
    plain = None
    for number, start in enumerate(settings):
        report("generalize", number, len(settings))
        release, seconds = _timed(table, k, hierarchies, start, runs)
        plain = plain or release
        cells = _hidden(release.sensitive, release, "greedy", SUPPORT)[0]
        changed = _changed(release.sensitive, cells)
        made.append(Start(start, release.n_groups, _lost_bits(table, release), seconds, changed))
    report("generalize", len(settings), len(settings))
    assert plain is not None
    return Reproduction(
        len(table),
        k,
        tuple(table.names_of(Role.QUASI)),
        tuple(table.names_of(Role.SENSITIVE)),
        tuple(_ratios(plain, report)),
        tuple(made),
        tuple(_hidings(plain, report)),
    )


def _timed(
    table: Table, k: int, hierarchies: Mapping[str, Hierarchy], start: int | None, runs: int
) -> tuple[Generalized, float]:
    """A release, and the CPU seconds of making it."""
    times = []
    for _ in range(runs + 1):  # the first one loads what is needed
        before = time.process_time()
        release = k_anonymity(
            table,
            k,
            hierarchies=hierarchies,
            evaluate_from=start,
            min_support=SUPPORT,
            min_confidence=CONFIDENCE,
            publish_hierarchies=True,
        )
        times.append(time.process_time() - before)
    return release, min(times[1:])


def _hidden(
    columns: tuple[GeneralizedColumn, ...],
    release: Generalized,
    method: Method,
    support: float,
    *,
    all_kinds: bool = True,
) -> tuple[list[Int32], HiddenAssociations, float]:
    """The cells after hiding, what they keep (if not rules only are hidden), and how long it took."""
    names = tuple(column.name for column in columns)
    promise = HiddenAssociations(names, support, CONFIDENCE, resists_filling=method == "resistant")
    nodes, trees = [column.nodes for column in columns], [column.tree for column in columns]
    start = time.process_time()
    cells = hide(nodes, trees, release.group_offsets, promise, method=method, values=all_kinds, absence=all_kinds)
    return list(cells), promise, time.process_time() - start


def _changed(columns: tuple[GeneralizedColumn, ...], cells: list[Int32]) -> int:
    """How many cells are not what they were."""
    return sum(int(np.count_nonzero(column.nodes != after)) for column, after in zip(columns, cells, strict=True))


def _ratios(release: Generalized, report: Progress) -> Iterable[Ratio]:
    columns = release.sensitive
    for length in range(2, len(columns) + 1):
        report("compare with IGA", length - 2, len(columns) - 1)
        pairs = []
        for chosen in combinations(columns, length):
            greedy, iga = (
                _changed(chosen, _hidden(chosen, release, method, RATIO_SUPPORT, all_kinds=False)[0])
                for method in METHODS[:2]
            )
            if iga:
                pairs.append((greedy, iga))
        ratios = [greedy / iga for greedy, iga in pairs]
        yield Ratio(
            length,
            len(pairs),
            sum(greedy for greedy, _ in pairs),
            sum(iga for _, iga in pairs),
            float(np.mean(ratios)) if ratios else None,
            min(ratios, default=None),
            max(ratios, default=None),
        )
    report("compare with IGA", len(columns) - 1, len(columns) - 1)


def _hidings(release: Generalized, report: Progress) -> Iterable[Hiding]:
    columns = release.sensitive
    for number, method in enumerate(METHODS):
        report("hide and fill", number, len(METHODS))
        cells, promise, seconds = _hidden(columns, release, method, SUPPORT)
        nodes, trees = [column.nodes for column in columns], [column.tree for column in columns]
        found: Residual = residual_of(nodes, cells, trees, release.group_offsets, promise)
        yield Hiding(
            method,
            seconds,
            found.hidden_cells,
            found.hidden_cells / (len(columns) * release.n_rows),
            found.filled_right,
            found.associations,
            found.associations_back,
        )
    report("hide and fill", len(METHODS), len(METHODS))


def _lost_bits(table: Table, release: Generalized) -> float:
    """What it takes to tell the values of the quasi-identifiers again.

    A cell with the node g that had the value v loses log2 n(g) - log2 n(v). Global recoding without suppressed rows: a
    node is held by all rows that have a value below it, so that n(g) can be counted in the release.
    """
    return sum(_log_sum(column.counts) - _log_sum(table.column(column.name).counts) for column in release.quasi)


def _log_sum(counts: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    held = counts[counts > 0]
    return float((held * np.log2(held)).sum())
