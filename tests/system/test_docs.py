"""Every command and every example of README.md and docs/ runs, in order, in an empty folder."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BASKETS = """bread milk beer
bread milk wine
bread milk insulin
bread milk
bread beer wine
tea jam milk
tea jam wine
tea jam insulin
tea jam
tea beer
"""


def blocks(page):
    """Commands, Python, and files that a page shows with their name."""
    return re.findall(r"```(sh|python|text \S+)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if page.name == "README.md":
        Path("baskets.dat").write_text(BASKETS, encoding="utf-8")
    for language, text in blocks(page):
        if language.startswith("text "):
            Path(language.removeprefix("text ")).write_text(text, encoding="utf-8")
            continue
        if language == "python":
            exec(compile(text, page.name, "exec"), {"__name__": "__main__"})
            continue
        for line in text.splitlines():
            command = shlex.split(line)
            if command[0] == "shoal":
                command[:1] = [sys.executable, "-m", "shoal.cli.main"]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


def test_the_readme_shows_what_comes_out(tmp_path):
    from shoal.cli.main import run

    baskets = tmp_path / "baskets.dat"
    baskets.write_text(BASKETS, encoding="utf-8")
    release = str(tmp_path / "release")
    options = ["-k", "3", "-m", "2", "--max-cluster-size", "5"]
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        assert run(["publish", "disassociate", str(baskets), *options, "-o", release]) == 0
        assert run(["show", release]) == 0
    readme = PAGES[0].read_text(encoding="utf-8")
    after = re.search(r"```text\n(Joint cluster 0.*?)```", readme, re.DOTALL)[1]
    assert after.strip() in shown.getvalue()
    for line in BASKETS.splitlines():
        assert line in readme


def test_every_page_is_linked_from_the_readme_and_no_link_is_dead():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
    readme = PAGES[0].read_text(encoding="utf-8")
    assert all(f"docs/{page.name}" in readme for page in PAGES[1:])
