"""Machines on which compiled kernels cannot be kept, or were damaged: commands work, and say once what to do."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal
from tests.running.commands import SHOAL

BASKETS = "a b\na b c\nb c\n" * 8
ONCE = "compiling the kernels: takes some seconds, on the first run only"
EVERY_TIME = "compiling the kernels: takes some seconds, on every run, because they cannot be cached: "
HOW = "Set NUMBA_CACHE_DIR to a folder that this user, and nobody else, can write to."
SOMEBODY = 54321
# May read everything, as the interpreter may lie in a home, and write nothing of others.
AS_SOMEBODY = [
    *("setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"),
    *(
        "--inh-caps=-all,+dac_read_search",
        "--ambient-caps=-all,+dac_read_search",
        "--bounding-set=-all,+dac_read_search",
    ),
]


def require_other_users() -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become somebody else")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "baskets.dat").write_text(BASKETS)
    shoal.disassociate(shoal.read(tmp_path / "baskets.dat"), k=3, m=2).write(tmp_path / "release")
    return tmp_path / "release"


def environment(**changes: str | None) -> dict[str, str]:
    """Ours, with changes; None takes a variable away."""
    made = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    return {name: value for name, value in made.items() if name not in changes or changes[name] is not None}


def contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.iterdir())]


def drawn(release: Path, *options: str, **changes: str | None) -> subprocess.CompletedProcess[str]:
    """A command that needs one kernel."""
    return subprocess.run(
        [
            *SHOAL,
            "reconstruct",
            str(release),
            "--seed",
            "1",
            "-o",
            str(release.with_name("drawn")),
            "--force",
            *options,
        ],
        env=environment(**changes),
        capture_output=True,
        text=True,
        check=False,
    )


@contextlib.contextmanager
def package_of_root() -> Iterator[Path]:
    """A copy of the package without compiled kernels, in which only root may write."""
    with tempfile.TemporaryDirectory() as folder:  # not tmp_path: that lies in a folder which nobody else may enter
        Path(folder).chmod(0o755)
        source = Path(shoal.__file__).parent
        shutil.copytree(source, Path(folder) / "shoal", ignore=shutil.ignore_patterns("__pycache__"))
        for file in Path(folder).rglob("*"):
            file.chmod(0o755 if file.is_dir() else 0o644)
        yield Path(folder)


@pytest.mark.parametrize("home", [None, "/", "/nowhere", "/root", "relative"])
def test_any_user_without_a_home_compiles_in_memory(home: str | None) -> None:
    require_other_users()
    with package_of_root() as package:
        (package / "baskets.dat").write_text(BASKETS)
        command = [*AS_SOMEBODY, *SHOAL, "mine", str(package / "baskets.dat"), "--min-support", "8"]
        done = subprocess.run(
            command,
            env=environment(PYTHONPATH=str(package), HOME=home, NUMBA_CACHE_DIR=None, XDG_CACHE_HOME=None),
            cwd=package,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "b" in done.stdout
        said = [line for line in done.stderr.splitlines() if "kernels" in line]
        (line,) = said
        kernels = package / "shoal" / "kernels" / "__pycache__" / "compiled"
        assert line.startswith(f"{EVERY_TIME}{kernels} (Permission denied)")
        assert line.endswith(HOW)


def test_any_user_takes_the_kernels_that_root_compiled() -> None:
    """As an image of a container has them: nothing is compiled, and nothing said."""
    require_other_users()
    with package_of_root() as package:
        (package / "baskets.dat").write_text(BASKETS)
        where = environment(PYTHONPATH=str(package), HOME=None, NUMBA_CACHE_DIR=None, XDG_CACHE_HOME=None)
        command = [*SHOAL, "mine", str(package / "baskets.dat"), "--min-support", "8"]
        for user, said in (([], f"{ONCE}\n"), (AS_SOMEBODY, "")):
            done = subprocess.run(
                [*user, *command], env=where, cwd=package, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, said)


def test_a_folder_that_may_only_be_read(release: Path, disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    done = drawn(release, NUMBA_CACHE_DIR=str(disk))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(EVERY_TIME)
    assert "Read-only file system" in done.stderr
    assert done.stderr.count(HOW) == 1


def test_a_disk_that_becomes_full(release: Path, disk: Path) -> None:
    """The folder can be made and looks well; only writing the kernel fails."""
    (disk / "filler").write_bytes(bytes((64 - 3) * 4096))
    done = drawn(release, NUMBA_CACHE_DIR=str(disk))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{ONCE}\n")
    assert "the compiled kernels could not be cached: " in done.stderr
    assert "No space left on device" in done.stderr
    assert done.stderr.count(HOW) == 1
    assert [file for file in disk.rglob("*") if file.name.endswith((".nbk", ".tmp"))] == []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    where = tmp_path / "disk"
    where.mkdir()
    mount = shutil.which("mount")
    done = mount and subprocess.run([mount, "-t", "tmpfs", "-o", f"size={64 * 4096}", "tmpfs", str(where)])
    if not done or done.returncode != 0:
        pytest.skip("no small disk: mounting a tmpfs is not allowed here")
    try:
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)


@pytest.mark.parametrize("quiet", [False, True])
def test_a_first_run_says_that_it_compiles_and_a_second_has_no_reason(
    release: Path, tmp_path: Path, quiet: bool
) -> None:
    options = ["--quiet"] if quiet else []
    first, second = (drawn(release, *options, NUMBA_CACHE_DIR=str(tmp_path / "kernels")) for _ in range(2))
    assert first.returncode == second.returncode == 0
    assert first.stderr.count(ONCE) == 1
    assert "compiling" not in second.stderr


@pytest.mark.parametrize("size", [0, 10, 60, 1000])
def test_a_damaged_kernel_is_compiled_again_and_never_called_an_interruption(
    release: Path, tmp_path: Path, size: int
) -> None:
    kernels = tmp_path / "kernels"
    drawn(release, NUMBA_CACHE_DIR=str(kernels))
    whole = contents(release.with_name("drawn"))
    assert whole
    for file in kernels.rglob("*.nbk"):
        os.truncate(file, size)
    damaged, after = (drawn(release, NUMBA_CACHE_DIR=str(kernels)) for _ in range(2))
    assert damaged.returncode == after.returncode == 0, damaged.stderr
    assert ONCE in damaged.stderr
    assert "compiling" not in after.stderr
    assert contents(release.with_name("drawn")) == whole


def test_an_end_of_file_that_nobody_expected_is_a_bug_and_no_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    from shoal.cli import main

    def ends(*_: object, **__: object) -> None:
        raise main.typer.Abort from EOFError("Ran out of input")

    assert main.run(["info"], ends) == 4
    assert "this is a bug in Shoal" in capsys.readouterr().err


def test_kernels_are_compiled_ahead_only_where_they_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "shoal.kernels"],
        env=environment(NUMBA_CACHE_DIR=str(tmp_path / "file"), NUMBA_DISABLE_JIT="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: the compiled kernels cannot be kept: ")
    assert done.stderr.endswith(f"{HOW}\n")
