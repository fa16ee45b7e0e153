"""What ``shoal info`` reports on a randomized release: how it was made, and how long its rows are."""

from __future__ import annotations

from shoal.cli.info.description import SEEDED, Described, lengths_line, row_lengths
from shoal.release.randomized import Randomized


def describe(release: Randomized) -> Described:
    """The facts that an analyst needs."""
    promise = release.promise
    rows = row_lengths(release.lengths)
    lines = [f"{lengths_line(rows)}; {rows['empty']:,} of them empty"]
    if promise.fake_lengths:
        lengths = list(dict(promise.fake_lengths))
        lines.append(
            f"fake transactions were drawn with {lengths[0]:,} to {lengths[-1]:,} items, before anything was flipped"
        )
    if release.reproducible:
        lines.append(SEEDED)
    numbers = {
        "keep_prob": promise.keep_prob,
        "fakes": promise.fakes,
        "fake_lengths": dict(promise.fake_lengths),
        "row_lengths": rows,
        "reproducible": release.reproducible,
    }
    return Described(numbers, tuple(lines))
