"""All texts in a release folder of a table, file by file, to search them for values that must not be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from shoal.io.generalized import MADE, ROWS, TREES
from shoal.io.release_folder import Opened
from shoal.release.evidence import FileText
from shoal.release.generalized import Generalized

_KNOWN = {"format", "format_version", "method", "hierarchies"} | {
    *("promises", "quasi_identifiers", "sensitive", MADE, "counts", "files"),
}
"""Entries of a manifest that are checked in other ways, and hold Shoal's words, names of columns and numbers."""
_LARGEST = 2**26


def texts_of(opened: Opened) -> Iterator[FileText]:
    """The texts of a folder: of the manifest, of Parquet files, and of all other files."""
    for name, entry in opened.manifest.items():
        if name not in _KNOWN:
            yield from (FileText(opened.manifest_name, text) for text in _strings({name: entry}))
    release = cast(Generalized, opened.release)
    for column in release.columns:
        yield from (FileText(TREES, label, column.name) for label in column.tree.labels)
        for words in opened.words[ROWS][column.name]:
            yield from (FileText(ROWS, text, column.name) for text in words.to_pylist())
    names = {column.name for column in release.columns}
    labels = {label for column in release.columns for label in column.tree.labels}
    for column_words in opened.words[TREES].values():  # a dictionary may have words that no row uses
        beside = dict.fromkeys(text for words in column_words for text in words.to_pylist())
        yield from (FileText(TREES, text) for text in beside if text not in names and text not in labels)
    known = {opened.manifest_name, *(part["name"] for part in opened.manifest["files"])}
    for name in sorted(set(opened.files.names()) - known):
        if opened.files.has(name):
            yield FileText(name, opened.files.head(name, _LARGEST).decode(errors="replace"))


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
