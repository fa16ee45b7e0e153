"""Other Pythons than that of CI: run by `make test-pythons`.

Of the Pythons from 3.11 to 3.14 that are found, the newest gets an environment with the newest of each dependency, and
runs what reads, compiles, publishes, verifies and draws. For those that are not found it is asked whether each
dependency has a wheel. Both are printed, so that nobody takes what was not run for what passed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = (3, 11), (3, 12), (3, 13), (3, 14)
TOOLS = ["pytest>=8", "pytest-xdist>=3.5", "pytest-randomly>=3.15", "hypothesis>=6.100"]
TESTS = [
    "tests/unit/kernels/test_compiling.py",
    "tests/unit/kernels/test_keeping.py",
    "tests/unit/test_memory.py",
    "tests/unit/test_public_names.py",
    "tests/unit/test_randomness.py",
    "tests/system/test_publish_and_verify.py",
    "tests/system/test_publish_tables.py",
    "tests/system/test_query.py",
    "tests/system/test_report_without_charts.py",
]
Version = tuple[int, int]


def candidates() -> Iterator[Path]:
    """Where Pythons are usually found: on the path, and where pyenv and uv put them."""
    names = [f"python{major}.{minor}" for major, minor in OURS]
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    home = Path.home()
    for kept in (Path(os.environ.get("PYENV_ROOT") or home / ".pyenv") / "versions", home / ".local/share/uv/python"):
        folders += sorted(kept.glob("*/bin"), reverse=True)
    for folder in folders:
        yield from (folder / name for name in names if (folder / name).is_file())


def version_of(python: Path) -> Version | None:
    """What it says itself; a name may be a shim that starts nothing. Environments have no place here."""
    code = "import sys, venv, ensurepip; print(*sys.version_info[:2], sys.prefix == sys.base_prefix)"
    try:
        said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor, own = said.split()
    return (int(major), int(minor)) if own == "True" else None


def others() -> dict[Version, Path]:
    """Each version but the one that this is run by, and the first place where it is found."""
    found: dict[Version, Path] = {}
    for python in candidates():
        version = version_of(python)
        if version in OURS and version != sys.version_info[:2] and version not in found:
            found[version] = python
    return dict(sorted(found.items()))


def run_tests(version: Version, python: Path) -> None:
    """In an environment of its own, which is kept for the next time."""
    place = ROOT / f".venv-python{version[0]}.{version[1]}"
    own = place / "bin" / "python"
    uv = shutil.which("uv")
    making = [uv, "venv", "-q", "--allow-existing", "--python"] if uv else [python, "-m", "venv"]
    subprocess.run([*making, *([python] if uv else []), place], check=True)
    installing = [uv, "pip", "install", "-q", "--python", own] if uv else [own, "-m", "pip", "install", "-q"]
    subprocess.run([*installing, "-e", f"{ROOT}[publish,report]", *TOOLS], check=True)
    where = {"SHOAL_STAGE": "pythons", "HYPOTHESIS_PROFILE": "few", "NUMBA_CACHE_DIR": str(place / "kernels")}
    command = [own, "-m", "pytest", "-q", "-n", "auto", *TESTS]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **where}, check=True)


def wheels(version: Version) -> str:
    """The versions of what Shoal needs that this Python would get, all as wheels."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["publish"], *extras["report"]]
    number = f"{version[0]}.{version[1]}"
    if importlib.util.find_spec("pip") is None:  # in an environment that uv made
        return "what nobody asked for: there is no pip here"
    asked = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--target", "nowhere"]
    only = ["--python-version", number, "--only-binary=:all:"]
    done = subprocess.run([*asked, *only, *wanted], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"Python {number}: a dependency has no wheel\n{done.stderr}")
    names = "|".join(re.split(r"[<>=~! ]", entry)[0] for entry in wanted)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("Would install")]
    return " ".join(re.findall(rf"\b(?:{names})-[\d.]+\w*", line, re.IGNORECASE))


def main() -> None:
    """Say what is found; run it; ask for the rest."""
    found = others()
    default = sys.version_info[:2]
    for version in OURS:
        name = f"Python {version[0]}.{version[1]}"
        if version == default:
            print(f"{name}: runs all other stages")
        elif version in found:
            print(f"{name}: {found[version]}" + ("" if version == max(found) else ", not run: a newer one is"))
        else:
            print(f"{name}: not on this machine, not run; it would get {wheels(version)}")
    if not found:
        print("no other Python is on this machine: no test was run by this stage")
    for version, python in [*found.items()][-1:]:  # the newest: what it lacks, those between seldom have
        print(f"== Python {version[0]}.{version[1]}", flush=True)
        run_tests(version, python)


if __name__ == "__main__":
    main()
