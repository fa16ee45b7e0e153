"""Where a published list of items comes from: from the publisher, or from the data.

However noisy the rows are, a list that was read from the data shows, without any noise, that someone holds each of its
items. C. Dwork, A. Roth, The Algorithmic Foundations of Differential Privacy, 2014: the universe of a mechanism is
fixed before it sees the data.
"""

from __future__ import annotations

from typing import Literal, cast, get_args

from shoal.errors import InputError
from shoal.quoting import shown

ItemList = Literal["given", "data"]
"""``given``: the publisher gave the list, or a hierarchy that has it; ``data``: it was read from the data."""


def require_item_list(item_list: object) -> ItemList:
    """Refuse anything but one of the two."""
    if item_list not in get_args(ItemList):
        raise InputError(f"item_list is {shown(item_list)}: it must be 'given' or 'data'")
    return cast(ItemList, item_list)


def where_the_list_ends(item_list: ItemList, cover: str) -> str:
    """What is not promised about the list; ``cover`` is what protects the rows and not the list, such as ``epsilon``.

    Example:
        >>> where_the_list_ends("data", "epsilon").split(":")[0]
        'the list of items was read from the data, and is published unchanged'
    """
    if item_list == "data":
        return (
            "the list of items was read from the data, and is published unchanged: it shows that someone holds each of "
            f"its items, even if only one person does. {cover.capitalize()} does not cover this"
        )
    return (
        "nothing about the list of items, which is published unchanged: the publisher states that it was given, and "
        "not made from these data"
    )
