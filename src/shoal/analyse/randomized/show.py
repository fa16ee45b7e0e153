"""A randomized release as what it is: rows of items."""

from __future__ import annotations

from shoal.analyse.contents import Contents, Wanted
from shoal.analyse.first_rows import first_rows
from shoal.plural import counted
from shoal.release.randomized import Randomized


def show(release: Randomized, wanted: Wanted) -> Contents:
    """How much there is, and the first different rows."""
    fakes = f", {release.n_fakes:,} of them fake" if release.n_fakes else ""
    summary = f"{counted(release.n_rows, 'row')}{fakes}; {counted(release.n_items, 'item')} in the list"
    return first_rows(release, wanted, summary)
