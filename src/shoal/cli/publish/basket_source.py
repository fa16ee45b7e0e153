"""Baskets to publish and, if it is published with them, the list of their items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options
from shoal.cli.terminal import note, warn
from shoal.errors import InputError
from shoal.limits import require_whole
from shoal.plural import counted

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions

ItemsOption = Annotated[
    Path | None,
    typer.Option(
        "--items",
        metavar="FILE",
        help="A file with one item per line: the published list of items, known from elsewhere. Default: the items of "
        "the data.",
    ),
]


@dataclass(frozen=True)
class BasketSource:
    """Where baskets are, and how to read them."""

    file: options.Baskets
    format: options.FormatOption = options.Format.auto
    separator: options.SeparatorOption = None
    long: options.LongOption = None
    column: options.ColumnOption = None

    def read(self) -> Transactions:
        """Read the baskets, and report what was left out."""
        data = options.read_baskets(self.file, self.format, self.separator, self.long, self.column, publishing=True)
        options.say_what_was_read(data)
        return data


@dataclass(frozen=True)
class ListedBaskets(BasketSource):
    """Baskets that are published with a list of all items, with warnings about that list."""

    listed: bool = False
    """Whether the list of items comes from elsewhere."""
    private: bool = False
    """Whether differential privacy is promised, which assumes that the list of items is public."""
    max_basket: int | None = None
    """The number of items to which records are cut, if they are."""
    lists: str = "--items FILE gives"
    """The options that give a list from elsewhere."""

    def __post_init__(self) -> None:
        if self.max_basket is not None:  # fail early, before a large file is read
            require_whole("max_basket", self.max_basket, least=1)

    def read(self) -> Transactions:
        """Read the baskets, report what was left out, and warn of risks."""
        data = super().read()
        if self.max_basket:
            lengths = data.lengths
            longer = lengths > self.max_basket
            if longer.any():
                cut = int((lengths[longer] - self.max_basket).sum())
                note(
                    f"note: {counted(int(longer.sum()), 'record')} longer than {self.max_basket:,} items are cut, by "
                    f"{counted(cut, 'item')} in all (only you see this number: the release does not show it)"
                )
        if self.private and not self.listed:
            warn(
                "warning: the list of items comes from the data. It shows that each of its items is in some record, "
                f"and epsilon does not cover that; the promise says so. {self.lists} a list known from elsewhere"
            )
        once = int((data.supports == 1).sum())
        if once and not self.listed:
            warn(
                f"warning: {once:,} {'item occurs' if once == 1 else 'items occur'} in one record only. The list of "
                "items is published, and the name of such an item alone may identify a person. --items FILE publishes "
                "a list that is known from elsewhere."
            )
        return data


def names_of(items: Path | None) -> list[str] | None:
    """The items of a list, if one is given."""
    if items is None:
        return None
    names = [line for _, line in options.lines_of(items, "--items", "one item")]
    if not names:
        raise InputError(f"{items} contains no items: put one on each line (--items)")
    return names
