"""The attack on the promise itself, over all possible originals of the release: the decisions, as findings."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.audit.attack.disassociated.possible_originals.decide import Decided, Way
from shoal.audit.attack.finding import Finding, Row, Value
from shoal.audit.wording import and_more
from shoal.errors import InternalError
from shoal.promises import KmPromise


def report_promise(decided: Decided, promise: KmPromise) -> Finding:
    """Whether every set of up to ``decided.most_known`` items that a record may hold may be in k records at once.

    Up to m known items that is the promise; beyond m it is reported and breaks nothing.
    """
    if decided.unsafe:
        raise InternalError(f"a bound was above the exact answer for {decided.unsafe:,} trees")
    known, promised = decided.most_known, decided.most_known <= promise.m
    sets = f"set of up to {known} items"
    if decided.impossible:
        sentence = f"{decided.impossible:,} root clusters have no possible original at all: no data give this release"
    elif decided.violations:
        sentence = (
            f"A record may hold some {sets}, but every possible original has fewer than k = {decided.k} records with "
            f"it: {decided.violations[0]}{and_more(len(decided.violations) - 1, 'root clusters have such a set')}"
        )
    elif decided.trees[Way.UNDECIDED]:
        sentence = (
            f"No {sets} was found that leaves fewer than k = {decided.k} candidates; for "
            f"{decided.trees[Way.UNDECIDED]:,} root clusters it is undecided whether there is one"
        )
    else:
        sentence = (
            f"For every {sets} that a record may hold, some possible original has k = {decided.k} records with it"
        )
    if not promised:
        sentence += f". The promise does not cover more than m = {promise.m} known items"
    numbers: dict[str, Value | Sequence[Row]] = {
        "known_items": known,
        "covered_by_the_promise": promised,
        "root_clusters_with_too_few_candidates": len(decided.violations),
        "root_clusters_without_possible_original": decided.impossible,
        "bounds_compared_with_the_exact_answer": decided.compared,
        "bounds_above_it": decided.unsafe,
        "decided": [
            {
                "way": way.value,
                "root_clusters": decided.trees[way],
                "clusters": decided.leaves[way],
                "clusters_share": decided.share(way),
            }
            for way in Way
        ],
    }
    broken = bool(decided.impossible or (promised and decided.violations))
    name = "possible originals" if promised else "possible originals beyond the promise"
    return Finding(name, sentence + ".", numbers, broken)
