"""Matching l-diversity: at least l values remain possible for every row, even to someone who knows the negative rules.

T. Li, N. Li: Injector, 2008, definition 1. The rules are part of the promise but not always of the release. They are
given by the caller, disclosed by the release, or counted again in the original; without any of these the condition is
left out, and the verdict says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from shoal.audit.bucketized.exclusions import Exclusions, exclude, first_uncovered, require_about
from shoal.audit.bucketized.groups import SKIPPED
from shoal.audit.bucketized.negative_rules import count_rules
from shoal.audit.bucketized.valid_values import ValidValues, find_valid
from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.not_tried import LeftOut
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, row_name, value_name, value_names
from shoal.data.background import Background
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.promises import MatchingDiversity
from shoal.quoting import named
from shoal.release.bucketized import Bucketized

NAME = "valid values"
COVERED = "rules of the original"


def allowance(release: Bucketized) -> Budget:
    """The work that one release may cause: a fixed amount, and more for large ones."""
    return Budget(4e8 + 2_000.0 * (release.n_rows + len(release.bucket_values)))


def rules_of_original(
    release: Bucketized, original: Table, hierarchies: Mapping[str, Hierarchy]
) -> Background | LeftOut:
    """The rules that the promise names, counted in the original; or which hierarchies are missing for that."""
    promise = release.promise
    assert isinstance(promise, MatchingDiversity)
    if promise.min_expectation is None:
        return LeftOut(
            NAME, "the publisher gave the rules that the promise names, and did not count them: --rules FILE"
        )
    missing = [name for name in promise.generalized if name not in hierarchies]
    if missing:
        options = " ".join(f"--hierarchy {name}=FILE" for name in missing)
        return LeftOut(NAME, f"its rules name nodes of hierarchies that were not given ({options})")
    strange = sorted(set(hierarchies) - set(promise.generalized))
    if strange:
        raise InputError(
            f"the rules of this release do not name nodes of a hierarchy of {named(strange[0])}: leave that hierarchy "
            "out"
        )
    return count_rules(
        original,
        release.quasi.names,
        release.sensitive,
        min_expectation=promise.min_expectation,
        min_confidence=promise.min_confidence,
        max_attributes=promise.max_attributes,
        hierarchies=hierarchies,
        membership=promise.membership,
        crisp=promise.crisp,
    )


def check_matching(
    release: Bucketized, background: Background | None, original: Table | None, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[Check | LeftOut]:
    """Check the promise with the available rules, and whether the given rules are all of them."""
    counted = None if original is None else rules_of_original(release, original, hierarchies)
    whose = "that were given"
    if background is not None:
        require_about(background, release.quasi, release.sensitive)
    elif release.discloses_background and release.background is not None:
        background, whose = release.background, "that the release discloses"
        try:
            require_about(background, release.quasi, release.sensitive)
        except InputError as error:
            yield decided(NAME, _promised(release, len(background), whose), 0, str(error))
            return
    elif isinstance(counted, Background):
        background, whose = counted, "counted in the original"
    if background is None:
        yield (
            counted
            if isinstance(counted, LeftOut)
            else LeftOut(
                NAME,
                "the promise names rules that the release does not disclose: give them (--rules FILE), or the data "
                "that they are counted in (--original FILE)",
            )
        )
        return
    promise = release.promise
    counts = isinstance(promise, MatchingDiversity) and promise.min_expectation is not None
    budget = allowance(release)
    what = _promised(release, len(background), whose)
    try:
        exclusions = exclude(background, release.quasi, release.values, budget)
        yield _check_valid(release, find_valid(release, exclusions, budget), what)
        if isinstance(counted, Background) and background is not counted:
            yield _check_covered(release, exclusions, counted, len(background))
    except OutOfBudget:
        yield not_checked(NAME, what, "so many rules, kinds of rows and values would take too much work")
    if counts and isinstance(counted, LeftOut):
        yield LeftOut(COVERED, counted.why)
    elif counts and counted is None and background is release.background:
        yield LeftOut(
            COVERED,
            f"only the original shows whether the {_rules(len(background))} disclosed are all those of the data "
            "(--original FILE)",
        )


def _check_valid(release: Bucketized, valid: ValidValues, what: str) -> Check:
    few = np.flatnonzero(valid.number < min(release.promise.l, len(release.values) + 1))
    witness = None
    if len(few):
        kind = int(few[0])
        group = int(valid.kinds.group[kind])
        rows = int(valid.kinds.size[few].sum())
        row = f"row {row_name(release.quasi, int(valid.kinds.first_row[kind]))}"
        if group in valid.unassignable:
            witness = f"group {group}: the rules leave no assignment of its values to its rows (the first is {row})"
        else:
            entries = valid.entries(release, kind)
            named = value_names(release.values, release.bucket_values[entries].tolist())
            number = len(entries)
            values = "1 valid value" if number == 1 else f"{number:,} valid values"
            witness = f"group {group}, {row}: has {values}: {named}"
        witness += and_more(rows - 1, "rows")
    return decided(NAME, what, release.n_rows, witness)


def _check_covered(release: Bucketized, exclusions: Exclusions, counted: Background, given: int) -> Check:
    what = (
        f"the {_rules(given)} exclude every value for every row that the {_rules(len(counted))} counted in the "
        "original exclude"
    )
    try:
        own = exclude(counted, release.quasi, release.values, allowance(release))
    except OutOfBudget:
        return not_checked(COVERED, what, "so many rules and kinds of rows would take too much work")
    lost = first_uncovered(exclusions, own, len(release.values))
    witness = None
    if lost is not None:
        row, value = lost
        witness = (
            f"the rules of the original exclude {value_name(release.values, value)} for row "
            f"{row_name(release.quasi, row)}, and the given ones do not"
        )
    return decided(COVERED, what, release.n_rows, witness)


def _promised(release: Bucketized, rules: int, whose: str) -> str:
    return (
        f"every row has at least {release.promise.l:,} values of {release.sensitive} in some assignment of its group's "
        f"values to its group's rows that satisfies the {_rules(rules)} {whose}"
    )


def _rules(count: int) -> str:
    return f"{count:,} rule{'' if count == 1 else 's'}"


def skipped() -> Check:
    """The check for a release without the required structure."""
    return not_checked(NAME, SKIPPED, "the groups or columns of the release are wrong")
