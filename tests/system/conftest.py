"""A terminal, some baskets and a release of them, for the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.cli.main import run


@pytest.fixture(autouse=True)
def a_terminal_of_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.dat"
    rows = ["bread milk", "bread milk tea", "bread tea", "milk tea", "bread milk tea", "bread milk"] * 4
    path.write_text("\n".join([*rows, "bread caviar", "milk hiv", "tea hiv", ""]))
    return path


@pytest.fixture
def release(tmp_path: Path, baskets: Path) -> Path:
    target = tmp_path / "release"
    assert run(["publish", "disassociate", str(baskets), "-k", "3", "-m", "2", "-o", str(target)]) == 0
    return target
