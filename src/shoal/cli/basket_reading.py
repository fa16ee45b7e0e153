"""The options that say how to read baskets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.cli import options

if TYPE_CHECKING:
    from shoal.data.transactions import Transactions


@dataclass(frozen=True)
class Reading:
    """How to read baskets."""

    format: options.FormatOption = options.Format.auto
    separator: options.SeparatorOption = None
    long: options.LongOption = None
    column: options.ColumnOption = None

    def baskets(self, file: str) -> Transactions:
        """Read a file this way."""
        return options.read_baskets(file, self.format, self.separator, self.long, self.column)
