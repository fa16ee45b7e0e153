"""The real and generated baskets that the defaults were chosen on."""

from __future__ import annotations

from beside import DATA

import shoal

FILES = {
    "msweb": "msweb/msweb.dat",
    "diabetes": "diabetes/icd9-by-patient.dat",
    "groceries": "groceries/groceries.dat",
    "T10I4D100K": "t10i4d100k/T10I4D100K.dat",
}


def data_sets() -> dict[str, shoal.Transactions]:
    """What lies beside the project (``../shared/data``, or where SHOAL_DATA points), and made-up baskets, by name."""
    data = {name: shoal.read(DATA / path) for name, path in FILES.items() if (DATA / path).exists()}
    for name in FILES.keys() - data.keys():
        print(f"left out: {name} is not in {DATA.name}")
    data["quest (made up)"] = shoal.quest(100_000, mean_length=6.5, n_items=1_657, n_patterns=3_000, seed=1)
    return data
