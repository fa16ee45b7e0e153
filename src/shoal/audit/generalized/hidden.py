"""Whether a generalized release shows no association above the thresholds of its promise, and none when filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.audit.budget import Budget, OutOfBudget
from shoal.audit.generalized.agreeing_groups import group_name
from shoal.audit.generalized.associations import ABSENCE, RULE, Associations, find_associations
from shoal.audit.generalized.filling import fill
from shoal.audit.generalized.shown_rows import rows_shown
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, shorten
from shoal.promises import HiddenAssociations
from shoal.quoting import called
from shoal.release.generalized import Generalized, GeneralizedColumn

NAME, FILLED = "associations", "associations after filling"


def allowance(release: Generalized) -> Budget:
    """The work that one release may cause: a fixed amount, and more for large ones."""
    return Budget(6e8 + 100.0 * release.n_rows * len(release.columns))


def check_hidden(release: Generalized, promise: HiddenAssociations, budget: Budget) -> Iterator[Check]:
    """No association in any group, as published and, if that is promised, as the filling adversary sees it."""
    shown = rows_shown(release)[0]
    bounds = f"support {promise.min_support:g}, confidence {promise.min_confidence:g}"
    plain = f"no group shows a value, a rule or a rule from absence above the thresholds ({bounds})"
    after = f"the same after each hidden cell is filled with the most frequent value below it in its group ({bounds})"
    known = [column for column in release.sensitive if column.tree.leaves[0] == 1]
    for name, what, filled in ((NAME, plain, False), (FILLED, after, True)):
        if filled and not promise.resists_filling:
            return
        if known and release.n_rows:
            named = f"{called(known[0].name)}: there is only one value, so every hidden cell has it"
            yield decided(name, what, release.n_groups, named + and_more(len(known) - 1, "columns"))
            continue
        try:
            found = find_associations(
                fill(shown) if filled else shown,
                promise.min_support,
                promise.min_confidence,
                budget,
                filled=filled,
                every=False,
            )
        except OutOfBudget:
            yield not_checked(name, what, "so many sets of values in groups would take too much work")
            continue
        witness = None
        if len(found):
            witness = describe(release, found, strongest(found)[0])
            groups = len(np.unique(found.group))
            witness += and_more(groups - 1, "groups disclose an association")
        yield decided(name, what, release.n_groups, witness)


def strongest(found: Associations) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Their places, from the highest confidence to the lowest; ties: most rows first."""
    return np.lexsort((found.group, -found.holders, -found.confidence)).astype(np.int64)


def describe(release: Generalized, found: Associations, place: int) -> str:
    """``group 3 (age 20-29): knowing work Private, an adversary infers ...``."""
    group = int(found.group[place])
    knowing, inferred = sides(release.sensitive, found, place)
    holders, applies = int(found.holders[place]), int(found.applies[place])
    return (
        f"group {group} ({group_name(release, group)}): {'knowing ' + knowing + ', ' if knowing else ''}an adversary "
        f"infers {inferred} with {holders / applies:.0%} ({holders:,} of {applies:,} rows)"
    )


def sides(columns: Sequence[GeneralizedColumn], found: Associations, place: int) -> tuple[str, str]:
    """What is known and what is inferred, in words."""

    def words(nodes: Sequence[int]) -> str:
        parts = zip(columns, nodes, strict=True)
        return " and ".join(f"{called(c.name)} {shorten(c.tree.labels[node])}" for c, node in parts if node)

    knowing = words(found.antecedent[place].tolist())
    if found.kind[place] == ABSENCE:
        knowing = f"not {knowing}" if " and " not in knowing else f"not ({knowing})"
    assert knowing or found.kind[place] != RULE
    return knowing, words(found.consequent[place].tolist())
