"""What a verdict says of groups in which everybody has the same sensitive value."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.data.table import Table

ROWS = {"age": [20] * 4 + [50] * 4 + [80] * 2, "ill": ["flu"] * 4 + ["flu", "flu", "gout", "gout"] + ["gout"] * 2}


def folder_of(path: Path, **options: object) -> Path:
    table = Table.from_arrow(pa.table(ROWS), quasi="age", sensitive="ill")
    shoal.k_anonymity(table, 2, strategy="mondrian", **options).write(path)  # type: ignore[arg-type]
    return path


def test_a_verdict_names_the_share_of_rows_whose_group_has_one_sensitive_value(tmp_path: Path) -> None:
    verdict = shoal.verify(folder_of(tmp_path / "release"))
    (one,) = verdict.residuals
    assert one.share == pytest.approx(0.6)
    assert str(verdict).splitlines()[2] == "not covered: 60.0 % of the rows are in groups that show a single ill"


def test_hidden_cells_show_no_value(tmp_path: Path) -> None:
    assert shoal.verify(folder_of(tmp_path / "release", hide="greedy")).residuals == ()
