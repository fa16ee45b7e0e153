"""No function has more than ten parameters: what belongs together is one value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import shoal

SOURCES = Path(shoal.__file__).parent
MOST = 10
KNOWN = {
    "io/tables.py": {"read_table"},
    "measuring/randomization/frontier.py": {"privacy_settings"},
    "measuring/randomization/privacy.py": {"randomization_privacy"},
    "measuring/tables/utility.py": {"table_utility"},
    "mining/negative_rules.py": {"negative_rules"},
    "pipeline/attacking.py": {"attack"},
    "publish/disassociation/__init__.py": {"disassociate", "publish_and_trace", "publish_clusters"},
    "publish/injector.py": {"injector"},
    "publish/k_anonymity.py": {"k_anonymity"},
    "study/advise.py": {"advise"},
    "study/sweep.py": {"sweep"},
}
"""Functions that still have more."""


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
    more = {place: names - KNOWN.get(place, set()) for place, names in found.items()}
    assert {place: names for place, names in more.items() if names} == {}


def test_every_kind_of_parameter_with_a_name_counts() -> None:
    ten = "a, /, b, c, d, *e, f, g, h, i, j, k, **more"
    assert list(too_many(f"def one({ten}): ...")) == []
    assert list(too_many(f"class C:\n def one(self, {ten}): ...")) == ["one"]
    assert list(too_many(f"async def one({ten.replace('k,', 'k, l,')}): ...")) == ["one"]
    assert list(too_many(f"one = lambda {ten.replace('k,', 'k, l,')}: 0")) == ["a lambda"]
