"""Shared by the makers of hierarchies: the values of a column, as numbers or as texts, and a tree of their labels."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np

from shoal.data.hierarchy import ROOT, Hierarchy, Making
from shoal.data.number_texts import number_text
from shoal.data.table import Column
from shoal.errors import InputError
from shoal.quoting import named, shown

Number = int | float | Decimal


def numbers_of(column: Column) -> list[Number]:
    """The non-missing values, which must be numbers, ascending."""
    values: list[Number] = [value for value in column.values.to_pylist() if value is not None]
    if not column.is_number or not values:
        sample = number_text(column)
        why = ":" if sample is None else f" but texts, such as {shown(sample)}: make it a column of numbers, or"
        raise InputError(
            f"column {named(column.name)} holds no numbers{why} make a hierarchy of prefixes or by frequency"
        )
    return values


def texts_of(column: Column) -> list[str]:
    """The non-missing values, as text."""
    texts = column.texts[: len(column.values) - column.values.null_count]
    if not texts:
        raise InputError(f"column {named(column.name)} holds no values to make a hierarchy of")
    return texts


def assembled(column: Column, levels: list[list[str]], making: Making) -> Hierarchy:
    """The tree of a column's values, given the label of each value at each level below the root."""
    texts = column.texts
    gap = [ROOT] * column.values.null_count
    if gap:
        # A value called * would share its node with the missing value, and then have another parent than
        # that.
        levels = [[f"{ROOT} #2" if label == ROOT else label for label in level] for level in levels]
    inner = [level + gap for level in levels]
    tree = Hierarchy.from_rows(zip(texts, *inner, [ROOT] * len(texts), strict=True), name=column.name)
    return replace(tree, making=making)


def exact(number: object, what: str) -> Decimal:
    """A number exactly as it is written: 0.1 is one tenth, not the nearest binary fraction."""
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal | np.integer | np.floating):
        raise InputError(f"ranges: {what}: {shown(number)} is not a number")
    exact = Decimal(repr(float(number))) if isinstance(number, float | np.floating) else Decimal(str(number))
    if not exact.is_finite():
        raise InputError(f"ranges: {what}: {shown(number)} is not a number that an interval can hold")
    return exact
