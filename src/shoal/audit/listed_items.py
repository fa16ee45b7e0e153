"""Check the published list of items against the original: it has all items and, if taken from the data, no others."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, shorten
from shoal.data.transactions import Transactions

NAME = "items of the original"


def check_list(listed: pa.Array, item_list: str, original: Transactions, where: str) -> Check:
    """Whether a list of items matches the original.

    Args:
        listed: the items of the release.
        item_list: the source of the list according to the promise.
        original: the data.
        where: what has the items: the list of items, or the hierarchy.
    """
    listed, names = listed.cast(pa.string()), original.vocabulary.cast(pa.string())
    missing = names.filter(pc.invert(pc.is_in(names, listed)))
    witness = None
    if len(missing):
        witness = f"{shorten(missing[0].as_py())} is not in it" + and_more(len(missing) - 1, "items")
    if item_list != "data":
        return decided(NAME, f"{where} has every item of the original", len(listed), witness)
    nobodys = listed.filter(pc.invert(pc.is_in(listed, names)))
    if witness is None and len(nobodys):
        first = shorten(nobodys[0].as_py())
        witness = f"{first} is in it, and in no record" + and_more(len(nobodys) - 1, "items")
    what = f"{where} has every item of the original and no other: the promise says that it was taken from the data"
    return decided(NAME, what, len(listed), witness)
