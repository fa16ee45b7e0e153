"""Commands take their options in groups: an option for each field, and one frozen value for the function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from shoal.cli.every_command import make
from shoal.cli.option_groups import given_in, grouped


@dataclass(frozen=True)
class Colour:
    """What a thing looks like."""

    hue: Annotated[str, typer.Option("--hue", help="Its hue.")] = "red"
    half_dark: Annotated[bool, typer.Option("--half-dark", help="Whether it is half dark.")] = False


painted: list[Any] = []


@grouped
def paint(*, thing: Annotated[str, typer.Argument()], colour: Colour, coats: int = 1) -> None:
    """Paint a thing."""
    painted.append((thing, colour, coats))


def test_every_field_is_an_option_and_the_function_gets_a_group() -> None:
    command = make("paint", paint, silent=False, examples=())
    names = [parameter.name for parameter in command.params]
    assert names[:4] == ["thing", "hue", "half_dark", "coats"]
    command(["door", "--half-dark", "--coats", "2"], standalone_mode=False)
    command(["wall", "--hue", "blue"], standalone_mode=False)
    assert painted == [("door", Colour(half_dark=True), 2), ("wall", Colour("blue"), 1)]


def test_what_was_given_is_named_as_it_is_typed() -> None:
    assert given_in(Colour()) == []
    assert given_in(Colour("blue", half_dark=True)) == ["--hue", "--half-dark"]
    assert given_in(Colour("blue", half_dark=True), but=("hue",)) == ["--half-dark"]
