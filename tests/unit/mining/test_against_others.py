"""The same itemsets with the same counts as two public miners find, on random and on real data.

pyfim leaves out every set that is in all records (it counts as known); an empty transaction more, which changes no
count, keeps it from that.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fim
import numba
import pytest

import shoal
from shoal.generate import bundled
from shoal.mining import association_rules, closed_itemsets, frequent_itemsets, maximal_itemsets
from shoal.mining.itemsets import Itemsets

KINDS = {"s": frequent_itemsets, "c": closed_itemsets, "m": maximal_itemsets}


def by_pyfim(data: shoal.Transactions, least: int, target: str = "s") -> dict[frozenset[str], int]:
    found = fim.eclat([*map(list, data), []], supp=-least, target=target)
    made = {frozenset(items): count for items, count in found}
    assert len(made) == len(found)
    return made


def as_dict(found: Itemsets) -> dict[frozenset[str], int]:
    made = dict(found)
    assert len(made) == len(found)
    return made


def one_hot(data: shoal.Transactions) -> Any:
    import numpy as np
    import pandas as pd

    cells = np.zeros((len(data), data.n_items), bool)
    cells[np.repeat(np.arange(len(data)), data.lengths), data.items] = True
    return pd.DataFrame(cells, columns=data.words)


def by_mlxtend(data: shoal.Transactions, least: int) -> dict[frozenset[str], int]:
    from mlxtend.frequent_patterns import fpgrowth

    # Half a record less than the count: its threshold is a share, and must not be missed for a rounding error.
    found = fpgrowth(one_hot(data), min_support=(least - 0.5) / len(data), use_colnames=True)
    return {frozenset(row.itemsets): round(row.support * len(data)) for row in found.itertuples()}


def made_up(seed: int) -> tuple[shoal.Transactions, int]:
    chance = random.Random(seed)
    n, items = chance.randint(1, 120), chance.randint(2, 12)
    weights = [chance.random() for _ in range(items)]
    rows = [[i for i in range(items) if chance.random() < weights[i]] or [0] for _ in range(n)]
    return shoal.read(rows), chance.randint(1, max(1, n // 4))


@pytest.mark.parametrize("seed", range(30))
def test_random_data(seed: int) -> None:
    data, least = made_up(seed)
    for target, mine in KINDS.items():
        assert as_dict(mine(data, least)) == by_pyfim(data, least, target), target
    assert as_dict(frequent_itemsets(data, least)) == by_mlxtend(data, least)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="the JIT is off: this would take minutes")
@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("groceries/groceries.dat", 0.002),
        ("msweb/msweb.dat", 0.001),
        ("diabetes/icd9-by-patient.dat", 0.004),
        ("t10i4d100k/T10I4D100K.dat", 0.001),
    ],
)
def test_real_data_against_pyfim(real_file: Callable[[str], Path], name: str, share: float) -> None:
    data = shoal.read(real_file(name))
    least = int(len(data) * share)
    # The count of the hundredth set is a threshold that some sets reach exactly.
    exact = int(frequent_itemsets(data, least).counts[100])
    for threshold in (least, exact, exact + 1):
        for target, mine in KINDS.items():
            assert as_dict(mine(data, threshold)) == by_pyfim(data, threshold, target), (threshold, target)


def test_bundled_baskets_against_both() -> None:
    data = shoal.read(bundled.path("baskets"))
    for target, mine in KINDS.items():
        assert as_dict(mine(data, 20)) == by_pyfim(data, 20, target), target
    assert as_dict(frequent_itemsets(data, 20)) == by_mlxtend(data, 20)
    assert len(frequent_itemsets(data, 20)) > 100


@pytest.mark.parametrize(("name", "share"), [("groceries/groceries.dat", 0.004), ("msweb/msweb.dat", 0.004)])
def test_real_data_against_mlxtend(real_file: Callable[[str], Path], name: str, share: float) -> None:
    data = shoal.read(real_file(name))
    least = int(len(data) * share)
    assert as_dict(frequent_itemsets(data, least)) == by_mlxtend(data, least)


def test_rules_against_mlxtend() -> None:
    from mlxtend.frequent_patterns import association_rules as theirs
    from mlxtend.frequent_patterns import fpgrowth

    chance = random.Random(5)
    data = shoal.read([[i for i in range(9) if chance.random() < 0.1 * (i + 1)] or [0] for _ in range(80)])
    least, wanted = 8, 0.55
    itemsets = fpgrowth(one_hot(data), min_support=(least - 0.5) / len(data), use_colnames=True)
    expected = {
        (frozenset(row.antecedents), frozenset(row.consequents)): row
        for row in theirs(itemsets, metric="confidence", min_threshold=wanted).itertuples()
    }
    rows = association_rules(frequent_itemsets(data, least), wanted).to_arrow().to_pylist()
    assert len(rows) == len(expected) > 100
    for row in rows:
        other = expected[frozenset(row["antecedent"]), frozenset(row["consequent"])]
        for name in ("support", "confidence", "lift", "leverage", "conviction"):
            assert row[name] == pytest.approx(getattr(other, name), abs=1e-9), name
