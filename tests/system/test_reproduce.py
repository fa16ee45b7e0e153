"""``shoal reproduce dls``: on made-up baskets, on a folder of data, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import shoal

Captured = pytest.CaptureFixture[str]


def test_claims_of_the_paper_stand_beside_what_comes_out(capfd: Captured) -> None:
    code, out, err = shoal(capfd, "reproduce", "dls", "--quick")
    assert (code, err) == (0, "")
    assert "1.8 times the pairs (ANR, mean over figure 7), ARE 31.04 % lower" in out
    assert "made up: 2,000 records" in out
    assert "…" not in out  # no cell is cut off


def test_a_folder_of_data_is_used_as_far_as_it_goes(capfd: Captured, baskets: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    baskets.rename(folder / "groceries.dat")
    code, out, err = shoal(capfd, "reproduce", "dls", "--quick", "--data", folder, "--json")
    assert code == 0
    left_out = [f"left out: {name} is not in {folder}" for name in ("msweb", "diabetes", "T10I4D100K", "BMS-WebView-2")]
    assert err.splitlines() == left_out
    found = json.loads(out)
    assert found["claimed"] == {"pairs": 1.8, "error": 31.04}
    assert found["data"]["groceries"] == {"records": 27, "items": 5}
    assert set(found["data"]) == {"groceries", "made up"}
    assert {claim["max_cluster_size"] for claim in found["claims"]} == {30, 100}
    assert {one["vertical"] for one in found["outcomes"]} == {"greedy", "dls", "best"}
    assert all(0 <= one["metrics"]["pair instances kept"] <= 1 for one in found["outcomes"])


def test_a_folder_that_is_not_there_is_one_message(capfd: Captured, tmp_path: Path) -> None:
    code, out, err = shoal(capfd, "reproduce", "dls", "--data", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "there is no folder" in err
