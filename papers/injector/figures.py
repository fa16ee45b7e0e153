"""What Injector finds, protects and costs compared with Anatomy: the figures of its paper again.

T. Li, N. Li: Injector: Mining Background Knowledge for Data Anonymization, 2008, section VI, figures 3 to 8, on the
Adult data. What it leaves open:

* The hierarchies are not printed: the reader's own are used, and for the work class of Adult also a tree with the
  inner nodes Government and Self-emp beside them, which leads to the paper's shares at an expectation of .95.
* Figures 4 to 8 are drawings without numbers; the text says that Injector has no vulnerable rows, and in all settings
  smaller errors than Anatomy.
* The thresholds of support and conviction, and the settings of dim and sel, are not in the text: see
  :mod:`shoal.measuring.tables.utility` and below.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from shoal.audit.attack.bucketized.background_knowledge import attack_background
from shoal.audit.attack.bucketized.definetti import attack_definetti
from shoal.audit.attack.finding import Finding, LeftOut
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Role, Table
from shoal.errors import Infeasible
from shoal.measuring.tables.utility import DIM, QUERIES, SEL, Compared, compared, query_metric, rule_metrics
from shoal.mining.exclusions import exclusions
from shoal.mining.negative_rules import negative_rules
from shoal.publish.anatomy import anatomy
from shoal.publish.injector import Strategy, injector
from shoal.release.bucketized import Bucketized
from shoal.run import Run

Progress = Callable[[str, int, int], None]

EXPECTATIONS = (0.75, 0.8, 0.85, 0.9, 0.95)
LS = (3, 4, 5, 6)
EXPECTATION, L = 0.9, 6
"""What the paper uses unless it says otherwise."""
RUNS = 10
METHODS = ("anatomy", "injector", "printed")
"""The last one is Injector with the printed rule for filling groups."""
DIMS = (1, 2, 3, 4, 5, 6)
SELS = (0.05, 0.1, 0.15, 0.2)
PAPER_RULES = {0.75: 45, 0.8: 39, 0.85: 32, 0.9: 22, 0.95: 15}
"""Figure 3: how many rules the paper found."""
PAPER_EXCLUDED = {
    0.75: (0.0, 0.804, 0.159, 0.023, 0.012, 0.002),
    0.8: (0.0, 0.846, 0.122, 0.021, 0.01, 0.001),
    0.85: (0.0, 0.875, 0.092, 0.02, 0.01, 0.0),
    0.9: (0.0, 0.879, 0.092, 0.025, 0.004, 0.0),
    0.95: (0.0, 0.962, 0.018, 0.02, 0.0, 0.0),
}
"""Figure 3: the share of rows with 0, 1, 2, 3, 4 and at least 5 excluded values."""


@dataclass(frozen=True)
class Rules:
    """Figure 3: what is found at one expectation."""

    trees: str
    """Which hierarchies."""
    min_expectation: float
    rules: int
    excluded: tuple[float, ...]
    """The share of rows with 0, 1, 2, 3, 4 and at least 5 excluded values."""
    seconds: float
    """Of the processor, to find them (figure 5)."""


@dataclass(frozen=True)
class Outcome:
    """Figures 4 to 8: one method at one setting; means over the runs."""

    method: str
    l: int  # noqa: E741  (the literature's name)
    min_expectation: float
    runs: int
    vulnerable: float
    """Rows with fewer than l valid values by the rules of this expectation (figure 4)."""
    vulnerable_range: tuple[int, int]
    largest_chance: float
    """The largest chance of a value of a row by these rules, over all runs."""
    seconds: float
    """Of the processor, to group the rows, rules not included (figure 5)."""
    confidence_error: float | None
    """Figure 6."""
    sigma_plus: float | None
    sigma_minus: float | None
    """Figure 7."""
    query_error: float | None
    """Figure 8, at the usual dim and sel."""
    guessed: float | None
    """The share of rows whose value a naive Bayes names that learns across groups (not in the paper)."""


@dataclass(frozen=True)
class Answers:
    """Figure 8: the error of queries of one kind, at the usual l and expectation."""

    method: str
    dim: int
    sel: float
    query_error: float | None
    answered: int
    """Queries that some row of the original meets."""


@dataclass(frozen=True)
class Reproduction:
    """All that was measured on one table."""

    rows: int
    base_rate: float
    """The share of the most frequent sensitive value."""
    rules: tuple[Rules, ...]
    outcomes: tuple[Outcome, ...]
    answers: tuple[Answers, ...]
    left_out: tuple[str, ...]
    """Settings that cannot be published, and why."""

    def as_dict(self) -> dict[str, Any]:
        """The study as plain values, ready for JSON."""
        return {
            **asdict(self),
            "paper": {
                "rules": {f"{at:g}": number for at, number in PAPER_RULES.items()},
                "excluded": {f"{at:g}": list(shares) for at, shares in PAPER_EXCLUDED.items()},
            },
        }

    def beaten(self, name: str, method: str = "injector") -> tuple[int, int]:
        """In how many settings a method's error of this name is smaller than Anatomy's, and how many there are."""
        theirs = {(one.l, one.min_expectation): getattr(one, name) for one in self.outcomes if one.method == "anatomy"}
        ours = {(one.l, one.min_expectation): getattr(one, name) for one in self.outcomes if one.method == method}
        known = [at for at, value in ours.items() if value is not None and theirs.get(at) is not None]
        # Means of equal numbers may differ in their last digits.
        return sum(ours[at] < theirs[at] - 1e-9 for at in known), len(known)


def reproduce(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    *,
    other_trees: Mapping[str, Mapping[str, Hierarchy]] | None = None,
    ls: Iterable[int] = LS,
    expectations: Iterable[float] = EXPECTATIONS,
    runs: int = RUNS,
    queries: int = QUERIES,
    progress: Progress | None = None,
) -> Reproduction:
    """Measure all settings of the paper on a table with quasi-identifiers and one sensitive column.

    Args:
        table: the data.
        hierarchies: by column.
        other_trees: further hierarchies by name, each of which replaces some of the others: figure 3 again with them.
        ls: which l are tried at the usual expectation; the usual l is the last of them.
        expectations: which expectations are tried at the usual l.
        runs: how often Anatomy, which is random, is run; the means are reported.
        queries: how many queries are asked.
        progress: called with (stage, done, total).
    """
    report = progress or (lambda _stage, _done, _total: None)
    ls, expectations = sorted(ls), sorted(expectations)
    usual_l, usual = ls[-1], EXPECTATION if EXPECTATION in expectations else expectations[-1]
    known: dict[float, Background] = {}
    rules = []
    for trees, given in {"given": {}, **(other_trees or {})}.items():
        for number, expectation in enumerate(expectations):
            report(f"rules ({trees})", number, len(expectations))
            found, background = _rules(table, trees, {**hierarchies, **given}, expectation)
            rules.append(found)
            known.setdefault(expectation, background)
        report(f"rules ({trees})", len(expectations), len(expectations))
    settings = [(l, usual) for l in ls] + [(usual_l, expectation) for expectation in expectations]  # noqa: E741
    settings = list(dict.fromkeys(settings))
    outcomes: list[Outcome] = []
    answers: list[Answers] = []
    left_out: list[str] = []
    anatomies: dict[int, list[_Run]] = {}
    for number, (l, expectation) in enumerate(settings):  # noqa: E741
        report("publish and measure", number, len(settings))
        background = known[expectation]
        for method in METHODS:
            try:
                if method != "anatomy":
                    strategy: Strategy = "printed" if method == "printed" else "balanced"
                    publish = partial(injector, table, l, background=background, strategy=strategy, run=Run(chance=0))
                    made = [_run(table, publish, queries)]
                else:
                    if l not in anatomies:
                        seeds = range(runs)
                        anatomies[l] = [
                            _run(table, partial(anatomy, table, l, run=Run(chance=seed)), queries) for seed in seeds
                        ]
                    made = anatomies[l]
            except Infeasible as error:
                left_out.append(f"{method}, l = {l}, expectation {expectation:g}: {error}")
                continue
            outcomes.append(_outcome(method, expectation, background, made))
            if (l, expectation) == (usual_l, usual):
                answers += _answers(method, made, queries, len(table.names_of(Role.QUASI)))
    report("publish and measure", len(settings), len(settings))
    counts = table.column(table.names_of(Role.SENSITIVE)[0]).counts
    base_rate = float(counts.max() / counts.sum())
    return Reproduction(len(table), base_rate, tuple(rules), tuple(outcomes), tuple(answers), tuple(left_out))


def _rules(
    table: Table, trees: str, hierarchies: Mapping[str, Hierarchy], expectation: float
) -> tuple[Rules, Background]:
    start = time.process_time()
    found = negative_rules(table, expectation, hierarchies=hierarchies)
    seconds = time.process_time() - start
    background = found.background()
    sizes = np.minimum(exclusions(table, background).sizes, 5)
    shares = np.bincount(sizes, minlength=6) / len(table)
    return Rules(trees, expectation, len(found), tuple(shares.tolist()), seconds), background


@dataclass(frozen=True, eq=False)
class _Run:
    """One release, measured."""

    release: Bucketized
    seconds: float
    both: Compared
    metrics: Mapping[str, float | None]
    guessed: float | None


def _run(table: Table, publish: Callable[[], Bucketized], queries: int) -> _Run:
    start = time.process_time()
    release = publish()
    seconds = time.process_time() - start
    both = compared(table, release)
    found = [*rule_metrics(both), query_metric(both, dim=_dim(table, DIM), sel=SEL, number=queries, run=Run(chance=1))]
    guessed = _number(attack_definetti(release, table), "right_share")
    return _Run(release, seconds, both, {metric.name: metric.value for metric in found}, guessed)


def _dim(table: Table, dim: int) -> int:
    return min(dim, len(table.names_of(Role.QUASI)))


def _outcome(method: str, expectation: float, background: Background, made: list[_Run]) -> Outcome:
    known = [attack_background(run.release, background, "of the table", promised=False) for run in made]
    vulnerable = [int(_number(found, "vulnerable_rows") or 0) for found in known]
    chances = [_number(found, "largest_chance_share") for found in known]
    return Outcome(
        method,
        made[0].release.promise.l,
        expectation,
        len(made),
        float(np.mean(vulnerable)),
        (min(vulnerable), max(vulnerable)),
        max(chance for chance in chances if chance is not None),
        float(np.mean([run.seconds for run in made])),
        confidence_error=_mean(run.metrics["confidence error"] for run in made),
        sigma_plus=_mean(run.metrics["sigma+"] for run in made),
        sigma_minus=_mean(run.metrics["sigma-"] for run in made),
        query_error=_mean(run.metrics["query error"] for run in made),
        guessed=_mean(run.guessed for run in made),
    )


def _number(found: Finding | LeftOut, name: str) -> float | None:
    value = found.numbers[name] if isinstance(found, Finding) else None
    return float(value) if isinstance(value, int | float) else None


def _answers(method: str, made: list[_Run], queries: int, n_columns: int) -> list[Answers]:
    dim = min(DIM, n_columns)
    kinds = [(each, SEL) for each in DIMS if each <= n_columns] + [(dim, sel) for sel in SELS if sel != SEL]
    found = []
    for dim, sel in kinds:
        metrics = [query_metric(run.both, dim=dim, sel=sel, number=queries, run=Run(chance=1)) for run in made]
        answered = int(metrics[0].details["answered"] or 0)
        found.append(Answers(method, dim, sel, _mean(metric.value for metric in metrics), answered))
    return found


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
