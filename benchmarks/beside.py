"""What may lie beside the project: real data, the generator of baskets and the C++. Nothing else looks there."""

from __future__ import annotations

import os
from pathlib import Path

_SHARED = Path(__file__).resolve().parents[2] / "shared"

DATA = Path(os.environ.get("SHOAL_DATA") or _SHARED / "data")
BENCH = Path(os.environ.get("SHOAL_BENCH") or _SHARED / "bench")
