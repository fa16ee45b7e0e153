"""The commands by name. Each is loaded when it is asked for: building the options of all takes a tenth of a second."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup


class Command(NamedTuple):
    """Where a command is, and what it does, in a line."""

    home: str
    """Its module below ``shoal.cli``, and its name there."""
    help: str


COMMANDS = {
    "info": Command("info:info", "What is in this file?"),
    "risk": Command("risk:risk", "How identifying is it, before anything is published?"),
    "publish": Command("publish:app", "Publish data under a stated promise."),
    "verify": Command("verify:verify", "Does this folder keep what it promises?"),
    "attack": Command("attack:attack", "What could an adversary learn from this folder?"),
    "privacy": Command("privacy:privacy", "How private are randomized baskets, in numbers?"),
    "measure": Command("measure:measure", "What did publishing cost?"),
    "compare": Command("compare:compare", "Which method keeps what of these data, and at what cost?"),
    "sweep": Command("sweep:sweep", "What does more privacy cost, step by step, and where does it bend?"),
    "advise": Command("advise:advise", "Which method, with which numbers, for this need?"),
    "show": Command("show:show", "What a release holds, drawn as in its paper."),
    "query": Command("query:query", "How many records or rows are there with these items or values?"),
    "reconstruct": Command("reconstruct:reconstruct", "Possible originals of a release, drawn at random."),
    "export": Command("export:export", "Write a release for other programs."),
    "mine": Command("mine:mine", "What is frequent in this file?"),
    "reproduce": Command("reproduce:app", "What the papers claim, measured."),
    "generate": Command("generate:app", "Make up data: baskets, a table, or a hierarchy."),
}


class Commands(TyperGroup):
    """The commands of Shoal, each made when it is run or asked for help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        names: Any = dict.fromkeys(COMMANDS)
        self.commands = names  # looked up when one is mistyped

    def list_commands(self, _ctx: Any) -> list[str]:
        """All names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """The command of this name, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].home.partition(":")
        found = getattr(importlib.import_module(f"shoal.cli.{module}"), attribute)
        made: Any
        if isinstance(found, typer.Typer):
            made = typer.main.get_group(found)
        else:
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command()(found)
            made = typer.main.get_command(alone)
        made.name = cmd_name
        return made

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the names and what they do, without making any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])
