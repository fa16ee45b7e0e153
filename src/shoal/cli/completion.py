"""``shoal completion``: the script that lets a shell ask for completions, and the answers.

The shell runs the typed words with a variable set. If there is no answer, the shell offers files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, StrEnum
from typing import Annotated, Any

import typer

from shoal.cli import options
from shoal.cli.terminal import result, result_json

VARIABLE = "_SHOAL_COMPLETE"
_LISTED = "A,B"
"""The metavar of options that take several comma-separated values."""
_HELP = {"--help": "Show this help."}


class Shell(StrEnum):
    """The supported shells."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


_INSTALL = {
    Shell.bash: "add to ~/.bashrc:  source <(shoal completion bash)",
    Shell.zsh: "add to ~/.zshrc, after compinit:  source <(shoal completion zsh)",
    Shell.fish: "run once:  shoal completion fish > ~/.config/fish/completions/shoal.fish",
}
_SCRIPTS = {
    Shell.bash: f"""
_shoal() {{
    local IFS=$'\\n'
    COMPREPLY=($({VARIABLE}=bash "${{COMP_WORDS[0]}}" "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null))
}}
complete -o default -F _shoal shoal""",
    Shell.zsh: f"""
_shoal() {{
    local -a found
    found=("${{(@f)$({VARIABLE}=zsh ${{words[1]}} "${{(@)words[2,CURRENT]}}" 2>/dev/null)}}")
    if [[ -n "$found" ]]; then _describe shoal found; else compset -P '*='; _files; fi
}}
compdef _shoal shoal""",
    Shell.fish: f"""
function __shoal_found
    set -lx {VARIABLE} fish
    set -l words (commandline -opc) (commandline -ct)
    set -g __shoal_answers ($words[1] $words[2..-1] 2>/dev/null)
    test -n "$__shoal_answers"
end
complete --command shoal --no-files --condition __shoal_found --arguments '$__shoal_answers'""",
}


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    json: options.JsonOption = False,
) -> None:
    """Print a script that lets a shell complete commands, options, their values, and files.

    Its first line says how to install it.
    """
    if json:
        result_json({"shell": shell.value, "script": _SCRIPTS[shell].strip(), "install": _INSTALL[shell]})
        return
    result(f"# To install: {_INSTALL[shell]}{_SCRIPTS[shell]}")


def answer(words: Sequence[str], shell: str) -> None:
    """Print possible completions of the last word, one per line."""
    for value, help in _candidates(words):
        line = " ".join(help.split())
        if shell == Shell.zsh:
            escaped = value.replace(":", "\\:")
            result(f"{escaped}:{line}")
        else:
            result(f"{value}\t{line}" if shell == Shell.fish else value)


def _candidates(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    from shoal.cli.commands import Commands

    # Bash treats an equals sign as a separate word.
    typed = [*words, ""] if not words or words[-1] == "=" else words
    *before, last = [word for word in typed if word != "="]
    command: Any = Commands(name="shoal")
    while isinstance(command, Commands) and before:
        command = command.get_command(None, before.pop(0))
    if isinstance(command, Commands):
        if last.startswith("-"):
            shown = _HELP | ({"--version": "Print it."} if command.name == "shoal" else {})
            yield from ((name, help) for name, help in shown.items() if name.startswith(last))
        yield from ((name, one.help) for name, one in command.known.items() if name.startswith(last))
    elif command is not None:
        yield from _of_command(command, before, last)


def _of_command(command: Any, before: list[str], last: str) -> Iterator[tuple[str, str]]:
    """Values of the option before, values of an option with an equals sign, options, or values of an argument."""
    by_name = {text: one for one in command.params for text in (*one.opts, *one.secondary_opts) if text[:1] == "-"}
    option, equals, start = last.partition("=")
    if equals and option in by_name:
        yield from ((f"{option}={value}", "") for value in _values(command, by_name[option], start))
        return
    asked = by_name.get(before[-1]) if before else None
    if asked is not None and not asked.is_flag:
        yield from ((value, "") for value in _values(command, asked, last))
        return
    if last.startswith("-"):
        shown = {name: one.help or "" for name, one in by_name.items()} | _HELP
        yield from ((name, help) for name, help in shown.items() if name.startswith(last))
        return
    taken = sum(
        not word.startswith("-") and not (place and _takes_value(by_name.get(before[place - 1])))
        for place, word in enumerate(before)
    )
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    if taken < len(arguments):
        yield from ((value, "") for value in _values(command, arguments[taken], last))


def _takes_value(option: Any) -> bool:
    return option is not None and not option.is_flag


def _values(command: Any, parameter: Any, start: str) -> list[str]:
    """Possible values with this beginning; if values are comma-separated, the last one is completed."""
    listed, comma, last = start.rpartition(",") if parameter.metavar == _LISTED else ("", "", start)
    known = (value for value in _known(command, parameter) if value not in listed.split(","))
    return [f"{listed}{comma}{value}" for value in known if value.startswith(last)]


def _known(command: Any, parameter: Any) -> Iterable[str]:
    kind = command.kinds.get(parameter.name)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [one.value for one in kind]
    if parameter.name in ("method", "methods"):
        from shoal.methods import METHODS

        return METHODS
    if parameter.name == "against":
        from shoal.study.choice import AGAINST

        return AGAINST
    from shoal.parameters import PARAMETERS

    known = PARAMETERS.get(parameter.name)
    return () if known is None else known.choices
