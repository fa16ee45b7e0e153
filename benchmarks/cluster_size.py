"""How large clusters should be: the share of pairs of items that stay together inside chunks, over the maximum size.

Prints a table over multiples of k on the data sets beside the project (``../shared/data``, or where SHOAL_DATA points)
and on made-up baskets; the default of ``shoal publish disassociate`` was chosen from it.
"""

from __future__ import annotations

import numpy as np
from datasets import data_sets

import shoal

MULTIPLES = (2, 3, 4, 6, 8, 10, 20, 40)


def main() -> None:
    """Print the table, and for each multiple how far it falls behind the best of its row, on average."""
    data = data_sets()
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
