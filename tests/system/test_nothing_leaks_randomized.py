"""What leaves the house in a randomized release: chance, sizes, the list of items and rows in an order of their own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import shoal
from shoal.publish.randomization import randomize_and_trace
from shoal.release.randomized import Randomized
from shoal.run import Run
from tests.making.randomized_releases import names_of, randomized
from tests.system.test_nothing_leaks import SECRET, assert_absent, contents, parquet_with_secrets

MASK = {"keep_prob": 0.9}
FAKES = {"fakes": 1.5, "fake_length": (1, 3)}
PRIVATE = {**MASK, **FAKES, "max_basket": 2}
every_method = pytest.mark.parametrize("numbers", [MASK, FAKES, {**MASK, **FAKES}, PRIVATE], ids=str)
RECORDS = [frozenset(f"item{n}" for n in random.Random(number).sample(range(9), 4)) for number in range(60)]


def published(records: Any, target: Path, **numbers: Any) -> Randomized:
    release, _ = randomize_and_trace(shoal.read(records), **numbers)
    release.write(target)
    return release


@pytest.mark.parametrize(
    "options",
    [
        ["mask", "--keep-prob", ".9"],
        ["fakes", "--fakes", "1"],
        ["hybrid", "--keep-prob", ".9", "--fakes", "2", "--fake-length", "1-3", "--max-basket", "3"],
    ],
    ids=str,
)
def test_nothing_of_the_stewards_file_is_in_the_release(tmp_path: Path, options: list[str]) -> None:
    home = tmp_path / f"{SECRET}Folder"
    home.mkdir()
    source = home / f"{SECRET}Input.parquet"
    parquet_with_secrets(source)
    listed = home / f"{SECRET}List.txt"
    listed.write_text("".join(f"item{n}\n" for n in range(12)) + f"{SECRET}Rare\n")
    target = tmp_path / "release"
    command = ["publish", *options, str(source), "--column", "basket", "--items", str(listed), "-o", str(target)]
    subprocess.run([sys.executable, "-m", "shoal", *command], check=True, capture_output=True, cwd=home)
    assert {path.name for path in target.iterdir()} == {"manifest.json", "rows.parquet", "items.parquet"}
    planted = [f"{SECRET}{word}" for word in ("Unused", "Person", "Field", "Schema", "Host", "Folder", "Input", "List")]
    assert_absent(target, [*planted, str(tmp_path), "basket.", "customer", "pandas", "ARROW:schema", "seed stood in"])
    # The list of items is published as it is, an item that one person has among them: that is not promised.
    with pytest.raises(AssertionError, match=f"{SECRET}Rare"):
        assert_absent(target, [f"{SECRET}Rare"])
    manifest = json.loads((target / "manifest.json").read_text())
    assert "the publisher states that it was given" in str(manifest["promises"][0]["not_promised"])


@every_method
def test_the_folder_is_made_of_what_is_stated_and_of_nothing_else(tmp_path: Path, numbers: dict[str, Any]) -> None:
    """Built again from the promise, the list of items, the number of records and the rows in any order: same bytes."""
    release = published(RECORDS, tmp_path / "release", **numbers)
    rows = names_of(release)
    random.Random(1).shuffle(rows)
    again = randomized(
        rows, release.vocabulary.to_pylist(), release.promise, n_records=len(RECORDS), privacy=release.privacy
    )
    again.write(tmp_path / "again")
    assert contents(tmp_path / "release") == contents(tmp_path / "again")
    assert rows != names_of(release)


@every_method
def test_rows_stand_in_an_order_of_their_own(tmp_path: Path, numbers: dict[str, Any]) -> None:
    """Neither that of the input nor real ones first: that of the numbers of their items, which follow the names."""
    release, source = randomize_and_trace(shoal.read(RECORDS), **numbers, run=Run(chance=5))
    release.write(tmp_path / "release")
    rows = pq.read_table(tmp_path / "release" / "rows.parquet")["items"].to_pylist()
    assert rows == sorted(rows)
    items = pq.read_table(tmp_path / "release" / "items.parquet")
    assert items.to_pydict() == {"item": list(range(9)), "name": [f"item{n}" for n in range(9)]}
    assert pq.read_table(tmp_path / "release" / "rows.parquet").column_names == ["items"]
    # The test can see an order: real rows do not stand as they did.
    real = [record for record in source.tolist() if record >= 0]
    assert sorted(real) == list(range(len(RECORDS)))
    assert real != sorted(real)


def test_made_up_rows_hide_in_what_order_and_out_of_what_lines_records_came(tmp_path: Path) -> None:
    """Nothing is flipped, so that the same seed makes the same rows of the same records: then all bytes are equal."""
    lines = [" ".join(sorted(record)) for record in RECORDS]
    (tmp_path / "one.dat").write_text("\n".join(lines))
    messy = ["", *random.Random(3).sample([f"{line} {line.split()[0]}" for line in lines], len(lines)), "", "  "]
    (tmp_path / "two.dat").write_text("\n".join(messy))
    for name in ("one", "two"):
        published(tmp_path / f"{name}.dat", tmp_path / name, **FAKES, run=Run(chance=11))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_how_long_records_were_before_they_were_cut_is_nowhere(tmp_path: Path) -> None:
    """One person bought everything. Of that nothing is left but what two items of it become."""
    everything = frozenset(f"item{n}" for n in range(9))
    numbers = {"keep_prob": 0.999999, "max_basket": 2}
    names = sorted(everything)
    longer = published([*RECORDS, everything], tmp_path / "longer", items=names, **numbers)
    shorter = published([*RECORDS, everything - {"item0"}], tmp_path / "shorter", items=names, **numbers)
    assert int(longer.lengths.max()) == 2 == int(shorter.lengths.max())
    manifests = [json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("longer", "shorter")]
    for manifest in manifests:
        del manifest["files"]  # sums of rows, which differ by chance
    assert manifests[0] == manifests[1]
    assert manifests[0]["counts"] == {"rows": 61, "records": 61, "items": 9, "ones": 122}


def test_a_seed_is_marked_and_not_told(tmp_path: Path) -> None:
    published(RECORDS, tmp_path / "release", **MASK, **FAKES, run=Run(chance=987654321012345))
    assert_absent(tmp_path / "release", ["987654321012345", f"{987654321012345:x}"])
    raw = b"".join(contents(tmp_path / "release").values())
    for order in ("little", "big"):
        assert (987654321012345).to_bytes(8, order) not in raw
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["reproducible"] == "a seed stood in for chance: do not publish"
    published(RECORDS, tmp_path / "chance", **MASK, **FAKES)
    assert "reproducible" not in (tmp_path / "chance" / "manifest.json").read_text()
