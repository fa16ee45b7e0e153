"""Queries to a disassociated release: how many records hold some items and none of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.analyse.answers import Answers
from shoal.analyse.disassociated.supports import supports
from shoal.analyse.disassociated.term_chunks import ANSWERS, TermItems
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run


def query(
    release: Disassociated,
    queries: Sequence[tuple[str, ...]],
    *,
    none_of: Iterable[str] = (),
    term_items: TermItems = ANSWERS,
    run: Run = DEFAULT_RUN,
) -> Answers:
    """Bounds and means of all queries, in each of which a record must hold none of ``none_of``."""
    unwanted = tuple(dict.fromkeys(none_of))
    wanted = tuple(queries) or (((),) if unwanted else ())
    found = supports(release, wanted, without=[unwanted] * len(wanted), term_items=term_items, run=run)
    said = {"records": release.n_records, "occurrences_left_out": found.left_out}
    rows = tuple({"all_of": [*items], "none_of": [*unwanted], **found[at].as_dict()} for at, items in enumerate(wanted))
    return Answers(wanted, found, {**said, "term_items": term_items, "expected_if": found.model}, "supports", rows)
