"""Reports where what draws charts cannot run: limits of address space, or a process that dies."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.reporting import drawing_process
from shoal.reporting.charts import histogram
from shoal.reporting.drawing import png_of, svg_of
from shoal.reporting.drawing_process import CannotDraw
from shoal.reporting.html import NoCharts
from tests.running.commands import SHOAL

GB = 10**9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "baskets.dat").write_text("a b\na b c\nb c\n" * 20)
    shoal.disassociate(shoal.read(tmp_path / "baskets.dat"), k=3, m=2).write(tmp_path / "release")
    return tmp_path


def report(folder: Path, address_space: int, *options: str) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    return subprocess.run(
        [*SHOAL, "report", "baskets.dat", "release", "-o", "report.html", *options],
        cwd=folder,
        # A thread of each library for each processor reserves address space of its own.
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("gigabytes", [4, 8, 16])
def test_a_limit_of_address_space_leaves_tables_without_charts(folder: Path, gigabytes: int) -> None:
    """As batch clusters set it."""
    done = report(folder, gigabytes * GB)
    assert done.returncode == 0, done.stderr
    said = "The charts of this report are left out, and their numbers are listed: the process that draws charts failed"
    assert done.stderr.count(said) == 1
    assert f"Address space is limited to {gigabytes}.0 GB (ulimit -v)" in done.stderr
    page = (folder / "report.html").read_text()
    assert said in page
    assert "<svg" not in page
    figures = re.findall(r'<figure class="chart".*?</figure>', page, re.DOTALL)
    assert len(figures) > 2
    assert all("<details open>" in figure and "<td>" in figure for figure in figures)


def test_too_few_descriptors_are_no_mistake_in_a_chart(folder: Path) -> None:
    codes = []
    for files in (10, 12, 14, 64):  # what draws gets some of them, or all
        done = subprocess.run(
            [*SHOAL, "report", "--public", "release", "-o", f"{files}.html"],
            cwd=folder,
            preexec_fn=lambda most=files: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 2), done.stderr
        assert "Traceback" not in done.stderr
        if done.returncode == 0 and files < 64:
            assert "The charts of this report are left out" in done.stderr
        codes.append(done.returncode)
    assert codes == sorted(codes, reverse=True)
    assert codes[-1] == 0


def test_pictures_that_were_asked_for_are_refused_and_nothing_is_written(folder: Path) -> None:
    done = report(folder, 8 * GB, "--charts", "charts")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: the process that draws charts failed: it was ended by SIG")
    assert not (folder / "charts").exists()
    assert not (folder / "report.html").exists()


CHART = histogram("sizes", "Sizes", "Three sizes.", np.array([3, 3, 5]), x="size", y="groups")


def test_all_charts_are_drawn_by_one_process_that_ends_with_ours() -> None:
    script = """
import sys
from tests.system.test_report_without_charts import CHART
from shoal.reporting import drawing_process
from shoal.reporting.drawing import png_of, svg_of
svg_of(CHART)
first = drawing_process._Drawing.process.pid
png_of(CHART), svg_of(CHART)
assert drawing_process._Drawing.process.pid == first
print(first, "vl_convert" in sys.modules)
"""
    said = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert said[1] == "False"
    assert not Path(f"/proc/{said[0]}").exists()


def test_a_process_that_was_killed_is_said_and_the_next_chart_has_a_new_one() -> None:
    whole = svg_of(CHART)
    process = drawing_process._Drawing.process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(CannotDraw, match=r"failed: it was ended by SIGKILL\. It needs memory"):
        png_of(CHART)
    assert svg_of(CHART) == whole


def test_a_python_that_cannot_start_is_said(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    drawing_process._end()
    made = shoal.report(folder / "release")
    monkeypatch.setattr(sys, "executable", str(folder / "nothing"))
    with pytest.warns(NoCharts, match="No such file or directory"):
        page = made.html()
    assert "<svg" not in page


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    svg_of(CHART)
    process = drawing_process._Drawing.process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(drawing_process, "_SECONDS", 0.2)
    with pytest.raises(CannotDraw, match=r"it took longer than 0 s"):
        svg_of(CHART)
    assert process.returncode == -signal.SIGKILL


def test_a_specification_that_cannot_be_drawn_is_no_lack_of_the_machine() -> None:
    with pytest.raises(RuntimeError, match="a chart cannot be drawn"):
        drawing_process.draw("svg", {"mark": "nonsense"}, "5.20")
    assert svg_of(CHART).startswith("<svg")
