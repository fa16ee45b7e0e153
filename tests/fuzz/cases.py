"""One case: what is written, which command runs, and what must be so afterwards. Nothing counts but seed and number."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.fuzz import arguments, cells, footers, manifests, texts
from tests.fuzz.damage import damaged
from tests.fuzz.hostile import JSON, NUMBERS
from tests.fuzz.seeds import QUASI, SENSITIVE
from tests.fuzz.signing import MANIFEST, Files, signed, signed_trace

RELEASE = "release"
OUT = ("-o", "out", "--force", "-q")


class Case(NamedTuple):
    """What to run, in the folder that has its files."""

    kind: str
    words: list[str]
    trusted: bool = True
    """Whether files of a release are decoded in the process itself, which damaged ones may end."""
    slow: bool = False
    """Whether it starts processes that do the work."""


class Seeds:
    """What mutations begin with, read once."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.inputs = {path.name: path.read_bytes() for path in sorted(place.iterdir()) if path.is_file()}
        self.releases: dict[str, Files] = {
            folder.name: {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
            for folder in sorted((place / "releases").iterdir())
        }


Make = Callable[[random.Random, Seeds, Path], Case]
_BASKETS = (
    ("info", "{}"),
    ("risk", "{}", "-k", "3", "-m", "2"),
    ("mine", "{}", "--min-support", ".2", "--rules"),
    ("publish", "disassociate", "{}", "-k", "2", "-m", "2", *OUT),
    ("publish", "disassociate", "{}", "-k", "2", "-m", "2", "--sensitive", "wine", "-l", "3", *OUT),
    ("publish", "disassociate", "{}", "-k", "2", "-m", "2", "--keep-trace", "trace", *OUT),
    ("publish", "km-generalization", "{}", "-k", "2", "-m", "2", *OUT),
    ("publish", "mask", "{}", "--keep-prob", ".9", *OUT),
    ("publish", "fakes", "{}", "--fakes", "1", *OUT),
    ("publish", "diffpart", "{}", "--epsilon", "1", *OUT),
    ("generate", "hierarchy", "{}", "--items", "-o", "tree.csv", "--force"),
    ("apply", "{seeds}/baskets.toml", "{}", *OUT),
    ("measure", "{}", "{seeds}/releases/disassociated"),
    ("measure", "{}", "{seeds}/releases/disassociated", "--trace", "{seeds}/trace.json"),
    ("verify", "{seeds}/releases/disassociated", "--original", "{}"),
    ("verify", "{seeds}/releases/mask", "--original", "{}"),
    ("verify", "{seeds}/releases/diffpart", "--original", "{}"),
    ("attack", "{seeds}/releases/disassociated", "--original", "{}", "--seed", "1"),
)
_TABLES = (
    ("info", "{}", *SENSITIVE),
    ("risk", "{}", *QUASI),
    ("mine", "{}", "--negative", "--sensitive", "diagnosis", "--quasi", "age,sex"),
    ("publish", "anatomy", "{}", *SENSITIVE, "-l", "2", *OUT),
    ("publish", "anatomy", "{}", *SENSITIVE, "-l", "2", "--secret", "{seeds}/secret", "--missing", "keep", *OUT),
    ("publish", "injector", "{}", *SENSITIVE, "-l", "2", *OUT),
    ("publish", "k-anonymity", "{}", *SENSITIVE, "-k", "3", "--hide", "greedy", *OUT),
    ("publish", "k-anonymity", "{}", *QUASI, "-k", "2", "--strategy", "mondrian", "--missing", "drop", *OUT),
    ("generate", "hierarchy", "{}", "--column", "age", "--kind", "ranges", "-o", "tree.csv", "--force"),
    ("apply", "{seeds}/people.toml", "{}", *OUT),
    ("measure", "{}", "{seeds}/releases/anatomy", "--queries", "5"),
    ("verify", "{seeds}/releases/bottom-up", "--original", "{}"),
    ("verify", "{seeds}/releases/injector", "--original", "{}"),
    ("attack", "{seeds}/releases/anatomy", "--original", "{}", "--seed", "1"),
)
_ITEM_TREES = (
    ("publish", "km-generalization", "{seeds}/baskets.dat", "-k", "2", "-m", "2", "--hierarchy", "{}", *OUT),
    ("publish", "diffpart", "{seeds}/baskets.dat", "--epsilon", "9", "--hierarchy", "{}", *OUT),
    ("measure", "{seeds}/baskets.dat", "{seeds}/releases/km-generalization", "--hierarchy", "{}"),
    ("verify", "{seeds}/releases/km-generalization", "--original", "{seeds}/baskets.dat", "--hierarchy", "{}"),
    ("publish", "km-generalization", "{seeds}/baskets.dat", "-k", "2", "--hierarchy", "{}", "--complete", *OUT),
)
_AGE_TREES = (
    ("info", "{seeds}/people.csv", *QUASI, "--hierarchy", "age={}"),
    ("publish", "k-anonymity", "{seeds}/people.csv", *QUASI, "-k", "3", "--hierarchy", "age={}", *OUT),
    ("publish", "k-anonymity", "{seeds}/people.csv", *QUASI, "-k", "3", "--hierarchy", "age={}", "--complete", *OUT),
    ("publish", "injector", "{seeds}/people.csv", *SENSITIVE, "-l", "2", "--hierarchy", "age={}", *OUT),
    ("verify", "{seeds}/releases/bottom-up", "--original", "{seeds}/people.csv", "--hierarchy", "age={}"),
)
_RULES = (
    ("publish", "injector", "{seeds}/people.csv", *SENSITIVE, "-l", "2", "--rules", "{}", *OUT),
    ("verify", "{seeds}/releases/injector-closed", "--rules", "{}"),
    ("attack", "{seeds}/releases/injector-closed", "--rules", "{}", "--seed", "1"),
)
_LISTS = (
    ("publish", "mask", "{seeds}/baskets.dat", "--keep-prob", ".9", "--items", "{}", *OUT),
    ("publish", "diffpart", "{seeds}/baskets.dat", "--epsilon", "9", "--items", "{}", *OUT),
    ("publish", "disassociate", "{seeds}/baskets.dat", "-k", "2", "--sensitive-from", "{}", "-l", "3", *OUT),
    ("publish", "disassociate", "{seeds}/baskets.dat", "-k", "2", "-m", "2", "--keep-itemsets", "{}", *OUT),
)
_TRACES = (
    ("measure", "{seeds}/baskets.dat", "{seeds}/releases/disassociated", "--trace", "{}"),
    *(
        ("attack", f"{{seeds}}/releases/{name}", "--original", "{seeds}/baskets.dat", "--trace", "{}", "--seed", "1")
        for name in ("disassociated", "disassociated-suppressed", "mask")
    ),
    ("publish", "disassociate", "{seeds}/baskets.dat", "-k", "2", "-m", "2", "--keep-trace", "{}", *OUT),
)
_SECRETS = (("publish", "anatomy", "{seeds}/people.csv", *SENSITIVE, "-l", "2", "--secret", "{}", *OUT),)
_COLUMN_OF_LISTS = tuple(one for one in _BASKETS if one[0] in ("info", "risk", "mine"))
READ: dict[str, tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    "baskets": (("baskets.dat", "numbers.dat", "baskets.csv", "quoted.csv"), _BASKETS),
    "long": (("long.csv",), tuple((*one, "--long", "record,item") for one in _BASKETS if one[0] != "generate")),
    "packed": (("packed.dat.gz",), _BASKETS),
    "basket-parquet": (("baskets.parquet",), _BASKETS),
    "table": (("people.csv",), _TABLES),
    "table-parquet": (("people.parquet",), _TABLES),
    "item-tree": (("items.csv",), _ITEM_TREES),
    "age-tree": (("age.csv",), _AGE_TREES),
    "rules": (("rules.json",), _RULES),
    "list": (("list.txt", "keep.txt"), _LISTS),
    "secret": (("secret",), _SECRETS),
}
"""By kind of input: the files, and what reads them."""
_READERS = (
    ("info", RELEASE),
    ("show", RELEASE),
    ("show", RELEASE, "--json"),
    ("query", RELEASE, "bread, milk"),
    ("query", RELEASE, "age in 20..40 and diagnosis = flu"),
    ("export", RELEASE, "--to", "csv"),
    ("export", RELEASE, "--to", "jsonl"),
    ("mine", RELEASE, "--min-support", ".2"),
    ("reconstruct", RELEASE, "-n", "1", "--seed", "1", *OUT),
    ("attack", RELEASE, "--seed", "1"),
    ("verify", RELEASE, "--json"),
    ("measure", "{seeds}/baskets.dat", RELEASE),
    ("privacy", RELEASE, "--mean-support", ".1"),
)


def case(number: int, seed: int, seeds: Seeds, place: Path) -> Case:
    """Write the files of a case into an empty folder; the same for the same number and seed."""
    chance = random.Random(f"{seed}/{number}")
    kind = chance.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
    made = KINDS[kind][1](chance, seeds, place)
    return made._replace(kind=kind)


def _read(kind: str) -> Make:
    names, commands = READ[kind]

    def make(chance: random.Random, seeds: Seeds, place: Path) -> Case:
        name = chance.choice(names)
        data = seeds.inputs[name]
        if name.endswith(".parquet"):
            data = footers.damaged_parquet(chance, data)
        elif name.endswith(".gz"):
            data = damaged(chance, data)
        else:
            data = texts.changed(chance, data)
        (place / name).write_bytes(data)
        (place / name).chmod(0o600)
        given = str(seeds.place)
        words = [word.replace("{seeds}", given).replace("{}", name) for word in chance.choice(commands)]
        return Case(kind, words)

    return make


def _trace(chance: random.Random, seeds: Seeds, place: Path) -> Case:
    """A trace that was damaged, or whose numbers were changed and its checksum with them."""
    data = seeds.inputs["trace.json"]
    changed = texts.changed(chance, data) if chance.random() < 0.5 else _other_numbers(chance, data)
    (place / "trace.json").write_bytes(changed)
    words = [word.replace("{seeds}", str(seeds.place)).replace("{}", "trace.json") for word in chance.choice(_TRACES)]
    return Case("trace", words)


def _other_numbers(chance: random.Random, trace: bytes) -> bytes:
    entries = json.loads(trace)
    for _ in range(chance.choice((1, 1, 2, 5))):
        name = chance.choice(("records", "records", "bounds", *entries))
        numbers, way = entries[name], chance.randrange(5)
        if not isinstance(numbers, list) or not numbers or way == 0:
            entries[name] = chance.choice(JSON)
            continue
        one, other = chance.randrange(len(numbers)), chance.randrange(len(numbers))
        if way == 1:
            del numbers[one]
        elif way == 2:
            numbers[one] = chance.choice(NUMBERS)
        else:
            numbers[one], numbers[other] = numbers[other], numbers[one]
    return signed_trace(entries)


def _plan(chance: random.Random, seeds: Seeds, place: Path) -> Case:
    name = chance.choice([name for name in seeds.inputs if name.endswith(".toml")])
    _copy_inputs(seeds, place)
    (place / "plan.toml").write_bytes(texts.changed(chance, seeds.inputs[name]))
    data = "people.csv" if name in ("people.toml", "hidden.toml") else "baskets.dat"
    return Case("plan", ["apply", "plan.toml", data, *OUT])


def _copy_inputs(seeds: Seeds, place: Path) -> None:
    for name, data in seeds.inputs.items():
        (place / name).write_bytes(data)


def _write(files: Files, place: Path) -> None:
    place.mkdir()
    for name, data in files.items():
        (place / name).write_bytes(data)


def _release(change: Callable[[random.Random, Files], Files], *, trusted: float, verify: float) -> Make:
    """Mutations of a release: the share that is decoded in the process itself, and the share that is verified."""

    def make(chance: random.Random, seeds: Seeds, place: Path) -> Case:
        name = chance.choice(list(seeds.releases))
        _write(change(chance, seeds.releases[name]), place / RELEASE)
        here = chance.random() < trusted
        words = ["verify", RELEASE, *(["--trusted"] if here else [])]
        if chance.random() >= verify:
            words = [word.replace("{seeds}", str(seeds.place)) for word in chance.choice(_READERS)]
        return Case("release", words, trusted=here)

    return make


def _manifest(chance: random.Random, files: Files) -> Files:
    return {**files, MANIFEST: manifests.changed(chance, files[MANIFEST])}


def _swapped(chance: random.Random, files: Files) -> Files:
    """A file of one name under another, a file too few, or one too many."""
    names = sorted(files)
    one, other = chance.choice(names), chance.choice(names)
    way = chance.randrange(4)
    if way == 0:
        return {name: data for name, data in files.items() if name != one}
    if way == 1:
        return (
            signed({**files, one: files[other], other: files[one]})
            if MANIFEST not in (one, other)
            else {**files, "x": b""}
        )
    if way == 2:
        return {**files, chance.choice(("notes.txt", "manifest.json.unverified", "rules.parquet", ".x")): files[one]}
    return {**files, one: b""}


def _arguments(chance: random.Random, seeds: Seeds, place: Path) -> Case:
    words = arguments.drawn(chance)
    _copy_inputs(seeds, place)
    (place / "new-baskets.dat").write_bytes(seeds.inputs["baskets.dat"])
    (place / "plan.toml").write_bytes(seeds.inputs["baskets.toml"])
    (place / "a-folder").mkdir()
    (place / "empty").write_bytes(b"")
    (place / "link-to-itself").symlink_to("link-to-itself")
    if words[:1] != ["publish"]:
        _write(seeds.releases[_of_baskets(seeds)[chance.randrange(len(_of_baskets(seeds)))]], place / "release")
    _write(seeds.releases["anatomy" if chance.random() < 0.5 else "bottom-up"], place / "table")
    slow = words[:1] and words[0] in arguments.STUDIES
    return Case("arguments", words, slow=bool(slow))


@cache
def _of_baskets(seeds: Seeds) -> list[str]:
    return [name for name in seeds.releases if "rows.parquet" not in seeds.releases[name] or name in ("mask", "hybrid")]


def empty(place: Path) -> None:
    """Take out what a case left."""
    for path in place.iterdir():
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
            shutil.rmtree(path)
        else:
            path.unlink()


KINDS: dict[str, tuple[float, Make]] = {
    "cells": (34, _release(cells.changed, trusted=0.985, verify=0.93)),
    "manifest": (18, _release(_manifest, trusted=0.985, verify=0.9)),
    "footer": (3, _release(footers.damaged_file, trusted=0, verify=0.8)),
    "odd-file": (3, _release(footers.odd_file, trusted=0.9, verify=0.8)),
    "other-file": (2, _release(_swapped, trusted=0.95, verify=0.9)),
    "plan": (2, _plan),
    "trace": (2, _trace),
    "arguments": (8, _arguments),
    **{kind: (weight, _read(kind)) for kind, weight in zip(READ, (7, 3, 1, 2, 6, 2, 3, 3, 2, 2, 0.3), strict=True)},
}
"""How often each kind is drawn, and how a case of it is made."""
