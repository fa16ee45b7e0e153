"""``shoal attack``: what could an adversary learn from this folder?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.audit.attack.adversary import STRUCK, VICTIMS, Adversary
from shoal.cli import evidence, options
from shoal.cli.basket_reading import Reading
from shoal.cli.option_groups import grouped
from shoal.cli.terminal import paragraph, progress_bar, result, result_json
from shoal.run import Run

if TYPE_CHECKING:
    from shoal.audit.attack.finding import Attacks


@dataclass(frozen=True)
class People:
    """The people who are looked for, and where they are."""

    original: Annotated[
        str | None,
        typer.Option("--original", metavar="FILE", help="The original data: look for its people in the release."),
    ] = None
    trace: evidence.TraceOption = None


@dataclass(frozen=True)
class Attacker:
    """What the adversary knows, and how many people are looked for."""

    knows: Annotated[
        int | None,
        typer.Option(
            "--knows",
            metavar="M",
            help="How many items of a person the adversary knows; by default m (m + 1 of generalized baskets).",
        ),
    ] = None
    victims: Annotated[
        int | None,
        typer.Option("--victims", metavar="N", help=f"How many people to look for. Default: {VICTIMS:,}."),
    ] = None
    struck: Annotated[
        float | None,
        typer.Option(
            "--struck",
            metavar="SHARE",
            help=f"The share of people whose whole records the adversary knows. Default: {STRUCK}.",
        ),
    ] = None
    other: Annotated[
        list[Path] | None,
        typer.Option(
            "--other",
            metavar="RELEASE",
            help="A second release of the same people, attacked together with the first. Tables: may be repeated.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Draw the same people (or flips) again. Default: random."),
    ] = None


@dataclass(frozen=True)
class Tried:
    """What is tried on tables."""

    min_expectation: Annotated[
        float | None,
        typer.Option(
            "--min-expectation",
            metavar="SHARE",
            help="Tables: count the rules of the original from this expectation on. Default: as promised, or 0.9.",
        ),
    ] = None
    min_confidence: Annotated[
        float | None,
        typer.Option("--min-confidence", metavar="SHARE", help="Tables: the same for their confidence. Default: 1."),
    ] = None
    max_attributes: Annotated[
        int | None,
        typer.Option("--max-attributes", metavar="N", help="Tables: the most columns a rule may have. Default: 1."),
    ] = None
    fill: Annotated[
        bool,
        typer.Option("--fill", help="Generalized tables: guess the hidden cells, and report what is recovered."),
    ] = False


@grouped
def attack(
    context: typer.Context,
    release: options.ReleaseArgument,
    people: People,
    *,
    attacker: Attacker,
    reading: Reading,
    rules: evidence.RulesOption = None,
    tried: Tried,
    hierarchies: evidence.Hierarchies,
    tables: evidence.TableReading,
    json: options.JsonOption = False,
) -> None:
    """Attack a release: try to break its promise, measure what it does not cover. Exit code 1: a promise is broken."""
    from shoal import pipeline
    from shoal.io.release_folder import open_release

    given = evidence.Given(people.original, rules, hierarchies, reading, tables, people.trace)
    chosen = {**vars(attacker), **vars(tried)}
    other, seed = chosen.pop("other"), chosen.pop("seed")
    adversary = Adversary(**chosen)
    with open_release(release) as folder, progress_bar() as progress:
        found = given.read(context, folder, others=bool(other))
        attacks = pipeline.attack(
            folder, replace(found, others=tuple(other or ())), adversary, run=Run(progress=progress, chance=seed)
        )
    if json:
        result_json(attacks.as_dict())
    else:
        _print(attacks)
    if attacks.breaks_promise:
        raise typer.Exit(1)


def _print(attacks: Attacks) -> None:
    for line in attacks.summary.split("\n"):
        paragraph(line)
    for finding in attacks.findings:
        sentence, *numbers = str(finding).split("\n")
        result()
        paragraph(sentence)
        for line in numbers:
            result(line)
    if attacks.left_out:
        result()
    for entry in attacks.left_out:
        result(str(entry))
