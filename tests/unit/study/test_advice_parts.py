"""Samples, and the commands that advice ends with."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.study.publish_command import publish_command
from shoal.study.samples import sample


def test_a_sample_has_so_many_of_the_records_each_equally_likely() -> None:
    data = Transactions.from_records([{f"item {i}", "tea"} | ({"milk", "jam"} if i % 2 else set()) for i in range(6)])
    seen: Counter[str] = Counter()
    for seed in range(600):
        part = sample(data, 2, seed)
        assert isinstance(part, Transactions)
        records = [set(record) for record in part]
        assert len(records) == 2
        assert all(record in [set(other) for other in data] for record in records)
        assert set(part.words) == set.union(*records), "items that do not occur are no items of the sample"
        seen.update(item for record in records for item in record if item.startswith("item"))
    # 600 draws with chance 1/3: 200 on average, 11.5 standard deviation; six of them is less than one in a million.
    assert all(130 < seen[f"item {i}"] < 270 for i in range(6))
    assert sample(data, 6, 1) is data
    assert [set(r) for r in sample(data, 3, 7)] == [set(r) for r in sample(data, 3, 7)]


def test_rows_of_a_table_stay_together() -> None:
    rows = pa.table({"q": list(range(50)), "s": [f"value {i}" for i in range(50)]})
    part = sample(Table.from_arrow(rows, quasi="q", sensitive="s"), 10, 3)
    assert isinstance(part, Table)
    found = part.to_arrow().to_pylist()
    assert len(found) == 10
    assert all(row["s"] == f"value {row['q']}" for row in found)


@pytest.mark.parametrize(
    ("method", "settings", "expected"),
    [
        ("mask", {"keep_prob": 0.9, "seed": 7}, "mask a.dat --keep-prob 0.9"),
        ("km-generalization", {"k": 5, "m": 2}, "km-generalization a.dat --hierarchy h.csv -k 5 -m 2"),
        (
            "disassociate-l",
            {"k": 5, "m": 2, "l": 3, "sensitive": ["blood test", "a,b"], "max_cluster_size": None},
            "disassociate a.dat -k 5 -m 2 -l 3 --sensitive 'blood test' --sensitive a,b",
        ),
        (
            "mondrian-hidden",
            {"k": 5, "max_suppressed": 0.0, "hide": "greedy", "support": 0.1, "confidence": 0.5},
            "k-anonymity a.dat --hierarchy h.csv --strategy mondrian -k 5 --max-suppressed 0 --hide greedy "
            "--support 0.1 --confidence 0.5",
        ),
    ],
)
def test_commands_name_all_that_was_measured(method: str, settings: dict[str, object], expected: str) -> None:
    found = publish_command(method, settings, ["a.dat"], ["--hierarchy", "h.csv"])
    assert found == f"shoal publish {expected} -o release"
