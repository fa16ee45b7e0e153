"""The claims of the papers in docs/papers/: each with a verdict of a fixed set, and with what it rests on."""

from __future__ import annotations

import ast
import re
import shlex
from collections import Counter
from functools import cache, partial
from pathlib import Path

import pytest

import papers.program
from shoal.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
HEAD = ["where", "the paper says", "Shoal", "verdict", "rests on"]
VERDICTS = ("comes out", "partly", "does not", "not measured")
TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def claims(page: Path) -> list[dict[str, str]]:
    lines = page.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if cells(line) == HEAD)
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        assert len(cells(line)) == len(HEAD), f"{page.name}: {line}"
        rows.append(dict(zip(HEAD, cells(line), strict=True)))
    return rows


CLAIMS = [(page, claim) for page in PAGES for claim in claims(page)]


def named(claim: dict[str, str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The tests and the commands that a verdict rests on."""
    quoted = re.findall("`(.*?)`", claim["rests on"])
    tests = [match.groups() for text in quoted if (match := TEST.fullmatch(text))]
    return tests, [text for text in quoted if not TEST.fullmatch(text)]


@cache
def names_of_tests(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_paper_has_claims_and_they_are_told_apart():
    assert len(PAGES) == 5
    said = Counter((page.name, claim["where"], claim["the paper says"]) for page, claim in CLAIMS)
    assert max(said.values()) == 1
    assert all(sum(page == other for other, _ in CLAIMS) > 15 for page in PAGES)


def test_every_claim_says_where_it_stands_what_shoal_does_and_has_a_verdict_of_the_set():
    for page, claim in CLAIMS:
        assert claim["verdict"] in VERDICTS, f"{page.name}: {claim}"
        assert claim["where"], f"{page.name}: {claim}"
        assert claim["the paper says"], f"{page.name}: {claim}"
        assert claim["Shoal"], f"{page.name}: {claim}"


def test_every_verdict_on_something_measured_names_a_command_or_a_test():
    for page, claim in CLAIMS:
        tests, commands = named(claim)
        if claim["verdict"] == "not measured":
            assert not re.search(r"\d ?%|\d s\b|\.\d", claim["Shoal"]), f"a figure that rests on nothing: {claim}"
        else:
            assert tests or commands, f"{page.name}: {claim}"


def test_every_test_that_is_named_exists():
    for page, claim in CLAIMS:
        for file, name in named(claim)[0]:
            assert (ROOT / file).exists(), f"{page.name}: {file}"
            assert name in names_of_tests(file), f"{page.name}: {file}::{name}"


COMMANDS = sorted({command for _, claim in CLAIMS for command in named(claim)[1]})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_is_named_exists_with_its_options(command, capsys):
    program, *arguments = shlex.split(command)
    if program == "make":
        assert re.search(rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        return
    if program == "python" and arguments[0] == "-m":
        package, paper = arguments[1].split(".")
        assert package == "papers"
        assert (ROOT / "papers" / paper / "__main__.py").exists(), f"what is {command}?"
        takes(command, arguments[2:], partial(papers.program.run, paper), capsys)
        return
    if program == "python":
        shown = any(f"`{arguments[0]}`" in page.read_text(encoding="utf-8") for page in PAGES)
        assert (ROOT / arguments[0]).exists() or shown
        return
    assert program == "shoal", f"what is {command}?"
    words = 2 if arguments[0] == "publish" else 1
    takes(command, arguments[words:], lambda asked: run([*arguments[:words], *asked]), capsys)


def takes(command, arguments, run, capsys):
    """A command takes the options that it is named with."""
    assert run(["--help"]) == 0
    options = capsys.readouterr().out
    assert "DATA" not in arguments or "[DATA]" in options, command
    for option in [argument for argument in arguments if re.match("--?[a-z]", argument)]:
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", options), f"{command}: {option}"


def test_the_overview_counts_what_the_pages_have():
    overview = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    every: Counter[str] = Counter()
    for page in PAGES:
        verdicts = Counter(claim["verdict"] for claim in claims(page))
        every += verdicts
        (row,) = [cells(line) for line in overview.splitlines() if f"](papers/{page.name}) |" in line]
        assert row[1:] == [str(number) for number in (verdicts.total(), *(verdicts[word] for word in VERDICTS))]
    (row,) = [cells(line) for line in overview.splitlines() if line.startswith("| all |")]
    assert row[1:] == [str(number) for number in (every.total(), *(every[word] for word in VERDICTS))]
