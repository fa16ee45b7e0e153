"""``shoal completion``: what shells offer when a tab is pressed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.cli import completion
from shoal.cli.commands import COMMANDS
from shoal.cli.completion import VARIABLE, Shell
from tests.running.commands import outside, shoal

Captured = pytest.CaptureFixture[str]


def answers(capfd: Captured, monkeypatch: pytest.MonkeyPatch, *words: str, shell: str = "bash") -> list[str]:
    monkeypatch.setenv(VARIABLE, shell)
    code, out, err = shoal(capfd, *words)
    assert (code, err) == (0, "")
    return out.splitlines()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], list(COMMANDS)),
        ([], list(COMMANDS)),
        (["pu"], ["publish"]),
        (["--h"], ["--help"]),
        (["--v"], ["--version"]),
        (["publish", "--"], ["--help"]),
        (["sweep", "baskets.dat", "--method", "dis"], ["disassociate", "disassociate-l"]),
        (["compare", "baskets.dat", "--methods", "ma"], ["mask"]),
        (["compare", "baskets.dat", "--methods", "mask,f"], ["mask,fakes"]),
        (["compare", "baskets.dat", "--methods=mask,ma"], []),  # named already
        (["advise", "baskets.dat", "--against", "identity,a"], ["identity,attributes", "identity,anything"]),
        (["sweep", "people.csv", "--hide", "greedy,r"], ["greedy,resistant"]),
        (["info", "baskets.dat", "--he"], ["--help"]),
        (["publish", "k"], ["km-generalization", "k-anonymity"]),
        (["publish", "disassociate", "--ver"], ["--vertical"]),
        (["publish", "disassociate", "--vertical", ""], ["greedy", "dls", "best"]),
        (["publish", "disassociate", "--vertical", "=", "g"], ["greedy"]),  # as bash parts words
        (["publish", "disassociate", "--vertical", "="], ["greedy", "dls", "best"]),
        (["publish", "disassociate", "--vertical=g"], ["--vertical=greedy"]),  # as others do
        (["publish", "disassociate", "baskets.dat", "--save"], ["--save-plan"]),
        (["publish", "k-anonymity", "--no"], ["--no-take-back"]),
        (["publish", "disassociate", "--drop-rare", "g"], []),  # a flag takes no value
        (["publish", "disassociate", "--drop-rare", "--ver"], ["--vertical"]),
        (["generate", "sample", "--quiet", "b"], ["baskets"]),
        (["generate", "sample", "b"], ["baskets"]),
        (["generate", "sample", "-o", "file", ""], ["baskets", "people"]),
        (["generate", "sample", "baskets", ""], []),
        (["completion", ""], [shell.value for shell in Shell]),
        (["verify", "--qu"], ["--quiet"]),
        (["publish", "disassociate", ""], []),  # files are up to the shell
        (["verify", "rel"], []),
        (["nonsense", ""], []),
    ],
    ids=" ".join,
)
def test_what_is_offered(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch, words: list[str], offered: list[str]
) -> None:
    assert answers(capfd, monkeypatch, *words) == offered


def test_other_shells_get_explanations(capfd: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers(capfd, monkeypatch, "ver", shell="zsh") == ["verify:Check that a release keeps its promise."]
    assert answers(capfd, monkeypatch, "ver", shell="fish") == ["verify\tCheck that a release keeps its promise."]


def test_zsh_is_told_which_colon_parts_a_word_from_its_explanation(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion, "_candidates", lambda _: [("a:b", "What: it is,\n in short.")])
    assert answers(capfd, monkeypatch, "a", shell="zsh") == ["a\\:b:What: it is, in short."]
    assert answers(capfd, monkeypatch, "a", shell="fish") == ["a:b\tWhat: it is, in short."]
    assert answers(capfd, monkeypatch, "a") == ["a:b"]


def test_commands_are_offered_without_loading_any() -> None:
    code = (
        "import sys; from shoal.cli.main import run; code = run(['publish', '']); "
        "heavy = {'numpy', 'rich', 'shoal.cli.publish.disassociate'} & set(sys.modules); "
        "sys.exit(f'loaded: {heavy}' if heavy else code)"
    )
    environment = {**os.environ, VARIABLE: "bash"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "disassociate" in done.stdout


@pytest.fixture
def shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a file, in which the installed command is found."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("my baskets.dat").touch()


def asked(*command: str) -> list[str]:
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]} on this machine: `make browser` installs it")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.usefixtures("shells")
def test_bash_completes() -> None:
    script = """
        source <(shoal completion bash)
        ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shoal; echo "${COMPREPLY[*]}"; }
        complete -p shoal
        ask shoal publ
        ask shoal publish disassociate "my baskets.dat" --vertical b
        ask shoal publish disassociate "my ba"
    """
    # -o default: where nothing is offered, bash offers files.
    assert asked("bash", "-c", script) == ["complete -o default -F _shoal shoal", "publish", "best", ""]


@pytest.mark.usefixtures("shells")
def test_zsh_completes() -> None:
    script = """
        compdef() { print -r -- "compdef $*" }
        _describe() { print -r -- ${(P)2} }
        _files() { print files }
        compset() { [[ $words[CURRENT] == ${~2}* ]] && print -r -- "behind ${words[CURRENT]%%=*}" }
        source <(shoal completion zsh)
        ask() { words=("$@"); CURRENT=$#; _shoal }
        ask shoal publ
        ask shoal publish disassociate "my baskets.dat" --vertical b
        ask shoal publish disassociate "my ba"
        ask shoal publish k-anonymity people.csv --hierarchy age=a
    """
    found = asked("zsh", "-f", "-c", script)
    assert found == [
        "compdef _shoal shoal",
        "publish:Publish data under a stated promise.",
        "best:",
        "files",
        "behind age",
        "files",
    ]


@pytest.mark.usefixtures("shells")
def test_fish_completes() -> None:
    script = """
        shoal completion fish | source
        complete -C "shoal publ"
        complete -C "shoal publish disassociate --vertical b"
        complete -C "shoal publish disassociate my"
    """
    found = asked("fish", "--no-config", "-c", script)
    assert found == ["publish\tPublish data under a stated promise.", "best", "my baskets.dat"]


def test_the_script_says_how_to_install_it() -> None:
    for shell in Shell:
        done = outside("completion", shell.value)
        assert done.returncode == 0
        assert done.stdout.startswith("# To install: ")
    assert outside("completion", "tcsh").returncode == 2
