"""A table of people: one row for each person, with dictionary-encoded columns, each with a privacy role.

A column is stored as small integer codes into its sorted distinct values, so grouping rows, counting values and
generalizing them need no loop over rows. A missing value is a separate value: the last one, an Arrow null, which is
written ``?`` where a text is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.frozen import freeze
from shoal.data.utf8 import misspelt
from shoal.errors import InputError
from shoal.quoting import listed, named, shown
from shoal.suggestions import did_you_mean

MISSING = "?"
"""The text of a missing value, in hierarchies and in messages."""

BLANKS = " \t\r\n\v\f\u00a0"
"""Characters that are ignored at the ends of a text."""


class Role(Enum):
    """The privacy role of a column.

    Example:
        >>> Role("quasi") is Role.QUASI
        True
    """

    IDENTIFIER = "identifier"
    """Identifies a person directly (a name, a number): never published."""
    QUASI = "quasi"
    """Known from elsewhere, identifying in combination (age, postcode, sex)."""
    SENSITIVE = "sensitive"
    """Must not be learned about a person (a diagnosis, a salary)."""
    PLAIN = "plain"
    """Neither known to an adversary nor sensitive."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column: row ``i`` holds ``values[codes[i]]``.

    Example:
        >>> age = Table.from_arrow(pa.table({"age": [39, 7, None, 39]})).column("age")
        >>> age.codes.tolist(), age.values.to_pylist(), age.texts, age.missing
        ([1, 0, 2, 1], [7, 39, None], ['7', '39', '?'], 1)
    """

    name: str
    role: Role
    codes: Int32
    """One code for each row, into ``values``."""
    values: pa.Array
    """The distinct values in use, in their own type, ascending; a missing value is a null at the end."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.role.value}, {len(self):,} rows, {len(self.values):,} values)"

    @property
    def counts(self) -> Int64:
        """How many rows hold each value."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)

    @property
    def missing(self) -> int:
        """How many rows hold no value."""
        return int(np.count_nonzero(self.codes == len(self.values) - 1)) if self.values.null_count else 0

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers, so that ranges of them make sense."""
        kind = self.values.type
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))

    @property
    def texts(self) -> list[str]:
        """Each value as text, as in hierarchies: ``39`` for 39 and for 39.0, ``?`` for a missing one."""
        if self.is_number:
            return [text_of(value) for value in self.values.to_pylist()]
        texts: list[str] = pc.fill_null(pc.cast(self.values, pa.string()), MISSING).to_pylist()
        return texts

    def keep_rows(self, keep: Bools) -> Column:
        """The column without the rows whose flag is false, and without values that are no longer used."""
        codes = self.codes[keep]
        used = np.zeros(len(self.values), bool)
        used[codes] = True
        rank = (np.cumsum(used) - 1).astype(np.int32)
        return replace(self, codes=rank[codes], values=self.values.filter(pa.array(used)))


