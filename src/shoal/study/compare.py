"""Compare methods on the same data: each one publishes, is verified and is measured by the same metrics.

Numbers are kept, not releases: several releases of the same people undo each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.limits import MOST_SEED, require_share, require_whole
from shoal.methods import METHODS
from shoal.run import DEFAULT_RUN, Run
from shoal.study.chosen_methods import chosen, require_taken
from shoal.study.kept_results import MARK, KeptResults, asked_before, results_in, seed_again
from shoal.study.original import About, Original
from shoal.study.outcome import Job, Measuring, Outcome
from shoal.study.outcome_table import outcome_arrow, outcome_lines
from shoal.study.running import run_job

WHOLE = "runs"
"""The stage whose steps are whole runs; each run has its own stages."""
SHOWN: Mapping[About, Sequence[str]] = {
    "baskets": ("tKd", "tKd-ML2", "re", "pairs kept", "sigma+", "sigma-", "items kept", "NCP"),
    "tables": ("query error", "confidence error", "sigma+", "sigma-", "NCP", "hidden cells", "rows kept"),
}
"""The names of the metrics in tables: those that apply to all releases of one kind of data, and the loss by
generalization if there was any."""


@dataclass(frozen=True)
class Comparison:
    """The outcomes of all methods in one table; ``comparison["mask"]`` is one of them."""

    outcomes: tuple[Outcome, ...]
    about: About
    size: str
    """The size of the data, in words."""
    measuring: Measuring
    made: tuple[str, ...] = ()
    """The hierarchies that were not given, but built."""
    resumed: tuple[str, ...] = ()
    """The runs that had been done before, and were not repeated."""

    def __getitem__(self, label: str) -> Outcome:
        for outcome in self.outcomes:
            if outcome.job.label == label:
                return outcome
        raise KeyError(label)

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def exit_code(self) -> int:
        """The exit code: 0, 2, 3 (no method is possible), or 4 (a bug in Shoal)."""
        return worst_exit_code(self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, ready for JSON."""
        return {
            "about": self.about,
            "size": self.size,
            "measured_with": self.measuring.as_dict(),
            "hierarchies_made": list(self.made),
            "done_before": list(self.resumed),
            "outcomes": [outcome.as_dict() for outcome in self.outcomes],
        }

    @property
    def shown(self) -> list[str]:
        """The names of the metrics in the table; without those about levels if no hierarchy was given."""
        return shown_metrics(self.about, self.made)

    def to_arrow(self) -> pa.Table:
        """A row for each method, with a column for each metric of the printed table, and for each cost."""
        return outcome_arrow(self.outcomes, self.shown)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __str__(self) -> str:
        return "\n".join([self.size, "", *outcome_lines(self.outcomes, self.shown)])


def compare(
    data: Transactions | Table,
    *,
    methods: str | Iterable[str] = "all",
    folder: str | os.PathLike[str] | None = None,
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    top: int | None = None,
    min_support: float | None = None,
    run: Run = DEFAULT_RUN,
    keep_releases: bool = False,
    force: bool = False,
    **settings: Any,
) -> Comparison:
    """Publish the same data by several methods, verify each release, and measure all by the same metrics.

    Each method runs in its own process, to which the data are sent. Its release is written to a folder that only its
    owner can enter, read back, verified (against the original), measured, and deleted.

    Args:
        data: baskets, or a table with quasi-identifiers and sensitive columns.
        methods: ``"all"`` for these data, or names: of baskets disassociate, dls, disassociate-l, km-generalization,
            diffpart, mask, fakes, hybrid; of tables anatomy, injector, bottom-up, bottom-up-hidden, mondrian,
            mondrian-hidden.
        folder: where numbers are kept as they come, so that an interrupted comparison resumes; by default
            nowhere.
        hierarchy: of the items of baskets, or by column of a table. Without it neighbours by name are joined, and
            columns are generalized as :func:`shoal.k_anonymity` does.
        top: baskets: how many of the most frequent itemsets are compared; by default 1000.
        min_support: the least share of records or rows at which itemsets and rules count; by default .01.
        run: threads, progress and chance (:class:`shoal.Run`).
        keep_releases: keep the releases in the folder, each marked as not to be published.
        force: delete the results of another request in that folder.
        **settings: parameters of methods by name, as ``shoal.parameters`` lists them: k, m, l, epsilon, ... Each method
            gets those that it takes, and defaults for the others. Of baskets also ``sensitive``: items that must not be
            linked to any record; with them disassociate-l runs, too.

    Returns:
        A row for each method: what it promises, whether that was verified, what it keeps, what it costs.

    Raises:
        InputError: an argument is out of range or applies to none of the methods; a method is unknown; the folder is in
            use for something else.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}, {"tea", "jam"}] * 10)
        >>> found = shoal.compare(baskets, methods="disassociate", k=100)
        >>> print(found["disassociate"].state, "-", found["disassociate"].reason)
        impossible - 20 records cannot hide one among 100: k (and l) must be at most the number of records
    """
    settings = {name: value for name, value in settings.items() if value is not None and value != ()}
    if "sensitive" in settings:
        settings["sensitive"] = list(settings["sensitive"])
    jobs = jobs_of(methods, about_of(data), settings, run.chance)
    measuring = same_questions(folder, "comparison", run.chance, measuring_of(data, top, min_support, run.chance))
    if keep_releases and folder is None:
        raise InputError("keep_releases needs a folder: name one, or remove keep_releases")
    original = original_for(jobs, data, hierarchy)
    request = {
        "version": shoal.__version__,
        "data": original.fingerprint(),
        "jobs": [job.as_dict() for job in jobs],
        "measuring": measuring.as_dict(),
        "keep_releases": keep_releases,
    }
    with results_in(folder, "comparison", request, force=force) as kept:
        outcomes, resumed = run_all(jobs, original, measuring, kept, keep_releases=keep_releases, run=run)
    return Comparison(tuple(outcomes), original.about, size_of(data), measuring, original.made, tuple(resumed))


