"""An advice in words: the recommendation, its numbers, why not the others, and what is not promised."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from shoal.measuring.metrics import WIDTH
from shoal.methods import METHODS
from shoal.study.advise import Advice
from shoal.study.losses import Loss
from shoal.study.outcome import Outcome
from shoal.study.outcome_table import number_text, stacked_table
from shoal.study.sweep import Sweep, in_words

_NO_ITEM = "- "


def advice_lines(advice: Advice) -> list[str]:
    """The advice as lines of text, without the command that follows from it."""
    lines = [*_wrapped(_looked_at(advice)), "", *_wrapped(f"wanted: {advice.needs.words}.")]
    if advice.choice.criteria:
        lines += ["", *_candidates(advice), "", *_wrapped(_judged_by(advice))]
    lines.append("")
    if advice.proposed is None:
        lines += _wrapped("recommended: nothing. No candidate that serves this need was verified and measured.")
    else:
        lines += _wrapped(f"recommended: {advice.proposed.job.method}, {advice.proposed.job.promise}.")
    lines += [line for text in advice.choice.disagreements for line in _wrapped(f"but {text}.")]
    if advice.proposed is None:
        return [*lines, "", "why not:", *_listed(_others(advice))]
    lines += ["", "why not the others:", *_listed(_others(advice))]
    lines += ["", *_wrapped(f"why these settings: {advice.why_settings}.")]
    if advice.sweep is not None:
        lines += ["", *_settings(advice.sweep, advice.proposed, advice.choice.criteria)]
        lines += ["", *(line for step in advice.sweep.steps for line in _wrapped(step.words))]
        lines += _wrapped(f"risk: {advice.sweep.risk}.")
    lines += ["", "it promises:", *_listed(advice.proposed.promises)]
    lines += ["limits of the promise:", *_listed(advice.proposed.not_promised)]
    return lines


def _looked_at(advice: Advice) -> str:
    if advice.sampled == advice.of:
        return f"{advice.size}, all of them used."
    if advice.about == "baskets":
        caution = (
            "In a sample every item and every set is rarer, so hiding among k records costs more there than in all the "
            "data: losses of methods with a k, and of those with noise, are likely to be smaller in the end."
        )
    else:
        caution = "In a sample there are fewer rows to hide among: losses are likely to be smaller with all the data."
    return f"{advice.size}, of which {advice.sampled:,} were used, drawn at random. {caution}"


def _judged_by(advice: Advice) -> str:
    first, *others = (
        f"{loss.label} ({'less' if loss.best is None else 'more'} is better)" for loss in _criteria(advice)
    )
    then = f", and in case of a tie (two digits) by {others[0]}" if others else ""
    return (
        f"Judged by {first}{then}. Only verified releases count. Promises differ, even among methods that serve this "
        "need: what one hides another may show, and their numbers are not on one scale."
    )


def _criteria(advice: Advice) -> tuple[Loss, ...]:
    return advice.choice.criteria


def _candidates(advice: Advice) -> list[str]:
    criteria = _criteria(advice)
    rows = [(outcome.job.label, _cells(outcome, criteria), outcome.job.promise) for outcome in advice.outcomes]
    heads = ["holds", *(loss.label for loss in criteria), "CPU s"]
    return stacked_table("candidate: what it promises", heads, rows)


def _cells(outcome: Outcome, criteria: tuple[Loss, ...]) -> list[str] | str:
    if outcome.costs is None:
        return outcome.state
    values = [outcome.value(loss.label) for loss in criteria]
    return [
        "NO" if not outcome.verified else "part" if outcome.left_out else "yes",
        *("-" if value is None else number_text(value) for value in values),
        number_text(outcome.costs.publish_seconds),
    ]


def _others(advice: Advice) -> Iterator[str]:
    for judged in advice.choice.judged:
        if judged.state != "proposed":
            yield f"{judged.method}: {judged.words}"


def _settings(sweep: Sweep, proposed: Outcome, criteria: tuple[Loss, ...]) -> list[str]:
    rows: list[tuple[str, list[str] | str, str]] = []
    for point in sweep.points:
        cells = _cells(point.outcome, criteria)
        mark = "  <" if point.outcome is proposed else ""
        more = cells if isinstance(cells, str) else [number_text(point.risk), *cells]
        rows.append((point.name + mark, more, "" if point.outcome.costs else point.outcome.reason))
    fixed = {
        name: value
        for name, value in proposed.job.settings.items()
        if name in METHODS[sweep.method].parameters
        and name not in (*sweep.swept, "seed")
        and value not in (None, [], ())
    }
    heads = ["risk", "holds", *(loss.label for loss in criteria), "CPU s"]
    return [
        *(_wrapped(f"all with {in_words(fixed)}:") if fixed else []),
        *stacked_table(sweep.method, heads, rows),
    ]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _listed(texts: Iterator[str] | tuple[str, ...]) -> list[str]:
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            text, WIDTH, initial_indent=_NO_ITEM, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    ]
