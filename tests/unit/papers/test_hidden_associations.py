"""The study of hidden Q-S associations: which settings, what each gives, and what the claims are made of."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

import shoal
from papers.hidden_associations.figures import Combination, Pair, Reproduction, Start, reproduce
from shoal.data.table import Table

QUASI, SENSITIVE = ("age", "sex"), ("education", "occupation", "diagnosis")
OTHERS = (("age", "education"), ("occupation", "diagnosis"))


@pytest.fixture(scope="module")
def people() -> Table:
    return Table.from_arrow(shoal.people(800, seed=4), quasi="occupation")  # a role that does not matter


@pytest.fixture(scope="module")
def found(people: Table) -> Reproduction:
    return reproduce(people, {}, [(QUASI, SENSITIVE), OTHERS], k=30, starts=(20, 5), weights=(1.0, 50.0))


def test_evaluation_starts_never_and_then_where_it_is_told_to(found: Reproduction) -> None:
    assert [(one.quasi, one.sensitive) for one in found.combinations] == [(QUASI, SENSITIVE), OTHERS]
    for one in found.combinations:
        settings = [(start.evaluate_from, start.weight) for start in one.starts]
        assert settings == [(None, 1), (5, 1), (20, 1), (5, 50), (20, 50)]


def test_cells_are_those_that_are_published_hidden(people: Table, found: Reproduction) -> None:
    people = people.with_roles(quasi=QUASI, sensitive=SENSITIVE)
    for start in found.combinations[0].starts:
        release = shoal.k_anonymity(
            people, 30, evaluate_from=start.evaluate_from, weights=(1, 1, start.weight), take_back=False, hide="greedy"
        )
        assert start.groups == release.n_groups
        assert start.hidden_cells == release.counts["hidden_cells"] > 0


def test_bits_are_those_of_the_definition(people: Table, found: Reproduction) -> None:
    release = shoal.k_anonymity(people.with_roles(quasi=QUASI, sensitive=SENSITIVE), 30, take_back=False)
    bits = 0.0
    for name in QUASI:
        values, nodes = Counter(people.to_arrow()[name].to_pylist()), Counter(release.column(name).nodes.tolist())
        bits += sum(n * math.log2(n) for n in nodes.values()) - sum(n * math.log2(n) for n in values.values())
    assert found.combinations[0].starts[0].entropy_loss == pytest.approx(bits)


def test_every_choice_of_two_columns_or_more_is_compared(found: Reproduction) -> None:
    assert [pair.columns for pair in found.combinations[0].pairs] == [
        ("education", "occupation"),
        ("education", "diagnosis"),
        ("occupation", "diagnosis"),
        SENSITIVE,
    ]
    assert [pair.columns for pair in found.combinations[1].pairs] == [("occupation", "diagnosis")]


def test_hiding_that_resists_lets_nothing_come_back(found: Reproduction) -> None:
    for one in found.combinations:
        greedy, iga, resistant = one.hidings
        assert [hiding.method for hiding in one.hidings] == ["greedy", "iga", "resistant"]
        assert greedy.associations == iga.associations == resistant.associations > 0
        assert resistant.associations_back == 0
        assert greedy.hidden_cells == one.starts[0].hidden_cells
        assert greedy.share == greedy.hidden_cells / (len(one.sensitive) * 800)


def one(*, pairs: tuple[Pair, ...] = (), **ratios: tuple[float, float, float]) -> Combination:
    """A combination with 100 bits, 1 second and 50 cells without evaluation, and such ratios from 25 and from 100."""
    starts = [Start(None, 1, 9, 100, 1, 50)]
    for at, (bits, seconds, cells) in zip((25, 100), ratios.values(), strict=False):
        starts.append(Start(at, 1, 9, 100 * bits, seconds, int(50 * cells)))
    return Combination(("a",), ("b", "c"), tuple(starts), pairs, ())


def test_means_are_over_combinations_with_something_to_compare() -> None:
    first = one(early=(1.2, 3, 0.8), late=(1, 2, 0.9), pairs=(Pair(("b", "c"), 8, 10), Pair(("b", "d"), 0, 0)))
    second = one(early=(1.0, 5, 1.0), late=(1, 2, 1), pairs=(Pair(("b", "c"), 10, 10),))
    found = Reproduction(100, 5, (first, second))
    means = found.cells_to_iga[2]
    assert (means.combinations, means.mean, means.least, means.most) == (2, 0.9, 0.8, 1.0)
    early = {name: (mean.least, mean.mean, mean.most) for name, mean in found.to_no_evaluation[1, 25].items()}
    assert early == {"entropy_loss": (1, 1.1, 1.2), "seconds": (3, 4, 5), "hidden_cells": (0.8, 0.9, 1)}
    assert found.changed == {1: 1}
    assert list(found.claims.values()) == [True] * 4
    assert found.as_dict()["claims"] == found.claims


def test_claims_that_do_not_come_out_are_denied() -> None:
    worse = one(early=(1, 2, 0.9), late=(1.2, 3, 0.8), pairs=(Pair(("b", "c"), 11, 10),))
    assert list(Reproduction(100, 5, (worse,)).claims.values()) == [False] * 4
    same = one(early=(1, 1, 1), late=(1, 1, 1), pairs=(Pair(("b", "c"), 10, 10),))
    assert list(Reproduction(100, 5, (same,)).claims.values()) == [False] * 4
    assert Reproduction(100, 5, (same,)).changed == {1: 0}


def test_nothing_is_claimed_where_nothing_can_be_compared() -> None:
    assert list(Reproduction(100, 5, (one(early=(1, 1, 1)),)).claims.values()) == [None] * 4
    nothing = one(early=(1, 1, 1), late=(1, 1, 1))
    plain = replace(nothing.starts[0], entropy_loss=0, seconds=0, hidden_cells=0)
    nothing = replace(nothing, starts=(plain, *nothing.starts[1:]))
    assert list(Reproduction(100, 5, (nothing,)).claims.values()) == [None] * 4
