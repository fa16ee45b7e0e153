"""Whether trees made from the data name values of few people: ends of intervals, and labels that are values.

An interval that ends at 41,273 reveals that someone earns 41,273 if one person does. The check collects, from the
labels of a tree, the numbers where intervals end and the values that are named, alone or in a list; it compares them
with the rows of the original. A sensitive value that rows show is published on purpose. Names in hierarchies that the
steward gave are not from the data; if these were completed, the values directly below the root may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from shoal.audit.generalized.made_trees import ends_of, listed_in, may_be_added, numbers_of
from shoal.audit.values import column_texts, rows_of_values
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, shorten
from shoal.data.table import Column, Role, Table
from shoal.quoting import named
from shoal.release.generalized import Generalized, GeneralizedColumn

NAME = "values named by trees"

_PLAIN_NUMBER = re.compile(
    r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])|(?<=\d-)\d+(?:\.\d+)?(?![\w.])|(?<!\d)\d+(?:\.\d+)?(?=-\d)"
)


@dataclass(frozen=True)
class NamedValue:
    """A value that a label of a tree names, and how many rows of the original hold it."""

    value: str
    label: str
    is_end: bool
    """Whether an interval ends there; otherwise the value itself is named."""
    rows: int
    from_data: bool
    """Whether the label may come from the data, rather than from the steward."""


def named_values(column: GeneralizedColumn, original: Column) -> Iterator[NamedValue]:
    """The values that the labels of a tree name: each end of an interval once, each value once."""
    tree, counts = column.tree, rows_of_values(original).tolist()
    rows = dict(zip(column_texts(original), counts, strict=True))
    worth = dict(zip(numbers_of(original), counts, strict=False)) if original.is_number else {}
    shown = column.counts
    ends: dict[Decimal, str] = {}
    values: dict[str, str] = {}
    for node, label in enumerate(tree.labels):
        if node and label in rows:
            if column.role is Role.QUASI or not shown[node]:
                values.setdefault(label, label)
        elif node:
            for end in _ends(column, label):
                ends.setdefault(end, label)
            for name in listed_in(label):
                if name in rows:
                    values.setdefault(name, label)
    given = column.making in (None, "completed")
    added = may_be_added(column)
    for end, label in ends.items():
        yield NamedValue(str(end), label, True, worth.get(end, 0), not given)
    for value, label in values.items():
        yield NamedValue(value, label, False, rows[value], not given or label in added)


def _ends(column: GeneralizedColumn, label: str) -> list[Decimal]:
    ends = ends_of(label)
    if ends is not None:
        return [end for end in ends if end is not None]
    return [] if column.making not in (None, "completed") else [Decimal(text) for text in _PLAIN_NUMBER.findall(label)]


def check_named(release: Generalized, original: Table) -> Iterator[Check]:
    """No tree made from the data names a value that fewer than k rows of the original hold."""
    k, number = release.promise.k, 0
    wrong: list[str] = []
    made = [column for column in release.columns if column.making is not None]
    for column in made:
        for one in named_values(column, original.column(column.name)):
            if not one.from_data:
                continue
            number += 1
            if 0 < one.rows < k:
                people = "1 row" if one.rows == 1 else f"{one.rows:,} rows"
                end = f"an end of {shorten(one.label)}" if one.is_end else f"named by {shorten(one.label)}"
                wrong.append(f"column {named(column.name)}: {shorten(one.value)}, {end}, is the value of {people}")
    if made:
        what = (
            f"no end of an interval and no label of a tree made from the data is a value of fewer than {k:,} rows of "
            "the original (except sensitive values that rows show)"
        )
        yield decided(NAME, what, number, wrong[0] + and_more(len(wrong) - 1, "values") if wrong else None)


def counts_of(release: Generalized, original: Table) -> Iterator[tuple[GeneralizedColumn, list[NamedValue]]]:
    """The values of an original that the trees of a release name, column by column."""
    for column in release.columns:
        named = list(named_values(column, original.column(column.name)))
        if named:
            yield column, named
