"""What ``shoal info`` reports on noisy counts: how large they are."""

from __future__ import annotations

from shoal.cli.info.description import SEEDED, Described, lengths_line, row_lengths
from shoal.release.noisy_baskets import NoisyBaskets


def describe(release: NoisyBaskets) -> Described:
    """The range of the counts."""
    counts = release.row_counts
    least, most = int(counts.min()) if len(counts) else 0, int(counts.max(initial=0))
    mean = float(counts.mean()) if len(counts) else 0.0
    rows = row_lengths(release.lengths)
    lines = [lengths_line(rows), f"noisy counts: {least:,} to {most:,}, mean {mean:.2f}"]
    if release.reproducible:
        lines.append(SEEDED)
    numbers = {
        "epsilon": release.promise.epsilon,
        "basket_counts": {"least": least, "most": most, "mean": mean},
        "row_lengths": rows,
        "reproducible": release.reproducible,
    }
    return Described(numbers, tuple(lines))
