"""README.md and docs/ are tests: every example runs, and every output that is shown comes out."""

import contextlib
import io
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, blocks, check_promises, name_of, text_of
from tests.running.commands import command_line

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
EXIT_CODE = re.compile(r"# exit code (\d+)$")


def run_command(line, capfd):
    """What a command prints, warnings first; a comment at its end says which exit code is right."""
    if (ran := command_line(capfd, line)) is not None:  # in this process: hundreds of them would start for minutes
        code, out, err = ran
    else:
        done = subprocess.run(shlex.split(line, comments=True), capture_output=True, text=True)
        code, out, err = done.returncode, done.stdout, done.stderr
    wanted = int(match[1]) if (match := EXIT_CODE.search(line)) else 0
    assert code == wanted, f"{line}\n{out}{err}"
    return err + out


def run_block(language, text, page, capfd):
    if language.startswith("text "):
        Path(language.removeprefix("text ")).write_text(text, encoding="utf-8")
        return ""
    if language == "sh":
        lines = text.replace("\\\n", " ").splitlines()
        return "".join(run_command(line, capfd) for line in lines if line.strip())
    if language == "sql":
        import duckdb

        return str(duckdb.connect().sql(text))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, page.name, "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def comes_out(shown, printed):
    """Whether what a page shows is what was printed: ``...`` stands for any lines, and seconds and memory are any."""

    def plain(text):
        text = re.sub(r"\b\d[\d,]*(\.\d+)? (s|MB)\b", r"N \2", text)
        return [line.rstrip() for line in text.strip("\n").splitlines()]

    lines = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in plain(shown)]
    return re.fullmatch("".join(lines), "".join(f"{line}\n" for line in plain(printed))) is not None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_examples_run_and_print_what_is_shown(page, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("COLUMNS", "100")  # as wide as pages show what comes out
    monkeypatch.chdir(tmp_path)
    if page.name == "README.md":
        Path("baskets.dat").write_text(BASKETS, encoding="utf-8")
    for language, text, shown in blocks(text_of(page)):
        printed = run_block(language, text, page, capfd)
        assert shown is None or comes_out(shown, printed), f"{text}\nshown:\n{shown}\nprinted:\n{printed}"
    if page.parent.name == "methods":
        check_promises(page, Path("release"))


def test_output_that_does_not_come_out_is_noticed():
    printed = "published 10 records (0.4 s)\na\nb\nc\n"
    assert comes_out("published 10 records (1.2 s)\n...\nc\n", printed)
    assert comes_out("...\nb\n...", printed)
    assert not comes_out("published 11 records (1.2 s)\n...\n", printed)
    assert not comes_out("...\nb\n", printed)
    assert not comes_out("published 10 records (1.2 s)\nb\n...\n", printed)
    page = "```sh\nls\n```\n\n```text\nshown\n```\n\nwords\n\n```sh\nls\n```\n\nwords\n\n```text\nno output\n```\n"
    assert [shown for _, _, shown in blocks(page)] == ["shown\n", None]


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
    readme = text_of(PAGES[0])
    after = re.search(r"```text\n(Joint cluster 0.*?)```", readme, re.DOTALL)[1]
    assert after.strip() in shown.getvalue()
    for line in BASKETS.splitlines():
        assert line in readme
