"""What every promise of k^m-anonymity says that it is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal

BASKETS = [["a", "b"]] * 9 + [["a", "c"]] * 8 + [["b"]] * 7 + [["c", "d"]] * 6


@pytest.mark.parametrize(
    "publish",
    [
        lambda data: shoal.disassociate(data, 3, 2),
        lambda data: shoal.disassociate(data, 3, 2, vertical="dls"),
        lambda data: shoal.disassociate(data, 3, 2, vertical="best", cover_safe=True),
        lambda data: shoal.disassociate(data, 3, 2, l=2, sensitive=["d"]),
        lambda data: shoal.km_generalization(data, 3, 2),
    ],
    ids=["disassociated", "suppressed", "best of both", "sensitive items", "generalized"],
)
def test_k_candidates_are_no_bound_on_a_probability(tmp_path: Path, publish: Any) -> None:
    publish(shoal.read(BASKETS)).write(tmp_path / "release")
    promise = json.loads((tmp_path / "release" / "manifest.json").read_text())["promises"][0]
    wanted = "no bound on a probability: at least 3 records remain possible, but they need not be equally likely; "
    said = [entry for entry in promise["not_promised"] if entry.startswith(wanted)]
    assert len(said) == 1
    assert said[0].endswith("may find one of them far more likely than the others")
