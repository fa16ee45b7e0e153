"""From a release in memory to a published folder, and from such a folder to a verdict or an attack."""

from __future__ import annotations

from shoal.pipeline.attacking import attack, attack_with
from shoal.pipeline.leftovers import left_beside
from shoal.pipeline.verifying import verify, verify_with
from shoal.pipeline.writing import require_free, write

__all__ = ["attack", "attack_with", "left_beside", "require_free", "verify", "verify_with", "write"]
