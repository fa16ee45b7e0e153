"""The source itself: no message writes a value but through what escapes it, cuts it and leaves it out where asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal

SOURCE = Path(shoal.__file__).parent
CODE_FOR_OTHERS = {"reporting/reading.py", "io/decoding_apart.py", "__init__.py", "results.py", "quoting.py"}
"""Files that write programs, or an attribute of a module by name."""
QUOTING = {"shown", "named", "bare", "called", "listed", "given", "said_by", "escaped", "shorten", "in_quotes"}
QUOTING |= {"item_text", "item_name", "itemset", "value_name", "value_names", "row_name", "printable"}
COUNTS = {"len", "int", "float", "records", "counted", "and_more", "_counted"}
HOLDS_VALUES = {"as_py", "to_pylist", "texts", "labels", "vocabulary"}


def modules() -> list[str]:
    return [str(path.relative_to(SOURCE)) for path in sorted(SOURCE.rglob("*.py"))]


def messages(tree: ast.AST) -> Iterator[ast.JoinedStr]:
    """The f-strings of a module that are not in a __repr__."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__repr__":
            continue
        if isinstance(node, ast.JoinedStr):
            yield node
        yield from messages(node)


def bare_values(node: ast.AST) -> Iterator[str]:
    """The values in an expression that go into a message as they are."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in QUOTING | COUNTS:
            return
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        return  # a number
    if isinstance(node, ast.Attribute) and node.attr in HOLDS_VALUES:
        yield ast.unparse(node)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "words":
        yield ast.unparse(node)
    for child in ast.iter_child_nodes(node):
        yield from bare_values(child)


@pytest.mark.parametrize("name", modules())
def test_nothing_is_quoted_but_by_what_escapes_and_cuts(name: str) -> None:
    tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
    if name in CODE_FOR_OTHERS:
        return
    for message in messages(tree):
        for node in ast.walk(message):
            if isinstance(node, ast.FormattedValue):
                assert node.conversion == -1, f"{name}:{node.lineno}: write {{shown(...)}} or {{named(...)}}, not !r"
            assert not (isinstance(node, ast.Name) and node.id == "repr"), f"{name}:{node.lineno}: repr in a message"


@pytest.mark.parametrize("name", modules())
def test_no_error_holds_a_value_as_it_is(name: str) -> None:
    tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            found = list(bare_values(node.exc))
            assert found == [], f"{name}:{node.lineno}: write {{shown(...)}} around {found}"
