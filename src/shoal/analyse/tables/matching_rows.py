"""Which rows, and which sensitive values, of a bucketized release meet a query.

Values are compared as texts, as everywhere: ``39`` is 39 and 39.0, ``?`` is a missing value, which is a value of its
own: it differs from all others, and lies in no range.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.analyse.tables.conditions import Between, Clause, Query, Word, is_number, parse
from shoal.data.arrays import Bools
from shoal.data.table import MISSING, Column, Role, unknown_columns
from shoal.errors import DamagedRelease, InputError
from shoal.quoting import bare, named, shown
from shoal.release.bucketized import Bucketized
from shoal.suggestions import did_you_mean


@dataclass(frozen=True, eq=False)
class Met:
    """What meets one query."""

    rows: Bools
    """Which rows meet the conditions on quasi-identifiers."""
    values: Bools
    """Which sensitive values meet those on the sensitive column."""


def sensitive_column(release: Bucketized) -> Column:
    """The sensitive values as a column, with an entry for each different value of each group."""
    return Column(release.sensitive, Role.SENSITIVE, release.bucket_values, release.values)


def bounds(clause: Between, query: Query, literal: Callable[[str], Any]) -> tuple[Any, Any]:
    """The two ends that a clause names, as numbers; None where one is missing.

    Raises:
        InputError: one is no number, or the first is greater than the second.
    """
    for word in (clause.low, clause.high):
        if word is not None and not is_number(word.text):
            query.refuse(word.at, f"{shown(word.text)} is no number")
    low: Any = None if clause.low is None else literal(clause.low.text)
    high: Any = None if clause.high is None else literal(clause.high.text)
    if clause.low is not None and clause.high is not None and low > high:
        query.refuse(clause.low.at, f"{clause.low.text}..{clause.high.text} is empty: write the lesser first")
    return low, high


class AskedColumns:
    """Columns that are asked: what they hold is found once, however many queries there are."""

    def __init__(self, columns: dict[str, Column], of_what: str = "") -> None:
        self._columns = columns
        self._of_what = of_what
        self._domains: dict[str, _Domain] = {}

    def column(self, name: str) -> Column:
        """The column of this name; an unknown one is an InputError."""
        if name not in self._columns:
            raise InputError(unknown_columns([name], list(self._columns)))
        return self._columns[name]

    def rows(self, text: str, n_rows: int) -> int:
        """How many of the rows of all columns meet a query."""
        rows = np.ones(n_rows, bool)
        for name, meets in self._chosen(text).items():
            rows &= meets[self._columns[name].codes]
        return int(np.count_nonzero(rows))

    def _chosen(self, text: str) -> dict[str, Bools]:
        """Which values of each column that a query names meet it."""
        query = parse(text)
        chosen: dict[str, Bools] = {}
        for clause in query.clauses:
            name = clause.column.text
            if name not in self._columns:
                query.refuse(clause.column.at, unknown_columns([name], list(self._columns)))
            meets = self._domain(name).meeting(clause, query)
            chosen[name] = chosen[name] & meets if name in chosen else meets
        return chosen

    def _domain(self, name: str) -> _Domain:
        if name not in self._domains:
            self._domains[name] = _Domain(self._columns[name], self._of_what)
        return self._domains[name]


class Asked(AskedColumns):
    """A release that is asked."""

    def __init__(self, release: Bucketized) -> None:
        values = np.bincount(release.bucket_groups, release.bucket_counts, release.n_groups)
        wrong = np.flatnonzero(values != release.group_sizes)
        if len(wrong):
            raise DamagedRelease(
                f"group {int(wrong[0])} has {int(release.group_sizes[wrong[0]]):,} rows, but {int(values[wrong[0]]):,} "
                "sensitive values: this is no release that anything can be asked of; see shoal verify"
            )
        self.release = release
        super().__init__(
            {column.name: column for column in (*release.quasi, sensitive_column(release))}, " of the release"
        )

    def met(self, text: str, *, has_number: str | None = None) -> Met:
        """What meets a query, and has a number in a column where one is named."""
        chosen = self._chosen(text)
        rows = np.ones(self.release.n_rows, bool)
        values = np.ones(len(self.release.values), bool)
        if has_number is not None:
            known = ~np.asarray(self.column(has_number).values.is_null())
            chosen[has_number] = chosen[has_number] & known if has_number in chosen else known
        for name, meets in chosen.items():
            if name == self.release.sensitive:
                values = meets
            else:
                rows &= meets[self._columns[name].codes]
        return Met(rows, values)


class _Domain:
    """The different values of a column, to be looked up."""

    def __init__(self, column: Column, of_what: str) -> None:
        self.name = column.name
        self.of_what = of_what
        self.texts = column.texts
        self.codes = {text: code for code, text in enumerate(self.texts)}
        self.numbers: list[Any] | None = column.values.drop_null().to_pylist() if column.is_number else None
        # A column of whole or decimal numbers is compared exactly; one of floats as floats, or .1 would not be .1.
        self.literal: Any = float if pa.types.is_floating(column.values.type) else Decimal

    def meeting(self, clause: Clause, query: Query) -> Bools:
        """Which values meet a clause."""
        if isinstance(clause, Between):
            return self._between(clause, query)
        found = np.zeros(len(self.texts), bool)
        found[[self._code(word, query) for word in clause.values]] = True
        return ~found if clause.negated else found

    def _between(self, clause: Between, query: Query) -> Bools:
        if self.numbers is None:
            query.refuse(
                clause.column.at,
                f"column {named(self.name)} holds no numbers, and only these are compared by size: use =, != or in "
                f"{{...}}",
            )
        low, high = bounds(clause, query, self.literal)
        # Values are in ascending order, a missing one at the end.
        first, last = 0, len(self.numbers)
        if low is not None:
            first = (bisect_right if clause.open else bisect_left)(self.numbers, low)
        if high is not None:
            last = (bisect_left if clause.open else bisect_right)(self.numbers, high)
        places = np.arange(len(self.texts))
        meets: Bools = (places >= first) & (places < last)
        return meets

    def _code(self, word: Word, query: Query) -> int:
        code = self.codes.get(word.text)
        if code is None and self.numbers is not None and is_number(word.text):
            number = self.literal(word.text)
            place = bisect_left(self.numbers, number)
            if place < len(self.numbers) and self.numbers[place] == number:
                return place
        if code is None:
            query.refuse(word.at, self._unknown(word.text))
        return code

    def _unknown(self, text: str) -> str:
        where = f"no row{self.of_what} has {shown(text)} in column {named(self.name)}"
        if self.numbers is not None:
            if not is_number(text):
                return f"column {named(self.name)} holds numbers, and {shown(text)} is none" + self._missing()
            near = self._nearest(self.literal(text))
            return (
                f"{where}; the nearest {'is' if len(near) == 1 else 'are'} {' and '.join(map(bare, near))}"
                if near
                else where
            )
        return where + (did_you_mean(text, self.texts) or f" ({len(self.texts):,} values)")

    def _missing(self) -> str:
        return f" (a missing one is written {MISSING})" if MISSING in self.codes else ""

    def _nearest(self, number: Any) -> list[str]:
        assert self.numbers is not None
        place = bisect_left(self.numbers, number)
        return self.texts[max(0, place - 1) : min(place + 1, len(self.numbers))]
