"""Mutations of manifests: entries of any place, numbers of promises with their words made right again, and the text."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from shoal import promises as _baskets
from shoal.errors import ShoalError
from shoal.io.promise_entries import promise_entry
from shoal.promises import differential_privacy, randomized, tables
from tests.fuzz.damage import damaged
from tests.fuzz.hostile import JSON

_NUMBERS = ("k", "m", "l", "min_support", "min_confidence", "epsilon", "max_basket", "keep_prob", "fakes")


def changed(chance: random.Random, raw: bytes) -> bytes:
    """A manifest with something else in it."""
    if chance.random() < 0.1:
        return damaged(chance, raw)
    manifest = json.loads(raw)
    way = chance.random()
    if way < 0.4:
        promised_otherwise(chance, manifest)
    else:
        for _ in range(chance.choice((1, 1, 2))):
            _entry(chance, manifest)
    text = json.dumps(manifest, ensure_ascii=chance.random() < 0.5)
    if 0.4 < way < 0.45:
        text = _twice(chance, text)
    elif 0.45 < way < 0.5:
        text = chance.choice(
            ("[" * 40 + text, text + "{}", "\ufeff" + text, text.replace(":", ": NaN or", 1), text[: len(text) // 2])
        )
    return text.encode(errors="surrogatepass")


def promised_otherwise(chance: random.Random, manifest: dict[str, Any]) -> None:
    """Another number in a promise, and the words that follow from it; or a promise more, or less."""
    entries = manifest["promises"]
    way = chance.random()
    if way < 0.1:
        entries.append(copy.deepcopy(chance.choice(entries)))
    elif way < 0.2:
        del entries[chance.randrange(len(entries))]
    elif way < 0.3:
        entry = chance.choice(entries)
        kinds = (
            "KmAnonymity",
            "SuppressedKm",
            "KmGeneralized",
            "FrequencyDiversity",
            "MatchingDiversity",
            "NoCertainLinks",
        )
        entry["kind"] = chance.choice(kinds)
        reworded(entry)
    else:
        entry = chance.choice(entries)
        names = [name for name in _NUMBERS if name in entry]
        if not names:
            return
        name = chance.choice(names)
        number = entry[name]
        entry[name] = chance.choice(
            (number + 1, number - 1, number * 2, number / 2, number * 0.9, 2, 3, 1.0, 0.3, 10**6)
        )
        if name in ("k", "m", "l", "max_basket"):
            entry[name] = int(entry[name])
        reworded(entry)


def reworded(entry: dict[str, Any]) -> None:
    """The words that follow from the numbers, if anything does."""
    for module in (_baskets, tables, randomized, differential_privacy):
        kind = getattr(module, entry["kind"], None)
        if kind is not None:
            break
    else:
        return
    given = {
        name: _tuples(value)
        for name, value in entry.items()
        if name not in ("kind", "words", "not_promised", "neighbouring")
    }
    try:
        entry.update(json.loads(json.dumps(promise_entry(kind(**given)))))
    except (ShoalError, TypeError, ValueError):
        return


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _entry(chance: random.Random, manifest: dict[str, Any]) -> None:
    """Something else at a place that was drawn evenly from all places."""
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict | list):
            for key in list(value) if isinstance(value, dict) else range(len(value)):
                places.append((value, key))
                walk(value[key])

    walk(manifest)
    if not places:
        return
    inside, key = chance.choice(places)
    way = chance.randrange(6)
    if way == 0:
        del inside[key]
    elif way == 1 and isinstance(inside, dict):
        inside[chance.choice(("raw", key + "x", "k", "files", "promises"))] = inside[key]
    elif way == 1:
        inside.append(copy.deepcopy(inside[key]))
    elif way == 2 and isinstance(inside[key], int | float):
        inside[key] += chance.choice((1, -1, 0.5, 10**20))
    elif way == 3:
        source, other = chance.choice(places)
        inside[key] = (
            copy.deepcopy(source[other])
            if other in source or (isinstance(source, list) and other < len(source))
            else None
        )
    elif way == 4 and isinstance(inside[key], list):
        chance.shuffle(inside[key])
    else:
        inside[key] = copy.deepcopy(chance.choice(JSON))


def _twice(chance: random.Random, text: str) -> str:
    """An entry twice in one object."""
    name = chance.choice(('"k":', '"method":', '"format_version":', '"rows":', '"records":'))
    return text.replace(name, f"{name} 1000, {name}", 1)
