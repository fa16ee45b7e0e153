"""Checks that distinguish the two kinds of data, baskets and tables."""

from __future__ import annotations

from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError


def require_baskets(data: object) -> None:
    """Refuse anything but baskets.

    Example:
        >>> require_baskets([{"tea", "milk"}])
        Traceback (most recent call last):
        ...
        shoal.errors.InputError: the data are of type list, but this publishes baskets: read them with shoal.read
    """
    if not isinstance(data, Transactions):
        raise InputError(f"the data are {_called(data)}, but this publishes baskets: read them with shoal.read")


def require_table(data: object) -> None:
    """Refuse anything but a table."""
    if not isinstance(data, Table):
        raise InputError(f"the data are {_called(data)}, but this publishes a table: read it with shoal.read_table")


def _called(data: object) -> str:
    kinds = {Transactions: "baskets", Table: "a table"}
    return kinds.get(type(data), f"of type {type(data).__name__}")
