"""The figures of papers stand outside of Shoal: nothing in it knows them, and the wheel does not have them."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]


def imported(file: Path) -> set[str]:
    """The packages that a file imports, those for the type checker included."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).partition(".")[0])
    return found


def test_nothing_in_shoal_imports_papers() -> None:
    sources = [*(ROOT / "src" / "shoal").rglob("*.py")]
    assert len(sources) > 300
    assert [file for file in sources if "papers" in imported(file)] == []
    assert "papers" in imported(ROOT / "papers" / "injector" / "__main__.py")


def test_papers_are_not_packed_but_are_checked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    targets = project["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["packages"] == ["src/shoal"]
    assert "papers" not in targets["sdist"]["include"]
    assert "papers" in project["tool"]["mypy"]["packages"]
    assert "papers" in project["tool"]["importlinter"]["root_packages"]
