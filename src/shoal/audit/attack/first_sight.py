"""Risks that no promise covers and that the files of a release show by themselves, at the cost of one look at them."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.attack.finding import Finding, LeftOut
from shoal.audit.residual import Residual, by_severity
from shoal.release import Release
from shoal.release.bucketized import Bucketized
from shoal.release.disassociated import Disassociated
from shoal.release.generalized import Generalized


def at_first_sight(release: Release) -> tuple[Residual, ...]:
    """The risks of a release that an audit found to keep its promise, the largest first.

    Of other shapes nothing is known without drawing people or counting associations: ``shoal attack`` does.
    """
    found = [one.residual for one in _findings(release) if isinstance(one, Finding)]
    if isinstance(release, Generalized):
        from shoal.audit.attack.generalized.like_groups import like_groups

        found.append(like_groups(release))
    return by_severity(found)


def _findings(release: Release) -> Iterator[Finding | LeftOut]:
    if isinstance(release, Disassociated):
        from shoal.audit.attack.disassociated.cover import attack_cover
        from shoal.audit.attack.disassociated.places import TooManyPlaces
        from shoal.audit.disassociated.implied_items import TooWide

        try:
            yield from attack_cover(release)
        except (TooManyPlaces, TooWide):
            return
    elif isinstance(release, Bucketized):
        from shoal.audit.attack.bucketized.background_knowledge import attack_shares

        yield attack_shares(release)
    elif isinstance(release, Generalized):
        from shoal.audit.attack.generalized.own_values import attack_own_values

        yield from attack_own_values(release)
