"""Arguments of every command: an example of its help, with options of its own given values that nobody expects.

The options are those of the commands themselves, so that a new one is tried without a word here.
"""

from __future__ import annotations

import itertools
import random
import shlex
from functools import cache
from typing import Any

import typer

from shoal.cli.commands import COMMANDS, Group
from shoal.cli.examples import EXAMPLES
from shoal.cli.main import app
from tests.fuzz.hostile import ARGUMENTS

STUDIES = ("compare", "sweep", "advise")
"""They start a process for each thing that they try, and take as long as what they are asked for."""
CHEAP = {
    "compare": "compare baskets.dat --methods mask -o comparison",
    "sweep": "sweep baskets.dat --method mask --keep-prob .9 -o sweep",
    "advise": "advise baskets.dat --against identity --for mining --top x",
}
"""What is asked of them instead."""
_HOW_MUCH = {
    "generate quest": ("--records", "--items", "--patterns", "--mean-length", "--mean-pattern"),
    "generate people": ("--rows",),
    "measure": ("--reconstructions", "--queries", "--runs"),
    "attack": ("--victims", "--struck"),
    "reconstruct": ("-n", "--n"),
}
"""What makes work by itself: a number of millions is no mistake there, and takes as long as it says."""
_FEW = ("-1", "0", "1", "3", "x", "", "1e3", "nan", "99999999999999999999")
_NAMES = tuple(
    f"{name} {inner}" if isinstance(found, Group) else name
    for name, found in COMMANDS.items()
    for inner in (found.commands if isinstance(found, Group) else ("",))
)


@cache
def options(name: str) -> tuple[tuple[str, bool], ...]:
    """The options of a command, each with whether it takes a value."""
    words = name.split()
    found: Any = typer.main.get_command(app)
    for word in words:
        found = found.get_command(None, word)
    return tuple(
        (spelled, not getattr(one, "is_flag", False))
        for one in found.params
        if one.param_type_name == "option"
        for spelled in (*one.opts, *one.secondary_opts)
    )


def drawn(chance: random.Random) -> list[str]:
    """The words of a command."""
    name = chance.choice(_NAMES)
    if name in STUDIES and chance.random() < 0.8:
        name = chance.choice(("info", "risk", "verify", "show", "query", "export", "mine"))
    name = name.strip()
    line = CHEAP.get(name) or chance.choice(EXAMPLES[name]).removeprefix("shoal ")
    words = shlex.split(line)
    if name in STUDIES:
        return [*words, *_odd(chance, name)] if chance.random() < 0.9 else words
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        way = chance.random()
        if way < 0.7:
            words.extend(_odd(chance, name))
        elif way < 0.85:
            at = chance.randrange(min(len(name.split()), len(words)), len(words) + 1)
            words[at : at + 1] = [chance.choice(ARGUMENTS)]
        elif way < 0.95 and len(words) > 1:
            at = chance.randrange(len(words))
            del words[at]
        else:
            at = chance.randrange(len(words) + 1)
            words[at:at] = [words[at - 1]]
    return _bounded(name, words)


def _odd(chance: random.Random, name: str) -> list[str]:
    option, takes = chance.choice(options(name))
    if not takes:
        return [option]
    values = _FEW if option in _HOW_MUCH.get(name, ()) else ARGUMENTS
    return [option, chance.choice(values)] if chance.random() < 0.95 else [option]


def _bounded(name: str, words: list[str]) -> list[str]:
    """The words, but no large number for an option that makes as much work as it says."""
    for at, (word, value) in enumerate(itertools.pairwise(words)):
        if (
            word in _HOW_MUCH.get(name, ())
            and len(value) < 20
            and value.replace("_", "").isdigit()
            and int(value) > 2000
        ):
            words[at + 1] = "7"
    return words
