"""Tables 5 and 6 again, on data so small that what must come out is known."""

from __future__ import annotations

import json

import pytest

import shoal
from papers.randomization import measured_tables as study
from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.measuring.baskets.mining_error import mining_error
from shoal.mining.itemsets import frequent_itemsets
from shoal.publish.randomization import randomize
from shoal.run import Run

GRID = study.Grid((0.3, 0.1), (1.0,), (0.9,), (0.3,), (0.0, 1.0), (1.0, 0.3))
BASKETS = [{"a", "b"}] * 120 + [{"a", "c"}] * 60 + [{"d"}] * 20


@pytest.fixture(scope="module")
def outcome():
    data = shoal.read(BASKETS)
    seen = []
    found = study.reproduce([("small", data)], ("small", data), runs=3, grid=GRID, progress=lambda *at: seen.append(at))
    return found, seen


def test_every_setting_is_measured(outcome):
    found, _ = outcome
    tried = [(one.scheme, one.keep_prob, one.fakes, one.min_support, one.frequent) for one in found.errors]
    assert tried == [
        ("hybrid", 0.995, 1.0, 0.3, 5),
        ("hybrid", 0.995, 1.0, 0.1, 6),
        ("fakes", 1.0, 1.0, 0.3, 5),
        ("fakes", 1.0, 1.0, 0.1, 6),
        ("hybrid", 0.9, 1.0, 0.3, 5),
    ]
    assert [(one.scheme, one.fakes, one.estimator) for one in found.times] == [
        ("fakes", 0.0, "none"),
        ("hybrid", 0.0, "counts"),
        ("fakes", 1.0, "counts"),
        ("hybrid", 1.0, "counts"),
    ]
    assert [one.estimator for one in found.estimators] == ["counts", "matrix", "constant"]
    counts, matrix, _ = found.estimators
    assert counts.itemsets == matrix.itemsets
    assert found.sizes == {"small": (200, 4)}


def test_a_cell_is_the_mean_over_runs(outcome):
    found, _ = outcome
    data = shoal.read(BASKETS)
    true = frequent_itemsets(data, 0.1)
    for one in (found.errors[1], found.errors[3]):
        errors = [
            mining_error(
                true, estimated_itemsets(randomize(data, keep_prob=one.keep_prob, fakes=1.0, run=Run(chance=seed)), 0.1)
            )
            for seed in range(3)
        ]
        plus = [error.false_positive for error in errors]
        minus = [error.false_negative for error in errors]
        assert one.sigma_plus.mean == pytest.approx(sum(plus) / 3)
        assert one.sigma_minus.mean == pytest.approx(sum(minus) / 3)
        mean = sum(minus) / 3
        assert one.sigma_minus.deviation == pytest.approx((sum((m - mean) ** 2 for m in minus) / 2) ** 0.5)


def test_of_one_run_there_is_no_spread():
    assert study.Spread.of([0.25]) == study.Spread(0.25, None)


def test_progress_and_json(outcome):
    found, seen = outcome
    assert ("publish and mine small", 9, 9) in seen
    assert ("time mining", 4, 4) in seen
    told = json.loads(json.dumps(found.as_dict()))
    assert told["sizes"] == {"small": {"records": 200, "items": 4}}


def test_what_the_paper_prints_is_whole():
    assert {len(row) for row in study.PAPER_SECONDS.values()} == {len(study.TIMED_FAKES)}
    assert {at for _, at in study.PAPER_SECONDS} == set(study.TIMED_SUPPORTS)
    assert {fakes for _, fakes in study.PAPER_ERRORS} == set(study.FAKES)
    # In the paper twice the rows take twice the time, and flips a little more.
    for (scheme, at), seconds in study.PAPER_SECONDS.items():
        assert seconds == tuple(sorted(seconds))
        if scheme == "fakes":
            hybrid = study.PAPER_SECONDS["hybrid", at]
            assert all(flipped > plain for plain, flipped in zip(seconds, hybrid, strict=True))
