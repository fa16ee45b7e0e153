"""The risk-utility map from outcomes: risks, losses, curves, steps in words; and grids that are refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.randomization.privacy import randomization_privacy
from shoal.methods import METHODS, NEEDS
from shoal.study.losses import Loss, loss_of
from shoal.study.original import Original
from shoal.study.outcome import Measuring, Outcome
from shoal.study.sweep import Sweep, jobs_of_grid, map_of
from tests.making.sweep_outcomes import done

BASKETS = Original.of(Transactions.from_records([{"tea", "milk"}] * 3 + [{"tea"}] * 5))


def swept(method: str, grid: dict[str, Any], losses: list[float | None]) -> Sweep:
    """A sweep whose points kept what is given, in the order of the jobs."""
    named, jobs, names = jobs_of_grid(method, grid, "baskets", None)
    outcomes = [
        replace(done(method, {"pairs kept": None if loss is None else 1 - loss, "tKd": 0.5}), job=job)
        for job, loss in zip(jobs, losses, strict=True)
    ]
    found = map_of(named, names, outcomes, BASKETS, loss_of(["pairs kept"], outcomes))
    return Sweep(method, *found, "baskets", "8 records", Measuring())


def test_a_loss_says_what_it_is_read_from() -> None:
    assert (Loss("pairs kept", 1.0).words, Loss("tKd", None).words) == ("1 - pairs kept", "tKd")


def test_every_method_has_a_risk_that_its_promise_bounds_and_that_falls_as_it_gets_stronger() -> None:
    assert all(method.risks for method in METHODS.values())
    grids = {"k": [2, 5], "l": [2, 3], "epsilon": [0.5, 1.0], "keep_prob": [0.9, 0.8], "fakes": [1.0, 3.0]}
    for name, method in METHODS.items():
        if method.about == "tables":
            continue
        for risk in method.risks:
            for parameter in risk.parameters:
                needed = {"sensitive": ["milk"]} if "sensitive" in method.parameters else {}
                _, jobs, _ = jobs_of_grid(name, {parameter: grids[parameter], **needed}, "baskets", None)
                first, last = (risk.of(BASKETS, job.settings) for job in jobs)
                assert 0 < last < first < 1, (name, parameter)


@pytest.mark.parametrize(
    ("method", "settings", "expected"),
    [
        ("disassociate", {"k": 4, "m": 2}, 1 / 4),
        ("disassociate-l", {"k": 4, "l": 3}, 1 / 3),
        ("diffpart", {"epsilon": math.log(3)}, 3 / 4),
        ("fakes", {"fakes": 3.0}, 1 / 4),
        ("anatomy", {"l": 5}, 1 / 5),
        ("injector", {"l": 5}, 1 / 5),
        ("mondrian-hidden", {"k": 5, "confidence": 0.3}, 1 / 5),
    ],
)
def test_risks_are_those_of_the_closed_forms(method: str, settings: dict[str, float], expected: float) -> None:
    assert METHODS[method].risk_of([]).of(BASKETS, settings) == pytest.approx(expected)


def test_the_risk_of_flips_is_what_privacy_says_and_weighs_items_by_how_often_they_occur() -> None:
    all_alike = Original.of(Transactions.from_records([{"a", "b"}, {"c", "d"}, {"a", "c"}, {"b", "d"}]))
    said = randomization_privacy(mean_support=0.5, keep_prob=0.8, fakes=3)
    settings = {"keep_prob": 0.8, "fakes": 3.0}
    assert METHODS["mask"].risk_of([]).of(all_alike, {"keep_prob": 0.8}) == pytest.approx(said.ones)
    assert METHODS["hybrid"].risk_of([]).of(all_alike, settings) == pytest.approx(said.ones / 4)
    # tea is in all records, and guessed back for certain; milk is in three of eight: by hand, from the definition.
    p, s = 0.8, 3 / 8
    milk = s * p * p / (s * p + (1 - s) * (1 - p)) + s * (1 - p) ** 2 / (s * (1 - p) + (1 - s) * p)
    assert METHODS["mask"].risk_of([]).of(BASKETS, {"keep_prob": p}) == pytest.approx((8 * 1 + 3 * milk) / 11)


def test_what_a_sweep_of_the_confidence_is_about_is_the_confidence() -> None:
    assert METHODS["mondrian-hidden"].risk_of(["confidence"]).of(BASKETS, {"k": 5, "confidence": 0.3}) == 0.3
    assert METHODS["mondrian-hidden"].risk_of(["k", "confidence"]).parameters == ("k",)
    # And advice against the one is about what the other does not bound.
    assert METHODS["mondrian-hidden"].risk_for(["attributes"]).parameters == ("confidence",)
    assert METHODS["mondrian-hidden"].risk_for(["identity", "attributes"]).parameters == ("k",)
    assert METHODS["disassociate-l"].risk_for(["attributes", "exact values"]).parameters == ("l",)
    assert METHODS["diffpart"].risk_for(["identity"]).parameters == ("epsilon",)
    assert all(risk.need in NEEDS for method in METHODS.values() for risk in method.risks)


def test_there_is_a_curve_for_each_value_of_what_risk_is_not_made_of() -> None:
    found = swept("disassociate", {"k": [10, 2, 5, 25], "m": [2, 3]}, [0.1, 0.2, 0.3, 0.9, 0.1, 0.2, 0.3, 0.4])
    assert [dict(curve.fixed) for curve in found.curves] == [{"m": 2}, {"m": 3}]
    assert [point.name for point in found.points][:5] == [
        *(f"m = 2, k = {k}" for k in (2, 5, 10, 25)),
        "m = 3, k = 2",
    ]
    first, second = found.curves
    assert (first.places, second.places) == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert first.knee is not None
    assert found.points[first.knee.place].values == {"m": 2, "k": 10}
    text = str(found)
    assert "m = 2: the knee is at k = 10. From k = 2 to the knee the risk falls by 0.400 for 0.200 of loss" in (
        " ".join(text.split())
    )
    plain = found.as_dict()
    assert [point["knee"] for point in plain["points"]].index(True) == first.knee.place
    assert plain["curves"][0]["front"] == [3, 2, 1, 0]
    arrow = found.to_arrow()
    assert arrow["k"].to_pylist() == [2, 5, 10, 25] * 2
    assert arrow["risk"].to_pylist() == [point.risk for point in found.points]


def test_a_smaller_budget_is_the_stronger_one_and_both_numbers_of_the_hybrid_make_one_curve() -> None:
    found = swept("diffpart", {"epsilon": [0.5, 4, 1]}, [0.1, 0.2, 0.3])
    assert [point.values["epsilon"] for point in found.points] == [4.0, 1.0, 0.5]
    assert [step.words.split(" costs ")[0] for step in found.steps] == ["epsilon = 1", "epsilon = 0.5"]
    both = swept("hybrid", {"keep_prob": [0.9, 0.8], "fakes": [1, 2]}, [0.1, 0.2, 0.3, 0.4])
    assert len(both.curves) == 1


def test_points_that_were_not_verified_or_not_measured_are_on_no_curve_and_in_no_step() -> None:
    found = swept("disassociate", {"k": [2, 5, 10]}, [0.1, None, 0.3])
    assert found.curves[0].places == (0, 2)
    assert found.steps == ()
    points = [replace(done("disassociate", {"pairs kept": 0.9}, k=k), failures=("no",)) for k in (2, 5)]
    mapped = map_of(METHODS["disassociate"], ["k"], points, BASKETS, Loss("pairs kept", 1.0))
    assert [point.loss for point in mapped[0]] == [None, None]
    assert loss_of(["pairs kept"], points) is None


def test_steps_say_which_share_of_what_was_kept_before_is_lost() -> None:
    kept = Loss("pairs kept", 1.0)
    assert kept.step(0.8, 0.76, "k = 5", "k = 10") == (
        "k = 10 costs 5 % of the pairs that k = 5 kept: 0.800 of all before, 0.760 after"
    )
    assert kept.step(0.5, 0.6, "k = 5", "k = 10").startswith("k = 10 keeps 20 % more of the pairs than k = 5")
    assert kept.step(0.5, 0.5001, "k = 5", "k = 10").startswith("k = 10 keeps as many of the pairs as k = 5")
    assert kept.step(0.0, 0.0, "k = 5", "k = 10").startswith("k = 5 kept none")
    error = Loss("query error", None)
    assert error.step(0.1, 0.15, "k = 5", "k = 10") == (
        "k = 10 raises query error from 0.100 with k = 5 to 0.150 (+0.050, +50 %)"
    )
    assert error.step(0.2, 0.1, "k = 5", "k = 10").startswith("k = 10 lowers query error")
    assert error.step(0.0, 0.1, "k = 5", "k = 10").endswith("to 0.100 (+0.100)")
    assert error.step(0.1, 0.1, "k = 5", "k = 10").startswith("k = 10 leaves query error unchanged from k = 5: 0.100")


@pytest.mark.parametrize(
    ("method", "grid", "said"),
    [
        ("disassociate", {"k": [1, 5]}, "k is 1: it must be a whole number from 2 on"),
        ("disassociate", {"k": ["a", 5]}, "k is 'a': it must be a whole number"),
        ("disassociate", {"k": "2-10"}, "k is '2-10': it must be a whole number"),
        (
            "disassociate",
            {"k": 5},
            "a sweep needs several points: give several values of a parameter, as in k=2,5,10,25",
        ),
        ("disassociate", {"k": []}, "k has no value"),
        ("diffpart", {"m": [2, 3]}, "diffpart does not take m: it takes epsilon"),
        ("diffpart", {"seed": [2, 3]}, "diffpart does not take seed"),
        ("all", {}, "a sweep is of one method"),
        ("mask,fakes", {}, "a sweep is of one method"),
        ("k-anonymity", {}, "bottom-up publishes a table"),
        ("disassociate-l", {"k": [2, 5]}, "no sensitive item is given"),
    ],
)
def test_grids_that_mean_nothing_are_refused_at_once(method: str, grid: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        jobs_of_grid(method, grid, "baskets", None)


def test_without_a_grid_some_values_of_what_risk_is_made_of_are_tried() -> None:
    for name, method in METHODS.items():
        needed = {"sensitive": ["milk"]} if "sensitive" in method.parameters else {}
        _, jobs, names = jobs_of_grid(name, needed, method.about, None)
        assert len(names) == 1
        assert names[0] in METHODS[name].risks[0].parameters
        assert len(jobs) == len({job.label for job in jobs}) == 4
    assert all(method.serves <= set(NEEDS) for method in METHODS.values())


def test_nothing_possible_and_bugs_are_told_by_exit_codes() -> None:
    found = swept("disassociate", {"k": [2, 5]}, [0.1, 0.2])
    nothing = tuple(replace(p, outcome=Outcome(p.outcome.job, "impossible", "too few")) for p in found.points)
    assert (found.exit_code, replace(found, points=nothing).exit_code) == (0, 3)
    wrong = replace(found.points[0], outcome=replace(found.points[0].outcome, failures=("a set is rare",)))
    assert replace(found, points=(wrong, found.points[1])).exit_code == 4
    assert "a: a set is rare" in str(replace(found, points=(wrong, found.points[1])))
    assert "impossible" in str(replace(found, points=nothing))
