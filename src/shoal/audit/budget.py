"""A limit on the cost of a search, so that no release, however it was made, keeps an auditor busy for ever."""

from __future__ import annotations

from dataclasses import dataclass


class OutOfBudget(Exception):  # noqa: N818  (a signal between two files, not an error)
    """The search would take more work than its budget."""


@dataclass
class Budget:
    """How many cells may still be touched."""

    left: float

    def spend(self, cells: float) -> None:
        """Pay before working."""
        self.left -= cells
        if self.left < 0:
            raise OutOfBudget
