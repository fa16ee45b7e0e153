"""Possible originals of a release, drawn at random, and what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Originals:
    """How originals of a release are drawn, and what is said of them."""

    draw: Callable[..., Iterator[Any]]
    """``draw(n, run=)``: baskets, or tables."""
    counts: dict[str, Any]
    """How large each is, and by which model it is drawn."""
    size: str
    """How large each is, in words."""
    meaning: str
    """What each has in common with the original, and what not."""
    are_drawn: bool = True
    """Whether chance plays a part: else there is one only."""
