"""The subrecords of a release as bags, and the domains of its chunks, read once for the audit and all attacks."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from shoal.audit.disassociated import subrecords
from shoal.audit.disassociated.domains import Domains, number_items
from shoal.audit.disassociated.subrecords import Bags, Order
from shoal.release.disassociated import Disassociated


class Numbered(NamedTuple):
    """The content of a release, sorted and numbered."""

    order: Order
    bags: Bags
    domains: Domains


_known: WeakKeyDictionary[Disassociated, Numbered] = WeakKeyDictionary()


def numbered(release: Disassociated) -> Numbered:
    """Number the items of a release, or return the earlier result: releases do not change."""
    found = _known.get(release)
    if found is None:
        order, bags = subrecords.read(release)
        found = Numbered(order, bags, number_items(bags, release.n_chunks, len(release.vocabulary)))
        _known[release] = found
    return found
