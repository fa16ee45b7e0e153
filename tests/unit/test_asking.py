"""Functions that take data as well as releases: query, mine, risk and privacy."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError
from tests.making.release_folders import RELEASES, quest, table

BASKETS = [{"tea", "milk"}] * 4 + [{"tea", "gin"}, {"milk"}]
ROWS = [(22, "flu"), (29, "cold"), (31, "flu"), (40, "flu"), (40, "cold")]


def people() -> shoal.Table:
    rows = pa.table({"age": [age for age, _ in ROWS], "ill": [ill for _, ill in ROWS]})
    return shoal.read_table(rows, quasi="age", sensitive="ill")


def test_baskets_are_counted() -> None:
    queries = [{"tea"}, {"tea", "milk"}, {"milk", "gin"}]
    found = shoal.query(shoal.read(BASKETS), queries)
    assert [one.least for one in found] == [sum(items <= basket for basket in BASKETS) for items in queries]
    assert found.as_dict()["records"] == len(BASKETS)
    assert str(shoal.query(shoal.read(BASKETS), "tea")[0]) == "5 for certain"


def test_rows_of_a_table_are_counted() -> None:
    found = shoal.query(people(), ["age >= 30", "age in 25..35 and ill = flu", "ill != flu and age = 40"])
    assert [(one.least, one.most) for one in found] == [(3, 3), (1, 1), (1, 1)]
    with pytest.raises(InputError, match="no row has 'fever' in column 'ill'"):
        shoal.query(people(), "ill = fever")


def test_baskets_are_mined() -> None:
    baskets = shoal.read(BASKETS)
    wanted = {
        frozenset(items): count
        for size in (1, 2)
        for items in combinations(["gin", "milk", "tea"], size)
        if (count := sum({*items} <= basket for basket in BASKETS)) >= 2
    }
    found = shoal.mine(baskets, 2).to_arrow().to_pylist()
    assert {frozenset(row["items"]): row["count"] for row in found} == wanted
    assert len(shoal.mine(baskets, top=1)) == 1
    assert len(shoal.mine(baskets, 2, kind="maximal")) == 1
    assert shoal.mine(baskets, 2, rules=True, min_confidence=0.9).to_arrow().num_rows == 0


@pytest.mark.parametrize("name", ["disassociated", "mask", "bottom-up"])
def test_releases_and_their_folders_are_asked_alike(name: str, tmp_path: Path) -> None:
    release = RELEASES[name]()
    release.write(tmp_path / "release")
    question: Any = "age >= 30" if name == "bottom-up" else [release.vocabulary[0].as_py()]
    wanted = release.query(question).as_dict()
    for one in (release, tmp_path / "release"):
        assert shoal.query(one, question).as_dict() == wanted
        if name != "bottom-up":
            assert shoal.mine(one, 0.1).to_arrow() == release.mine(0.1).to_arrow()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: shoal.query(shoal.read(BASKETS), "tea", of="age"), "of: about releases, and these are raw data"),
        (lambda: shoal.query(shoal.read(BASKETS), "gni"), "gin"),
        (lambda: shoal.query(shoal.read(BASKETS), [[]]), "each query must name 1 item or more"),
        (lambda: shoal.mine(shoal.read(BASKETS), estimator="counts"), "estimator: about releases"),
        (lambda: shoal.mine(people()), "negative rules of a table: shoal.negative_rules"),  # type: ignore[arg-type]
        (lambda: shoal.risk(RELEASES["anatomy"]()), "this is a bucketized release: risk is measured of raw data"),
        (lambda: shoal.risk(RELEASES["bottom-up"](), k=3), "k: not about a release"),  # type: ignore[call-overload]
        (lambda: shoal.risk(table("age"), limit=3), "limit: not about raw data"),  # type: ignore[call-overload]
        (lambda: shoal.privacy(RELEASES["bottom-up"]()), "privacy is computed of randomized releases"),
        (lambda: shoal.privacy(RELEASES["mask"](), keep_prob=0.9), "keep_prob: not about a release"),
        (lambda: shoal.privacy(keep_prob=0.9), "mean_support: missing for settings that are given"),
        (lambda: shoal.privacy(target=0.9, mean_support=0.1), "items, min_support, records: missing"),  # type: ignore[call-overload]
        (lambda: shoal.privacy(target=0.9, frontier=True), "leave one of them out"),  # type: ignore[call-overload]
        (lambda: shoal.report(quest()), "report needs a release, its folder, or what shoal.compare"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_apply_is_refused(asked: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        asked()
    assert said in str(refused.value)


def test_privacy_is_that_of_settings_of_a_release_or_of_a_search() -> None:
    from shoal.measuring.randomization.frontier import privacy_frontier, privacy_settings
    from shoal.measuring.randomization.privacy import randomization_privacy, release_privacy

    about: Any = {"mean_support": 0.01, "records": 10_000, "items": 100, "min_support": 0.01}
    assert str(shoal.privacy(keep_prob=0.9, **about)) == str(randomization_privacy(keep_prob=0.9, **about))
    assert shoal.privacy(target=0.8, **about).settings == privacy_settings(0.8, **about).settings
    assert shoal.privacy(frontier=True, **about).settings == privacy_frontier(**about).settings
    release = RELEASES["mask"]()
    assert shoal.privacy(release, weight=0.5).both == release_privacy(release, weight=0.5).both


def test_what_groups_give_away_is_measured() -> None:
    from shoal.measuring.risk.groups import group_risk

    release = RELEASES["bottom-up"]()
    found = shoal.risk(release, support=0.2, confidence=0.6, limit=3)
    assert found.as_dict() == group_risk(release, 0.2, 0.6, limit=3).as_dict()
