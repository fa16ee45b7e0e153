"""Risks that no promise covers and that the rows of a generalized release show without any attack."""

from __future__ import annotations

from shoal.audit.attack.generalized.like_groups import like_groups
from shoal.audit.attack.generalized.own_values import attack_own_values
from shoal.audit.residual import Residual
from shoal.release.generalized import Generalized


def residuals(release: Generalized) -> list[Residual | None]:
    """The risks of a release that an audit found to keep its promise."""
    found = [finding.residual for finding in attack_own_values(release)]
    return [*found, like_groups(release)]
