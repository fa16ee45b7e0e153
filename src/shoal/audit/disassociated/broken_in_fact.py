"""Whether a promise that could not be shown is in fact broken: decided over possible originals, where that is feasible.

Terrovitis et al., VLDB 2012, section 5. Lemma 2, Property 1, room for shared chunks, k records in every cluster and
k^m-anonymous chunks are sufficient for Guarantee 1, and not all of them are necessary: a release that fails one of them
may still keep its promise, because fewer records are enough or because other clusters compensate. A release that cannot
show its promise is not accepted; but its reader should know whether anyone is at risk. Small clusters are enumerated,
and bounds tried on the others (`attack.disassociated.decide`), with little work: the rest is called undecided. The
release does not show which sets the records of the original hold: the promise is called broken if a set that may be in
one of them is in too few records of every possible original.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.audit.disassociated.km import Limits
from shoal.audit.verdict import InFact, Verdict
from shoal.audit.wording import and_more, records
from shoal.errors import InputError
from shoal.promises import SuppressedKm
from shoal.quoting import bare
from shoal.release.disassociated import Disassociated

ENOUGH = frozenset(
    {
        "cluster size",
        "record chunks",
        "Lemma 2",
        "shared chunks",
        "shared chunks over T^r",
        "room beside restricted subrecords",
    }
)
"""Checks of conditions that are sufficient for Guarantee 1, but not necessary."""
PROMISED_OF_CHUNKS = frozenset({"record chunks", "shared chunks"})
"""Those of them that state exactly the promise of a release with suppression."""
_LARGEST = 2_000_000
"""Releases with more clusters and occurrences of items are skipped: they would take more memory than an audit."""
_TREES = 1_000
"""How many trees are examined one by one."""
_SETS = 500
"""How many sets of items are examined one by one."""
_WORK = 10_000_000
"""About how many occurrences of items may be read for all these sets."""


def say_in_fact(release: Disassociated, verdict: Verdict, limits: Limits) -> Verdict:
    """For failed checks without which the promise may hold, say whether it is broken."""
    enough = ENOUGH - (PROMISED_OF_CHUNKS if isinstance(release.promise, SuppressedKm) else frozenset())
    failing = [check for check in verdict.failures if check.name in enough and not check.refused]
    if not failing:
        return verdict
    found = _in_fact(release, limits)
    if found is None:
        return verdict
    checks = tuple(replace(check, in_fact=found) if check in failing else check for check in verdict.checks)
    return replace(verdict, checks=checks)


def _in_fact(release: Disassociated, limits: Limits) -> InFact | None:
    """The result over all possible originals; None for a release without the required structure."""
    # Loaded here: an audit of a release that keeps its promise needs no attack.
    from shoal.audit.attack.disassociated.possible_originals.decide import Effort, Way, decide

    size = len(release.items) + len(release.term_items) + release.n_clusters
    if size > _LARGEST:
        return InFact("undecided", "the release is too large to examine its possible originals")
    # Examining one set reads all places of its items: the larger the release, the fewer sets.
    sets = min(_SETS, max(_WORK // max(size, 1), 1))
    effort = Effort(trees=_TREES, steps=50_000, all_steps=1_000_000, all_sets=sets, cells=50_000_000, limits=limits)
    try:
        # Chance only helps to find possible originals, which are proofs: it need not be secret.
        decided = decide(release, np.random.default_rng(0), effort=effort)
    except InputError:
        return None
    k, m = release.promise.k, release.promise.m
    if decided.impossible:
        return InFact("broken", f"{decided.impossible:,} root clusters have no possible original at all")
    if decided.violations:
        first = decided.violations[0]
        words = (
            f"a record may hold {{{', '.join(map(bare, first.items))}}}, below root cluster {first.root}, and no "
            f"possible original has more than {records(first.most)} with it"
        )
        return InFact("broken", words + and_more(len(decided.violations) - 1, "root clusters have such a set"))
    if decided.holds:
        words = (
            f"for every set of up to {m} items that a record may hold, some possible original has {k} records with it"
        )
        return InFact("kept", words)
    left = decided.trees[Way.UNDECIDED]
    return InFact("undecided", f"{left:,} root clusters are too large, or too many, to examine all possible originals")
