"""Releases made by commands, one of each method and kind of promise, for tests of what commands must do for all."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from shoal.cli.main import run

BASKETS = "baskets.dat"
PEOPLE = "people.csv"
RECORDS = 250

METHODS = {
    "disassociate": ("-k", "5", "-m", "2"),
    "disassociate --vertical dls": ("-k", "5", "-m", "2"),
    "disassociate --sensitive milk": ("-k", "5", "-m", "2", "-l", "4"),
    "km-generalization": ("-k", "5", "-m", "2"),
    "mask": ("--keep-prob", ".9"),
    "fakes": ("--fakes", "2"),
    "hybrid": ("--keep-prob", ".95", "--fakes", "1"),
    "diffpart": ("--epsilon", "200"),
    "anatomy": ("--quasi", "age,sex,postcode", "--sensitive", "diagnosis", "-l", "4"),
    "injector": ("--quasi", "age,sex,postcode", "--sensitive", "diagnosis", "-l", "4"),
    "k-anonymity": (
        "--quasi",
        "age,sex,postcode",
        "--sensitive",
        "diagnosis",
        "-k",
        "10",
        "--hide",
        "greedy",
        "--confidence",
        ".3",
    ),
    "k-anonymity --strategy mondrian": ("--quasi", "age,sex", "-k", "10"),
}
"""Methods as they are asked for, and what else they are given; promises differ in kind, not only in numbers."""


class Made(NamedTuple):
    """A release and what it was made from."""

    original: Path
    folder: Path


def make_originals(place: Path) -> None:
    """Some of the bundled baskets, and some made-up people."""
    baskets = place / BASKETS
    assert run(["generate", "sample", "baskets", "-o", str(baskets), "-q"]) == 0
    lines = baskets.read_text(encoding="utf-8").splitlines(keepends=True)
    baskets.write_text("".join(lines[:RECORDS]), encoding="utf-8")
    assert run(["generate", "people", "-o", str(place / PEOPLE), "--rows", "600", "--seed", "7", "-q"]) == 0


def publish(method: str, place: Path, *more: object) -> Made:
    """Publish by a method into a folder that has the originals."""
    original = place / (PEOPLE if "--quasi" in METHODS[method] else BASKETS)
    name, *given = method.split()
    folder = place / "release"
    words = ["publish", name, str(original), *given, *METHODS[method], "-o", str(folder), *map(str, more), "-q"]
    assert run(words) == 0
    return Made(original, folder)
