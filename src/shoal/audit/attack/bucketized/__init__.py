"""All attacks on a bucketized release that the evidence allows, and their findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from shoal.audit.attack.adversary import Adversary, Means
from shoal.audit.attack.bucketized.background_knowledge import NAME, attack_background, attack_shares
from shoal.audit.attack.bucketized.definetti import attack_definetti
from shoal.audit.attack.bucketized.second_release import attack_together
from shoal.audit.attack.finding import Attacks, Finding, LeftOut
from shoal.audit.attack.several_releases import NAME as TOGETHER
from shoal.audit.attack.several_releases import NONE_GIVEN, other_name
from shoal.audit.bucketized import groups, require_columns
from shoal.audit.bucketized.exclusions import require_about
from shoal.audit.bucketized.matching import rules_of_original
from shoal.audit.bucketized.negative_rules import count_rules
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.promises import MatchingDiversity
from shoal.release.bucketized import Bucketized
from shoal.release.evidence import Evidence
from shoal.run import DEFAULT_RUN, Run

MIN_EXPECTATION = 0.9
"""The defaults of Li and Li (section VI)."""


def play(
    release: Bucketized, evidence: Evidence, adversary: Adversary, means: Means, run: Run = DEFAULT_RUN
) -> Attacks:
    """Every attack that the evidence allows."""
    del means  # nothing is drawn
    return attack(
        release,
        background=evidence.rules,
        original=evidence.table,
        others=cast("tuple[Bucketized, ...]", evidence.others),
        hierarchies=evidence.hierarchies,
        min_expectation=adversary.min_expectation,
        min_confidence=adversary.min_confidence,
        max_attributes=adversary.max_attributes,
        run=run,
    )


def attack(
    release: Bucketized,
    *,
    background: Background | None = None,
    original: Table | None = None,
    others: Sequence[Bucketized] = (),
    hierarchies: Mapping[str, Hierarchy] | None = None,
    min_expectation: float | None = None,
    min_confidence: float | None = None,
    max_attributes: int | None = None,
    run: Run = DEFAULT_RUN,
) -> Attacks:
    """Try every attack that the given evidence allows.

    Args:
        release: The release, as read from its folder.
        background: The negative rules that the adversary knows. By default, rules counted in the original with the
            numbers below, or those that the release discloses, or those of its promise counted in the original.
        original: The table it was made from.
        others: Other releases of the same people.
        hierarchies: Trees whose nodes rules may name, by column.
        min_expectation: Count rules from this expectation on, whatever the release promises; by default .9.
        min_confidence: Count rules from this confidence on; by default 1.
        max_attributes: Count rules of up to so many columns; by default 1.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        One finding for each attack that was tried, and the attacks left out with the reason.

    Raises:
        InputError: A number is out of range, rules or original do not match the columns of the release, a release does
            not have the structure of a bucketization, or other releases are of another table.

    Reference:
        Li, Li 2008, sections II and VI.A; Kifer, SIGMOD 2009.
    """
    for at, one in enumerate((release, *others)):
        wrong = [check for check in groups.check_structure(one) if not check.holds and check.name != "order"]
        if wrong:
            named = other_name(at, len(others) + 1) if at else "the release"
            raise InputError(f"{named} does not have the structure of groups of rows and values: {wrong[0].witness}")
    options = {
        "min_expectation": min_expectation,
        "min_confidence": min_confidence,
        "max_attributes": max_attributes,
    }
    chosen = {name: value for name, value in options.items() if value is not None}
    if original is not None:
        require_columns(release, original)
    elif chosen or hierarchies:
        raise InputError(
            f"{', '.join(chosen) or 'hierarchies'}: rules are counted in the original: give the original, too"
        )
    if background is not None:
        if chosen or hierarchies:
            raise InputError("rules were given, and also how to count them: give only one of the two")
        require_about(background, release.quasi, release.sensitive)
    plan = _Plan(release, background, original, tuple(others), hierarchies or {}, chosen, run)
    return Attacks.of(plan.outcomes())


@dataclass(frozen=True, eq=False)
class _Plan:
    """The evidence for the attacks."""

    release: Bucketized
    background: Background | None
    original: Table | None
    others: tuple[Bucketized, ...]
    hierarchies: Mapping[str, Hierarchy]
    chosen: Mapping[str, float]
    run: Run

    def outcomes(self) -> Iterator[Finding | LeftOut]:
        """Each attack in turn."""
        yield attack_shares(self.release)
        self.run.report(NAME, 0, 1)
        known = self._rules()
        yield known if isinstance(known, LeftOut) else attack_background(self.release, *known[:2], promised=known[2])
        self.run.report(NAME, 1, 1)
        yield attack_definetti(self.release, self.original, run=self.run.as_stage("deFinetti"))
        if self.others:
            yield attack_together((self.release, *self.others), self.original, self.run.as_stage(TOGETHER))
        else:
            yield NONE_GIVEN

    def _rules(self) -> tuple[Background, str, bool] | LeftOut:
        """The known rules, where they come from, and whether the promise covers them."""
        release, matched = self.release, isinstance(self.release.promise, MatchingDiversity)
        if self.background is not None:
            return self.background, "that were given", matched
        if self.original is not None and (self.chosen or not matched):
            settings: dict[str, Any] = {"min_expectation": MIN_EXPECTATION, **self.chosen}
            counted = count_rules(
                self.original,
                release.quasi.names,
                release.sensitive,
                hierarchies=self.hierarchies,
                **settings,
            )
            return counted, f"of the original (expectation at least {settings['min_expectation']:g})", False
        if release.discloses_background and release.background is not None:
            require_about(release.background, release.quasi, release.sensitive)
            return release.background, "that the release discloses", matched
        if self.original is not None:
            found = rules_of_original(release, self.original, self.hierarchies)
            return LeftOut(NAME, found.why) if isinstance(found, LeftOut) else (found, "of the original", True)
        return LeftOut(NAME, "it needs rules (--rules FILE), or the data to count them in (--original FILE)")
