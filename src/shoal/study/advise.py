"""Recommend a method and parameters for a stated need: candidates are run, and fixed rules choose.

The candidates that serve the need publish (a sample of) the data, each in its own process, and are verified and
measured as in a comparison. ``choice`` picks one; a small sweep then chooses its parameters.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import shoal
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Role, Table
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible, InputError
from shoal.limits import require_whole
from shoal.methods import METHODS, Method
from shoal.parameters import PARAMETERS
from shoal.run import DEFAULT_RUN, Run
from shoal.study.choice import Choice, Needs, Purpose, choose, settle
from shoal.study.chosen_methods import require_taken
from shoal.study.compare import about_of, measuring_of, original_for, run_all, size_of, worst_exit_code
from shoal.study.kept_results import KeptResults, asked_before, results_in, seed_again
from shoal.study.original import About, Original
from shoal.study.outcome import Job, Measuring, Outcome
from shoal.study.publish_command import publish_command
from shoal.study.samples import sample as drawn_sample
from shoal.study.sweep import Sweep, jobs_of_grid, map_of

SAMPLES: Mapping[About, int] = {"baskets": 20_000, "tables": 10_000}
"""Default sample size in records or rows: with it, an advice takes a minute or two."""


@dataclass(frozen=True)
class Advice:
    """A recommendation with its numbers; when printed, it shows the whole reasoning."""

    needs: Needs
    about: About
    size: str
    """The size of the data, in words."""
    sampled: int
    """The number of records or rows in the sample."""
    of: int
    """The number of records or rows of the data."""
    choice: Choice
    outcomes: tuple[Outcome, ...]
    """The outcomes of the candidates, before the search for parameters."""
    given: Mapping[str, Any]
    """The given parameters, for which no other values are tried."""
    sweep: Sweep | None
    """The sweep of the recommended method; None if its parameters were given, or nothing is recommended."""
    proposed: Outcome | None
    """The recommended method with the recommended settings, on the sample."""
    why_settings: str
    sensitive: tuple[str, ...] = ()
    """Of baskets, the sensitive items, whether in the sample or not."""
    made: tuple[str, ...] = ()
    resumed: tuple[str, ...] = ()

    @property
    def settings(self) -> Mapping[str, Any]:
        """The recommended parameters, for all the data; empty if nothing is recommended."""
        if self.proposed is None:
            return {}
        settings = dict(self.proposed.job.settings)
        return {**settings, "sensitive": list(self.sensitive)} if "sensitive" in settings else settings

    @property
    def exit_code(self) -> int:
        """The exit code: 0; else that of the candidates, or 3 if nothing can be recommended."""
        if self.proposed is not None:
            return 0
        return worst_exit_code(self.outcomes) or 3

    def command(self, source: Sequence[str] = ("FILE",), hierarchies: Sequence[str] = (), out: str = "release") -> str:
        """The command that publishes all the data as recommended; the given words say how to read them."""
        if self.proposed is None:
            return ""
        return publish_command(self.proposed.job.method, self.settings, source, hierarchies, out)

    def as_dict(self) -> dict[str, Any]:
        """The advice as plain values, ready for JSON."""
        choice = self.choice
        return {
            "needs": self.needs.as_dict(),
            "about": self.about,
            "size": self.size,
            "looked_at": self.sampled,
            "of": self.of,
            "hierarchies_made": list(self.made),
            "done_before": list(self.resumed),
            "given": dict(self.given),
            "proposed": None
            if self.proposed is None
            else {
                "method": self.proposed.job.method,
                "settings": dict(self.settings),
                "why_settings": self.why_settings,
                "outcome": self.proposed.as_dict(),
            },
            "criteria": [loss.label for loss in choice.criteria],
            "judged": [vars(judged) for judged in choice.judged],
            "disagreements": list(choice.disagreements),
            "candidates": [outcome.as_dict() for outcome in self.outcomes],
            "sweep": None if self.sweep is None else self.sweep.as_dict(),
        }

    def __str__(self) -> str:
        from shoal.study.advice_text import advice_lines

        return "\n".join(advice_lines(self))


def advise(
    data: Transactions | Table,
    needs: Needs | str = "identity",
    *,
    sensitive: Iterable[str] = (),
    sample: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    hierarchy: Hierarchy | Mapping[str, Hierarchy] | None = None,
    top: int | None = None,
    min_support: float | None = None,
    run: Run = DEFAULT_RUN,
    force: bool = False,
    **settings: Any,
) -> Advice:
    """Recommend a method and its parameters for a stated need, with reasons from numbers measured on these data.

    Args:
        data: baskets, or a table with quasi-identifiers and sensitive columns.
        needs: what the release is for (:class:`shoal.Needs`), or in short the risks to protect people from, one or
            several, comma-separated: ``identity`` (finding a person's record with a little knowledge of the person),
            ``attributes`` (learning for certain what a person has), ``anything`` (learning anything about one record,
            whatever else is known: differential privacy).
        sensitive: baskets: items that must not be linked to any record, for ``attributes``.
        sample: how many records or rows to draw at random and use; by default 20,000 records or 10,000 rows.
        folder: where numbers are kept as they come, so that an interrupted advice resumes; by default nowhere.
        hierarchy: of the items of baskets, or by column of a table, as in :func:`shoal.compare`.
        top: baskets: how many of the most frequent itemsets are compared; by default 1000.
        min_support: the least share of records or rows at which itemsets and rules count; by default .01.
        run: threads, progress and chance (:class:`shoal.Run`).
        force: delete the results of another request in that folder.
        **settings: parameters of methods by name, as in :func:`shoal.compare`. Given parameters are kept as they are.

    Returns:
        The recommendation, a judgement on every other method with reasons, and what the promise does not cover.

    Raises:
        InputError: an argument is out of range or applies to no candidate, or the folder is in use for something else.
        Infeasible: no method for such data serves the need.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}, {"tea", "jam"}] * 10)
        >>> found = shoal.advise(baskets, "anything", epsilon=1e-9)
        >>> found.proposed is None, [judged.state for judged in found.choice.judged if judged.method == "diffpart"]
        (True, ['impossible'])
    """
    about = about_of(data)
    if not isinstance(needs, Needs):
        needs = needs_of(needs, exact_items=False, purpose="mining")
    items = tuple(sensitive)
    given = {name: value for name, value in settings.items() if value is not None}
    jobs_of_needs(needs, about, given, items, run.chance)  # fail early
    if isinstance(data, Table):
        require_sensitive(needs, there=bool(data.names_of(Role.SENSITIVE)))
    measuring = measuring_of(data, top, min_support, run.chance)
    if sample is not None:
        require_whole("sample", sample, least=2)
    if isinstance(data, Transactions):
        data.codes_of(items)
    size = SAMPLES[about] if sample is None else sample
    # A sample drawn before is drawn again, so that the numbers belong together.
    by = seed_again(run.chance, asked_before(folder, "advice").get("sample_seed"))
    # And all releases get the same queries, so that their numbers are comparable.
    measuring = replace(measuring, seed=by)
    part = drawn_sample(data, size, by)
    there = tuple(item for item in items if not isinstance(part, Transactions) or item in set(part.words))
    jobs = jobs_of_needs(needs, about, given, there, run.chance)
    original = original_for(jobs, part, hierarchy)
    request = {
        "version": shoal.__version__,
        "data": original.fingerprint(),
        "needs": needs.as_dict(),
        "jobs": [job.as_dict() for job in jobs],
        "given": given,
        "measuring": measuring.as_dict(),
        "sample": size,
        "sample_seed": by,
    }
    with results_in(folder, "advice", request, force=force) as kept:
        outcomes, resumed = run_all(jobs, original, measuring, kept, run=run.within("candidates, "))
        choice = choose(needs, about, outcomes)
        swept = proposed = None
        why = ""
        if choice.method is not None:
            method = METHODS[choice.method]
            proposed = next(outcome for outcome in outcomes if outcome.job.method == method.name)
            fixed = {**method.advised, **given, **({"sensitive": list(there)} if there else {})}
            fixed = {name: value for name, value in fixed.items() if name in method.parameters}
            swept, why = _settings(needs, method, fixed, choice, outcomes, original, measuring, kept, run, run.chance)
            if swept is not None:
                place, why = settle(swept.curves[0], swept.points)
                proposed = swept.points[place].outcome
                resumed += swept.resumed
    return Advice(
        needs,
        about,
        size_of(data),
        len(part),
        len(data),
        choice,
        tuple(outcomes),
        given,
        swept,
        proposed,
        why,
        items,
        original.made,
        tuple(resumed),
    )


def needs_of(against: str | Iterable[str], *, exact_items: bool, purpose: Purpose) -> Needs:
    """The needs, from comma-separated names or several names."""
    names = against.split(",") if isinstance(against, str) else against
    return Needs(tuple(name.strip() for name in names if name.strip()), exact_items, purpose)


def require_sensitive(needs: Needs, *, there: bool) -> None:
    """Refuse needs about sensitive columns if a table has none.

    Raises:
        InputError: says which need it is.
    """
    if there:
        return
    if "attributes" in needs.against:
        raise InputError("no column is sensitive: name the columns that must stay private (sensitive)")
    if needs.purpose == "mining":
        raise InputError(
            "tables are judged for mining by rules about a sensitive column, and none is sensitive: name one "
            "(sensitive), or choose counting"
        )


def jobs_of_needs(
    needs: Needs, about: About, given: Mapping[str, Any], sensitive: Sequence[str], seed: int | None
) -> list[Job]:
    """A job for each method that serves the need, labelled by the method's name.

    Raises:
        InputError: a parameter is out of range, or applies to none of these methods.
        Infeasible: there is no such method.
    """
    if sensitive and "attributes" not in needs.against:
        raise InputError("sensitive items are only used against attributes: add attributes, or remove the items")
    serving = needs.served_by(about)
    if not serving:
        raise Infeasible(f"no method for {about} serves all of these needs ({needs.words}): ask for less")
    methods = [method for method in serving if sensitive or method.needs != "sensitive"]
    if not methods:
        names = ", ".join(method.name for method in serving)
        raise InputError(f"only {names} serves these needs, and it needs sensitive items (sensitive)")
    require_taken(given, methods)
    settings = {**given, "sensitive": list(sensitive), "seed": seed}
    return [Job(method.name, method.name, method.settings({**method.advised, **settings})) for method in methods]


def _settings(
    needs: Needs,
    method: Method,
    fixed: Mapping[str, Any],
    choice: Choice,
    outcomes: Sequence[Outcome],
    original: Original,
    measuring: Measuring,
    kept: KeptResults,
    run: Run,
    seed: int | None,
) -> tuple[Sweep | None, str]:
    """A sweep of the parameters that determine the risk, or the reason why there is none."""
    free = [name for name in method.risk_for(needs.wanted).parameters if name not in fixed]
    if not free:
        return None, "as it was given"
    grid = {**fixed, free[0]: PARAMETERS[free[0]].grid}
    _, jobs, swept = jobs_of_grid(method.name, grid, original.about, seed, f"{method.name},")
    before = {job.label: outcome for job in jobs for outcome in outcomes if _same(job, outcome.job)}
    more, resumed = run_all(
        [job for job in jobs if job.label not in before],
        original,
        measuring,
        kept,
        run=run.within("parameters, "),
    )
    found = {**before, **{outcome.job.label: outcome for outcome in more}}
    mapped = map_of(method, swept, [found[job.label] for job in jobs], original, choice.criteria[0])
    return (
        Sweep(method.name, *mapped, original.about, size_of(original.data), measuring, original.made, tuple(resumed)),
        "",
    )


def _same(one: Job, other: Job) -> bool:
    return one.method == other.method and dict(one.settings) == dict(other.settings)
