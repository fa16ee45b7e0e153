"""The registry of shapes: all that an entry names is there, fits its shape, and is loaded when it is asked for."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.audit.attack.adversary import Adversary
from shoal.pipeline import attack, verify
from shoal.pipeline.measuring import Options
from shoal.release import Release
from shoal.release.evidence import Evidence
from shoal.shapes import OF_METHOD, SHAPES, Shape
from tests.making.release_folders import RELEASES

PARTS = [
    field.name
    for field in fields(Shape)
    if any(str(getattr(shape, field.name)).startswith("shoal.") for shape in SHAPES.values())
]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_everything_that_an_entry_names_is_there(shape: Shape) -> None:
    for part in PARTS:
        found = shape.load(part)
        assert (found is None) == (getattr(shape, part) is None)
        assert found is None or callable(found) or part in {"files", "item_supports", "table_form"}
    assert shape.load("release").shape == shape.name
    assert shape.measured_by <= {*Options.__annotations__, "seed"}
    assert shape.evidence <= {field.name for field in fields(Evidence)}
    assert shape.adversary | shape.with_others <= {*(field.name for field in fields(Adversary)), "seed"}


def test_a_method_makes_one_shape() -> None:
    methods = [method for shape in SHAPES.values() for method in shape.methods]
    assert sorted(methods) == sorted(set(methods)) == sorted(OF_METHOD)


def test_the_registry_loads_nothing() -> None:
    code = (
        "import sys, shoal.shapes; print(*sorted(name for name in sys.modules if name.startswith(('shoal', 'numpy'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["shoal", "shoal.loading", "shoal.shapes"]


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_in_memory_gets_the_verdict_of_its_folder(name: str, tmp_path: Path) -> None:
    release: Release = RELEASES[name]()
    release.write(tmp_path / "release")
    folder = shoal.verify(tmp_path / "release")
    memory = shoal.verify(shoal.read_release(tmp_path / "release"))
    only_files = ("folder", "manifest words", "manifest says what is empty")
    assert [check for check in folder.checks if check.name not in only_files] == list(memory.checks)
    assert replace(folder, checks=memory.checks) == memory


@pytest.mark.parametrize("name", RELEASES)
def test_what_is_not_about_a_shape_is_refused_in_measuring_it(name: str) -> None:
    release: Release = RELEASES[name]()
    shape = SHAPES[release.shape]
    baskets, table = shoal.read([{"a"}]), shoal.read_table(pa.table({"a": ["b"]}), quasi="a")
    original, other = (baskets, table) if shape.data == "baskets" else (table, baskets)
    for option in sorted(set(Options.__annotations__) - shape.measured_by):
        with pytest.raises(shoal.errors.InputError, match=f"^{option}: not used for {shape.called}: remove it$"):
            shoal.measure(original, release, **{option: 1})
    with pytest.raises(TypeError, match="unexpected keyword argument 'tops'"):
        shoal.measure(original, release, tops=1)
    with pytest.raises(shoal.errors.InputError, match=f"this is {shape.called}: its original must be read as"):
        shoal.measure(other, release)
    if shape.measure_alone is None:
        with pytest.raises(shoal.errors.InputError, match="is measured against its original: give it"):
            shoal.measure(None, release)
    else:
        assert len(shoal.measure(None, release))


@pytest.mark.parametrize("name", RELEASES)
def test_what_says_nothing_about_a_shape_is_refused(name: str) -> None:
    release: Release = RELEASES[name]()
    shape = SHAPES[release.shape]
    tree = shoal.Hierarchy.from_rows([("a", "*"), ("b", "*")])
    for part, evidence in {
        "hierarchies": Evidence(hierarchies={"a": tree}),
        "hierarchy": Evidence(hierarchy=tree),
        "original": Evidence(shoal.read([["a", "b"]] * 4)),
    }.items():
        if part not in shape.evidence or (part, shape.data) == ("original", "table"):
            with pytest.raises(shoal.errors.InputError, match=f"{shape.called}|the original was read as baskets"):
                verify(release, evidence)
    for field in fields(Adversary):
        if shape.attack and field.name not in shape.adversary:
            with pytest.raises(shoal.errors.InputError, match=f"uses {field.name}"):
                attack(release, Evidence(), replace(Adversary(), **{field.name: 1}))
    if shape.attack and "seed" not in shape.adversary:
        with pytest.raises(shoal.errors.InputError, match="uses seed"):
            attack(release, run=shoal.Run(chance=1))


def asked_of(tree: ast.AST) -> Iterator[str]:
    """The classes that code asks about: by isinstance, by a pattern, or by comparing a type."""
    for node in ast.walk(tree):
        asked: list[ast.AST] = []
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            asked = node.args[1:]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare) and "type(" in ast.unparse(node.left):
            asked = list(node.comparators)
        for one in asked:
            yield from (name.id for name in ast.walk(one) if isinstance(name, ast.Name))


def test_nothing_asks_what_class_a_release_is() -> None:
    """Code asks the entry of its shape; BasketRelease and TableRelease say what it was made from, and are allowed."""
    classes = {shape.release.partition(":")[2] for shape in SHAPES.values()}
    source = Path(shoal.__path__[0])
    found = {
        f"{path.relative_to(source)} asks for {name}"
        for path in source.rglob("*.py")
        for name in asked_of(ast.parse(path.read_text("utf-8")))
        if name in classes
    }
    assert found == set()


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(x, (int, Randomized))",
        "isinstance(x, A | Randomized)",
        "type(x) is Randomized",
        "match x:\n case Randomized(): pass",
    ],
)
def test_every_way_to_ask_is_seen(code: str) -> None:
    assert "Randomized" in set(asked_of(ast.parse(code)))
