"""From a release in memory to a published folder, and from such a folder to a verdict or an attack."""

from __future__ import annotations

from shoal.pipeline.attacking import attack
from shoal.pipeline.leftovers import left_beside
from shoal.pipeline.verifying import verify
from shoal.pipeline.writing import require_free, write

__all__ = ["attack", "left_beside", "require_free", "verify", "write"]
