"""What every command has: --json, --quiet, examples that run, progress beside the result, colours that can be off."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shoal.cli.commands import COMMANDS, Command, Commands, Group
from shoal.cli.examples import EXAMPLES
from shoal.cli.main import run
from shoal.cli.terminal import note, paragraph, result, result_json, saying, warn
from shoal.generate import bundled
from tests.running.commands import outside, shoal
from tests.running.terminals import at_terminal

ESCAPE = "\x1b"


def every_command() -> Iterator[tuple[str, Command, bool]]:
    for name, one in COMMANDS.items():
        if isinstance(one, Group):
            yield from ((f"{name} {inner}", command, one.silent) for inner, command in one.commands.items())
        else:
            yield name, one, one.silent


NAMES = [name for name, _, _ in every_command()]
PROGRESS = {
    *(name for name in NAMES if name.split()[0] == "publish"),
    *("apply", "verify", "attack", "measure", "report", "compare", "sweep", "advise", "mine", "reconstruct", "risk"),
}
"""Commands that show progress."""
SLOW = {"compare", "sweep", "advise"}
"""Commands that run many times: their examples are run once, and one of them asks for JSON quietly."""
QUICK = [name for name in NAMES if name not in SLOW]


def made(name: str) -> Any:
    command: Any = Commands(name="shoal")
    for word in name.split():
        command = command.get_command(None, word)
    return command


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What examples speak of."""
    folder = tmp_path_factory.mktemp("prepared")
    lines = bundled.path("baskets").read_text().splitlines(keepends=True)
    # Of one kind of basket there are so many that a release with noisy counts has it.
    (folder / "baskets.dat").write_text("".join([*lines[:200], *lines[:1] * 2_000]))
    (folder / "new-baskets.dat").write_text("".join(lines[200:400]))
    people = bundled.path("people").read_text().splitlines(keepends=True)
    (folder / "people.csv").write_text("".join(people[:400]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "generate hierarchy baskets.dat --items --kind neighbours --fanout 5 -o items.csv -q",
            "generate hierarchy people.csv --column age --kind ranges -o age.csv -q",
            "publish disassociate baskets.dat -k 5 -m 2 --drop-rare -o release --save-plan plan.toml -q",
            "publish anatomy people.csv --quasi age,sex,postcode --sensitive diagnosis -l 4 -o table -q",
        ):
            assert run(shlex.split(line)) == 0, line
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy, without releases where the command publishes some."""
    name = request.node.callspec.params["name"]
    here = tmp_path / "here"
    publishes = name.startswith("publish")
    shutil.copytree(prepared, here, ignore=lambda _, names: {"release", "table"} & set(names) if publishes else set())
    return here


def words(example: str) -> list[str]:
    first, *others = shlex.split(example)
    assert first == "shoal"
    return others


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_json_quiet_and_examples(capfd: pytest.CaptureFixture[str], name: str) -> None:
    options = {text for parameter in made(name).params for text in parameter.opts}
    assert {"--json", "--quiet", "-q"} <= options
    code, out, _ = shoal(capfd, *name.split(), "--help")
    assert code == 0
    assert EXAMPLES[name]
    for example in EXAMPLES[name]:
        assert words(example)[: len(name.split())] == name.split()
        assert f"\n  {example}\n" in out.partition("\nExamples:\n")[2].join(["\n", ""])


def shown_examples(capfd: pytest.CaptureFixture[str], *name: str) -> list[str]:
    code, out, _ = shoal(capfd, *name, "--help")
    assert code == 0
    return [line.strip() for line in out.partition("\nExamples:\n")[2].splitlines()]


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if isinstance(one, Group)])
def test_commands_that_hold_others_show_an_example_of_each(capfd: pytest.CaptureFixture[str], name: str) -> None:
    held = [one for one in NAMES if one.startswith(f"{name} ")]
    assert shown_examples(capfd, name) == [EXAMPLES[one][0] for one in held]


def test_the_first_steps_run_one_after_the_other_from_nothing(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    steps = shown_examples(capfd)
    assert any("shoal publish" in step for step in steps)
    assert [(step, run(words(step))) for step in steps] == [(step, 0) for step in steps]


def test_no_example_is_of_a_command_that_is_gone() -> None:
    assert set(EXAMPLES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_examples_run_and_nothing_but_the_result_is_on_standard_output(folder: Path, name: str) -> None:
    said = ""
    for example in EXAMPLES[name]:
        code, out, err = at_terminal(*words(example), folder=folder)
        assert code == 0, f"{example}\n{out}{err}"
        assert ESCAPE not in out
        if "--json" in example:
            json.loads(out)
        if "--quiet" in example:
            assert all(line.startswith("warning:") for line in err.splitlines()), err
        else:
            said += err
    if name in PROGRESS:
        assert ESCAPE in said, "no progress is drawn at a terminal"
    if name in SLOW:
        assert any(example.endswith("--json --quiet") for example in EXAMPLES[name])


@pytest.mark.parametrize("name", QUICK)
def test_without_colours_there_are_no_escape_codes_on_a_terminal(folder: Path, name: str) -> None:
    code, out, err = at_terminal(*words(EXAMPLES[name][0]), folder=folder, out=True, NO_COLOR="1")
    assert code == 0, out + err
    assert ESCAPE not in out + err
    if name in PROGRESS:
        assert "%\r" in err  # progress is a line that is written over


@pytest.mark.parametrize("name", QUICK)
def test_json_is_all_there_is_of_a_quiet_command(folder: Path, name: str) -> None:
    done = outside(*words(EXAMPLES[name][0]), "--json", "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
    assert all(line.startswith("warning:") for line in done.stderr.splitlines()), done.stderr


@pytest.mark.parametrize("name", QUICK)
def test_quiet_commands_print_their_result_only_where_it_is_text(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, name: str
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = shoal(capfd, *words(EXAMPLES[name][0]), "-q")
    assert code == 0, err
    assert all(line.startswith("warning:") for line in err.splitlines()), err
    _, command, silent = next(one for one in every_command() if one[0] == name)
    assert bool(out) is not (silent or command.silent)


@pytest.mark.parametrize("name", ["verify"])
def test_errors_and_failed_checks_are_told_also_quietly(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, name: str
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = shoal(capfd, name, "nowhere", "-q")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    (folder / "release" / "clusters.parquet").write_bytes(b"")
    assert shoal(capfd, name, "release", "-q") == (1, "", "")


@pytest.mark.parametrize("name", ["show"])
def test_tables_are_coloured_on_a_terminal_only(folder: Path, name: str) -> None:
    drawn = at_terminal(name, "release", folder=folder, out=True)[1]
    plain = at_terminal(name, "release", folder=folder)[1]
    assert ESCAPE in drawn
    assert ESCAPE not in plain
    assert ESCAPE in at_terminal(name, "release", folder=folder, out=True, NO_COLOR="")[1]  # empty: not set


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("generate", "generate sample baskets -o - --json"),
        ("export", "export release --json"),
    ],
)
def test_json_and_data_do_not_share_standard_output(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, command: str
) -> None:
    del name
    monkeypatch.chdir(folder)
    code, out, err = shoal(capfd, *command.split())
    assert (code, out) == (2, "")
    assert "cannot both go to standard output: give -o FILE, or leave out --json" in err


def test_nothing_that_is_said_steers_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    for say in (result, paragraph, note, warn):
        say(f"a{ESCAPE}[31mb")
        assert "".join(capfd.readouterr()) == "a\\x1b[31mb\n"
    result_json({"name": f"a{ESCAPE}\x9bb"})
    assert capfd.readouterr().out == '{\n  "name": "a\\u001b\\u009bb"\n}\n'


def test_what_is_left_unsaid_is_left_unsaid_for_a_while_only(capfd: pytest.CaptureFixture[str]) -> None:
    with saying(notes=False, text=False):
        result("result")
        note("note")
        warn("warning")
    assert capfd.readouterr() == ("", "warning\n")
    result("result")
    note("note")
    assert capfd.readouterr() == ("result\n", "note\n")
