"""What a search may cost, so that no release, however made, keeps an auditor busy for ever."""

from __future__ import annotations

from dataclasses import dataclass


class OutOfBudget(Exception):  # noqa: N818  (a signal between two files, not an error of anybody's)
    """The search would take more work than it was given."""


@dataclass
class Budget:
    """How many cells may still be touched."""

    left: float

    def spend(self, cells: float) -> None:
        """Pay before working."""
        self.left -= cells
        if self.left < 0:
            raise OutOfBudget
