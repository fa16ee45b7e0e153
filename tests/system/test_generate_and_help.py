"""``shoal generate`` and the help: data made up, and answers at once."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.cli.commands import COMMANDS, Group
from shoal.generate import bundled
from tests.running.commands import outside, shoal


def test_generated_data_can_be_read_and_made_again(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, two = tmp_path / "one.dat", tmp_path / "two.dat"
    for path in (one, two):
        code, out, err = shoal(capfd, "generate", "quest", "-o", path, "--records", 50, "--items", 20, "--seed", 4)
        assert (code, out) == (0, "")
        assert "wrote 50 baskets" in err
    assert one.read_bytes() == two.read_bytes()
    assert json.loads(shoal(capfd, "info", one, "--json")[1])["records"] == 50


def test_generated_people_and_hierarchies_fit_together(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    people, tree = tmp_path / "people.csv", tmp_path / "age.csv"
    assert shoal(capfd, "generate", "people", "-o", people, "--rows", 60, "--seed", 1)[0] == 0
    for kind, column in (("ranges", "age"), ("prefixes", "postcode"), ("frequency", "diagnosis")):
        command = ["generate", "hierarchy", people, "--column", column, "--kind", kind, "-o", tree, "--force"]
        code, _, err = shoal(capfd, *command)
        assert code == 0, err
        code, out, err = shoal(capfd, "info", people, "--quasi", column, "--hierarchy", f"{column}={tree}")
        assert code == 0, err
        assert "levels" in out


def test_generated_data_on_standard_output() -> None:
    done = outside("generate", "quest", "-o", "-", "--records", 5, "--seed", 1)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["baskets", "people"])
def test_samples_are_the_bundled_data(capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    code, out, _ = shoal(capfd, "generate", "sample", name, "-o", tmp_path / "new")
    assert (code, out) == (0, "")
    assert (tmp_path / "new").read_bytes() == bundled.path(name).read_bytes()
    assert shoal(capfd, "generate", "sample", name, "-o", "-")[1] == bundled.path(name).read_text()


def test_what_exists_is_not_overwritten(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("age\n1\n2\n")
    for command in (
        ["quest", "-o", path],
        ["people", "-o", path],
        ["sample", "people", "-o", path],
        ["hierarchy", path, "--column", "age", "--kind", "ranges", "-o", path],
    ):
        code, _, err = shoal(capfd, "generate", *command)
        assert code == 2
        assert "exists already; choose another name, or --force to replace it" in err
    assert path.read_text() == "age\n1\n2\n"


def test_help_is_quick_and_loads_nothing_heavy() -> None:
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = outside("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    for command in ("info", "verify", "show", "export", "publish", "generate"):
        assert f"\n  {command} " in done.stdout
    code = (
        "import sys; from shoal.cli.main import run; code = run(['--help']); "
        "heavy = {'numpy', 'pyarrow', 'numba', 'rich', 'scipy', 'pydantic', 'shoal.cli.mine.mine'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # .2 s is what is asked for; machines that test are busy.
    assert statistics.median(times) < 0.3, times


def test_no_command_loads_pandas_though_arrow_would(baskets: Path, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("__version__ = '3.0'\nimport sys\nsys.stderr.write('pandas was loaded')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    making = [sys.executable, "-c", "import numpy, pyarrow; pyarrow.array(numpy.arange(3))"]
    loaded = subprocess.run(making, env=environment, capture_output=True, text=True, check=False)
    assert "pandas was loaded" in loaded.stderr
    done = outside("mine", baskets, env=environment)
    assert done.returncode == 0
    assert "pandas" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [[], *([name] for name in COMMANDS)]
    + [[name, inner] for name, one in COMMANDS.items() if isinstance(one, Group) for inner in one.commands],
    ids=" ".join,
)
def test_every_command_explains_itself(capfd: pytest.CaptureFixture[str], command: list[str]) -> None:
    for flag in ("-h", "--help"):
        code, out, err = shoal(capfd, *command, flag)
        assert (code, err) == (0, "")
        assert out.startswith(f"Usage: {' '.join(['shoal', *command])} [OPTIONS]")
        assert "--install-completion" not in out


def test_a_mistyped_command_is_guessed(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = shoal(capfd, "mesure")
    assert code == 2
    assert "No such command 'mesure'. Did you mean 'measure'?" in err


def test_version(capfd: pytest.CaptureFixture[str]) -> None:
    import shoal as api

    assert shoal(capfd, "--version") == (0, f"shoal {api.__version__}\n", "")


def test_the_installed_command_is_there() -> None:
    script = Path(sys.executable).with_name("shoal")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("shoal ")
    assert os.access(script, os.X_OK)


def test_commands_with_kernels_load_no_linear_algebra_but_others_can():
    script = (
        "import sys\n"
        "from shoal.cli.terminal import kernel_work\n"
        "with kernel_work(print):\n"
        "    import shoal.kernels.bits\n"
        "print('scipy.linalg' in sys.modules)\n"
        "import scipy.linalg\n"
        "print(scipy.linalg.norm([3, 4]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["False", "5.0"]
