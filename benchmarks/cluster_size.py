"""How large clusters should be: the share of pairs of items that stay together inside chunks, over the maximum size.

Prints a table over multiples of k on the data sets beside the project (``../shared/data``, or where SHOAL_DATA points)
and on made-up baskets; the default of ``shoal publish disassociate`` was chosen from it.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import shoal

MULTIPLES = (2, 3, 4, 6, 8, 10, 20, 40)
FILES = {
    "msweb": "msweb/msweb.dat",
    "diabetes": "diabetes/icd9-by-patient.dat",
    "groceries": "groceries/groceries.dat",
    "T10I4D100K": "t10i4d100k/T10I4D100K.dat",
}


def main() -> None:
    """Print the table, and for each multiple how far it falls behind the best of its row, on average."""
    folder = Path(os.environ.get("SHOAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    data = {name: shoal.read(folder / path) for name, path in FILES.items() if (folder / path).exists()}
    for name in FILES.keys() - data.keys():
        print(f"left out: {name} is not in {folder.name}")
    data["quest (made up)"] = shoal.quest(100_000, mean_length=6.5, n_items=1_657, n_patterns=3_000, seed=1)
    print(
        f"percent of pairs kept, m = 2; largest cluster as a multiple of k\n{'':22}"
        + "".join(f"{m:>8}" for m in MULTIPLES)
    )
    regrets = []
    for name, baskets in data.items():
        for k in (3, 5, 10, 20):
            kept = np.array([pairs_kept(baskets, k, multiple * k) for multiple in MULTIPLES])
            regrets.append(1 - kept / kept[:-2].max())  # the last two tell where it leads, and are no candidates
            print(f"{name:16} k={k:<3}" + "".join(f"{share:8.2f}" for share in 100 * kept), flush=True)
    print(f"{'mean regret, %':22}" + "".join(f"{share:8.2f}" for share in 100 * np.mean(regrets, axis=0)))
    print(f"{'largest regret, %':22}" + "".join(f"{share:8.2f}" for share in 100 * np.max(regrets, axis=0)))


def pairs_kept(baskets: shoal.Transactions, k: int, most: int) -> float:
    """The share of pairs of items of a record that some subrecord still holds together."""
    release = shoal.disassociate(baskets, k, 2, max_cluster_size=most, refine_rounds=0)
    lengths = np.diff(release.subrecord_offsets)
    return float((lengths * (lengths - 1)).sum() / (baskets.lengths * (baskets.lengths - 1)).sum())


if __name__ == "__main__":
    main()
