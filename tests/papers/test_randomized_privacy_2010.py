"""Mohaisen et al. 2010: privacy and size of MASK, fake transactions and the hybrid; tables 2, 3, 4, 7, 8, figures 1, 2.

Cells are transcribed in ``papers.randomization.computed_tables``: a digit that is wrong there fails here.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from papers.randomization import computed_tables as paper
from shoal import fakes, hybrid, mask, read
from shoal.analyse.randomized.fake_thresholds import fake_thresholds
from shoal.errors import InputError
from shoal.measuring.randomization.reconstruction_chances import (
    average_chance_of_rows,
    chance_of_cells,
    chance_of_ones,
    chance_of_rows,
    chance_of_zeros,
    fakes_needed,
    mean_over_ones,
)
from shoal.run import Run
from tests.oracles import reconstruction_probabilities as oracle

SHARES = st.fractions(min_value=0, max_value=1, max_denominator=60)
INNER = SHARES.filter(lambda share: 0 < share < 1)
KEPT = st.fractions(min_value=Fraction(51, 100), max_value=1, max_denominator=100)


@pytest.mark.parametrize("table", [paper.table_2, paper.table_3])
def test_tables_2_and_3_to_the_last_digit(table):
    cells = table()
    assert len(cells) == 40
    assert [(cell.row, cell.column, cell.printed, cell.shown) for cell in cells if not cell.agrees] == []


def test_tables_2_and_3_are_sums_over_a_thousand_records():
    for cell in (*paper.table_2(), *paper.table_3()):
        exact = 1 - oracle.picked(paper.RECORDS, Fraction(cell.column), Fraction(cell.row))
        assert math.isclose(cell.ours, exact, rel_tol=1e-14)


def test_equation_13_as_printed_gives_no_privacy_at_all():
    # It lacks 1/N: the sum is a number of rows, far above 1.
    assert 1 - 1000 * oracle.picked(1000, Fraction(1)) < -300


def test_table_7_exactly():
    cells = paper.table_7()
    assert len(cells) == 54
    heads = ["fakes alone", "11/100", "12/100", "13/100", "17/100", "23/100"]
    assert [cell.column for cell in cells] == heads * 9
    for cell in cells:
        assert isinstance(cell.ours, Fraction)
        assert cell.agrees
    assert str(next(cell for cell in cells if (cell.row, cell.column) == ("0.96", "17/100")).ours) == "13/4"


def test_table_8_but_for_one_cell():
    wrong = [cell for cell in paper.table_8() if not cell.agrees]
    assert [(cell.row, cell.column, cell.printed, cell.shown) for cell in wrong] == [
        ("0.91", "23/100", "2.444", "6.844")
    ]


def test_the_heads_of_table_7_come_out_at_no_single_mean_support():
    # Said to be realized at keep .5, .7, .8, .9, .95 and a = .9; the mean support, which decides, is not said.
    near = [round(head, 4) for head in paper.column_heads(0.01)]
    assert near == [0.108, 0.1147, 0.1274, 0.1667, 0.2368]
    printed = [float(head) for head in paper.HEADS]
    at_each = [paper.column_heads(support) for support in np.arange(1, 500) / 10_000]
    assert not any(all(round(head, 2) == p for head, p in zip(heads, printed, strict=True)) for heads in at_each)
    # To within one percent point all of them do, about .01.
    assert max(abs(head - p) for head, p in zip(paper.column_heads(0.0098), printed, strict=True)) < 0.01


def test_figure_1_worst_case():
    worst = {point["fakes"]: point["worst"] for point in paper.figures_1_and_2()}
    assert worst[0] == 0
    assert worst[1] == 0.5
    assert round(worst[10], 3) == 0.909
    assert round(worst[100], 3) == 0.990


def test_ninety_more_made_up_rows_add_twice_what_the_text_says():
    """Section 5.1: 9 more add .4 to .5, which is nearly so, and 90 more than 10 add .04, which they do not."""
    worst = {point["fakes"]: point["worst"] for point in paper.figures_1_and_2()}
    assert worst[10] - worst[1] == pytest.approx(0.409, abs=1e-3)
    assert worst[100] - worst[10] == pytest.approx(0.081, abs=1e-3)


def test_figure_2_on_average_there_is_more_privacy():
    points = paper.figures_1_and_2()
    assert all(point["average"] > point["worst"] for point in points if point["fakes"])
    assert [point["average"] for point in points] == sorted(point["average"] for point in points)


def test_the_proof_of_claim_1_adds_one_term_too_many_and_the_claim_holds_without_it():
    people, w = 20, 2
    chances = [Fraction(people - i, w * people + people - i) for i in range(people)]
    assert not 1 * chances[0] > sum(chances[:2])  # as printed, with c = 1
    for first in range(people):
        for c in range(1, people - first + 1):
            assert c * chances[first] >= sum(chances[first : first + c])


def test_ninety_percent_take_nine_made_up_rows_not_eleven():
    assert fakes_needed(Fraction(9, 10)) == 9
    assert 1 - chance_of_rows(9) == pytest.approx(0.9, abs=1e-15)
    assert fakes_needed(Fraction(11, 12)) == 11  # that is what eleven reach


def test_example_of_section_6_3():
    assert fakes_needed(Fraction(95, 100), Fraction(3, 10)) == 5
    assert fakes_needed(Fraction(95, 100)) == 19


def test_flips_that_suffice_alone_need_no_made_up_rows():
    assert fakes_needed(0.7, 0.2) == 0
    assert fakes_needed(0.8, 0.2) == pytest.approx(0, abs=1e-12)


def test_a_filter_asks_for_more_made_up_rows():
    assert fakes_needed(0.9, filtered=0.5) == pytest.approx(18)
    assert fakes_needed(0.9, filtered=1) == math.inf
    assert fakes_needed(0.5, 0.4, filtered=1) == 0


def test_table_4_what_the_schemes_cost():
    baskets = read([{"a", "b"}, {"a"}, {"b", "c"}, {"a", "c"}] * 25)
    flipped, mixed = mask(baskets, 0.9, run=Run(chance=1)), fakes(baskets, 2.5, run=Run(chance=1))
    assert flipped.n_rows == len(baskets)  # memory: 0 more rows; computation: N rows
    assert mixed.n_rows == len(baskets) + 250  # w N more rows
    both = hybrid(baskets, 0.9, 2.5, run=Run(chance=1))
    assert both.n_rows == mixed.n_rows
    # Off-the-shelf mining: for made-up rows alone there is a threshold for each size of sets, s'_k of equation 10, that
    # any miner can use on the rows; where items were flipped, counts of a set say nothing without those of its subsets.
    thresholds = fake_thresholds(mixed, 0.3, max_length=3)
    for one in thresholds:
        share = mixed.promise.fake_share(one.size, mixed.n_items)
        assert one.share == pytest.approx((0.3 + 2.5 * share) / 3.5)
    for release in (flipped, both):
        with pytest.raises(InputError, match="no threshold serves other miners"):
            fake_thresholds(release, 0.3)


@given(SHARES, KEPT)
def test_r1_and_r0_are_round_trips_by_bayes(support, keep):
    for value, chance in ((1, chance_of_ones), (0, chance_of_zeros)):
        there = support if value else 1 - support
        exact = oracle.round_trip(value, support, keep)
        if there or keep < 1:
            assert chance(support, keep) == exact  # fractions in, fractions out
            assert math.isclose(chance(float(support), float(keep)), exact, rel_tol=1e-12, abs_tol=1e-15)


@given(st.lists(INNER, min_size=1, max_size=6), KEPT)
def test_means_over_ones_and_zeros(supports, keep):
    each = np.array([float(support) for support in supports])
    for value, chance, weights in ((1, chance_of_ones, each), (0, chance_of_zeros, 1 - each)):
        mean = mean_over_ones(chance(each, float(keep)), weights)
        assert math.isclose(mean, oracle.mean_round_trip(value, supports, keep), rel_tol=1e-12)


def test_the_weight_is_that_of_ones():
    assert chance_of_cells(0.2, 0.9, 1) == 0.2
    assert chance_of_cells(0.2, 0.9, 0) == 0.9
    assert chance_of_cells(0.2, 0.9, 0.9) == pytest.approx(0.27)


@given(st.integers(1, 400), st.fractions(0, 20, max_denominator=8), st.fractions(0, 1, max_denominator=8))
def test_the_average_case_is_the_sum(records, w, filtered):
    exact = oracle.picked(records, w, filtered) if w else Fraction(1)
    assert math.isclose(average_chance_of_rows(float(w), records, float(filtered)), exact, rel_tol=1e-13, abs_tol=1e-15)


@pytest.mark.parametrize(("fakes", "records"), [(0.001, 10**6), (2, 10**6), (1000, 10**5), (1e6, 10**5)])
def test_the_average_case_of_many_records_without_adding_them_up(fakes, records):
    j = np.arange(1, records + 1)
    exact = fakes * math.fsum(1 / (fakes * records + j))
    assert math.isclose(1 - average_chance_of_rows(fakes, records), exact, rel_tol=1e-13)


@pytest.mark.parametrize("fakes", [0.1, 1, 5, 100])
def test_the_limit_of_the_average_case(fakes):
    limit = fakes * math.log((1 + fakes) / fakes)
    assert 1 - average_chance_of_rows(fakes, 10**9) == pytest.approx(limit, rel=1e-8)
    assert 1 - average_chance_of_rows(fakes, 10) < limit
    assert average_chance_of_rows(2 * fakes, 10**5, filtered=0.5) == average_chance_of_rows(fakes, 10**5)


def test_a_filter_helps_in_the_worst_case_too():
    assert chance_of_rows(18, filtered=0.5) == pytest.approx(0.1)
    assert chance_of_rows(18, filtered=1) == 1


def test_without_made_up_rows_every_row_is_real():
    assert average_chance_of_rows(0, 1000) == chance_of_rows(0) == 1
