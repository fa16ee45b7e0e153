"""Only the fixtures of tests/plugins/real_data.py read what lies beside the clone, and they select their tests."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running.nested_pytest import ROOT, run_suite

MAY_LOOK = {"tests/plugins/real_data.py", "benchmarks/beside.py"}
VARIABLES = {"SHOAL_DATA", "SHOAL_BENCH"}

TESTS = """
import os, subprocess, sys
from pathlib import Path
import pytest

DATA = Path({data!r})

@pytest.fixture(scope="module")
def table(real_file):
    return real_file("some.dat").read_text()

def test_by_name(real_file):
    assert real_file("some.dat").read_text() == "a b"

def test_by_another_fixture(table):
    assert table == "a b"

def test_in_a_child(environment_beside):
    code = "import os; print(open(os.environ['SHOAL_DATA'] + '/some.dat').read())"
    assert subprocess.check_output([sys.executable, "-c", code], env=environment_beside, text=True) == "a b\\n"

def test_nothing_is_seen_by_others():
    code = "import os; print(*(os.path.exists(os.environ[name]) for name in ('SHOAL_DATA', 'SHOAL_BENCH')))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False False\\n"

def test_opens_a_file():
    (DATA / "some.dat").read_text()

def test_lists_the_folder():
    os.listdir(DATA)

def test_goes_by_a_link():
    (DATA.parent / "link" / "some.dat").read_text()

def test_asks_while_it_runs(request):
    request.getfixturevalue("real_file")("some.dat").read_text()
"""


@pytest.fixture
def beside(tmp_path: Path) -> tuple[Path, str, dict[str, str]]:
    """A folder for tests, tests of data beside it, and where these are; SHOAL_DATA is a link to them."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "some.dat").write_text("a b")
    (tmp_path / "link").symlink_to(data)
    (tmp_path / "clone").mkdir()
    return tmp_path / "clone", TESTS.format(data=str(data)), {"SHOAL_DATA": str(tmp_path / "link")}


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "1")], ids=["alone", "in a worker"])
def test_only_tests_that_ask_by_a_fixture_see_what_lies_beside(beside, workers):
    folder, source, environment = beside
    counts, said = run_suite(folder, source, *workers, **environment)
    assert counts == {"passed": 4, "failed": 4}, said
    for name in ("opens_a_file", "lists_the_folder", "goes_by_a_link", "asks_while_it_runs"):
        assert f"FAILED test_small.py::test_{name} - tests.plugins.real_data.NotAskedFor" in said


def test_a_module_that_reads_while_it_is_collected_is_refused(beside):
    folder, source, environment = beside
    counts, said = run_suite(folder, f"{source}\nHELD = (DATA / 'some.dat').read_text()\n", **environment)
    assert counts == {"error": 1}
    assert "NotAskedFor" in said


def test_tests_that_ask_are_selected_and_no_others(beside):
    folder, source, environment = beside
    counts, said = run_suite(folder, source, "-m", "beside", **environment)
    assert counts == {"passed": 3, "deselected": 5}, said
    counts, said = run_suite(folder, source, "-m", "not beside", "-k", "not (opens or lists or link or runs)")
    assert counts == {"passed": 1, "deselected": 7}, said


# What runs in other processes, or reads by code in C, is found by reading the code.


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.check_output(["git", "ls-files", "-z", *patterns], cwd=ROOT, text=True)
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def levels(node: ast.expr, known: dict[str, int]) -> int | None:
    """How many folders above that of the file an expression is, or None where it is no place; the file itself is -1."""
    match node:
        case ast.Name(id="__file__"):
            return -1
        case ast.Name(id=name):
            return known.get(name)
        case ast.Call(func=ast.Name(id="Path"), args=[inner]):
            return levels(inner, known)
        case ast.Call(func=ast.Attribute(value=inner, attr="resolve" | "absolute")):
            return levels(inner, known)
        case ast.Attribute(value=inner, attr="parent"):
            below = levels(inner, known)
            return None if below is None else below + 1
        case ast.Subscript(value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=int(number))):
            below = levels(inner, known)
            return None if below is None else below + number + 1
    return None


def looks_outside(source: str, depth: int) -> Iterator[str]:
    """What climbs out of the root, names a variable or goes by '..', in a file ``depth`` folders below the root."""
    tree = ast.parse(source)
    known = {"ROOT": depth}  # also where another file has made it
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found = levels(node.value, known)
            if found is not None:
                known[node.targets[0].id] = found
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            climbed = levels(node, known)
            if climbed is not None and climbed > depth:
                yield f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if text in VARIABLES or text.startswith(("../shared", "shared/")):
                yield f"line {node.lineno}: {text!r}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and ast.unparse(node.right) == "'..'":
            yield f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize(
    "line",
    [
        "Path(__file__).parents[2]",
        "Path(__file__).resolve().parent.parent.parent / 'shared'",
        "HERE = Path(__file__).parent\nUP = HERE.parent\nUP.parent",
        "ROOT.parent",
        "os.environ['SHOAL_DATA']",
        "Path('../shared/data')",
        "ROOT / '..' / 'shared'",
    ],
)
def test_code_that_looks_outside_is_found(line):
    assert list(looks_outside(line, 1))
    assert not list(looks_outside("HERE = Path(__file__).parent\nROOT = HERE.parent\nROOT / 'docs'", 1))


def test_no_code_looks_outside_the_clone_but_by_the_mechanism():
    found = {
        str(path.relative_to(ROOT)): list(
            looks_outside(path.read_text(encoding="utf-8"), len(path.relative_to(ROOT).parts) - 1)
        )
        for path in tracked("*.py")
    }
    assert len(found) > 300
    assert {name for name, lines in found.items() if lines} - {"tests/unit/test_beside_the_clone.py"} == MAY_LOOK, found


def test_no_script_looks_outside_the_clone():
    for path in tracked("Makefile", ".ci", "tests/browser/install", "pyproject.toml"):
        text = path.read_text(encoding="utf-8")
        assert not any(variable in text.replace(f"-u {variable}", "") for variable in VARIABLES), path
        assert "../shared" not in text, path


def test_what_decides_about_a_change_runs_the_selection_in_a_bare_clone():
    assert "make test-bare\n" in (ROOT / ".ci" / "run").read_text()
    assert "-m beside" in (ROOT / ".ci" / "bare-clone").read_text()
