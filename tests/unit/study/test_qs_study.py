"""The study of hidden Q-S associations: which settings, what each gives, and what the claims are made of."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

import shoal
from shoal.data.table import Table
from shoal.study.qs_associations import Ratio, Reproduction, Start, reproduce

QUASI, SENSITIVE = ["age", "sex"], ["education", "occupation", "diagnosis"]


@pytest.fixture(scope="module")
def people() -> Table:
    return Table.from_arrow(shoal.people(800, seed=4), quasi=QUASI, sensitive=SENSITIVE)


@pytest.fixture(scope="module")
def found(people: Table) -> Reproduction:
    return reproduce(people, {}, k=30, starts=(20, 5), runs=1)


def test_evaluation_starts_never_and_then_where_it_is_told_to(found: Reproduction) -> None:
    assert [start.evaluate_from for start in found.starts] == [None, 5, 20]
    assert (found.rows, found.k, found.quasi, found.sensitive) == (800, 30, tuple(QUASI), tuple(SENSITIVE))


def test_cells_are_those_that_are_published_hidden(people: Table, found: Reproduction) -> None:
    for start in found.starts:
        release = shoal.k_anonymity(people, 30, evaluate_from=start.evaluate_from, hide="greedy")
        assert start.groups == release.n_groups
        assert start.hidden_cells == release.counts["hidden_cells"]


def test_bits_are_those_of_the_definition(people: Table, found: Reproduction) -> None:
    release = shoal.k_anonymity(people, 30, publish_hierarchies=True)
    bits = 0.0
    for name in QUASI:
        column = release.column(name)
        values, nodes = Counter(people.to_arrow()[name].to_pylist()), Counter(column.nodes.tolist())
        bits += sum(n * math.log2(n) for n in nodes.values()) - sum(n * math.log2(n) for n in values.values())
    assert found.starts[0].entropy_loss == pytest.approx(bits)


def test_every_choice_of_two_columns_or_more_is_compared(found: Reproduction) -> None:
    assert [one.n_columns for one in found.ratios] == [2, 3]
    assert all(one.combinations <= math.comb(3, one.n_columns) for one in found.ratios)
    for one in found.ratios:
        if one.ratio is not None:
            assert one.least is not None
            assert one.most is not None
            assert one.least <= one.ratio <= one.most
    whole = found.ratios[-1]  # a single choice: its ratio is that of the cells
    if whole.ratio is not None:
        assert whole.ratio == whole.greedy / whole.iga


def test_hiding_that_resists_lets_nothing_come_back(found: Reproduction) -> None:
    greedy, iga, resistant = found.hidings
    assert [one.method for one in found.hidings] == ["greedy", "iga", "resistant"]
    assert greedy.associations == iga.associations == resistant.associations > 0
    assert resistant.associations_back == 0
    assert resistant.hidden_cells >= greedy.hidden_cells
    assert greedy.hidden_cells == found.starts[0].hidden_cells
    assert greedy.share == greedy.hidden_cells / (3 * 800)


def test_claims_are_judged_by_the_numbers() -> None:
    one = Ratio(2, 3, 80, 100, 0.8, 0.7, 0.9)
    never, early, late = Start(None, 9, 100, 1, 50), Start(25, 8, 120, 3, 40), Start(100, 9, 101, 2, 45)
    found = Reproduction(100, 5, ("a",), ("b", "c"), (one,), (never, early, late), ())
    assert list(found.claims.values()) == [True] * 4
    assert found.relative(early) == (1.2, 3, 0.8)
    assert found.as_dict()["claims"] == found.claims
    worse = replace(found, ratios=(one, replace(one, ratio=1.1)), starts=(never, late, early))
    assert list(worse.claims.values()) == [False] * 4
    nothing = replace(found, ratios=(), starts=(replace(never, entropy_loss=0, seconds=0, hidden_cells=0), early, late))
    assert list(nothing.claims.values()) == [None] * 4
    assert list(replace(found, starts=(never, early)).claims.values()) == [True, None, None, None]
