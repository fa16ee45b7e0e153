"""A light Shoal: what auditors and readers run where Numba is not installed, and what is said of all the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shoal.cli.main import run
from tests.making.releases_by_commands import METHODS, Made, make_originals, publish

ABSENT = "import sys\nfor name in {names!r}:\n    sys.modules[name] = None\n"
SAYS = "error: Numba is needed, and is not installed: pip install numba\n"
COMMANDS = """
import json, sys
from shoal.cli.main import run
for words in json.loads(sys.argv[1]):
    print("exit", run(words), flush=True)
    print("exit", file=sys.stderr, flush=True)
"""
PYTHON = """
import sys, shoal
release = shoal.read_release(sys.argv[1])
print(type(release).__name__, shoal.verify(sys.argv[1]).holds, shoal.verify(sys.argv[1]).confirmed)
print(hasattr(shoal.read_release(sys.argv[1]), "promises"), sorted(release.to_arrow()))
print(shoal.attack(sys.argv[1]).breaks_promise)
print([name for name in ("numba", "llvmlite") if sys.modules.get(name) is not None])
"""


def without(place: Path, *words: str, names: Sequence[str] = ("numba", "llvmlite")) -> subprocess.CompletedProcess[str]:
    """Run Python where some packages cannot be imported, nor in any process that it starts."""
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_text(ABSENT.format(names=tuple(names)), encoding="utf-8")
    return started(place, *words)


def started(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a folder before all others."""
    path = os.pathsep.join([str(place), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )


def reading(made: Made, out: Path) -> list[list[str]]:
    """What anybody does with a release that Shoal's light form must do: the same as its full one."""
    folder, original = str(made.folder), str(made.original)
    attack = ["attack", folder, "--json", *([] if made.original.suffix == ".csv" else ["--seed", "1"])]
    return [
        ["verify", folder, "--original", original, "--json"],
        ["info", folder],
        ["show", folder],
        ["export", folder, "-o", str(out)],
        [*attack, "--original", original],
    ]


def findings(text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What attacks found and what was left out, by name."""
    told = json.loads(text)
    return {one["name"]: one for one in told["findings"]}, {one["name"]: one["why"] for one in told["left_out"]}


@pytest.mark.parametrize("method", METHODS)
def test_reading_verifying_and_attacking_need_no_numba(
    method: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make_originals(tmp_path)
    made = publish(method, tmp_path)
    with_numba = []
    for words in reading(made, tmp_path / "full"):
        capfd.readouterr()
        code = run(words)
        with_numba.append((code, capfd.readouterr().out))
    done = without(tmp_path / "light", "-c", COMMANDS, json.dumps(reading(made, tmp_path / "lean")))
    assert done.returncode == 0, done.stderr
    *light, end = done.stdout.split("exit ")
    codes = [int(part.partition("\n")[0]) for part in [*light[1:], end]]
    assert codes == [code for code, _ in with_numba], done.stderr
    texts = [light[0], *(part.partition("\n")[2] for part in light[1:])]
    assert texts[:4] == [text for _, text in with_numba[:4]]
    exported = {path.relative_to(tmp_path / "full"): path for path in sorted((tmp_path / "full").rglob("*.*"))}
    if (tmp_path / "full").is_file():
        exported = {Path(): tmp_path / "full"}
    for name, path in exported.items():
        assert (tmp_path / "lean" / name).read_bytes() == path.read_bytes()
    for text, (code, full) in zip(texts[4:], with_numba[4:], strict=True):
        if code == 2:  # of some releases no attack is known, and some attacks ask for a hierarchy
            assert text == full == ""
            continue
        found, left_out = findings(text)
        whole, _ = findings(full)
        missing = {name for name, why in left_out.items() if why == SAYS.removeprefix("error: ").rstrip()}
        assert set(whole) - set(found) == missing & set(whole)
        assert set(found) <= set(whole)
        assert all("Numba" not in why for name, why in left_out.items() if name not in missing)
        same = [name for name in found if "drawn" not in found[name]["sentence"]]
        assert [found[name] for name in same] == [whole[name] for name in same]


@pytest.mark.parametrize("method", ["disassociate", "km-generalization", "anatomy"])
def test_python_names_of_auditors_need_no_numba(method: str, tmp_path: Path) -> None:
    make_originals(tmp_path)
    made = publish(method, tmp_path)
    done = without(tmp_path / "light", "-c", PYTHON, str(made.folder))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[1] == "True"
    assert lines[-1] == "[]"


@pytest.mark.parametrize(
    ("method", "names"), [("disassociate", {"backwards"}), ("hybrid", {"likelihood filter", "single items"})]
)
def test_attacks_that_run_the_publisher_are_left_out_and_say_why(method: str, names: set[str], tmp_path: Path) -> None:
    make_originals(tmp_path)
    made = publish(method, tmp_path)
    words = ["attack", str(made.folder), "--original", str(made.original), "--json"]
    done = without(tmp_path / "light", "-m", "shoal", *words)
    assert done.returncode == 0, done.stderr
    _, left_out = findings(done.stdout)
    assert {name for name, why in left_out.items() if "pip install numba" in why} == names


NEEDY = {
    "publish": ["publish", "disassociate", "FILE", "-k", "5", "-m", "2", "-o", "OUT"],
    "mask": ["publish", "mask", "FILE", "--keep-prob", ".9", "-o", "OUT"],
    "mine": ["mine", "FILE"],
    "risk": ["risk", "FILE"],
    "compare": ["compare", "FILE", "-k", "5", "-m", "2", "-o", "OUT"],
    "sweep": ["sweep", "FILE", "--method", "disassociate", "-k", "5,6", "-m", "2", "-o", "OUT"],
}


@pytest.mark.parametrize("name", NEEDY)
def test_what_needs_numba_says_what_to_install_before_it_reads(name: str, tmp_path: Path) -> None:
    file = tmp_path / "baskets.dat"
    os.mkfifo(file)  # whoever read it would wait forever
    words = [{"FILE": str(file), "OUT": str(tmp_path / "out")}.get(word, word) for word in NEEDY[name]]
    done = without(tmp_path / "light", "-m", "shoal", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", SAYS)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["query", "reconstruct", "measure"])
def test_what_needs_numba_of_a_release_says_what_to_install(command: str, tmp_path: Path) -> None:
    make_originals(tmp_path)
    made = publish("disassociate", tmp_path)
    folder = str(made.folder)
    words = {
        "query": [folder, "milk"],
        "reconstruct": [folder, "-o", str(tmp_path / "out")],
        "measure": [str(made.original), folder],
    }[command]
    done = without(tmp_path / "light", "-m", "shoal", command, *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", SAYS)


@pytest.mark.parametrize("names", [("numba",), ("llvmlite",)])
def test_a_python_name_that_needs_numba_says_what_to_install(names: tuple[str, ...], tmp_path: Path) -> None:
    done = without(tmp_path / "light", "-c", "import shoal; shoal.disassociate", names=names)
    assert done.returncode == 1
    assert done.stderr.endswith(f"NumbaMissing: {SAYS.removeprefix('error: ')}")


def test_a_numba_that_cannot_be_loaded_is_no_bug_of_shoal(tmp_path: Path) -> None:
    for name in ("numba", "llvmlite"):
        (tmp_path / "broken" / name).mkdir(parents=True)
    (tmp_path / "broken" / "numba" / "__init__.py").write_text("raise ImportError('Numba needs NumPy 2.9 or less')\n")
    (tmp_path / "broken" / "llvmlite" / "__init__.py").write_text("")
    script = "import shoal; shoal.disassociate"
    done = started(tmp_path / "broken", "-c", script)
    assert "cannot be loaded (Numba needs NumPy 2.9 or less): pip install --upgrade numba" in done.stderr
    (tmp_path / "baskets.dat").write_text("a b\n" * 20)
    words = [
        "publish",
        "disassociate",
        str(tmp_path / "baskets.dat"),
        "-k",
        "2",
        "-m",
        "1",
        "-o",
        str(tmp_path / "out"),
    ]
    done = started(tmp_path / "broken", "-m", "shoal", *words)
    assert done.returncode == 2, done.stderr
    assert "pip install --upgrade numba" in done.stderr
    assert not (tmp_path / "out").exists()
