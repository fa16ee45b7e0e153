"""The places of values in a published tree that was made from the data, from its labels alone.

``< 30``, ``[30, 50)`` and ``>= 50`` contain numbers, their lower end included; ``130**`` contains the longer texts that
begin with 130; where every value is directly below the root, one that is not listed is below the root alone. Groups of
values name only some of them: the place of the others is unknown.
"""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np

from shoal.audit.trees import bottom
from shoal.audit.values import column_texts
from shoal.data.arrays import Int64
from shoal.data.node_tree import NodeTree
from shoal.data.table import Column
from shoal.release.generalized import GeneralizedColumn

_NUMBER = r"-?\d+(?:\.\d+)?"
_BELOW = re.compile(rf"< ({_NUMBER})", re.ASCII)
_FROM = re.compile(rf">= ({_NUMBER})", re.ASCII)
_BETWEEN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)", re.ASCII)

_LIST = re.compile(r"\{(.*?)(?:, \.\.\. and \d+ more)?\}(?: #\d+)?", re.DOTALL)

Ends = tuple[Decimal | None, Decimal | None]


def ends_of(label: str) -> Ends | None:
    """The ends of an interval; None if the label is not an interval.

    Example:
        >>> ends_of("[30, 50)"), ends_of("< 0.5"), ends_of("30")
        ((Decimal('30'), Decimal('50')), (None, Decimal('0.5')), None)
    """
    if found := _BETWEEN.fullmatch(label):
        return Decimal(found[1]), Decimal(found[2])
    if found := _BELOW.fullmatch(label):
        return None, Decimal(found[1])
    if found := _FROM.fullmatch(label):
        return Decimal(found[1]), None
    return None


def listed_in(label: str) -> list[str]:
    """The values that the label of a group of values names; none if it is not such a label.

    Example:
        >>> listed_in("{cook, nurse, ... and 2 more}"), listed_in("{cook, nurse} #2"), listed_in("cook")
        (['cook', 'nurse'], ['cook', 'nurse'], [])
    """
    found = _LIST.fullmatch(label)
    return [] if found is None else found[1].split(", ")


def numbers_of(column: Column) -> list[Decimal]:
    """The values of a column of numbers that are not missing, ascending, as written."""
    found = column.values[: len(column.values) - column.values.null_count].to_pylist()
    return [Decimal(repr(value)) if isinstance(value, float) else Decimal(value) for value in found]


def may_be_added(column: GeneralizedColumn) -> frozenset[str]:
    """For a given and completed hierarchy, the labels that may be values of the data, added below the root."""
    if column.making != "completed":
        return frozenset()
    tree = column.tree
    return frozenset(tree.labels[node] for node in np.flatnonzero(bottom(tree) & (tree.parents == 0)).tolist())


def lowest_above(published: GeneralizedColumn, original: Column) -> Int64:
    """For each value of an original that is not a node the lowest node above it; the number of nodes: not known."""
    tree = published.tree
    if published.making in ("intervals", "ranges") and original.is_number:
        return _of_numbers(tree, original)
    if published.making == "prefixes":
        return _of_texts(tree, original)
    every = 0 if published.making == "values" else len(tree)
    return np.full(len(original.values), every, np.int64)


def _of_numbers(tree: NodeTree, original: Column) -> Int64:
    numbers = numbers_of(original)
    places = np.zeros(len(original.values), np.int64)
    # Descendants come after a node, so the lowest one is the last to claim a value.
    for node, label in enumerate(tree.labels):
        ends = ends_of(label)
        if ends is not None:
            low, high = ends
            first = 0 if low is None else _rank(numbers, low)
            places[first : len(numbers) if high is None else _rank(numbers, high)] = node
    return places


def _rank(numbers: list[Decimal], end: Decimal) -> int:
    """How many numbers are below an end."""
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if numbers[middle] < end else (low, middle)
    return low


def _of_texts(tree: NodeTree, original: Column) -> Int64:
    beginnings: dict[str, int] = {}
    for node, label in enumerate(tree.labels[1:], start=1):
        shown = label.rstrip("*")
        if shown and len(shown) < len(label):
            beginnings[shown] = node
    places = []
    for text in column_texts(original):
        ends = range(len(text) - 1, 0, -1)
        places.append(next((beginnings[text[:end]] for end in ends if text[:end] in beginnings), 0))
    return np.array(places, np.int64)
