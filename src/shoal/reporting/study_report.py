"""Reports on comparisons and sweeps: they describe the original, not something published, so all are internal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from shoal.errors import InputError
from shoal.reporting.charts import labelled, lying_bars
from shoal.reporting.facts import source_grid, source_of, versions_grid
from shoal.reporting.page import Block, Chart, Grid, Key, Listed, Report, Section, Value, Words
from shoal.reporting.risk_utility_map import map_chart
from shoal.study.compare import Comparison
from shoal.study.outcome import Costs, Outcome
from shoal.study.outcome_table import Kept, kept_columns, number_text
from shoal.study.sweep import Sweep, in_words

_DIFFERENT = (
    "Promises differ: what one of them hides another may show. First choose the promise you need, then compare what "
    "is kept. None of these releases was kept; several releases of the same people undo each other, so publish one."
)


def study_report(found: Comparison | Sweep, *, source: str | os.PathLike[str] | None = None) -> Report:
    """Report what a comparison or a sweep found, with charts.

    Args:
        found: the return value of :func:`shoal.compare` or :func:`shoal.sweep`.
        source: the file that was studied; the report shows its name and checksum.

    Returns:
        The report, which is internal: all of it is about the original.

    Raises:
        InputError: ``found`` is neither of these.
    """
    if isinstance(found, Comparison):
        return _comparison(found, source_grid(source_of(source, found.size)))
    if isinstance(found, Sweep):
        return _sweep(found, source_grid(source_of(source, found.size)))
    raise InputError("a report on a study needs the result of shoal.compare or shoal.sweep")


def _comparison(found: Comparison, original: Grid) -> Report:
    names = [outcome.job.label for outcome in found.outcomes]
    what = (
        Words(f"{found.size}, published by {', '.join(names)}. {_measured(found)}"),
        Words(_DIFFERENT, "note"),
        *_made(found.made),
    )
    sections = (
        Section("what", "What was compared", what),
        Section("promises", "What each method promises", tuple(_promises(found.outcomes))),
        Section("kept", "What is kept", tuple(_kept(found.outcomes, found.shown))),
        Section("cost", "Time, memory and size", tuple(_costs(found.outcomes))),
        Section("facts", "Basis of this report", (*_settings(found.outcomes), original, versions_grid())),
    )
    return Report("Methods compared", "internal", _DIFFERENT.partition(". ")[0] + ".", _keys(found.outcomes), sections)


def _sweep(found: Sweep, original: Grid) -> Report:
    swept = " and ".join(name.replace("_", "-") for name in found.swept)
    chart = map_chart(found)
    reading = (
        Words(f"Risk: what follows from the promise, {found.risk}. Risks of different methods are not on one scale."),
        Words(
            "Loss: nothing was measured, so there is no map."
            if found.loss is None
            else f"Loss: {found.loss.words}. A point is on the front if no other point has at most the same risk and "
            "loss, and less of one. The knee is the point of the front furthest below the chord between its ends, both "
            "axes scaled: up to it privacy costs less than on average, beyond it more.",
            "note",
        ),
    )
    steps = tuple(f"{step.words}." for step in found.steps)
    sections = (
        Section("map", "The cost of more privacy", (*([chart] if chart else []), *reading)),
        Section("steps", "Step by step", (Listed(steps) if steps else Words("There are no steps.", "note"),)),
        Section("promises", "What each setting promises", tuple(_promises(found.outcomes))),
        Section("kept", "What is kept", tuple(_kept(found.outcomes, found.shown))),
        Section("cost", "Time, memory and size", tuple(_costs(found.outcomes))),
        Section(
            "facts",
            "Basis of this report",
            (
                Words(f"{found.size}. {_measured(found)}"),
                *_made(found.made),
                *_settings(found.outcomes),
                original,
                versions_grid(),
            ),
        ),
    )
    lead = f"{found.method} with {len(found)} settings of {swept}, on {found.size}."
    knees = [found.points[curve.knee.place] for curve in found.curves if curve.knee is not None]
    keys = (*_keys(found.outcomes), *(Key("Knee", in_words(point.values)) for point in knees[:3]))
    return Report(f"Settings of {found.method}", "internal", lead, keys, sections)


def _measured(found: Comparison | Sweep) -> str:
    numbers = found.measuring
    top = f"the {numbers.top:,} most frequent itemsets are compared, " if found.about == "baskets" else ""
    return f"Measured the same way: {top}itemsets and rules count from a share of {numbers.min_support:g} on."


def _made(made: Sequence[str]) -> Iterator[Words]:
    if made:
        yield Words(f"Hierarchies built because none was given: {', '.join(made)}.", "note")


def _keys(outcomes: Sequence[Outcome]) -> tuple[Key, ...]:
    done = [outcome for outcome in outcomes if outcome.state == "done"]
    verified = sum(outcome.verified for outcome in done)
    all_hold = bool(done) and verified == len(done)
    made = f"{verified} of {len(outcomes)}"
    keys = [Key("Releases made, verified from disk and deleted", made, "good" if all_hold else "bad")]
    left = [outcome for outcome in outcomes if outcome.state != "done"]
    if left:
        keys.append(Key("Not possible, or failed", ", ".join(outcome.job.label for outcome in left)))
    return tuple(keys)


def _promises(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    rows = tuple((outcome.job.label, _verdict(outcome), outcome.job.promise) for outcome in outcomes)
    yield Grid("", ("run", "holds", "promise"), rows)
    for outcome in outcomes:
        if outcome.reason:
            yield Words(f"{outcome.job.label}: {outcome.reason}", "note")
        for failure in outcome.failures:
            yield Words(f"{outcome.job.label}: {' '.join(failure.split())}", "bad")
    gaps = tuple((outcome.job.label, entry) for outcome in outcomes for entry in dict.fromkeys(outcome.not_promised))
    if gaps:
        yield Grid("What is not promised", ("run", "not covered"), gaps, folded=True)


def _verdict(outcome: Outcome) -> str:
    if outcome.state != "done":
        return outcome.state
    return "NO" if not outcome.verified else "as far as was checked" if outcome.left_out else "yes"


def _kept(outcomes: Sequence[Outcome], shown: Sequence[str]) -> Iterator[Block]:
    columns = kept_columns(outcomes, shown)
    if not columns:
        yield Words("Nothing was measured.", "note")
        return
    for column in columns:
        yield _bars(column, outcomes)
    cells = tuple(
        (outcome.job.label, *(_cell(outcome.value(column.label)) for column in columns))
        for outcome in outcomes
        if outcome.state == "done"
    )
    yield Grid("All numbers", ("run", *(column.label for column in columns)), cells)
    meanings = tuple((column.label, column.direction, column.meaning, column.edges) for column in columns)
    yield Grid("Meaning of the numbers", ("metric", "better", "meaning", "edges"), meanings, folded=True)


def _bars(column: Kept, outcomes: Sequence[Outcome]) -> Chart:
    found = [(outcome, outcome.value(column.label)) for outcome in outcomes]
    measured = [(outcome.job.label, value) for outcome, value in found if value is not None]
    best = column.best(outcomes)
    leaders = [label for label, value in measured if value == best]
    says = f"{column.direction[:1].upper()}{column.direction[1:]}."
    if best is not None:
        says += f" Best of the verified releases: {', '.join(leaders)} with {number_text(best)}."
    return _by_name(f"kept-{column.label}", column.label, says, measured, column.label)


def _costs(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    costs = [(outcome.job.label, outcome.costs) for outcome in outcomes if outcome.costs is not None]
    if not costs:
        yield Words("Nothing was published, so there is nothing to measure.", "note")
        return
    for name, title, unit, more, value in (
        ("cpu", "CPU time of publishing", "CPU seconds", ", of all threads", _cpu_seconds),
        ("memory", "Memory while publishing", "MB", " at the peak, data included", _peak_mb),
        ("size", "Size of the release", "MB", " on disk", _disk_mb),
    ):
        named = [(label, value(cost)) for label, cost in costs]
        yield _by_name(f"cost-{name}", title, _from_to(named, unit), named, f"{unit}{more}")


def _from_to(named: Sequence[tuple[str, float]], unit: str) -> str:
    """The least and the most of them, unless they look equal."""
    least, most = (pick(named, key=lambda pair: pair[1]) for pick in (min, max))
    low, high = number_text(least[1]), number_text(most[1])
    if low == high:
        return f"{low} {unit}{'' if len(named) == 1 else ' each'}."
    return f"From {low} ({least[0]}) to {high} {unit} ({most[0]})."


def _cpu_seconds(cost: Costs) -> float:
    return cost.publish_seconds


def _peak_mb(cost: Costs) -> float:
    return cost.peak_bytes / 1e6


def _disk_mb(cost: Costs) -> float:
    return cost.disk_bytes / 1e6


def _by_name(name: str, title: str, says: str, values: Sequence[tuple[str, float]], unit: str) -> Chart:
    labels = labelled([label for label, _ in values])
    records: list[dict[str, Value]] = [
        {"label": short, "name": label, "value": value, "text": number_text(value)}
        for short, (label, value) in zip(labels, values, strict=True)
    ]
    plain = "".join(letter if letter.isalnum() else "-" for letter in name.lower().replace("+", " plus")).strip("-")
    return lying_bars(plain, title, says, records, {"name": "run", "value": unit}, unit=unit, share=False)


def _settings(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    rows = []
    for outcome in outcomes:
        given = {name: value for name, value in outcome.job.settings.items() if value is not None}
        rows.append((outcome.job.label, outcome.job.method, in_words(given)))
    yield Grid("Settings", ("run", "method", "parameters"), tuple(rows))


def _cell(value: float | None) -> str:
    return "-" if value is None else number_text(value)
