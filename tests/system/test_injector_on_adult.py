"""Figure 4 of Li and Li 2008 on Adult, and how many rows the two ways to fill groups leave over."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import Hierarchy, Table, anatomy, injector, negative_rules, read_hierarchy, read_table
from shoal.audit.attack.bucketized.background_knowledge import attack_background
from shoal.run import Run
from tests.plugins.real_data import ADULT_COLUMNS

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def adult(adult_folder: Path) -> Table:
    return read_table(
        adult_folder / "adult.data", column_names=ADULT_COLUMNS, quasi=QUASI, sensitive="occupation", missing="drop"
    )


@pytest.fixture(scope="module")
def trees(adult_folder: Path, adult: Table) -> dict[str, Hierarchy]:
    paths = {name: adult_folder / "hierarchies" / f"{name}.csv" for name in QUASI}
    return {name: read_hierarchy(path, column=adult.column(name), name=name) for name, path in paths.items()}


@pytest.mark.parametrize(
    ("l", "whole", "sample"),
    [
        (3, (250, 380), (220, 330)),
        (4, (360, 510), (260, 370)),
        (5, (470, 640), (290, 400)),
        (6, (600, 790), (340, 470)),
    ],
)
def test_anatomy_leaves_rows_vulnerable_and_injector_none(adult, trees, on_sample, l, whole, sample):  # noqa: E741
    """Of 782 rows more are vulnerable than of 30,718, because more values have no row with a condition by chance."""
    least, most = sample if on_sample else whole
    background = negative_rules(adult, 0.9, hierarchies=trees).background()
    releases = {"anatomy": anatomy(adult, l, run=Run(chance=l)), "injector": injector(adult, l, background=background)}
    found = {
        name: attack_background(release, background, "of Adult", promised=False).numbers["vulnerable_rows"]
        for name, release in releases.items()
    }
    assert least <= found["anatomy"] <= most
    assert found["injector"] == 0


def test_the_printed_rule_leaves_thousands_of_rows_over_and_the_balanced_one_a_few(adult, trees, on_sample):
    background = negative_rules(adult, 0.9, hierarchies=trees).background()
    groups = {
        strategy: injector(adult, 6, background=background, strategy=strategy) for strategy in ("balanced", "printed")
    }
    # A group has six rows before rows that are left over join it.
    balanced, printed = (len(adult) - 6 * groups[strategy].n_groups for strategy in ("balanced", "printed"))
    if on_sample:  # so few rows are excluded from so much that many are left over either way
        assert balanced < 310 < 350 < printed
    else:
        assert balanced < 20
        assert printed > 7_000
