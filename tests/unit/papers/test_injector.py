"""The study of Injector: which settings, what each gives, and what the claims are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import shoal
from papers.injector.figures import Reproduction, reproduce
from shoal.audit.attack.bucketized import attack
from shoal.data.hierarchy_builders import ranges
from shoal.data.table import Table
from shoal.measuring.tables.utility import compared, query_metric
from shoal.mining.exclusions import exclusions
from shoal.run import Run


@pytest.fixture(scope="module")
def people() -> Table:
    return Table.from_arrow(shoal.people(1_500, seed=4), quasi=["age", "sex", "education"], sensitive="diagnosis")


@pytest.fixture(scope="module")
def found(people: Table) -> Reproduction:
    trees = {"age": ranges(people.column("age"))}
    return reproduce(people, trees, ls=(2, 3), expectations=(0.8, 0.9), runs=3, queries=50)


def test_l_varies_at_the_usual_expectation_and_the_expectation_at_the_largest_l(found: Reproduction) -> None:
    settings = [(one.method, one.l, one.min_expectation) for one in found.outcomes]
    each = [(2, 0.9), (3, 0.9), (3, 0.8)]
    assert settings == [(method, *at) for at in each for method in ("anatomy", "injector", "printed")]
    assert [one.runs for one in found.outcomes] == [3, 1, 1] * 3


def test_rules_are_those_of_the_miner(people: Table, found: Reproduction) -> None:
    trees = {"age": ranges(people.column("age"))}
    for one in found.rules:
        rules = shoal.negative_rules(people, one.min_expectation, hierarchies=trees)
        sizes = np.minimum(exclusions(people, rules.background()).sizes, 5)
        assert one.rules == len(rules)
        assert one.excluded == pytest.approx([np.mean(sizes == number) for number in range(6)])


def test_injector_has_no_vulnerable_rows_and_anatomy_has(people: Table, found: Reproduction) -> None:
    for one in found.outcomes:
        assert (one.vulnerable == 0) == (one.method != "anatomy")
    trees = {"age": ranges(people.column("age"))}
    background = shoal.negative_rules(people, 0.8, hierarchies=trees).background()
    runs = [shoal.anatomy(people, 3, run=Run(chance=seed)) for seed in range(3)]
    vulnerable = [attack(run, background=background)["background knowledge"].numbers["vulnerable_rows"] for run in runs]
    last = found.outcomes[-3]
    assert (last.vulnerable, last.vulnerable_range) == (np.mean(vulnerable), (min(vulnerable), max(vulnerable)))


def test_queries_of_figure_8_are_asked_of_all_runs_and_averaged(people: Table, found: Reproduction) -> None:
    runs = [shoal.anatomy(people, 3, run=Run(chance=seed)) for seed in range(3)]
    for one in found.answers:
        if one.method == "anatomy" and one.dim == 2:
            errors = [
                query_metric(compared(people, run), dim=2, sel=one.sel, number=50, run=Run(chance=1)).value
                for run in runs
            ]
            assert one.query_error == pytest.approx(np.mean(errors))
    assert {one.dim for one in found.answers} == {1, 2, 3}
    assert {one.sel for one in found.answers if one.dim == 3} == {0.05, 0.1, 0.15, 0.2}


def test_smaller_means_smaller_and_not_smaller_by_rounding(found: Reproduction) -> None:
    theirs, ours, _ = found.outcomes[:3]
    pair = (replace(theirs, sigma_plus=0.3), replace(ours, sigma_plus=0.3 - 1e-16))
    assert replace(found, outcomes=pair).beaten("sigma_plus") == (0, 1)
    assert replace(found, outcomes=(pair[0], replace(ours, sigma_plus=0.2))).beaten("sigma_plus") == (1, 1)
    assert replace(found, outcomes=(pair[0], replace(ours, sigma_plus=None))).beaten("sigma_plus") == (0, 0)


def test_what_cannot_be_published_is_left_out_and_said(people: Table) -> None:
    found = reproduce(people, {}, ls=(2, 40), expectations=(0.9,), runs=1, queries=10)
    assert [(one.method, one.l) for one in found.outcomes] == [("anatomy", 2), ("injector", 2), ("printed", 2)]
    assert len(found.left_out) == 3
    assert all("l = 40" in why for why in found.left_out)


def test_the_study_as_plain_values_has_the_paper_beside(found: Reproduction) -> None:
    values = found.as_dict()
    assert values["paper"]["rules"] == {"0.75": 45, "0.8": 39, "0.85": 32, "0.9": 22, "0.95": 15}
    assert values["outcomes"][0]["method"] == "anatomy"
