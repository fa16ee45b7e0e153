"""How many rounds of refining: pairs of items that stay together, items that leave term chunks, and time, over rounds.

Prints a table on the data sets beside the project (``../shared/data``, or where SHOAL_DATA points) and on made-up
baskets; the default of ``shoal publish disassociate`` was chosen from it.
"""

from __future__ import annotations

import time

import numpy as np
from datasets import data_sets

import shoal

ROUNDS = (0, 1, 2, 5, 10, 20, 1_000_000)


def main() -> None:
    """Print, for each data set and number of rounds, what is kept and what it takes."""
    data = data_sets()
    print("k = 5, m = 2; pairs: in chunks, percent of all; items: occurrences in chunks, percent of all; CPU seconds")
    print(f"{'':18}{'rounds':>8}{'joints':>9}{'pairs':>10}{'more':>8}{'items':>9}{'CPU':>8}")
    for name, baskets in data.items():
        shoal.disassociate(baskets, 5, 2)
        all_pairs = (baskets.lengths * (baskets.lengths - 1) // 2).sum()
        none = None
        for rounds in ROUNDS:
            start = time.process_time()
            release = shoal.disassociate(baskets, 5, 2, refine_rounds=rounds)
            seconds = time.process_time() - start
            lengths = np.diff(release.subrecord_offsets)
            pairs = int((lengths * (lengths - 1) // 2).sum())
            none = pairs if none is None else none
            items = 100 * len(release.items) / len(baskets.items)
            print(
                f"{name:18}{rounds if rounds < 1_000_000 else 'all':>8}{release.counts['joint_clusters']:>9,}"
                f"{100 * pairs / all_pairs:>9.2f}%{pairs - none:>8,}{items:>8.1f}%{seconds:>8.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
