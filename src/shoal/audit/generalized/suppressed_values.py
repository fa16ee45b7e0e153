"""Whether a release folder reveals values of suppressed rows: values that only they have, in any of its files.

A row of the original that fits no published group is suppressed, whichever rows are behind the published ones. The
search covers values that only such rows have: as a cell, as a label of a tree made from the data or a part of it, and
in any other text that has all its words in the same sequence. Hierarchies that the steward gave may list such a value,
and cells may show their nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

import numpy as np

from shoal.audit.generalized.made_trees import ends_of, listed_in, may_be_added
from shoal.audit.values import column_texts, rows_of_values
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, shorten
from shoal.data.arrays import Bools, Int64
from shoal.data.table import Column, Table
from shoal.quoting import named
from shoal.release.evidence import FileText
from shoal.release.generalized import Generalized, GeneralizedColumn

NAME = "values of suppressed rows"


_WORD = re.compile(r"\w+(?:[.\-]\w+)*")
_SHORTEST = 3
"""Shorter values are searched in cells and labels, but not in other texts, where they may mean anything."""


@dataclass
class _Words:
    """Values by their words in sequence: one pass over a text finds any number of values."""

    further: dict[str, _Words] = field(default_factory=dict)
    values: list[tuple[str, int]] = field(default_factory=list)
    """The values with this last word, and where their first word begins."""

    @staticmethod
    def of(values: Iterable[str]) -> _Words:
        """Values without a word are in none."""
        first = _Words()
        for value in values:
            at, begins = first, -1
            for word in _WORD.finditer(value):
                at, begins = at.further.setdefault(word[0], _Words()), word.start() if begins < 0 else begins
            if begins >= 0:
                at.values.append((value, begins))
        return first

    def found_in(self, text: str) -> str | None:
        """One of the values that the text has, or None."""
        words = list(_WORD.finditer(text))
        for number, word in enumerate(words):
            at, next_one = self.further.get(word[0]), number + 1
            while at is not None:
                for value, begins in at.values:
                    if word.start() >= begins and text.startswith(value, word.start() - begins):
                        return value
                at = at.further.get(words[next_one][0]) if next_one < len(words) else None
                next_one += 1
        return None


def check_suppressed_values(
    release: Generalized, original: Table, homeless: Int64, texts: Iterable[FileText]
) -> Iterator[Check]:
    """No file has a value that occurs only in rows that fit no group (``homeless``)."""
    suppressed = np.zeros(len(original), bool)
    suppressed[homeless] = True
    own = {column.name: values_of(original.column(column.name), suppressed) for column in release.columns}
    given = {column.name: given_labels(column) for column in release.columns}
    number, wrong = 0, []
    anywhere = {value: name for name, values in own.items() for value in values if len(value) >= _SHORTEST}
    words = _Words.of(anywhere)
    for found in texts:
        number += 1
        if found.text in given.get(found.column or "", frozenset()):
            continue
        value = _value_in(found, own, anywhere, words)
        if value is not None:
            name = found.column or anywhere[value]
            wrong.append(
                f"{shorten(value)}, which only suppressed rows have in column {named(name)}, is in {found.file}"
            )
    for column in release.columns:
        if column.making not in (None, "completed"):
            number += 1
            counted, kept = int(column.tree.leaves[0]), len(original.column(column.name).values) - len(own[column.name])
            if counted > kept:
                wrong.append(
                    f"the tree of column {named(column.name)} counts {counted:,} values, but the rows that are not "
                    f"suppressed have {kept:,}"
                )
    what = "no file of the folder has or counts a value that only suppressed rows have, unless a given hierarchy has it"
    yield decided(NAME, what, number, wrong[0] + and_more(len(wrong) - 1, "places") if wrong else None)


def given_labels(column: GeneralizedColumn) -> frozenset[str]:
    """The labels of a column that are not from the data."""
    if column.making not in (None, "completed"):
        return frozenset()
    return frozenset(column.tree.labels) - may_be_added(column)


def values_of(column: Column, suppressed: Bools) -> frozenset[str]:
    """The values of a column that only suppressed rows have."""
    total = rows_of_values(column)
    gone = np.bincount(column.codes[suppressed], minlength=len(total))
    return frozenset(text for text, only in zip(column_texts(column), (gone == total).tolist(), strict=True) if only)


def _value_in(found: FileText, own: dict[str, frozenset[str]], anywhere: dict[str, str], words: _Words) -> str | None:
    """A value that only suppressed rows have and that a text is or names, if there is one."""
    if found.column is None:
        return found.text if found.text in anywhere else words.found_in(found.text)
    values = own.get(found.column, frozenset())
    if found.text in values:
        return found.text
    ends = ends_of(found.text)
    if ends is not None:
        numbers = {number: value for value in values if (number := _number(value)) is not None}
        return next((numbers[end] for end in ends if end in numbers), None)
    return next((name for name in listed_in(found.text) if name in values), None)


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
