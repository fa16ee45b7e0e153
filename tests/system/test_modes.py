"""Whatever the umask, nobody but the owner may write to what a command wrote."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.running.commands import shoal

COMMANDS = [
    "generate quest --records 60 --items 20 --seed 1 -o {}/baskets.dat",
    "generate people --rows 60 --seed 1 -o {}/people.csv",
    "generate hierarchy {}/people.csv --kind prefixes --column postcode -o {}/tree.csv",
    "publish disassociate {}/baskets.dat -k 2 -m 2 -o {}/release --save-plan {}/plan.toml --report {}/report.html",
    "apply {}/plan.toml {}/baskets.dat -o {}/release --force",
    "publish anatomy {}/people.csv --quasi age,sex --sensitive diagnosis -l 2 --secret {}/key -o {}/groups",
    "report {}/release --public -o {}/public.html --charts {}/new/charts",
    "export {}/release -o {}/release.jsonl",
    "reconstruct {}/release -o {}/drawn",
    "mine {}/baskets.dat --min-support .2 -o {}/sets.parquet",
    "compare {}/baskets.dat --methods mask --top 20 -o {}/compared --keep-releases",
]
PRIVATE = ["key", "report.html", "compared"]


def test_nobody_but_the_owner_may_write(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    house = tmp_path / "house"
    house.mkdir(mode=0o700)
    before = os.umask(0)
    try:
        for command in COMMANDS:
            code, _, err = shoal(capfd, *command.replace("{}", str(house)).split())
            assert code == 0, err
    finally:
        os.umask(before)
    written = list(house.rglob("*"))
    assert len(written) > 40
    assert [path for path in written if path.stat().st_mode & 0o022] == []
    for name in PRIVATE:
        assert (house / name).stat().st_mode & 0o077 == 0
    for path in (house / "release", *(house / "release").iterdir()):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644)
