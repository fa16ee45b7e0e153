"""The commands by name. Each is loaded only on use: building the options of all takes a tenth of a second."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from typer.core import TyperGroup


class Command(NamedTuple):
    """The place of a command, and what it does in one line."""

    home: str
    """Its module below ``shoal.cli``, and its name there."""
    help: str
    silent: bool = False
    """Whether --quiet also suppresses its result: it writes something, or its exit code is the result."""
    settings: Literal["one", "several", "known"] | None = None
    """Whether it has an option for each parameter of methods: for one value, for several values to try, or for a
    known value."""

    method: str = ""
    """The publishing method it runs, which names its command function."""

    def function(self) -> Callable[..., Any]:
        """The function it runs."""
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
    """Finds them. Publishing commands are in a list that other commands need not load."""
    silent: bool = False
    """Whether all of them are silent."""

    @property
    def commands(self) -> dict[str, Command]:
        """The commands by name."""
        return self.known()


def _publishers() -> dict[str, Command]:
    from shoal.methods import commands

    return {name: Command("", method.summary, method=method.name) for name, method in commands().items()}


COMMANDS: dict[str, Command | Group] = {
    "info": Command("info.info:info", "Summarize a data file or a release."),
    "risk": Command("risk:risk", "Measure re-identification risk before publishing."),
    "publish": Group(
        "Publish data under a stated promise.",
        _publishers,
        silent=True,
    ),
    "apply": Command("publish.apply:apply", "Publish other data with a saved plan.", silent=True),
    "verify": Command("verify:verify", "Check that a release keeps its promise.", silent=True),
    "attack": Command("attack:attack", "Measure what an adversary can learn from a release."),
    "privacy": Command("privacy:privacy", "Compute the privacy of randomized baskets."),
    "measure": Command("measure.measure:measure", "Measure what publishing cost."),
    "report": Command("report.report:report", "Write a one-page HTML report.", silent=True),
    "compare": Command(
        "study.compare:compare", "Compare what the methods keep of a data set, and what they cost.", settings="one"
    ),
    "sweep": Command(
        "study.sweep:sweep", "Measure the cost of each step of privacy, and find the knee.", settings="several"
    ),
    "advise": Command("study.advise:advise", "Recommend a method and parameters for a need.", settings="known"),
    "show": Command("show.show:show", "Show the contents of a release, drawn as in its paper."),
    "query": Command("query.query:query", "Count records or rows with given items or values."),
    "reconstruct": Command("reconstruct:reconstruct", "Draw possible originals of a release at random.", silent=True),
    "export": Command("export:export", "Convert a release for other programs.", silent=True),
    "mine": Command("mine.mine:mine", "Find frequent itemsets and rules in a file or a release."),
    "generate": Group(
        "Generate data: baskets, a table, or a hierarchy.",
        lambda: {
            "quest": Command("generate:quest", "Baskets from the IBM Quest model."),
            "people": Command("generate:people", "A synthetic table of people."),
            "sample": Command("generate:sample", "A small data set that comes with Shoal."),
            "hierarchy": Command("generate:hierarchy", "A generalization hierarchy of values or items."),
        },
        silent=True,
    ),
    "completion": Command("completion:completion", "Print a shell completion script."),
}


class Commands(TyperGroup):
    """Commands under one name, each built when it is run or asked for help."""

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
        self.commands = names  # used for suggestions when a name is misspelt

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
        """Write the names and summaries, without building any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in self.known.items()])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write an example of each command; for the whole program, the first steps."""
        from shoal.cli.examples import examples_of_group, write_examples

        super().format_epilog(ctx, formatter)
        write_examples(formatter, examples_of_group(self.name or "shoal", self.known))
