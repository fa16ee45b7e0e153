"""When a release is worth nothing although it keeps its promise, by the words of the manual. Standard library only.

Total loss: nothing that is published tells one record from another, although not everything is published as it was.
Empty promise: more than half of the rows show a sensitive value that no other row shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any


def everything_in_term_chunks(chunks: Iterable[Sequence[Any]]) -> bool:
    """``chunks``: the subrecords of each record and shared chunk."""
    return not any(len(subrecords) for subrecords in chunks)


def nothing_tells_rows_apart(rows: Sequence[Sequence[Any]], exact: Sequence[Collection[Any]]) -> bool:
    """Whether any two rows are the same, and they hold something that is no value of the original.

    ``exact``: the values of the original, column by column.
    """
    alike = all(one == other for one in rows for other in rows)
    changed = any(cell not in values for row in rows for cell, values in zip(row, exact, strict=True))
    return alike and (changed or not rows)


def nothing_tells_baskets_apart(rows: Sequence[Collection[Any]], items: Collection[Any]) -> bool:
    """The same of baskets, whose rows are sets."""
    alike = all(set(one) == set(other) for one in rows for other in rows)
    return alike and any(item not in items for row in rows for item in row)


def nothing_published(rows: Iterable[Collection[Any]]) -> bool:
    return not any(len(row) for row in rows)


def mostly_own_values(shown: Sequence[Any], exact: Collection[Any]) -> bool:
    """Of all rows, more than half show an exact value that no other row shows."""
    alone = [value for value in shown if value in exact and sum(other == value for other in shown) == 1]
    return len(alone) > len(shown) - len(alone)
