"""The registry of methods: each publishes, and promises what it says; names and numbers that are wrong are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.methods import METHODS, NEEDS, methods_about
from shoal.parameters import PARAMETERS
from shoal.promises import (
    FrequencyDiversity,
    HiddenAssociations,
    KAnonymity,
    KmAnonymity,
    KmGeneralized,
    LDiversity,
    MatchingDiversity,
    SuppressedKm,
    UnboundedDifferentialPrivacy,
)
from shoal.study.chosen_methods import chosen, require_taken
from shoal.study.compare import jobs_of, same_questions
from shoal.study.original import Original
from shoal.study.outcome import Measuring
from tests.making.study_data import baskets, people

GIVEN = {"k": 3, "m": 1, "l": 2, "epsilon": 2.5, "keep_prob": 0.8, "fakes": 0.5, "confidence": 0.7, "support": 0.2}
ITEMS = {"sensitive": ["a"]}
QUASI = ("age", "sex")
HIDDEN = HiddenAssociations(("illness",), 0.2, 0.7)
PROMISES: dict[str, Any] = {
    "disassociate": (KmAnonymity(3, 1),),
    "dls": (SuppressedKm(3, 1),),
    "disassociate-l": (KmAnonymity(3, 1), LDiversity(2, ("a",))),
    "km-generalization": (KmGeneralized(3, 1),),
    "diffpart": (UnboundedDifferentialPrivacy(2.5),),
    "anatomy": (FrequencyDiversity(2, "illness"),),
    "injector": (MatchingDiversity(2, "illness", 0.9),),
    "bottom-up": (KAnonymity(3, QUASI),),
    "bottom-up-hidden": (KAnonymity(3, QUASI), HIDDEN),
    "mondrian": (KAnonymity(3, QUASI),),
    "mondrian-hidden": (KAnonymity(3, QUASI), HIDDEN),
}
CHANCES = {"mask": (0.8, 0.0), "fakes": (1.0, 0.5), "hybrid": (0.8, 0.5)}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_publishes_and_promises_what_it_says(name: str) -> None:
    method = METHODS[name]
    settings = method.settings({**GIVEN, **ITEMS, "seed": 5})
    original = Original.of(baskets() if method.about == "baskets" else people())
    release = method.make(original, settings)
    if name in CHANCES:
        promise: Any = release.promise
        assert (promise.keep_prob, promise.fakes) == CHANCES[name]
    else:
        assert release.promises == PROMISES[name]
    # What is printed of it names its numbers, and by which method it is: not another one's.
    said = method.promise(settings)
    named = set(method.parameters) & {"k", "m", "l", "epsilon", "keep_prob", "fakes", "confidence"}
    assert all(f"{GIVEN[parameter]:g}" in said for parameter in named)
    assert "{" not in said
    assert getattr(release, "reproducible", True), "the seed did not arrive"
    assert method.serves <= set(NEEDS)


def test_the_two_splits_and_the_two_recodings_are_different_methods() -> None:
    original = Original.of(people())
    made = {name: METHODS[name].make(original, METHODS[name].settings(GIVEN)) for name in ("bottom-up", "mondrian")}
    assert {name: release.method for name, release in made.items()} == {
        "bottom-up": "bottom-up",
        "mondrian": "mondrian",
    }


def test_hierarchies_that_are_given_are_used() -> None:
    from shoal.data.hierarchy import Hierarchy

    original = Original.of(people(), {"sex": Hierarchy.from_rows([("f", "anybody"), ("m", "anybody")])})
    release: Any = METHODS["bottom-up"].make(original, METHODS["bottom-up"].settings({"k": 50}))
    assert release.column("sex").tree.labels == ("anybody",)


def test_defaults_stand_in_for_what_is_not_given() -> None:
    assert METHODS["disassociate"].settings({"l": 9}) == {"k": 5, "m": 2, "max_cluster_size": None}
    assert METHODS["hybrid"].settings({}) == {"keep_prob": 0.9, "fakes": 1.0, "seed": None}
    for name, parameter in PARAMETERS.items():
        if name != "sensitive":  # nobody can guess which items are
            parameter.check(parameter.default)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("disassociate", {"k": 1}, "k is 1"),
        ("dls", {"m": 0}, "m is 0"),
        ("disassociate", {"max_cluster_size": 1}, "max_cluster_size is 1"),
        ("diffpart", {"epsilon": 0}, "epsilon is 0"),
        ("diffpart", {"epsilon": float("nan")}, "epsilon is nan"),
        ("mask", {"keep_prob": 0.1}, "keep_prob is 0.1"),
        ("fakes", {"fakes": -1}, "fakes is -1"),
        ("anatomy", {"l": 1}, "l is 1"),
        ("injector", {"min_expectation": 1}, "min_expectation is 1"),
        ("mondrian", {"max_suppressed": 1}, "max_suppressed is 1"),
        ("mondrian-hidden", {"hide": "all"}, "hide is 'all'"),
        ("bottom-up-hidden", {"confidence": 2}, "confidence is 2"),
        ("mask", {"seed": -1}, "seed is -1"),
    ],
)
def test_numbers_out_of_range_are_refused_before_any_data_are_looked_at(
    name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        METHODS[name].settings(given)


def test_methods_are_chosen_by_name_and_wrong_names_are_refused_with_advice() -> None:
    assert chosen("all", "tables") == methods_about("tables")
    assert [method.name for method in chosen(" mask ,dls,mask", "baskets")] == ["mask", "dls"]
    for names, about, said in (
        ("disasociate", "baskets", "did you mean 'disassociate'"),
        ("anatomy", "baskets", "anatomy publishes a table, and these are baskets: name its quasi columns"),
        (["mask"], "tables", "mask publishes baskets"),
        (",", "tables", "no method is named"),
    ):
        with pytest.raises(InputError, match=said):
            chosen(names, about)


def test_a_number_that_no_method_takes_is_refused() -> None:
    require_taken(["k", "m"], chosen("dls,mask", "baskets"))
    with pytest.raises(InputError, match="epsilon is only used by diffpart, none of which"):
        require_taken(["k", "epsilon"], chosen("dls,mask", "baskets"))


def test_a_method_that_needs_something_runs_where_that_is_given() -> None:
    plain = [job.method for job in jobs_of("all", "baskets", {}, None)]
    assert "disassociate-l" not in plain
    named = jobs_of("all", "baskets", {"sensitive": ["tea"], "l": 4}, None)
    assert [job.method for job in named if job.method != "disassociate-l"] == plain
    assert {job.method: job.settings for job in named}["disassociate-l"].items() >= {
        "sensitive": ["tea"],
        "l": 4,
    }.items()


def test_all_methods_are_asked_the_same_also_after_an_interruption(tmp_path: Path) -> None:
    usual = Measuring()
    assert same_questions(None, "comparison", 7, usual).seed == 7
    drawn = same_questions(tmp_path, "comparison", None, usual)
    assert drawn.seed is not None
    assert same_questions(tmp_path, "comparison", None, usual).seed != drawn.seed  # nothing was noted yet
    (tmp_path / "comparison.json").write_text(json.dumps({"measuring": drawn.as_dict()}))
    assert same_questions(tmp_path, "comparison", None, usual) == drawn
