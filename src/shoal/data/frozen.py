"""Frozen dataclasses whose arrays are frozen too."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


def freeze(instance: Any) -> None:
    """Replace every array field of a frozen dataclass by a read-only view; the caller's own array stays as it was."""
    for field in fields(instance):
        value = getattr(instance, field.name)
        if isinstance(value, np.ndarray):
            view = value.view()
            view.flags.writeable = False
            object.__setattr__(instance, field.name, view)
