"""No function has more than ten parameters: what belongs together is one value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pytest

import shoal
from shoal.measuring.randomization.privacy import randomization_privacy

SOURCES = Path(shoal.__file__).parent
MOST = 10


def too_many(source: str) -> Iterator[str]:
    """The functions of a module that have more, with ``self``; ``**settings`` are one value."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            given = node.args
            if len([*given.posonlyargs, *given.args, *given.kwonlyargs]) > MOST:
                yield "a lambda" if isinstance(node, ast.Lambda) else node.name


def test_no_function_outside_of_kernels_has_more_than_ten_parameters() -> None:
    found = {}
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES)
        if "kernels" not in place.parts and (names := set(too_many(path.read_text()))):
            found[place.as_posix()] = names
    assert found == {}


def pairs() -> Iterator[tuple[str, type, type]]:
    """The typed keywords of functions, and the value that holds them with their defaults."""
    from shoal.measuring.randomization import frontier
    from shoal.measuring.tables import utility
    from shoal.mining import negative_rules
    from shoal.publish import disassociation, k_anonymity

    yield "disassociate", disassociation.Options, disassociation.Asked
    yield "negative_rules", negative_rules.RuleOptions, negative_rules.Asked
    yield "k_anonymity", k_anonymity.BottomUp, k_anonymity.Steps
    yield "measure", utility.Options, utility.Asked
    yield "privacy", frontier.Given, frontier.Circumstances


@pytest.mark.parametrize(("name", "keywords", "value"), list(pairs()))
def test_keywords_are_the_fields_of_their_value(name: str, keywords: type, value: type) -> None:
    assert get_type_hints(keywords) == get_type_hints(value), name


@pytest.mark.parametrize(
    "call",
    [
        lambda more: shoal.disassociate(shoal.read([["a"]] * 4), 2, 1, **more),
        lambda more: shoal.negative_rules(people(), **more),
        lambda more: shoal.injector(people(), 2, **more),
        lambda more: shoal.k_anonymity(people(), 2, **more),
        lambda more: shoal.measure(people(), shoal.anatomy(people(), 2), **more),
        lambda more: shoal.risk(people(), **more),
        lambda more: randomization_privacy(mean_support=0.1, keep_prob=0.9, **more),
        lambda more: shoal.read_table(pa.table({"age": [1]}), **more),
    ],
)
def test_a_keyword_that_nobody_knows_is_refused(call: Any) -> None:
    with pytest.raises(TypeError, match=r"^[a-z_]+\(\) got an unexpected keyword argument 'oddly'"):
        call({"oddly": 1})


def people() -> shoal.Table:
    rows = pa.table({"age": [20, 21, 22, 23], "ill": ["flu", "cold", "flu", "cough"]})
    return shoal.read_table(rows, quasi="age", sensitive="ill")


def test_every_kind_of_parameter_with_a_name_counts() -> None:
    ten = "a, /, b, c, d, *e, f, g, h, i, j, k, **more"
    assert list(too_many(f"def one({ten}): ...")) == []
    assert list(too_many(f"class C:\n def one(self, {ten}): ...")) == ["one"]
    assert list(too_many(f"async def one({ten.replace('k,', 'k, l,')}): ...")) == ["one"]
    assert list(too_many(f"one = lambda {ten.replace('k,', 'k, l,')}: 0")) == ["a lambda"]
