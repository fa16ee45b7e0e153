"""Possible originals of a disassociated release: records that give back exactly its chunks."""

from __future__ import annotations

from functools import partial

from shoal.analyse.disassociated.term_chunks import DRAWN, TermItems
from shoal.analyse.originals import Originals
from shoal.release.disassociated import Disassociated


def originals(release: Disassociated, *, term_items: TermItems | None = None) -> Originals:
    """Draws records; an item of a term chunk is in as many as ``term_items`` says."""
    model = term_items or DRAWN
    often = "one record"
    if model == "uniform":
        often = f"1 to {release.promise.k - 1} records (in 1 to all, if sensitive or possibly moved there)"
    return Originals(
        partial(release.reconstruct, term_items=model),
        {"records": release.n_records, "term_items": model},
        f"{release.n_records:,} records",
        "Each is a possible original: its records give back exactly the chunks of the release. None is the original, "
        "unless by chance. Subrecords were placed at random in their clusters, and term-chunk items in "
        f"{often} of theirs (or more, where a record would be empty); all that items of different chunks have to do "
        "with each other is chance, so take averages over several.",
    )
