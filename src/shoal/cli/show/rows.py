"""Releases of baskets that are rows as what they are: rows of items, equal ones in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.cli.terminal import counted, draw, item_text, result, table
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized

if TYPE_CHECKING:
    from shoal.data.arrays import Int32, Int64

_LOOKED_AT = 65_536
"""Rows among which equal ones are looked for: enough for any terminal."""


def show_rows(release: Randomized | GeneralizedBaskets | NoisyBaskets, rows: int) -> None:
    """Print how much there is, and the first different rows."""
    result(f"{_summary(release)}\n")
    drawn = table("row", "items")
    found, hidden = _different(release, rows)
    for row in found:
        names = ", ".join(_shown(release, code) for code in row.codes)
        more = " or more" if row.at_least else ""
        times = f" \N{MULTIPLICATION SIGN}{row.times:,}{more}" if row.times > 1 else ""
        drawn.add_row(f"{row.first:,}", f"{{{names}}}{times}")
    draw(drawn)
    if hidden:
        result(f"... and {counted(hidden, 'more row')} (--rows N)")


def rows_as_json(release: Randomized | GeneralizedBaskets | NoisyBaskets, rows: int) -> dict[str, Any]:
    """The same rows for a machine."""
    found, hidden = _different(release, rows)
    shown = [
        {
            "row": row.first,
            "items": [_name(release, code) for code in row.codes],
            "times": row.times,
            "at_least": row.at_least,
        }
        for row in found
    ]
    return {"rows": shown, "more_rows": hidden}


class _Row(NamedTuple):
    first: int
    """Where it is for the first time."""
    codes: list[int]
    times: int
    at_least: bool
    """Whether there may be more of them than were looked at."""


def _different(release: Randomized | GeneralizedBaskets | NoisyBaskets, rows: int) -> tuple[list[_Row], int]:
    """The first different rows, and how many rows come after them."""
    codes = release.nodes if isinstance(release, GeneralizedBaskets) else release.items
    starts = _starts_of_different(release.offsets, codes, min(release.n_rows, _LOOKED_AT))
    found = []
    for first, end in zip(starts[:-1][:rows].tolist(), starts[1:][:rows].tolist(), strict=True):
        here = codes[slice(*release.offsets[first : first + 2].tolist())].tolist()
        n = end - first
        at_least = bool(end == starts[-1] < release.n_rows and n > 1)
        if isinstance(release, NoisyBaskets):  # in which no row is there twice, unless somebody meddled with it
            n, at_least = int(release.row_counts[first:end].sum()), False
        found.append(_Row(first, here, n, at_least))
    return found, release.n_rows - int(starts[: rows + 1][-1])


def _summary(release: Randomized | GeneralizedBaskets | NoisyBaskets) -> str:
    if isinstance(release, Randomized):
        made_up = f", of which {release.n_fakes:,} are made up" if release.n_fakes else ""
        return f"{counted(release.n_rows, 'row')}{made_up}; {counted(release.n_items, 'item')} in the list"
    if isinstance(release, NoisyBaskets):
        return (
            f"{counted(release.n_rows, 'different basket')}, {release.n_records:,} in all by noisy counts; "
            f"{counted(release.n_items, 'item')} in the hierarchy"
        )
    held = release.is_held
    groups = int(np.count_nonzero(held & (release.tree.leaves > 1)))
    return (
        f"{counted(release.n_rows, 'row')}; {counted(int(held.sum()), 'published item')}, of which {groups:,} stand "
        "for several"
    )


def _name(release: Randomized | GeneralizedBaskets | NoisyBaskets, code: int) -> str:
    name: str = release.vocabulary[code].as_py() if isinstance(release, Randomized) else release.tree.labels[code]
    return name


def _shown(release: Randomized | GeneralizedBaskets | NoisyBaskets, code: int) -> str:
    name = item_text(_name(release, code))
    leaves = 1 if isinstance(release, Randomized) else int(release.tree.leaves[code])
    return name if leaves == 1 else f"{name} ({leaves:,} items)"


def _starts_of_different(offsets: Int64, items: Int32, n: int) -> Int64:
    """Which of the first rows differ from the one before, and the number of these rows."""
    offsets = offsets[: n + 1]
    lengths = np.diff(offsets)
    # In a row as long as the one before, each item has its counterpart so many items earlier.
    as_long = np.flatnonzero(np.append(False, lengths[1:] == lengths[:-1]))
    places = np.repeat(offsets[as_long] - np.append(0, np.cumsum(lengths[as_long])[:-1]), lengths[as_long])
    places += np.arange(len(places))
    owners = np.repeat(as_long, lengths[as_long])
    other = owners[items[places] != items[places - lengths[owners]]]
    same = np.zeros(n, bool)
    same[as_long] = True
    same[other] = False
    return np.append(np.flatnonzero(~same), n)
