"""The data sets that come with Shoal."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pyarrow.csv
import pytest

from shoal.errors import InputError
from shoal.generate import bundled


@pytest.mark.parametrize("name", ["baskets", "people"])
def test_the_files_are_there_and_small(name: str) -> None:
    assert 10_000 < bundled.path(name).stat().st_size < 100_000


def test_regenerating_gives_the_same_bytes(tmp_path: Path) -> None:
    written = bundled.regenerate(tmp_path)
    assert {path.name for path in written} == {"baskets.dat", "people.csv"}
    assert (tmp_path / "baskets.dat").read_bytes() == bundled.path("baskets").read_bytes()
    assert (tmp_path / "people.csv").read_bytes() == bundled.path("people").read_bytes()


def test_the_baskets_are_a_thousand_sets_of_words() -> None:
    records = [line.split(" ") for line in bundled.path("baskets").read_text().splitlines()]
    assert len(records) == 1_000
    assert all(records)
    assert all(len(set(record)) == len(record) for record in records)
    assert 5.5 < sum(map(len, records)) / 1_000 < 6.5
    assert 100 <= len(set().union(*records)) <= 150


def test_the_baskets_have_pairs_that_a_group_of_five_can_hide_in() -> None:
    records = [frozenset(line.split()) for line in bundled.path("baskets").read_text().splitlines()]
    support: dict[tuple[str, ...], int] = {}
    for record in records:
        for pair in combinations(sorted(record), 2):
            support[pair] = support.get(pair, 0) + 1
    # Pairs that a cluster of 30 records can keep together at k = 5 must be frequent far beyond 5 overall.
    assert sum(count >= 30 for count in support.values()) >= 50


def test_the_people_are_a_thousand_rows() -> None:
    table = pyarrow.csv.read_csv(bundled.path("people"))
    assert table.num_rows == 1_000
    assert table.column_names == ["age", "sex", "education", "occupation", "postcode", "diagnosis"]


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'basket'.*baskets, people"):
        bundled.path("basket")


def test_finding_a_path_loads_nothing_heavy() -> None:
    code = "import sys; from shoal.generate.bundled import path; path('people'); print('numpy' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
