"""The adversary: what it knows, how many people it looks for, and what the auditor needs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from shoal.audit.not_tried import NotAtHand

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Adversary:
    """What an adversary knows and tries; None: the default of the attack.

    The shape's entry in SHAPES says which of these apply.
    """

    knows: int | None = None
    """How many items of a person the adversary knows."""
    victims: int | None = None
    """How many people are looked for."""
    struck: float | None = None
    """The share of people whose whole records the adversary knows."""
    min_expectation: float | None = None
    """Negative rules are counted from this expectation on."""
    min_confidence: float | None = None
    """Negative rules are counted from this confidence on."""
    max_attributes: int | None = None
    """The largest number of columns in a negative rule."""
    fill: bool = False
    """Whether hidden cells are guessed."""

    @property
    def given(self) -> frozenset[str]:
        """The names of the settings that were given."""
        return frozenset(field.name for field in fields(self) if getattr(self, field.name) is not field.default)


ANYBODY = Adversary()
"""Who knows and tries what each attack has by default."""
VICTIMS = 1_000
"""The default number of people to look for."""
STRUCK = 0.01
"""The default share of people whose whole records are known."""


@dataclass(frozen=True)
class Means:
    """What attacks need and an auditor does not have; the caller provides it."""

    generator: Callable[[int | None], np.random.Generator]
    """Makes a source of chance from a seed."""
    publish_again: Callable[..., Any] | NotAtHand
    """Publishes data again in the way of a release; or the reason why that is not possible here."""
