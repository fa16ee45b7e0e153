"""The report asks the entry of a shape for what differs; only the modules of a shape know its releases."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shoal
from shoal.shapes import SHAPES

REPORT = Path(shoal.__file__).parent / "reporting"
OF_ONE_SHAPE = {"frontier.py", *(f"of_shape/{name}.py" for name in SHAPES)}
"""Files that are about one shape; the frontier is that of randomized releases."""


def test_each_shape_has_a_module() -> None:
    assert {str(path.relative_to(REPORT)) for path in REPORT.rglob("*.py")} >= OF_ONE_SHAPE


@pytest.mark.parametrize(
    "path", [path for path in sorted(REPORT.rglob("*.py")) if str(path.relative_to(REPORT)) not in OF_ONE_SHAPE]
)
def test_no_other_module_knows_a_class_of_release_or_a_module_of_a_shape(path: Path) -> None:
    classes = {shape.release.partition(":")[0] for shape in SHAPES.values()}
    modules = {node.module for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)}
    assert not modules & classes
    assert not any((name or "").startswith("shoal.reporting.of_shape") for name in modules)
