"""Hierarchies of items: join neighbours in their order, or items of similar frequency.

The first uses only names, and says nothing about who has which items: a method that assumes a public hierarchy may use
it. The second reveals which items are frequent.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from shoal.data.hierarchy import ROOT, Hierarchy
from shoal.data.transactions import Transactions, vocabulary_order
from shoal.errors import InputError
from shoal.limits import require_whole

FANOUT = 10
"""The default number of neighbours that are joined."""


def neighbours(items: Iterable[str], *, fanout: int = FANOUT, name: str = "items") -> Hierarchy:
    """Join neighbours in the order of the items, ``fanout`` at a time, level by level, up to one root.

    Args:
        items: the items; sorted as numbers if all are whole numbers, otherwise as text.
        fanout: how many are joined from level to level; the last group of a level may have fewer.
        name: the name of the hierarchy in messages.

    Returns:
        The tree; a group is named after its first and its last item.

    Raises:
        InputError: there are no items, or the fanout is below 2.

    Example:
        >>> for row in neighbours(["5", "7", "10", "11", "12"], fanout=2).rows():
        ...     print(" > ".join(row))
        5 > 5 .. 7 > 5 .. 11 > *
        7 > 5 .. 7 > 5 .. 11 > *
        10 > 10 .. 11 > 5 .. 11 > *
        11 > 10 .. 11 > 5 .. 11 > *
        12 > 12 > 12 > *
    """
    require_whole("fanout", fanout, least=2)
    found = pa.array(list(dict.fromkeys(items)), pa.string())
    if not len(found):
        raise InputError("there are no items to make a hierarchy of")
    leaves = found.take(pa.array(vocabulary_order(found))).to_pylist()
    taken = {*leaves, ROOT}
    levels: list[list[str]] = []
    width = fanout
    while width < len(leaves):
        level: list[str] = []
        for first in range(0, len(leaves), width):
            group = leaves[first : first + width]
            label = group[0] if len(group) == 1 else f"{group[0]} .. {group[-1]}"
            while len(group) > 1 and label in taken:  # an item has that name
                label += " (group)"
            level += [label] * len(group)
        taken |= set(level) - set(leaves)
        levels.append(level)
        width *= fanout
    root = ROOT
    while root in leaves:
        root += ROOT
    return Hierarchy.from_rows(zip(leaves, *levels, [root] * len(leaves), strict=True), name=name)


def by_support(data: Transactions, *, fanout: int = FANOUT) -> Hierarchy:
    """Join items of neighbouring frequency, most frequent first, so that groups occur about equally often.

    Rare items, which must be generalized in any case, are joined early with other rare items. The tree reveals which
    items are frequent: it is made from the data, and must not be used where the hierarchy is assumed to be public.

    Args:
        data: the records.
        fanout: how many groups are joined from level to level, on average.

    Raises:
        InputError: there are no records, or the fanout is below 2.

    Example:
        >>> baskets = Transactions.from_records([["a"], ["a", "b"], ["a", "c"], ["a", "d"]])
        >>> for row in by_support(baskets, fanout=2).rows():
        ...     print(" > ".join(row))
        a > a > *
        b > {b, c, d} > *
        c > {b, c, d} > *
        d > {b, c, d} > *
    """
    from shoal.data.hierarchy_builders import by_frequency
    from shoal.data.table import Table

    if not len(data):
        raise InputError("there are no items to make a hierarchy of")
    words = pa.DictionaryArray.from_arrays(pa.array(data.items), data.vocabulary)
    return by_frequency(Table.from_arrow(pa.table({"items": words})).column("items"), fanout=fanout)
