"""A release folder as any reader of docs/release-format.md takes it: the manifest, the tables, and what they must be.

The standard library, and pyarrow to read the files; nothing of Shoal.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

Rows = list[dict[str, Any]]
FILES: Mapping[str, tuple[str, ...]] = {
    "disassociation": ("clusters", "chunks", "subrecords", "term_chunks"),
    "anatomy": ("quasi_identifiers", "sensitive"),
    "injector": ("quasi_identifiers", "sensitive"),
    "bottom-up": ("rows", "hierarchies"),
    "mondrian": ("rows", "hierarchies"),
    "mask": ("rows", "items"),
    "fakes": ("rows", "items"),
    "hybrid": ("rows", "items"),
    "km-generalization": ("rows", "hierarchy"),
    "diffpart": ("rows", "hierarchy"),
}

_NUMBERS = {
    "KmAnonymity": "km",
    "SuppressedKm": "km",
    "KmGeneralized": "km",
    "KAnonymity": "k",
    "LDiversity": "l",
    "FrequencyDiversity": "l",
    "MatchingDiversity": "l",
}
"""The whole numbers of promises; entries that their kind does not have say nothing."""


class Broken(Exception):  # noqa: N818  (it is no error: it is what the oracle says)
    """The release is not what it says; the words say where."""


class Undecided(Exception):  # noqa: N818
    """There are more possible originals than the oracle looks at."""


class Folder(NamedTuple):
    """What a folder holds."""

    manifest: dict[str, Any]
    tables: dict[str, Rows]
    columns: dict[str, list[str]]

    @property
    def promises(self) -> dict[str, dict[str, Any]]:
        """Promises by kind."""
        return {promise["kind"]: promise for promise in self.manifest["promises"]}


def demand(holds: object, words: str) -> None:
    """What must be so."""
    if not holds:
        raise Broken(words)


def opened(place: Path) -> Folder:
    """Read everything, and check what holds for all shapes."""
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"), object_pairs_hook=_once)
    demand(manifest.get("format") == "shoal release" and manifest.get("format_version") == 1, "another format")
    method = manifest["method"]
    demand(method in FILES, f"method {method}")
    tables, columns = {}, {}
    for entry in manifest["files"]:
        demand(set(entry) == {"name", "rows", "sha256"}, "entries of a file")
        data = (place / entry["name"]).read_bytes()
        demand(hashlib.sha256(data).hexdigest() == entry["sha256"], f"checksum of {entry['name']}")
        table = pq.ParquetFile(io.BytesIO(data)).read(use_threads=False)
        demand(table.num_rows == entry["rows"], f"rows of {entry['name']}")
        demand(not table.schema.metadata, f"metadata of {entry['name']}")
        name = entry["name"].removesuffix(".parquet")
        demand(name not in tables, f"{name} twice")
        tables[name], columns[name] = table.to_pylist(), table.column_names
    demand(set(tables) - {"rules"} == set(FILES[method]), f"files {sorted(tables)}")
    demand("rules" not in tables or method == "injector", "rules of another method")
    _words(manifest["promises"])
    return Folder(manifest, tables, columns)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    demand(len(dict(pairs)) == len(pairs), "two entries of one name")
    return dict(pairs)


def _words(promises: list[dict[str, Any]]) -> None:
    """The sentence of a promise names its numbers, and something is not promised."""
    for promise in promises:
        for name in _NUMBERS.get(promise["kind"], ""):
            number = promise[name]
            demand(type(number) is int and number >= (1 if name == "m" else 2), f"{name} is {number!r}")
            demand(str(number) in promise["words"], f"{name} is {number} and the words say something else")
        demand(promise["not_promised"], "nothing is said not to be promised")


def item_key(names: Iterable[str]) -> Any:
    """How items are ordered in a release that has these."""
    numbers = all(name.isascii() and name.isdigit() and len(name) <= 18 and str(int(name)) == name for name in names)
    return int if numbers else str.encode


def ascending(values: list[Any]) -> bool:
    """Whether each is above the one before."""
    return all(one < other for one, other in itertools.pairwise(values))


def never_falling(values: list[Any]) -> bool:
    """Whether none is below the one before."""
    return all(one <= other for one, other in itertools.pairwise(values))


def counts_are(folder: Folder, **counts: int) -> None:
    """The counts of the manifest are those of the files."""
    demand(folder.manifest["counts"] == counts, f"counts are {folder.manifest['counts']}, not {counts}")
