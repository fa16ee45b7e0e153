"""What ``shoal query`` prints of a disassociated release: what is certain, and what a model expects."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.analyse.answers import Answers, Supports
from shoal.analyse.disassociated.term_chunks import model_words
from shoal.cli.terminal import item_text
from shoal.cli.told import Rows, Told
from shoal.release.disassociated import Disassociated


def told(release: Disassociated, answers: Answers) -> Told:
    """Bounds, means and deviations, and what these take for granted."""
    found = answers.found
    assert isinstance(found, Supports)
    rows = []
    for at, row in enumerate(answers.rows):
        one = found[at]
        names = (", ".join(map(item_text, row[part])) for part in ("all_of", "none_of"))
        rows.append((*names, f"{one.least:,}", f"{one.most:,}", f"{one.expected:,.1f}", f"{one.deviation:,.1f}"))
    drawn = Rows(("all of", "none of", "at least", "at most", "expected", "deviation"), tuple(rows))
    words = " ".join(_about(release, found, answers.said["term_items"]))
    return Told(f"of {release.n_records:,} records:", (drawn,), words)


def _about(release: Disassociated, found: Supports, term_items: str) -> Iterator[str]:
    """What is certain, what is a model, and which way the truth may lie from it (measured in docs/query.md)."""
    yield "Certain: every possible original lies between at least and at most."
    if found.left_out:
        yield f"Publishing left out {found.left_out:,} occurrences of items: the original may differ by as many."
    yield (
        f"Expected and deviation hold if {found.model}. The release does not tell whether that is so, nor how items of "
        "different chunks went together: the truth may lie many deviations away."
    )
    if model_words(release, "once") == model_words(release, "uniform"):
        return
    if term_items == "once":
        yield "The truth is greater where such an item is in more records: --term-items uniform reckons with that."
    else:
        yield "On real baskets most of these items are in one record: of single items --term-items once comes nearer."
