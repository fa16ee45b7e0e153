"""How many rounds of refining: pairs of items that stay together, items that leave term chunks, and time, over rounds.

Prints a table on the data sets beside the project (``../shared/data``, or where SHOAL_DATA points) and on made-up
baskets; the default of ``shoal publish disassociate`` was chosen from it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

import shoal

ROUNDS = (0, 1, 2, 5, 10, 20, 1_000_000)
FILES = {
    "msweb": "msweb/msweb.dat",
    "diabetes": "diabetes/icd9-by-patient.dat",
    "groceries": "groceries/groceries.dat",
    "T10I4D100K": "t10i4d100k/T10I4D100K.dat",
}


def main() -> None:
    """Print, for each data set and number of rounds, what is kept and what it takes."""
    folder = Path(os.environ.get("SHOAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    data = {name: shoal.read(folder / path) for name, path in FILES.items() if (folder / path).exists()}
    for name in FILES.keys() - data.keys():
        print(f"left out: {name} is not in {folder.name}")
    data["quest (made up)"] = shoal.quest(100_000, mean_length=6.5, n_items=1_657, n_patterns=3_000, seed=1)
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
