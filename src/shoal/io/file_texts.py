"""Every text that a release folder of a table holds, file by file: what is searched for what must not be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from shoal.io.generalized import MADE, ROWS, TREES
from shoal.io.release_folder import OpenRelease
from shoal.release.generalized import Generalized

_KNOWN = {"promises", "quasi_identifiers", "sensitive", MADE, "counts", "files"}
"""Entries of a manifest that are checked in other ways, and hold names of columns and numbers."""
_LARGEST = 2**26


class Text(NamedTuple):
    """A text of a file; of a cell or a label, also the column it belongs to."""

    file: str
    text: str
    column: str | None = None


def texts_of(opened: OpenRelease) -> Iterator[Text]:
    """The texts of a folder: of the manifest, of Parquet files, and of whatever else is there."""
    for name, entry in opened.manifest.items():
        if name not in _KNOWN:
            yield from (Text(opened.manifest_name, text) for text in _strings({name: entry}))
    assert isinstance(opened.release, Generalized)
    for column in opened.release.columns:
        yield from (Text(TREES, label, column.name) for label in column.tree.labels)
        for words in opened.words[ROWS][column.name]:
            yield from (Text(ROWS, text, column.name) for text in words.to_pylist())
    names = {column.name for column in opened.release.columns}
    labels = {label for column in opened.release.columns for label in column.tree.labels}
    for column_words in opened.words[TREES].values():  # a dictionary may have words that no row uses
        beside = dict.fromkeys(text for words in column_words for text in words.to_pylist())
        yield from (Text(TREES, text) for text in beside if text not in names and text not in labels)
    known = {opened.manifest_name, *(part["name"] for part in opened.manifest["files"])}
    for name in sorted(set(opened.files.names()) - known):
        if opened.files.has(name):
            yield Text(name, opened.files.head(name, _LARGEST).decode(errors="replace"))


def _strings(entry: object) -> Iterator[str]:
    if isinstance(entry, dict):
        for name, value in entry.items():
            yield name
            yield from _strings(value)
    elif isinstance(entry, list):
        for value in entry:
            yield from _strings(value)
    elif entry is not None:
        yield str(entry)
