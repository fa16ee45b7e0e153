"""A randomized release as what it is: rows of items, of which nobody can say which are real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.cli.terminal import counted, draw, item_text, result, table

if TYPE_CHECKING:
    from shoal.data.transactions import Int64
    from shoal.release.randomized import Randomized

_LOOKED_AT = 65_536
"""Rows among which equal ones are looked for: enough for any terminal."""


def show_rows(release: Randomized, rows: int) -> None:
    """Print how much there is, and the first different rows."""
    made_up = f", of which {release.n_fakes:,} are made up" if release.n_fakes else ""
    result(f"{counted(release.n_rows, 'row')}{made_up}; {counted(release.n_items, 'item')} in the list\n")
    starts = _starts_of_different(release, min(release.n_rows, _LOOKED_AT))
    drawn = table("row", "items")
    for first, end in zip(starts[:-1][:rows].tolist(), starts[1:][:rows].tolist(), strict=True):
        codes = release.items[slice(*release.offsets[first : first + 2].tolist())].tolist()
        names = ", ".join(item_text(release.vocabulary[code].as_py()) for code in codes)
        more = " or more" if end == starts[-1] < release.n_rows else ""
        times = f" \N{MULTIPLICATION SIGN}{end - first:,}{more}" if end - first > 1 else ""
        drawn.add_row(f"{first:,}", f"{{{names}}}{times}")
    draw(drawn)
    hidden = release.n_rows - int(starts[: rows + 1][-1])
    if hidden:
        result(f"... and {counted(hidden, 'more row')} (--rows N)")


def _starts_of_different(release: Randomized, n: int) -> Int64:
    """Which of the first rows differ from the one before, and the number of these rows."""
    offsets = release.offsets[: n + 1]
    lengths = np.diff(offsets)
    # In a row as long as the one before, each item has its counterpart so many items earlier.
    as_long = np.flatnonzero(np.append(False, lengths[1:] == lengths[:-1]))
    places = np.repeat(offsets[as_long] - np.append(0, np.cumsum(lengths[as_long])[:-1]), lengths[as_long])
    places += np.arange(len(places))
    owners = np.repeat(as_long, lengths[as_long])
    other = owners[release.items[places] != release.items[places - lengths[owners]]]
    same = np.zeros(n, bool)
    same[as_long] = True
    same[other] = False
    return np.append(np.flatnonzero(~same), n)
