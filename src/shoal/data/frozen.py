"""Immutable data: read-only arrays, and frozen dataclasses with read-only arrays."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt


def freeze(instance: Any) -> None:
    """Replace every array field of a frozen dataclass by a read-only view; the caller's array stays unchanged."""
    for field in fields(instance):
        value = getattr(instance, field.name)
        if isinstance(value, np.ndarray):
            object.__setattr__(instance, field.name, frozen(value))


def frozen(array: Any) -> npt.NDArray[Any]:
    """A read-only view of an array."""
    view: npt.NDArray[Any] = array.view()
    view.flags.writeable = False
    return view
