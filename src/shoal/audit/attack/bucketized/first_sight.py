"""Risks that no promise covers and that the groups of a release show without any attack."""

from __future__ import annotations

from shoal.audit.attack.bucketized.background_knowledge import attack_shares
from shoal.audit.residual import Residual
from shoal.release.bucketized import Bucketized


def residuals(release: Bucketized) -> list[Residual | None]:
    """The risks of a release that an audit found to keep its promise."""
    return [attack_shares(release).residual]
