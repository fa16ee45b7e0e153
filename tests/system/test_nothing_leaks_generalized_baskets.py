"""What leaves the house in a release of generalized baskets: published nodes and what is above, rows in their order."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import shoal
from shoal.release.evidence import Evidence
from shoal.run import Run
from tests.making.km_generalized_baskets import generalized_baskets, rows_of
from tests.oracles import km_generalization as oracle
from tests.system.test_nothing_leaks import SECRET, assert_absent, contents, parquet_with_secrets

RECORDS = [[f"{SECRET}Item{n}" for n in random.Random(number).sample(range(12), 4)] for number in range(40)]
TREE = shoal.Hierarchy.from_rows(
    [(f"{SECRET}Item{n}", f"{SECRET}Low{n // 2}", f"group {n // 4}", "*") for n in range(12)]
    + [(f"{SECRET}Spare", f"{SECRET}Low9", "group 9", "*")]
)


def test_nothing_below_the_cut_and_nothing_of_the_input_is_in_the_release(tmp_path: Path) -> None:
    data = shoal.Transactions.from_records(RECORDS)
    release = shoal.km_generalization(data, 20, 2, hierarchy=TREE)
    release.write(tmp_path / "release")
    assert set().union(*rows_of(release)) <= {"group 0", "group 1", "group 2", "*"}
    assert_absent(tmp_path / "release", [SECRET, "group 9"])
    # The test can see them: they are there when the hierarchy is disclosed.
    shoal.km_generalization(data, 20, 2, hierarchy=TREE, publish_hierarchy=True).write(tmp_path / "whole")
    with pytest.raises(AssertionError, match=SECRET):
        assert_absent(tmp_path / "whole", [f"{SECRET}Spare"])


def test_nothing_of_the_stewards_files_is_in_the_release(tmp_path: Path) -> None:
    home = tmp_path / f"{SECRET}Folder"
    home.mkdir()
    source, tree = home / f"{SECRET}Input.parquet", home / f"{SECRET}Tree.csv"
    parquet_with_secrets(source)
    items = sorted(set(shoal.read(source, column="basket").words))
    tree.write_text("".join(f"{item};{'rare' if SECRET in item else 'usual'};*\n" for item in items))
    target = tmp_path / "release"
    command = ["publish", "km-generalization", str(source), "--column", "basket", "--hierarchy", str(tree)]
    command += ["-k", "3", "-m", "2", "--even-if-empty", "-o", str(target)]
    subprocess.run([sys.executable, "-m", "shoal", *command], check=True, capture_output=True, cwd=home)
    assert {path.name for path in target.iterdir()} == {"manifest.json", "rows.parquet", "hierarchy.parquet"}
    assert_absent(target, [SECRET, str(tmp_path), "basket.", "customer", "pandas", "ARROW:schema"])


def test_the_folder_is_made_of_what_is_stated_and_of_nothing_else(tmp_path: Path) -> None:
    """Built again from the promise, the hierarchy and the rows in any order, by hand: same bytes."""
    release = shoal.km_generalization(shoal.Transactions.from_records(RECORDS), 4, 2, hierarchy=TREE)
    release.write(tmp_path / "release")
    rows = [list(row) for row in rows_of(release)]
    random.Random(1).shuffle(rows)
    generalized_baskets(rows, 4, 2, hierarchy=TREE).write(tmp_path / "again")
    assert contents(tmp_path / "release") == contents(tmp_path / "again")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert "seed" not in str(manifest).replace("reproducible", "")


def test_real_groceries_with_their_own_categories(tmp_path: Path, real_file: Callable[[str], Path]) -> None:
    """All sets of the release counted by brute force."""
    data = shoal.read(real_file("groceries/groceries.dat"))
    lines = [line.split("\t") for line in real_file("groceries/items.tsv").read_text().splitlines()]
    tree = shoal.Hierarchy.from_rows([(item, f"{low} ({high})", high, "*") for item, _, low, high in lines])
    release = shoal.km_generalization(data, 5, 2, hierarchy=tree)
    assert oracle.holds(rows_of(release), 5, 2)
    release.write(tmp_path / "release")
    assert shoal.verify(tmp_path / "release", Evidence(original=data, hierarchy=tree)).confirmed
    found = shoal.attack(tmp_path / "release", Evidence(original=data, hierarchy=tree), run=Run(chance=1))
    assert not found.breaks_promise
    assert found["known items"].numbers["random_items"][1]["below_k_in_original"] > 0
