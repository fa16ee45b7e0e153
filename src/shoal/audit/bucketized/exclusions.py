"""Which sensitive values negative rules exclude for which rows.

T. Li, N. Li: Injector, 2008, section V.A: a row cannot take a value if it meets a rule that excludes it. Values are
compared as texts. Rows that no condition distinguishes are processed once, and rows with the same excluded values are
of one class; there are few classes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.audit.budget import Budget
from shoal.audit.values import column_texts, texts_of
from shoal.audit.wording import LISTED
from shoal.data.arrays import Bools, Int64
from shoal.data.background import Background, NegativeRule
from shoal.data.frozen import freeze
from shoal.data.table import Column, Table
from shoal.errors import InputError
from shoal.quoting import bare, called, listed, named


@dataclass(frozen=True, eq=False)
class Exclusions:
    """Class ``c`` cannot take the values ``values[offsets[c]:offsets[c + 1]]``; class 0 can take all."""

    row_class: Int64
    """The class of each row."""
    offsets: Int64
    values: Int64
    """Codes of sensitive values, ascending in every class."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.offsets) - 1

    def pairs(self) -> Int64:
        """For each entry of ``values`` its class."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.offsets))


def require_about(background: Background, quasi: Table, sensitive: str) -> None:
    """Refuse rules about columns that the release does not have.

    Raises:
        InputError: The rules are about another sensitive column, or name a column that is not a quasi-identifier.
    """
    if background.sensitive != sensitive:
        raise InputError(
            f"the rules are about {named(background.sensitive)}, and the sensitive column of the release is "
            f"{named(sensitive)}"
        )
    known = set(quasi.names)
    for rule in background.rules:
        for condition in rule.conditions:
            if condition.column not in known:
                raise InputError(
                    f"rule ({_in_short(rule)}): {named(condition.column)} is not a quasi-identifier of the release, "
                    f"whose columns are {listed(quasi.names)}"
                )


def _in_short(rule: NegativeRule) -> str:
    """A rule in short: its words may come from a stranger and are cut before they are joined."""
    some = [f"{called(one.column)} = {bare(one.label)}" for one in rule.conditions[:LISTED]]
    return f"{' and '.join(some)}{' and ...' * (len(rule.conditions) > LISTED)} => not {bare(rule.excluded)}"


def exclude(background: Background, quasi: Table, values: pa.Array, budget: Budget) -> Exclusions:
    """Apply rules to rows.

    Args:
        background: The rules; a rule about a value that no row has is ignored.
        quasi: The rows.
        values: The sensitive values.
        budget: Paid for each rule and each kind of row that conditions distinguish.

    Raises:
        OutOfBudget: There are too many rules for so many kinds of rows.
    """
    code = {text: place for place, text in enumerate(texts_of(values))}
    rules = [rule for rule in background.rules if rule.excluded in code]
    numbers: defaultdict[str, dict[tuple[str, ...], int]] = defaultdict(dict)
    for rule in rules:
        for condition in rule.conditions:
            known = numbers[condition.column]
            known.setdefault(condition.values, len(known))
    told: dict[str, tuple[Bools, Int64]] = {}
    keys = np.zeros(len(quasi), np.int64)
    span = 1
    for name, known in numbers.items():
        column = quasi.column(name)
        meets, kind = _tell_apart(column, list(known), budget)
        told[name] = (meets, kind)
        if span * meets.shape[1] >= 2**62:
            distinct, keys = np.unique(keys, return_inverse=True)
            span = len(distinct)
        keys = keys * meets.shape[1] + kind[column.codes]
        span *= meets.shape[1]
    _, first, row_kind = np.unique(keys, return_index=True, return_inverse=True)
    kinds = {name: kind[quasi.column(name).codes[first]] for name, (_, kind) in told.items()}
    found: list[tuple[Int64, Int64]] = []
    for rule in rules:
        budget.spend(len(first) * (1 + len(rule.conditions)))
        met = np.ones(len(first), bool)
        for condition in rule.conditions:
            number = numbers[condition.column][condition.values]
            met &= told[condition.column][0][number, kinds[condition.column]]
        where = np.flatnonzero(met)
        found.append((where, np.full(len(where), code[rule.excluded])))
    excluded = np.unique(np.concatenate([kind * len(values) + value for kind, value in found] or [_NONE]))
    return _classes(excluded // max(len(values), 1), excluded % max(len(values), 1), len(first), row_kind)


_NONE = np.zeros(0, np.int64)


def _tell_apart(column: Column, conditions: list[tuple[str, ...]], budget: Budget) -> tuple[Bools, Int64]:
    """Which kinds of values meet which conditions, and the kind of each value: equal if all conditions agree."""
    place = {text: number for number, text in enumerate(column_texts(column))}
    met: list[list[int]] = [[] for _ in place]
    for number, texts in enumerate(conditions):
        budget.spend(len(texts))
        for text in dict.fromkeys(texts):
            if text in place:
                met[place[text]].append(number)
    kinds: dict[tuple[int, ...], int] = {}
    kind = np.array([kinds.setdefault(tuple(numbers), len(kinds)) for numbers in met], np.int64)
    budget.spend(len(kinds) * len(conditions))
    meets = np.zeros((len(conditions), max(len(kinds), 1)), bool)
    for numbers, at in kinds.items():
        meets[list(numbers), at] = True
    return meets, kind


def _classes(kind: Int64, value: Int64, n_kinds: int, row_kind: Int64) -> Exclusions:
    """Put kinds of rows with equal excluded values into one class."""
    ends = np.cumsum(np.bincount(kind, minlength=n_kinds))
    known: dict[bytes, int] = {b"": 0}
    class_of = np.zeros(n_kinds, np.int64)
    parts: list[Int64] = [_NONE]
    start = 0
    for number, end in enumerate(ends.tolist()):
        if end > start:
            part = value[start:end]
            at = known.setdefault(part.tobytes(), len(known))
            if at == len(parts):
                parts.append(part)
            class_of[number] = at
        start = end
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Exclusions(class_of[row_kind.reshape(-1)], offsets, np.concatenate(parts))


def first_uncovered(wide: Exclusions, narrow: Exclusions, n_values: int) -> tuple[int, int] | None:
    """A row, and a value that ``narrow`` excludes for it and ``wide`` does not; None if there is none."""
    pairs, first = np.unique(narrow.row_class * wide.n_classes + wide.row_class, return_index=True)
    known = wide.pairs() * n_values + wide.values
    for pair, row in zip(pairs.tolist(), first.tolist(), strict=True):
        one, other = divmod(pair, wide.n_classes)
        asked = narrow.values[narrow.offsets[one] : narrow.offsets[one + 1]]
        lost = asked[~np.isin(asked, known[wide.offsets[other] : wide.offsets[other + 1]] - other * n_values)]
        if len(lost):
            return int(row), int(lost[0])
    return None
