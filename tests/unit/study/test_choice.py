"""The choice of a method and of its settings, on made-up results: a number that changes flips it, and nothing unfit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import Infeasible, InputError
from shoal.methods import METHODS, methods_about
from shoal.study.advise import jobs_of_needs, needs_of
from shoal.study.choice import HANDICAP, WITHIN, Choice, Needs, choose, settle
from shoal.study.knee import Knee
from shoal.study.outcome import Outcome
from shoal.study.sweep import Curve, Point
from tests.making.sweep_outcomes import done

MINING, COUNTING = Needs(), Needs(purpose="counting")


def mined(method: str, tkd: float | None, sigma: float | None = 0.5) -> Outcome:
    return done(method, {"tKd": tkd, "sigma- at 0.01": sigma})


def state(choice: Choice, method: str) -> str:
    return next(judged.state for judged in choice.judged if judged.method == method)


def words(choice: Choice, method: str) -> str:
    return next(judged.words for judged in choice.judged if judged.method == method)


def test_the_first_criterion_decides_and_a_changed_number_flips_the_choice() -> None:
    first = choose(MINING, "baskets", [mined("disassociate", 0.2), mined("km-generalization", 0.1)])
    assert (first.method, state(first, "disassociate")) == ("km-generalization", "keeps less")
    assert "tKd = 0.200, sigma- at 0.01 = 0.500 against tKd = 0.100" in words(first, "disassociate")
    other = choose(MINING, "baskets", [mined("disassociate", 0.2), mined("km-generalization", 0.3)])
    assert other.method == "disassociate"


def test_ties_to_two_digits_go_to_the_second_criterion_and_then_to_the_order_of_the_registry() -> None:
    close = [mined("disassociate", 0.2001, 0.4), mined("km-generalization", 0.2039, 0.3)]
    assert choose(MINING, "baskets", close).method == "km-generalization"
    equal = [mined("km-generalization", 0.2, 0.3), mined("diffpart", 0.2, 0.3), mined("disassociate", 0.2, 0.3)]
    for order in (equal, equal[::-1]):
        found = choose(MINING, "baskets", order)
        assert found.method == "disassociate"
        assert "keeps as much, to two digits" in words(found, "diffpart")


def test_more_pairs_kept_are_better_and_less_error_is() -> None:
    def counted(method: str, re: float, kept: float) -> Outcome:
        return done(method, {"re 0-20": re, "pairs kept": kept})

    found = choose(COUNTING, "baskets", [counted("disassociate", 0.5, 0.3), counted("diffpart", 0.5, 0.4)])
    assert found.method == "diffpart"
    found = choose(COUNTING, "baskets", [counted("disassociate", 0.5, 0.9), counted("diffpart", 0.4, 0.1)])
    assert found.method == "diffpart"
    assert found.disagreements == (
        "by pairs kept alone it would be disassociate: pairs kept = 0.900 against pairs kept = 0.100 of diffpart",
    )


def test_the_other_criterion_disagrees_only_if_it_can_tell_methods_apart_to_two_digits() -> None:
    for sigma, disagrees in ((0.301, False), (0.29, True)):
        found = choose(MINING, "baskets", [mined("disassociate", 0.1, 0.304), mined("diffpart", 0.2, sigma)])
        assert (found.method, bool(found.disagreements)) == ("disassociate", disagrees)


def test_what_was_not_run_says_why() -> None:
    found = choose(MINING, "baskets", [mined("disassociate", 0.1)])
    assert (state(found, "disassociate-l"), state(found, "diffpart")) == ("not run", "not run")
    assert "none is given (--sensitive ITEM)" in words(found, "disassociate-l")
    assert words(found, "diffpart") == "was not run"


def test_what_promises_less_must_keep_clearly_more() -> None:
    less = [mined("disassociate", 0.2), mined("dls", 0.2 - HANDICAP + 0.01)]
    found = choose(MINING, "baskets", less)
    assert found.method == "disassociate"
    assert "promises less than disassociate" in words(found, "dls")
    assert choose(MINING, "baskets", [less[0], mined("dls", 0.2 - HANDICAP - 0.01)]).method == "dls"


@pytest.mark.parametrize(
    ("unfit", "state_of_it"),
    [
        ({"failures": ("a set is rare",)}, "not verified"),
        ({"checks": 0}, "not verified"),
        ({"state": "impossible", "reason": "too few records"}, "impossible"),
        ({"state": "failed", "reason": "its process was ended"}, "failed"),
        ({"metrics": (), "reason": "not measured: too many itemsets"}, "not measured"),
    ],
)
def test_nothing_is_proposed_that_was_not_verified_and_measured(unfit: dict[str, Any], state_of_it: str) -> None:
    best = replace(mined("disassociate", 0.0, 0.0), **unfit)
    found = choose(MINING, "baskets", [best, mined("diffpart", 0.9, 0.9)])
    assert (found.method, state(found, "disassociate")) == ("diffpart", state_of_it)
    assert found.disagreements == ()
    nothing = choose(MINING, "baskets", [best])
    assert (nothing.method, nothing.disagreements) == (None, ())


SERVED = {
    ("identity",): {"disassociate", "dls", "disassociate-l", "km-generalization", "diffpart"},
    ("attributes",): {"disassociate-l", "diffpart", "mask", "hybrid"},
    ("identity", "attributes"): {"disassociate-l", "diffpart"},
    ("anything",): {"diffpart"},
}
TABLES = {
    ("identity",): {"bottom-up", "bottom-up-hidden", "mondrian", "mondrian-hidden"},
    ("attributes",): {"anatomy", "injector", "bottom-up-hidden", "mondrian-hidden"},
    ("identity", "attributes"): {"bottom-up-hidden", "mondrian-hidden"},
    ("anything",): set(),
}


@pytest.mark.parametrize("against", SERVED)
@pytest.mark.parametrize("exact", [False, True])
def test_nothing_is_proposed_that_does_not_serve_the_need(against: tuple[str, ...], exact: bool) -> None:
    needs = Needs(against, exact)
    generalizing = {"km-generalization"} if exact else set()
    served = {method.name for method in needs.served_by("baskets")}
    assert served == SERVED[against] - generalizing
    assert {m.name for m in needs.served_by("tables")} == (
        TABLES[against] & {"anatomy", "injector"} if exact else TABLES[against]
    )
    # All were run; those that do not serve the need keep everything, and are not proposed.
    every = [mined(m.name, 0.9 if m.name in served else 0.0) for m in methods_about("baskets")]
    found = choose(needs, "baskets", every)
    assert found.method in served
    assert {judged.method for judged in found.judged if judged.state == "does not serve"} == (
        {method.name for method in methods_about("baskets")} - served
    )


@given(st.dictionaries(st.sampled_from([m.name for m in methods_about("baskets")]), st.floats(0, 1)), st.randoms())
def test_the_choice_does_not_depend_on_the_order_of_results_and_loses_no_more_than_any(
    losses: dict[str, float], chance: Any
) -> None:
    outcomes = [mined(name, loss) for name, loss in losses.items()]
    found = choose(MINING, "baskets", outcomes)
    chance.shuffle(outcomes)
    assert choose(MINING, "baskets", outcomes) == found
    served = {name: loss for name, loss in losses.items() if "identity" in METHODS[name].serves}
    assert (found.method is None) == (not served)
    if found.method is not None:
        assert losses[found.method] <= min(served.values()) + HANDICAP + 0.0101


# --- settings ---------------------------------------------------------------------------------------------------------


def points(*pairs: tuple[float, float]) -> list[Point]:
    job = mined("disassociate", 0.1)
    return [Point({"k": round(1 / risk)}, job, risk, loss) for risk, loss in pairs]


def test_the_knee_is_proposed_and_without_one_the_least_risk_near_the_weakest() -> None:
    made = points((0.5, 0.1), (0.2, 0.1 + WITHIN), (0.1, 0.1 + WITHIN + 0.01))
    places = (0, 1, 2)
    place, why = settle(Curve({}, places, places, Knee(2, 0.3, 1.0, 2.0), ""), made)
    assert (place, "is the knee" in why) == (2, True)
    place, why = settle(Curve({}, places, places, None, "straight"), made)
    assert place == 1
    assert why == ("no knee (straight): k = 5 has the least risk of those that lose at most 0.05 more than k = 2")
    # A point that was not measured is no candidate.
    assert settle(Curve({}, (0,), (0,), None, "one"), made)[0] == 0


# --- what is asked for ------------------------------------------------------------------------------------------------


def test_needs_that_mean_nothing_are_refused() -> None:
    assert needs_of(" attributes, identity", exact_items=False, purpose="mining").against == ("identity", "attributes")
    for against, said in (("privacy", "against is 'privacy': it must be some of"), ("", "against is empty")):
        with pytest.raises(InputError, match=said):
            needs_of(against, exact_items=False, purpose="mining")
    with pytest.raises(InputError, match="purpose is 'fun'"):
        Needs(purpose="fun")


def test_candidates_are_those_that_serve_and_have_what_they_need() -> None:
    def names(needs: Needs, *sensitive: str, **given: Any) -> list[str]:
        return [job.method for job in jobs_of_needs(needs, "baskets", given, sensitive, None)]

    assert names(MINING) == ["disassociate", "dls", "km-generalization", "diffpart"]
    assert names(Needs(("attributes",)), "insulin") == ["disassociate-l", "diffpart", "mask", "hybrid"]
    assert names(Needs(("attributes",))) == ["diffpart", "mask", "hybrid"]
    # What greedy hiding hides is guessed back: it would serve the need in name only.
    hidden = [job for job in jobs_of_needs(Needs(("attributes",)), "tables", {}, (), None) if "hide" in job.settings]
    assert {job.method: job.settings["hide"] for job in hidden} == {
        "bottom-up-hidden": "resistant",
        "mondrian-hidden": "resistant",
    }
    with pytest.raises(InputError, match="sensitive items are only used against attributes"):
        names(MINING, "insulin")
    with pytest.raises(InputError, match="k is only used by disassociate"):
        names(Needs(("anything",)), k=5)
    with pytest.raises(Infeasible, match="no method for tables serves all of these needs"):
        jobs_of_needs(Needs(("anything",)), "tables", {}, (), None)