@dataclass(frozen=True, eq=False)
class Table:
    """An immutable table whose columns have roles.

    Example:
        >>> people = Table.from_arrow(
        ...     pa.table({"sex": ["f", "m", "f"], "age": [39, 50, 39], "job": ["x", "y", "z"]}),
        ...     quasi=["sex", "age"], sensitive="job")
        >>> len(people), people.names, people.names_of(Role.QUASI)
        (3, ['sex', 'age', 'job'], ['sex', 'age'])
        >>> people.group_sizes().tolist()
        [2, 1]
    """

    columns: tuple[Column, ...]
    dropped: int = 0
    """How many rows were dropped on reading because a value was missing."""

    def __post_init__(self) -> None:
        assert len({len(column) for column in self.columns}) == 1, "columns of one length"
        assert len({column.name for column in self.columns}) == len(self.columns), "columns of different names"

    @classmethod
    def from_arrow(
        cls,
        data: Any,
        *,
        identifier: str | Iterable[str] = (),
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
    ) -> Table:
        """Build from any Arrow data: pandas, polars, DuckDB, pyarrow.

        Nulls, NaNs, empty texts and ``?`` are missing values; blanks around a text do not count.

        Args:
            data: Anything with ``__arrow_c_stream__``.
            identifier: Columns that name a person.
            quasi: Columns that an adversary may know.
            sensitive: Columns that must not be learned about a person. All other columns are plain.

        Returns:
            The table; missing values are kept (see ``missing`` and ``drop_missing``).

        Raises:
            InputError: A column is unknown, has two roles, occurs twice or is nested; there are no columns.
        """
        arrow = pa.table(data)
        names = list(arrow.column_names)
        roles = assign_roles(names, identifier=identifier, quasi=quasi, sensitive=sensitive)
        encoded = (_encode(name, column) for name, column in zip(names, arrow.columns, strict=True))
        return cls(tuple(Column(name, roles[name], *pair) for name, pair in zip(names, encoded, strict=True)))

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows, {len(self.columns):,} columns)"

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]

    @property
    def missing(self) -> dict[str, int]:
        """The columns with missing values, with the number of rows that miss one."""
        return {column.name: column.missing for column in self.columns if column.missing}

    def names_of(self, role: Role) -> list[str]:
        """The names of the columns with this role, in order."""
        return [column.name for column in self.columns if column.role is role]

    def column(self, name: str) -> Column:
        """The column with this name; an unknown name is an InputError that lists the columns."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(unknown_columns([name], self.names))

    def with_roles(
        self,
        *,
        identifier: str | Iterable[str] = (),
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        plain: str | Iterable[str] = (),
    ) -> Table:
        """The same table with new roles for the columns named here; all others keep theirs."""
        given = {Role.IDENTIFIER: identifier, Role.QUASI: quasi, Role.SENSITIVE: sensitive, Role.PLAIN: plain}
        roles = _roles_given(self.names, {role: names_in(names) for role, names in given.items()})
        return replace(self, columns=tuple(replace(c, role=roles.get(c.name, c.role)) for c in self.columns))

    def keep_rows(self, keep: Bools) -> Table:
        """The same table without the rows whose flag is false."""
        return replace(self, columns=tuple(column.keep_rows(keep) for column in self.columns))

    def drop_missing(self, names: Iterable[str] | None = None) -> Table:
        """The table without the rows that miss a value in one of these columns (default: any), counted."""
        chosen = self.columns if names is None else [self.column(name) for name in names_in(names)]
        keep = np.ones(len(self), bool)
        for column in chosen:
            if column.values.null_count:
                keep &= column.codes != len(column.values) - 1
        lost = len(self) - int(np.count_nonzero(keep))
        return replace(self.keep_rows(keep), dropped=self.dropped + lost) if lost else self

    def group_sizes(self, names: Iterable[str] | None = None) -> Int64:
        """The sizes of the groups of rows that agree on all these columns (default: the quasi columns)."""
        return np.unique(self._group_keys(names), return_counts=True)[1].astype(np.int64)

    def group_numbers(self, names: Iterable[str] | None = None) -> Int64:
        """The group of each row: the rows that agree on all these columns (default: the quasi columns).

        Groups are numbered from 0 in the order of their values; a missing value agrees only with a missing value.
        """
        return np.unique(self._group_keys(names), return_inverse=True)[1].astype(np.int64)

    def _group_keys(self, names: Iterable[str] | None) -> Int64:
        chosen = [self.column(name) for name in (self.names_of(Role.QUASI) if names is None else names_in(names))]
        if not chosen:
            raise InputError(f"no column to group by: name the quasi columns (columns: {listed(self.names)})")
        keys = np.zeros(len(self), np.int64)
        span = 1
        for column in chosen:
            if span * len(column.values) >= 2**63:
                # Renumber the groups so far: there are no more than rows, so the next product fits again.
                distinct, keys = np.unique(keys, return_inverse=True)
                span = len(distinct)
            keys = keys * len(column.values) + column.codes
            span *= len(column.values)
        return keys

    def to_arrow(self) -> pa.Table:
        """The table as plain Arrow values; a missing value is a null."""
        return pa.table({c.name: c.values.take(pa.array(c.codes)) for c in self.columns})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows to any Arrow consumer, as plain values."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def text_of(value: object) -> str:
    """A value as text, as in hierarchies: whole numbers without a point, missing as ``?``.

    Example:
        >>> text_of(39.0), text_of(39), text_of(0.5), text_of(None), text_of("a")
        ('39', '39', '0.5', '?', 'a')
    """
    if value is None:
        return MISSING
    if isinstance(value, float):
        if math.isnan(value):
            return MISSING
        # Beyond 2**53 floats are further apart than 1: digits would claim a precision that does not exist.
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value)


def names_in(names: str | Iterable[str]) -> list[str]:
    """Column names, given as a list or a single string."""
    return [names] if isinstance(names, str) else list(names)


def assign_roles(
    names: Sequence[str],
    *,
    identifier: str | Iterable[str] = (),
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
) -> dict[str, Role]:
    """The role of each column; columns that are not mentioned are plain.

    Raises:
        InputError: There are no columns, two have one name, a mentioned one is unknown or has two roles.
    """
    if not names:
        raise InputError("the table has no columns")
    twice = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if twice:
        raise InputError(f"two columns have the same name: {listed(twice)}: rename one of them")
    given = {Role.IDENTIFIER: identifier, Role.QUASI: quasi, Role.SENSITIVE: sensitive}
    roles = _roles_given(names, {role: names_in(wanted) for role, wanted in given.items()})
    return {name: roles.get(name, Role.PLAIN) for name in names}


def _roles_given(names: Sequence[str], given: dict[Role, list[str]]) -> dict[str, Role]:
    """The roles of the mentioned columns; each must be known and have only one role."""
    known = set(names)
    unknown = [name for wanted in given.values() for name in wanted if name not in known]
    if unknown:
        raise InputError(unknown_columns(list(dict.fromkeys(unknown)), names))
    roles: dict[str, list[str]] = {}
    for role, wanted in given.items():
        for name in dict.fromkeys(wanted):
            roles.setdefault(name, []).append(role.value)
    twice = [f"{named(name)} ({' and '.join(found)})" for name, found in roles.items() if len(found) > 1]
    if twice:
        raise InputError(f"a column has one role, but these have more: {', '.join(twice)}")
    return {name: Role(found[0]) for name, found in roles.items()}


def unknown_columns(wanted: Sequence[str], names: Sequence[str]) -> str:
    """A message that names unknown columns, with suggestions, and lists the columns."""
    parts = ", ".join(f"{named(name)}{did_you_mean(name, names)}" for name in wanted)
    return f"no such column: {parts}; the columns are: {listed(names)}"


def _encode(name: str, data: pa.ChunkedArray) -> tuple[Int32, pa.Array]:
    """Codes and sorted distinct values in use; the given dictionary may have repeated or unused words."""
    try:
        if not pa.types.is_dictionary(data.type):
            data = data.dictionary_encode()
        whole = data.unify_dictionaries().combine_chunks()
        wrong = misspelt(whole.dictionary)
        if wrong is not None:
            raise InputError(
                f"column {named(name)} holds {shown(wrong[1])}, which is not UTF-8 text: write its words as UTF-8"
            )
        words = _words(whole.dictionary)
        distinct = words.dictionary_encode()
        values = distinct.dictionary
        order: Int64 = pc.sort_indices(values).to_numpy().astype(np.int64)
    except InputError:
        raise
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(
            f"column {named(name)} has the type {data.type}, which a table cannot hold: give one plain value per row"
        ) from error
    _require_range(name, values.take(pa.array(order)))
    null = len(values)
    rank = np.full(null + 1, null, np.int64)
    rank[order] = np.arange(null)
    # Two steps: a row may have no word, and the word of a row may itself be a missing value.
    word_rank = np.append(rank[_filled(distinct.indices, null)], null)
    codes = word_rank[_filled(whole.indices, len(words))]
    used = np.bincount(codes, minlength=null + 1) > 0
    codes = (np.cumsum(used) - 1)[codes].astype(np.int32)
    taken: list[int | None] = order[used[:null]].tolist()
    return codes, values.take(pa.array(taken + [None] * bool(used[null]), pa.int64()))


def _require_range(name: str, values: pa.Array) -> None:
    """Refuse dates and times that only Arrow can hold or write; ``values`` ascend, so checking the ends is enough."""
    if not pa.types.is_temporal(values.type) or not len(values):
        return
    for value in (values[0], values[len(values) - 1 - values.null_count]):
        try:
            value.as_py()
            pc.cast(value, pa.string())
        except (ValueError, OverflowError, LookupError, pa.ArrowException):  # Python's, pytz's, Arrow's
            raise InputError(
                f"column {named(name)}, of type {values.type}, holds a value that cannot be written as a date or "
                "time of the years 1 to 9999 in a known time zone: write it as text"
            ) from None


def _filled(indices: pa.Array, instead: int) -> Int64:
    """Indices as numbers, with a number for the nulls."""
    filled: Int64 = pc.fill_null(pc.cast(indices, pa.int64()), instead).to_numpy(zero_copy_only=False)
    return filled


def _words(words: pa.Array) -> pa.Array:
    """Words in a sortable type: texts without blanks around them, numbers with one zero, no NaN."""
    kind = words.type
    if pa.types.is_null(kind) or "string" in str(kind):
        trimmed = pc.utf8_trim(pc.cast(words, pa.string()), characters=BLANKS)
        return pc.if_else(pc.is_in(trimmed, pa.array(["", MISSING])), None, trimmed)
    if pa.types.is_floating(kind):
        exact = pc.cast(words, pa.float64())
        return pc.if_else(pc.is_nan(exact), None, pc.add(exact, 0.0))
    if (
        pa.types.is_nested(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
    ):
        raise pa.ArrowTypeError("not one plain value per row")
    return words
