"""The commands by name. Each is loaded when it is asked for: building the options of all takes a tenth of a second."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from typer.core import TyperGroup


class Command(NamedTuple):
    """Where a command is, and what it does, in a line."""

    home: str
    """Its module below ``shoal.cli``, and its name there."""
    help: str
    silent: bool = False
    """Whether --quiet leaves out all it says: it writes something, or its exit code tells."""
    settings: Literal["one", "several", "known"] | None = None
    """Whether it has an option for each parameter of methods: for one value, for several to be tried, or
    for one that is known."""

    method: str = ""
    """The method that it publishes by, which knows its home."""

    def function(self) -> Callable[..., Any]:
        """What it does."""
        if self.method:
            from shoal.cli.publish.any_method import publisher_of
            from shoal.methods import METHODS

            return publisher_of(METHODS[self.method])
        module, _, attribute = self.home.partition(":")
        found: Callable[..., Any] = getattr(importlib.import_module(f"shoal.cli.{module}"), attribute)
        if self.settings is not None:
            from shoal.cli.option_groups import grouped
            from shoal.cli.parameter_options import with_settings

            found = with_settings(grouped(found, behind=True), self.settings)
        return found


class Group(NamedTuple):
    """Commands under one name."""

    help: str
    known: Callable[[], dict[str, Command]]
    """Finds them: those that publish are in a list that other commands need not load."""
    silent: bool = False
    """Whether all of them are."""

    @property
    def commands(self) -> dict[str, Command]:
        """The commands by name."""
        return self.known()


def _publishers() -> dict[str, Command]:
    from shoal.methods import commands

    return {name: Command("", method.summary, method=method.name) for name, method in commands().items()}


COMMANDS: dict[str, Command | Group] = {
    "info": Command("info.info:info", "What is in this file?"),
    "risk": Command("risk:risk", "How identifying is it, before anything is published?"),
    "publish": Group(
        "Publish data under a stated promise.",
        _publishers,
        silent=True,
    ),
    "apply": Command("publish.apply:apply", "Publish other data as a saved plan says.", silent=True),
    "verify": Command("verify:verify", "Does this folder keep what it promises?", silent=True),
    "attack": Command("attack:attack", "What could an adversary learn from this folder?"),
    "privacy": Command("privacy:privacy", "How private are randomized baskets, in numbers?"),
    "measure": Command("measure.measure:measure", "What did publishing cost?"),
    "report": Command("report.report:report", "What is there to say of a release, on one page?", silent=True),
    "compare": Command(
        "study.compare:compare", "Which method keeps what of these data, and at what cost?", settings="one"
    ),
    "sweep": Command(
        "study.sweep:sweep", "What does more privacy cost, step by step, and where does it bend?", settings="several"
    ),
    "advise": Command("study.advise:advise", "Which method, with which numbers, for this need?", settings="known"),
    "show": Command("show.show:show", "What a release holds, drawn as in its paper."),
    "query": Command("query.query:query", "How many records or rows are there with these items or values?"),
    "reconstruct": Command("reconstruct:reconstruct", "Possible originals of a release, drawn at random.", silent=True),
    "export": Command("export:export", "Write a release for other programs.", silent=True),
    "mine": Command("mine.mine:mine", "What is frequent in this file?"),
    "generate": Group(
        "Make up data: baskets, a table, or a hierarchy.",
        lambda: {
            "quest": Command("generate:quest", "Baskets by the IBM Quest model."),
            "people": Command("generate:people", "A table of people."),
            "sample": Command("generate:sample", "A small data set that comes with Shoal."),
            "hierarchy": Command("generate:hierarchy", "A generalization hierarchy of values or items."),
        },
        silent=True,
    ),
    "completion": Command("completion:completion", "Let your shell complete commands, options and files."),
}


class Commands(TyperGroup):
    """Commands under one name, each made when it is run or asked for help."""

    def __init__(
        self,
        *,
        known: dict[str, Command | Group] | dict[str, Command] = COMMANDS,
        silent: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.known = known
        self.silent = silent
        names: Any = dict.fromkeys(known)
        self.commands = names  # looked up when one is mistyped

    def list_commands(self, _ctx: Any) -> list[str]:
        """All names, in the order of the help."""
        return list(self.known)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """The command of this name, if there is one."""
        found = self.known.get(cmd_name)
        if found is None:
            return None
        if isinstance(found, Group):
            settings: dict[str, Any] = {"help": found.help, "no_args_is_help": True, "rich_markup_mode": None}
            return Commands(name=cmd_name, known=found.commands, silent=found.silent, **settings)
        from shoal.cli.every_command import make
        from shoal.cli.examples import examples_of

        words = cmd_name if self.known is COMMANDS else f"{self.name} {cmd_name}"
        function = found.function()
        if self.name == "publish":
            from shoal.cli.publish.publishing import publishing_command

            function = publishing_command(cmd_name, function)
        return make(cmd_name, function, silent=self.silent or found.silent, examples=examples_of(words))

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Write the names and what they do, without making any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in self.known.items()])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write an example of each, or of all commands the first steps."""
        from shoal.cli.examples import examples_of_group, write_examples

        super().format_epilog(ctx, formatter)
        write_examples(formatter, examples_of_group(self.name or "shoal", self.known))
