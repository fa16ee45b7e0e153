"""The study of local suppression: which settings, what each of them gives, and what the claims are made of."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import shoal
from papers.local_suppression.figures import (
    Claim,
    Grid,
    Outcome,
    Reproduction,
    Setting,
    _claims,
    frequent_items,
    reproduce,
)

SMALL = Grid(sizes=(12, 30), ks=(3, 6, 10), ms=(2, 3), domains=(50, 100))
DATA = shoal.quest(400, mean_length=5, n_items=30, n_patterns=15, seed=2)


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return reproduce([("made up", DATA)], grid=SMALL)


def test_the_paper_s_figures_are_in_the_grid() -> None:
    grid = Grid()
    assert grid.sizes == (30, 50, 100, 200, 500)
    for size in grid.sizes:
        panels = grid.panels(size)
        assert [setting.m for setting in panels["m"]] == [2, 3, 4, 5]
        assert {setting.k for setting in panels["m"] + panels["items"]} == {10}
        assert {setting.m for setting in panels["k"] + panels["items"]} == {2}
        assert {setting.domain for setting in panels["k"] + panels["m"]} == {100}
    assert [setting.k for setting in grid.panels(30)["k"]] == [2, 5, 10, 15]  # 20 needs clusters of 39
    assert len(set(grid.settings())) == len(grid.settings()) == 4 * (5 + 3 + 3) + (4 + 3 + 3)


def test_every_setting_is_tried_with_all_three_methods(found: Reproduction) -> None:
    tried = [(one.setting, one.vertical) for one in found.outcomes]
    assert tried == [(setting, how) for setting in SMALL.settings() for how in ("greedy", "dls", "best")]
    assert found.sizes == {"made up": (400, DATA.n_items)}


def test_values_are_what_measure_says_of_such_a_release(found: Reproduction, tmp_path: Path) -> None:
    for number, one in enumerate(found.outcomes[::5]):
        setting, data = one.setting, frequent_items(DATA, one.setting.domain)
        most = setting.max_cluster_size
        release = shoal.disassociate(
            data,
            setting.k,
            setting.m,
            max_cluster_size=most,
            vertical=one.vertical,
            refine_rounds=0,
            keep_trace=tmp_path / f"{number}",
        )
        measured = shoal.measure(data, release, top=1, ranges=[], reconstructions=1, trace=tmp_path / f"{number}")
        assert len(one.values) == 14
        assert one.values == {label: measured[label].value for label in one.values}
        assert one.suppressed == release.dropped.suppressed_instances


def test_frequent_items_are_a_share_of_the_items_rounded_up_ties_by_item() -> None:
    data = shoal.read([{"a", "b", "c"}, {"b", "c", "d"}, {"b", "e"}])
    assert frequent_items(data, 20).words == ["b"]
    assert frequent_items(data, 21).words == ["b", "c"]
    assert frequent_items(data, 60).words == ["a", "b", "c"]
    assert frequent_items(data, 100).words == data.words


def outcomes(values: dict[Setting, Any]) -> list[Outcome]:
    """Outcomes of both methods from (ANR, ARE 10, ARE 20, ARE 30, instances) without and with suppression."""
    labels = ["ANR", "ARE top 10 %", "ARE top 20 %", "ARE top 30 %", "pair instances kept"]
    return [
        Outcome("x", setting, vertical, dict(zip(labels, row, strict=True)), 0, 0)
        for setting, rows in values.items()
        for vertical, row in zip(("greedy", "dls", "best"), rows, strict=True)
    ]


def test_claims_are_means_over_the_panels_of_figures_7_and_8() -> None:
    grid = Grid(sizes=(100,), ks=(5, 10), ms=(2, 3), domains=(100,))
    usual = ((0.4, 0.1, 0.2, 0.3, 0.5), (0.8, 0.05, 0.1, 0.3, 0.6), (0.4, 0.1, 0.2, 0.3, 0.5))
    low_k = ((0.5, 0.1, 0.0, 0.3, 0.5), (0.6, 0.1, 0.1, 0.3, 0.5), (0.5, 0.1, 0.0, 0.3, 0.5))
    three = ((0.2, 0.1, 0.4, 0.3, 0.5), (0.3, 0.1, 0.3, 0.3, 0.5), (0.2, 0.1, 0.4, 0.3, 0.5))
    every = outcomes({Setting(100, k=5): low_k, Setting(100): usual, Setting(100, m=3): three})
    dls, best = _claims("x", every, grid)
    # The usual setting is on all three axes; figure 8c looks at it with 10, 20 and 30 percent of the pairs.
    assert dls == Claim(
        "x",
        100,
        "dls",
        pytest.approx(fmean([1.2, 2, 2, 1.5, 2])),
        pytest.approx(fmean([50, 50, 25, 50, 50, 50, 0])),
        pytest.approx(100 * (1 - (0.1 + 3 * 0.1 + 0.3 + 0.05 + 0.1 + 0.3) / (3 * 0.2 + 0.4 + 0.1 + 0.2 + 0.3))),
        pytest.approx(fmean([1, 1.2, 1.2, 1, 1.2])),
        1,
    )
    assert (best.pairs, best.error, best.mean_error, best.pooled_pairs) == (1, 0, 0, 1)


def test_where_nothing_is_measured_nothing_is_claimed() -> None:
    grid = Grid(sizes=(100,), ks=(10,), ms=(2,), domains=(100,))
    none = (None, None, None, None, 0.0)
    dls, _ = _claims("x", outcomes({Setting(100): (none, none, none)}), grid)
    assert (dls.pairs, dls.error, dls.mean_error, dls.pooled_pairs, dls.without_error) == (None, None, None, None, 0)


def test_progress_counts_to_the_end() -> None:
    heard: list[tuple[str, int, int]] = []
    grid = Grid(sizes=(12,), ks=(3,), ms=(), domains=())
    reproduce([("made up", DATA)], grid=grid, progress=lambda *step: heard.append(step))
    assert list(dict.fromkeys(heard)) == [("made up", done, 3) for done in range(4)]
    assert len(heard) > 4  # between settings, and at each step of publishing
