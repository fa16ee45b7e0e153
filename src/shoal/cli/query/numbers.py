"""The numbers of an answer, as ``--json`` prints them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.analyse.answers import Support


def numbers(one: Support) -> dict[str, float | None]:
    """Bounds, mean and deviation, with None for what is not known: JSON has no nan. The model is said once for all."""
    means = {"expected": one.expected, "deviation": one.deviation}
    known = {name: None if math.isnan(value) else value for name, value in means.items()}
    return {"least": one.least, "most": one.most, **known}
