"""How re falls with the number of reconstructions, and where the closed form lies, over data sets and ranks of items.

Prints a table on the data sets beside the project (``../shared/data``, or where SHOAL_DATA points) and on made-up
baskets; docs/measure.md shows it.
"""

from __future__ import annotations

import time

from datasets import data_sets

import shoal

RANGES = ((0, 20), (100, 120), (200, 220), (300, 320), (400, 420))
NAMES = ("re", "re-r2", "re-r5", "re-r10", "re-closed", "re-a")


def rows(name: str, found: shoal.results.Utility) -> list[str]:
    """A line for each range: re over all pairs, and below it over the pairs that are in the original."""
    lines = []
    for start, end in RANGES:
        metrics = [found[f"{metric} {start}-{end}"] for metric in NAMES]
        details = metrics[-2].details
        if not details["pairs"]:
            continue
        ranks = f"{start}-{end}"
        there = [metric.details["error_of_original_pairs"] for metric in metrics]
        absent = (details["in_neither"] or 0) + (details["invented"] or 0)
        lines.append(f"{name:18}{ranks:>9}{absent:>8}  " + "".join(_cell(metric.value) for metric in metrics))
        if absent:
            lines.append(f"{'':18}{'':9}{'only':>8}  " + "".join(map(_cell, there)))
    return lines


def main() -> None:
    """Print what is measured on every data set."""
    print("k = 5, m = 2, seed 1; absent: of the pairs, those in no record of the original; only: without these")
    print(f"{'':18}{'ranks':>9}{'absent':>8}  " + "".join(f"{name:>10}" for name in NAMES))
    others = []
    data = data_sets()
    # As many records and items as the paper's largest data set, which may not be passed on.
    data["quest, 515,597"] = shoal.quest(515_597, mean_length=6.5, n_items=1_657, n_patterns=3_000, seed=1)
    for name, baskets in data.items():
        release = shoal.disassociate(baskets, 5, 2)
        start = time.perf_counter()
        found = shoal.measure(baskets, release, ranges=RANGES, run=shoal.Run(chance=1))
        seconds = time.perf_counter() - start
        print("\n".join(rows(name, found)), flush=True)
        shares = [found[label].value for label in ("tKd", "tKd-a", "tlost", "occurrences kept", "pair instances kept")]
        others.append(f"{name:18}" + "".join(map(_cell, shares)) + f"{seconds:>8.1f} s")
    headings = ("tKd", "tKd-a", "tlost", "occurr.", "pairs", "took")
    print(f"\n{'':18}" + "".join(f"{heading:>10}" for heading in headings))
    print("\n".join(others))


def _cell(value: float | None) -> str:
    return f"{'-' if value is None else f'{value:.3f}':>10}"


if __name__ == "__main__":
    main()
