"""Where a published list of items comes from: from the steward, or from the data themselves.

Rows may be as noisy as they like: a list that was read off the data still tells, without any noise, that somebody holds
each of its items. C. Dwork, A. Roth, The Algorithmic Foundations of Differential Privacy, 2014: the universe of a
mechanism is fixed before it sees the data.
"""

from __future__ import annotations

from typing import Literal, cast, get_args

from shoal.errors import InputError
from shoal.quoting import shown

ItemList = Literal["given", "data"]
"""``given``: the steward gave the list, or a hierarchy that has it; ``data``: it was read off the data."""


def require_item_list(item_list: object) -> ItemList:
    """Refuse anything but one of the two."""
    if item_list not in get_args(ItemList):
        raise InputError(f"item_list is {shown(item_list)}: it must be 'given' or 'data'")
    return cast(ItemList, item_list)


def where_the_list_ends(item_list: ItemList, cover: str) -> str:
    """What is not promised of the list; ``cover`` is what covers rows and not the list, as in ``epsilon``.

    Example:
        >>> where_the_list_ends("data", "epsilon").split(":")[0]
        'the list of items was read off the data, and is published as it is'
    """
    if item_list == "data":
        return (
            "the list of items was read off the data, and is published as it is: it shows that somebody holds each of "
            f"its items, and names those that one person alone holds. {cover.capitalize()} does not cover this"
        )
    return (
        "nothing about the list of items, which is published as it is: the publisher states that it was given, and not "
        "made from these data"
    )
