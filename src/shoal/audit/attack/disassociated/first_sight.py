"""Risks that no promise covers and that the chunks of a release show without any attack."""

from __future__ import annotations

from shoal.audit.attack.disassociated import cover
from shoal.audit.attack.disassociated.people.leaves_of_items import TooManyPlaces
from shoal.audit.disassociated.implied_items import TooWide
from shoal.audit.residual import Residual
from shoal.release.disassociated import Disassociated


def residuals(release: Disassociated) -> list[Residual | None]:
    """The risks of a release that an audit found to keep its promise."""
    try:
        return [*cover.residuals(release, cover.certain_links(release))]
    except (TooManyPlaces, TooWide):
        return []
