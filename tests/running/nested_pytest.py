"""A few tests in a folder of their own, run by a pytest of its own under the plugins of the project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_suite(folder: Path, source: str, *options: str, **environment: str) -> tuple[dict[str, int], str]:
    """How many tests passed, failed and so on, and what was printed."""
    counts, said, _ = run_suite_to_its_end(folder, source, *options, **environment)
    return counts, said


def run_suite_to_its_end(
    folder: Path, source: str, *options: str, **environment: str
) -> tuple[dict[str, int], str, int]:
    """The same, and the exit code."""
    (folder / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers -ra -p no:cacheprovider\n")
    (folder / "test_small.py").write_text(source)
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CI", "SHOAL_STAGE"))
    }
    settled = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, "test_small.py"],
        cwd=folder,
        env={**inherited, **settled, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    counts = re.findall(r"(\d+) (passed|failed|skipped|errors?|deselected|xfailed)", done.stdout.splitlines()[-1])
    return {what.rstrip("s"): int(number) for number, what in counts}, done.stdout + done.stderr, done.returncode