def jobs_of(methods: str | Iterable[str], about: About, settings: Mapping[str, Any], seed: int | None) -> list[Job]:
    """A job for each method, labelled by the method's name.

    Raises:
        InputError: a method is unknown, a setting is out of range, or none of the methods takes it.
    """
    found = chosen(methods, about, settings)
    require_taken(settings, found)
    return [Job(method.name, method.name, method.settings({**settings, "seed": seed})) for method in found]


def original_for(
    jobs: Sequence[Job], data: Transactions | Table, hierarchy: Hierarchy | Mapping[str, Hierarchy] | None
) -> Original:
    """The data with hierarchies that all of these jobs can use.

    Raises:
        InputError: a hierarchy does not fit the data or the methods, a sensitive item is not among them, or there is no
            quasi-identifier.
    """
    original = Original.of(data, hierarchy)
    if original.about == "baskets":
        original.baskets.codes_of(item for job in jobs for item in job.settings.get("sensitive", ()))
    if any(METHODS[job.method].generalizes for job in jobs):
        original.require_nodes()
    return original


def measuring_of(data: Transactions | Table, top: int | None, min_support: float | None, seed: int | None) -> Measuring:
    """How all releases are measured; None means the default.

    Raises:
        InputError: a number is out of range, or for the other kind of data.
    """
    if top is not None:
        require_whole("top", top, least=1)
        if isinstance(data, Table):
            raise InputError("top applies to itemsets of baskets, and these data are a table: remove it")
    if min_support is not None:
        require_share("min_support", min_support)
    if seed is not None:
        require_whole("seed", seed, least=0, most=MOST_SEED)
    numbers: dict[str, Any] = {"top": top, "min_support": min_support, "seed": seed}
    return Measuring(**{name: value for name, value in numbers.items() if value is not None})


def same_questions(
    folder: str | os.PathLike[str] | None, name: str, seed: int | None, measuring: Measuring
) -> Measuring:
    """One seed for all runs, resumed ones included, so that all get the same queries and are comparable."""
    asked = asked_before(folder, name).get("measuring")
    return replace(measuring, seed=seed_again(seed, asked.get("seed") if isinstance(asked, dict) else None))


def run_all(
    jobs: Sequence[Job],
    original: Original,
    measuring: Measuring,
    kept: KeptResults,
    *,
    keep_releases: bool = False,
    run: Run = DEFAULT_RUN,
) -> tuple[list[Outcome], list[str]]:
    """Do every job that was not done before, one after another, and save each outcome as it comes.

    Returns:
        The outcomes in the order of the jobs, and the labels of the jobs done before.
    """
    outcomes, resumed = [], []
    for number, job in enumerate(jobs, start=1):
        run.report(WHOLE, number - 1, len(jobs))
        before = kept.outcome(job.label)
        if before is not None:
            outcomes.append(before)
            resumed.append(job.label)
            continue
        outcome = run_job(
            job,
            original,
            measuring,
            place=kept.folder,
            keep=kept.release(job.label) if keep_releases else None,
            mark=MARK if keep_releases else None,
            run=run.within(f"{number} of {len(jobs)}, {job.label}: "),
        )
        kept.keep(outcome)
        outcomes.append(outcome)
    run.report(WHOLE, len(jobs), len(jobs))
    return outcomes, resumed


def about_of(data: Transactions | Table) -> About:
    """The kind of data."""
    return "baskets" if isinstance(data, Transactions) else "tables"


def size_of(data: Transactions | Table) -> str:
    """The size of the data, in words."""
    if isinstance(data, Transactions):
        return f"{len(data):,} records of {data.n_items:,} different items"
    return f"{len(data):,} rows"


def shown_metrics(about: About, made: Sequence[str]) -> list[str]:
    """The names of the metrics in tables; without those about levels if no hierarchy was given."""
    return [name for name in SHOWN[about] if name != "tKd-ML2" or not made]


def worst_exit_code(outcomes: Iterable[Outcome]) -> int:
    """The exit code for these outcomes: 0, 2, 3 (nothing is possible), or 4 (a bug in Shoal)."""
    found = list(outcomes)
    worst = max(outcome.exit_code for outcome in found)
    return worst or (0 if any(outcome.state == "done" for outcome in found) else 3)
