"""Warnings about what killed runs left next to a release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.cli.terminal import warn

if TYPE_CHECKING:
    from shoal.pipeline.leftovers import Leftover


def warn_of_leftovers(release: str | Path, known: Sequence[Leftover] = ()) -> list[Leftover]:
    """Warn of each leftover that is not in ``known``, with the command that deletes it; returns them."""
    from shoal.pipeline.leftovers import left_beside

    found = [left for left in left_beside(release) if left not in known]
    for left in found:
        warn(f"warning: {left}")
    return found


def leftovers_as_dict(found: Sequence[Leftover]) -> dict[str, object]:
    """The same for JSON; empty if there are none."""
    return {"left_beside": [left.as_dict() for left in found]} if found else {}
