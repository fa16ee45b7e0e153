"""Whether a bucketized release was made from a given table: nothing added, nothing lost, every row in a possible group.

X. Xiao, Y. Tao: Anatomy, VLDB 2006, definition 3. Rows and values must be those of the table. Whether rows can be
assigned to the groups with all the right counts is a three-way transport problem, with no fast solution known. The
check is, for every combination of quasi-identifiers and every value, that the table has them together as often as the
groups allow and require. That is necessary, not sufficient.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.parts import steps
from shoal.audit.values import column_texts, numbers_of_keys, texts_of
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, row_name, value_name
from shoal.data.arrays import Int64
from shoal.data.table import Column, Table
from shoal.release.bucketized import Bucketized

ROWS, VALUES, TOGETHER = "rows of the original", "values of the original", "rows and values of the original"


def check_original(release: Bucketized, original: Table, budget: Budget) -> Iterator[Check]:
    """Compare a release, with a structure found valid, with its supposed table."""
    published, true = number_alike(release.quasi, original)
    rows = _check_rows(release, original, published, true)
    values = value_codes(release, original.column(release.sensitive))
    totals = _check_values(release, original, values)
    yield rows
    yield totals
    if rows.holds and totals.holds:
        yield _check_together(release, published, true, values, budget)
    else:
        yield not_checked(
            TOGETHER, "makes sense only for the same rows and values", "the release has other rows or values"
        )


def number_alike(*tables: Table) -> tuple[Int64, ...]:
    """A number for each row of each table: equal if the texts in the columns of the first one are equal."""
    together = []
    for column in tables[0].columns:
        known: dict[str, int] = {}
        codes = []
        for own in (table.column(column.name) for table in tables):
            renamed = np.array([known.setdefault(text, len(known)) for text in column_texts(own)], np.int64)
            codes.append(renamed[own.codes])
        together.append((np.concatenate(codes), len(known)))
    numbers = numbers_of_keys(together)
    return tuple(np.split(numbers, np.cumsum([len(table) for table in tables])[:-1]))


def value_codes(release: Bucketized, column: Column) -> Int64:
    """The code in the release of the sensitive value of each row of the original; -1 for a value it does not have."""
    known = {text: code for code, text in enumerate(texts_of(release.values))}
    return np.array([known.get(text, -1) for text in column_texts(column)], np.int64)[column.codes]


def _check_rows(release: Bucketized, original: Table, published: Int64, true: Int64) -> Check:
    what = "the original has the same number of rows, with the same quasi-identifiers equally often"
    witness = None
    number = int(max(published.max(initial=-1), true.max(initial=-1))) + 1
    had, has = np.bincount(true, minlength=number), np.bincount(published, minlength=number)
    wrong = np.flatnonzero(had != has)
    if release.n_rows != len(original):
        witness = f"the release has {release.n_rows:,} rows, the original {len(original):,}"
    elif len(wrong):
        # If one combination is too rare in the release, another is too frequent.
        more = int(np.flatnonzero(has > had)[0])
        row = row_name(release.quasi, int(np.argmax(published == more)))
        witness = (
            f"row {row} occurs {int(has[more]):,} times in the release and {int(had[more]):,} times in the original"
        )
        witness += and_more(len(wrong) - 1, "combinations")
    return decided(ROWS, what, release.n_rows, witness)


def _check_values(release: Bucketized, original: Table, values: Int64) -> Check:
    what = f"every value of {release.sensitive} is in as many rows of the release as of the original"
    totals = np.zeros(len(release.values), np.int64)
    np.add.at(totals, release.bucket_values, release.bucket_counts)
    had = np.bincount(values[values >= 0], minlength=len(totals))
    wrong = np.flatnonzero(had != totals)
    witness = None
    if (values < 0).any():
        column = original.column(release.sensitive)
        lost = int(column.codes[np.argmax(values < 0)])
        witness = f"{value_name(column.values, lost)} is in the original and not in the release"
    elif len(wrong):
        at = int(wrong[0])
        witness = (
            f"{value_name(release.values, at)} is in {int(totals[at]):,} rows of the release and {int(had[at]):,} rows "
            "of the original" + and_more(len(wrong) - 1, "values")
        )
    return decided(VALUES, what, len(totals), witness)


def _check_together(release: Bucketized, published: Int64, true: Int64, values: Int64, budget: Budget) -> Check:
    what = (
        "the original has every combination of quasi-identifiers with every value as often as the groups with both "
        "allow and require (necessary: whether all rows fit at once is not decided)"
    )
    n_values = len(release.values)
    number = int(published.max()) + 1
    # The rows of one combination in one group, with each value of the group.
    pairs, size = np.unique(release.row_groups * number + published, return_counts=True)
    group, combination = pairs // number, pairs % number
    lengths = np.diff(release.bucket_offsets)[group]
    try:
        budget.spend(20.0 * float(lengths.sum()))
    except OutOfBudget:
        return not_checked(TOGETHER, what, "so many values and different rows in a group would take too much work")
    had, times = np.unique(true * n_values + values, return_counts=True)
    most, least = np.zeros(len(had), np.int64), np.zeros(len(had), np.int64)
    demanded: tuple[int, int] | None = None
    # In parts: all pairs of rows and values at once would take many times the memory of the release.
    for part in np.split(np.arange(len(pairs)), _cuts(lengths)):
        long = lengths[part]
        entry = np.repeat(release.bucket_offsets[group[part]], long) + steps(long)
        rows, count = np.repeat(size[part], long), release.bucket_counts[entry]
        forced = np.maximum(rows + count - np.repeat(release.group_sizes[group[part]], long), 0)
        keys = np.repeat(combination[part], long) * n_values + release.bucket_values[entry]
        place = np.minimum(np.searchsorted(had, keys), len(had) - 1)
        found = had[place] == keys
        np.add.at(most, place[found], np.minimum(rows, count)[found])
        np.add.at(least, place[found], forced[found])
        lost = np.flatnonzero(~found & (forced > 0))
        if demanded is None and len(lost):
            demanded = (int(keys[lost[0]]), int(forced[lost[0]]))
    wrong = np.flatnonzero((times > most) | (times < least))
    witness = None
    if len(wrong):
        at = int(wrong[0])
        allowed = f"at most {int(most[at]):,}" if times[at] > most[at] else f"at least {int(least[at]):,}"
        witness = _pair(release, published, int(had[at]), int(times[at]), allowed)
        witness += and_more(len(wrong) - 1, "combinations and values")
    elif demanded is not None:
        witness = _pair(release, published, demanded[0], 0, f"at least {demanded[1]:,}")
    return decided(TOGETHER, what, len(had), witness)


def _cuts(lengths: Int64) -> Int64:
    """Where to cut lists into parts of some million entries."""
    ends = np.cumsum(lengths)
    return np.flatnonzero(np.diff(ends // _PART)) + 1


_PART = 2**20


def _pair(release: Bucketized, published: Int64, key: int, times: int, allowed: str) -> str:
    combination, value = divmod(key, len(release.values))
    row = row_name(release.quasi, int(np.argmax(published == combination)))
    named = value_name(release.values, value)
    return f"row {row} has {named} {times:,} times in the original, and {allowed} times in the release"
