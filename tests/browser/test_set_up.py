"""Without a browser tests skip and say what to do, but not where a change is judged."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.browser.chromium import need_browser
from tests.plugins.skipping import refusal

INSTALL = Path(__file__).with_name("install")


@pytest.mark.parametrize(("ci", "excused"), [("", True), ("false", True), ("true", False), ("1", False)])
def test_a_missing_browser_is_excused_only_where_nothing_is_judged(monkeypatch, tmp_path, ci, excused):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    message = "no chromium and no pdftotext and no pdftoppm: `make browser` installs what looking at pages needs"
    with pytest.raises(pytest.skip.Exception, match=message):
        need_browser()
    assert (refusal(message) is None) == excused


def package_manager(folder: Path, installed: bool, works: bool) -> dict[str, str]:
    """An environment whose package manager only writes down what it is asked for."""
    scripts = {
        "dpkg-query": f"echo {'installed' if installed else 'unknown'}",
        "apt-get": f'echo "$@" >> {folder}/asked; echo "no network"; exit {0 if works else 100}',
        "sudo": '"$@"',
    }
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def install(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([INSTALL], env=environment, capture_output=True, text=True, check=False)


def test_what_is_missing_is_installed_quietly(tmp_path):
    done = install(package_manager(tmp_path, installed=False, works=True))
    everything = "chromium fonts-liberation poppler-utils zsh fish"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"installing {everything}, once\n", "")
    asked = ["-q update", f"-q install -y --no-install-recommends {everything}"]
    assert (tmp_path / "asked").read_text().splitlines() == asked


def test_what_is_there_is_not_installed_again(tmp_path):
    done = install(package_manager(tmp_path, installed=True, works=False))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "asked").exists()


def test_what_went_wrong_is_said(tmp_path):
    done = install(package_manager(tmp_path, installed=False, works=False))
    assert done.returncode == 1
    assert (
        done.stderr
        == "no network\nchromium fonts-liberation poppler-utils zsh fish could not be installed: see above.\n"
    )
