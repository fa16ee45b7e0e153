"""Figure 4 of Li and Li 2008 on Adult, and how many rows the two ways to fill groups leave over."""

from __future__ import annotations

import pytest

from shoal import Hierarchy, Table, anatomy, injector, negative_rules, read_hierarchy, read_table
from shoal.audit.attack.bucketized.background_knowledge import attack_background
from tests.real_data import ADULT, ADULT_COLUMNS, needs_adult

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex"]
pytestmark = needs_adult


@pytest.fixture(scope="module")
def adult() -> Table:
    return read_table(
        ADULT / "adult.data", column_names=ADULT_COLUMNS, quasi=QUASI, sensitive="occupation", missing="drop"
    )


@pytest.fixture(scope="module")
def trees(adult: Table) -> dict[str, Hierarchy]:
    paths = {name: ADULT / "hierarchies" / f"{name}.csv" for name in QUASI}
    return {name: read_hierarchy(path, column=adult.column(name), name=name) for name, path in paths.items()}


@pytest.mark.parametrize(("l", "least", "most"), [(3, 250, 380), (4, 360, 510), (5, 470, 640), (6, 600, 790)])
def test_anatomy_leaves_rows_vulnerable_and_injector_none(adult, trees, l, least, most):  # noqa: E741
    background = negative_rules(adult, 0.9, hierarchies=trees).background()
    releases = {"anatomy": anatomy(adult, l, seed=l), "injector": injector(adult, l, background=background)}
    found = {
        name: attack_background(release, background, "of Adult", promised=False).numbers["vulnerable_rows"]
        for name, release in releases.items()
    }
    assert least <= found["anatomy"] <= most
    assert found["injector"] == 0


def test_the_printed_rule_leaves_thousands_of_rows_over_and_the_balanced_one_a_few(adult, trees):
    background = negative_rules(adult, 0.9, hierarchies=trees).background()
    groups = {
        strategy: injector(adult, 6, background=background, strategy=strategy) for strategy in ("balanced", "printed")
    }
    # A group has six rows before rows that are left over join it.
    assert len(adult) - 6 * groups["balanced"].n_groups < 20
    assert len(adult) - 6 * groups["printed"].n_groups > 7_000
