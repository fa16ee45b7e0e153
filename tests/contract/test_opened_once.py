"""Every command and function that is given a release opens its folder once, and takes one that is open already."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.cli.main import run
from tests.making.release_folders import RELEASES, quest

NAMES = ("disassociated", "mask", "generalized baskets", "noisy baskets", "anatomy", "bottom-up")
BASKETS, TABLES = NAMES[:4], NAMES[4:]
WORDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "verify": (NAMES, ()),
    "attack": (tuple(name for name in NAMES if name != "noisy baskets"), ("--json",)),
    "report": (NAMES, ("--public", "-o", "page.html")),
    "info": (NAMES, ()),
    "show": (NAMES, ()),
    "export": (NAMES, ("-o", "lines.jsonl")),
    "mine": (BASKETS, ("--min-support", ".1")),
    "reconstruct": (("disassociated", "noisy baskets", "anatomy"), ("-o", "drawn")),
    "risk": (("bottom-up",), ()),
    "privacy": (("mask",), ()),
}
_opened: list[str] | None = None


def _count(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str | bytes | os.PathLike):
        _opened.append(Path(os.fsdecode(arguments[0])).name)


sys.addaudithook(_count)


@contextmanager
def opens_once() -> Iterator[None]:
    """The block opens one manifest, once."""
    global _opened
    _opened = []
    try:
        yield
        assert _opened.count("manifest.json") == 1
    finally:
        _opened = None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    monkeypatch.chdir(tmp_path)

    def write(name: str) -> str:
        RELEASES[name]().write("release")
        return "release"

    return write


@pytest.mark.parametrize(("command", "name"), [(command, name) for command in WORDS for name in WORDS[command][0]])
def test_a_command_opens_a_folder_once(command: str, name: str, folder: Callable[[str], str]) -> None:
    release = folder(name)
    with opens_once():
        assert run([command, release, *WORDS[command][1]]) in (0, 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_query_opens_a_folder_once(name: str, folder: Callable[[str], str]) -> None:
    release = folder(name)
    item = min(item for row in shoal.read_release(release).rows() for item in items_of(row)) if name in BASKETS else ""
    with opens_once():
        assert run(["query", release, f'"{item}"' if item else "age >= 30"]) == 0


def items_of(row: dict[str, Any]) -> list[str]:
    return row["items"] if "items" in row else row["term_chunk"]


def test_measuring_opens_a_folder_once(folder: Callable[[str], str]) -> None:
    release = folder("disassociated")
    Path("baskets.dat").write_text("".join(" ".join(sorted(basket)) + "\n" for basket in quest()))
    with opens_once():
        assert run(["measure", "baskets.dat", release, "--seed", "1"]) == 0


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "verify": shoal.verify,
    "attack": shoal.attack,
    "report": shoal.report,
    "measure": lambda release: shoal.measure(None, release),
    "query": lambda release: shoal.query(release, "age >= 30"),
    "risk": lambda release: shoal.risk(release),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_takes_a_folder_an_open_one_and_a_release_in_memory(
    function: str, folder: Callable[[str], str]
) -> None:
    release, asked = folder("bottom-up"), FUNCTIONS[function]
    with opens_once():
        assert asked(release)
    with opens_once(), shoal.open_release(release) as opened:
        assert opened.release.counts == opened.manifest["counts"]
        assert asked(opened)
        assert asked(opened)
    assert asked(shoal.read_release(release))


def test_a_report_on_a_release_in_memory_is_that_on_its_folder(folder: Callable[[str], str]) -> None:
    release = folder("bottom-up")
    first, second = (shoal.report(one).as_dict() for one in (release, shoal.read_release(release)))
    assert first["title"] == second["title"]
    assert first["lead"] == second["lead"]
