"""Who attacks: what the adversary knows, how many people are looked for, and what the auditor is handed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from shoal.audit.not_tried import NotAtHand

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Adversary:
    """What an adversary knows and tries; None: as the attack has it by default.

    What applies to a shape of release, its entry in SHAPES says.
    """

    knows: int | None = None
    """How many items of a person the adversary knows."""
    victims: int | None = None
    """How many people are looked for."""
    struck: float | None = None
    """The share of people whose whole records the adversary knows."""
    seed: int | None = None
    """Draws the same people, flips and fake transactions again."""
    min_expectation: float | None = None
    """The expectation from which on negative rules are counted."""
    min_confidence: float | None = None
    """The confidence from which on negative rules are counted."""
    max_attributes: int | None = None
    """How many columns negative rules may speak of."""
    fill: bool = False
    """Whether hidden cells are guessed."""

    @property
    def given(self) -> frozenset[str]:
        """The names of what was chosen."""
        return frozenset(field.name for field in fields(self) if getattr(self, field.name) is not field.default)


VICTIMS = 1_000
"""How many people are looked for where nobody says it."""
STRUCK = 0.01
"""The share of people whose records are known where nobody says it."""


@dataclass(frozen=True)
class Means:
    """What attacks need and an auditor does not have, handed in by whoever calls."""

    generator: Callable[[int | None], np.random.Generator]
    """Makes a source of chance from a seed."""
    publish_again: Callable[..., Any] | NotAtHand
    """Publishes data again as a release says; or why that cannot be done here."""
