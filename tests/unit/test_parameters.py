"""The registry of parameters: ranges hold at their limits, promises agree with them, and schemas say the same."""

from __future__ import annotations

import inspect
import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from shoal.cli.publish.k_anonymity import Hide
from shoal.errors import InputError
from shoal.loading import loaded
from shoal.methods import METHODS, Method
from shoal.parameters import PARAMETERS, Parameter
from shoal.promises import (
    FrequencyDiversity,
    HiddenAssociations,
    KAnonymity,
    KmAnonymity,
    KmGeneralized,
    LDiversity,
    MatchingDiversity,
    Randomization,
)
from shoal.shapes import SHAPES

NUMBERS = [one for one in PARAMETERS.values() if one.kind in ("whole", "number")]
OF_PROMISES: list[tuple[str, Callable[[Any], object]]] = [
    ("k", lambda k: KmAnonymity(k, 2)),
    ("k", lambda k: KmGeneralized(k, 2)),
    ("k", lambda k: KAnonymity(k, ("age",))),
    ("m", lambda m: KmAnonymity(5, m)),
    ("m", lambda m: KmGeneralized(5, m)),
    ("l", lambda value: LDiversity(value, ("a",))),
    ("l", lambda value: FrequencyDiversity(value, "ill")),
    ("l", lambda value: MatchingDiversity(value, "ill", 0.9)),
    ("min_expectation", lambda share: MatchingDiversity(2, "ill", share)),
    ("support", lambda share: HiddenAssociations(("ill",), share, 0.5)),
    ("confidence", lambda share: HiddenAssociations(("ill",), 0.1, share)),
    ("keep_prob", lambda share: Randomization(share, 1.0, ((1, 1.0),))),
    ("fakes", lambda fakes: Randomization(0.9, fakes, ((1, 1.0),) if fakes else ())),
]


def tried(parameter: Parameter) -> list[float]:
    """Values at the limits, and one step beside them."""
    step = 1 if parameter.kind == "whole" else 1e-6
    limits = [one for one in (parameter.least, parameter.most) if one is not None]
    return [value for limit in limits for value in (limit - step, limit, limit + step)]


def is_taken(check: Callable[[Any], object], value: Any) -> bool:
    try:
        check(value)
    except InputError:
        return False
    return True


@pytest.mark.parametrize("parameter", PARAMETERS.values(), ids=PARAMETERS)
def test_a_schema_takes_what_the_check_takes(parameter: Parameter) -> None:
    Draft202012Validator.check_schema(parameter.schema())
    schema = Draft202012Validator(parameter.schema())
    values: list[Any] = [None, "greedy", "none of these", [], ["a"], [""], True, -1, *parameter.grid]
    for value in [*values, *tried(parameter)]:
        assert schema.is_valid(value) == is_taken(parameter.check, value), (parameter.name, value)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_schema_of_a_method_takes_its_settings_and_no_others(method: Method) -> None:
    Draft202012Validator.check_schema(method.schema())
    schema = Draft202012Validator(method.schema())
    needed = {"sensitive": ["a"]} if method.needs else {}
    settings = method.settings(needed)
    assert schema.is_valid(json.loads(json.dumps(settings)))
    assert schema.is_valid(needed)
    assert schema.is_valid({}) == (not method.needs)
    assert not schema.is_valid({**settings, "kk": 3})
    assert not schema.is_valid({**settings, method.parameters[0]: "none"})


@pytest.mark.parametrize(("name", "promise"), OF_PROMISES)
def test_a_promise_takes_the_numbers_that_its_parameter_takes(name: str, promise: Callable[[Any], object]) -> None:
    for value in tried(PARAMETERS[name]):
        whole = int(value) if PARAMETERS[name].kind == "whole" else value
        assert is_taken(PARAMETERS[name].check, whole) == is_taken(promise, whole), (name, whole)


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda one: one.name)
def test_defaults_and_what_a_sweep_tries_are_in_range_and_in_order(parameter: Parameter) -> None:
    parameter.check(parameter.default)
    for value in parameter.grid:
        parameter.check(value)
    assert parameter.in_order(list(parameter.grid)) == list(parameter.grid)
    assert not is_taken(parameter.check, math.nan)


def test_an_entry_goes_to_another_process_and_back() -> None:
    for parameter in PARAMETERS.values():
        assert Parameter.from_dict(json.loads(json.dumps(parameter.as_dict()))) == parameter
    before = dict(PARAMETERS)
    for method in METHODS.values():
        assert Method.from_dict(json.loads(json.dumps(method.as_dict()))) == method
    assert before == PARAMETERS


def test_methods_and_shapes_agree() -> None:
    for shape in SHAPES.values():
        assert {one.makes for one in METHODS.values() if one.shape == shape.name} == set(shape.methods)
    for method in METHODS.values():
        assert set(method.keywords) | set(method.helps) <= set(PARAMETERS)
        assert method.promises_less_than in ("", *METHODS)


def defaults_of(publish: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of all that a publisher takes: by itself, as an option of a group, or as the chance of a run."""
    found = {}
    for name, one in inspect.signature(publish).parameters.items():
        if one.kind is not inspect.Parameter.VAR_KEYWORD:
            found[name] = one.default
            continue
        (options,) = get_args(get_type_hints(publish, publish.__globals__)[name])
        (group,) = (
            one
            for one in vars(inspect.getmodule(publish)).values()
            if isinstance(one, type)
            and is_dataclass(one)
            and {field.name for field in fields(one)} == {*options.__annotations__}
        )
        found |= {field.name: field.default for field in fields(group)}
    return {**found, "seed": found["run"].chance}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_publishers_take_the_parameters_and_have_the_same_defaults(method: Method) -> None:
    taken = defaults_of(loaded(method.publish))
    for name in method.parameters:
        default = taken[method.keywords.get(name, name)]
        # Without the word associations are not hidden at all, which is the method without -hidden.
        if default is not inspect.Parameter.empty and name not in ("hide", "l"):
            assert default == PARAMETERS[name].default, name
    assert set(method.fixed) <= set(taken)


def test_the_words_of_the_command_line_are_those_of_the_parameter() -> None:
    assert tuple(one.value for one in Hide) == PARAMETERS["hide"].choices


def test_the_registries_load_no_data_and_no_publisher() -> None:
    code = (
        "import sys, shoal.methods; print(*sorted(name for name in sys.modules if name.startswith(('shoal', 'num'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name not in ("numbers",)}
    assert loaded == {
        "shoal",
        *(f"shoal.{name}" for name in ("errors", "limits", "loading", "method", "methods", "parameters", "quoting")),
        *(f"shoal.{name}" for name in ("run", "shapes", "speaking", "suggestions")),
    }
