"""The audit of a disassociated release: every part of its promise that can be checked from the release alone.

Terrovitis et al., "Privacy Preservation by Disassociation", VLDB 2012, sections 3 and 5. The paper proves Guarantee 1
for a release of the right shape whose clusters have at least k records, with k^m-anonymous record chunks, Lemma 2 in
every leaf and Property 1 in every joint. The audit was written from these definitions; it shares no code with the
publisher.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.audit.disassociated import against_original, clusters, joint, links, sensitive, structure, subrecords
from shoal.audit.disassociated.broken_in_fact import say_in_fact
from shoal.audit.disassociated.km import Limits
from shoal.audit.disassociated.numbered_items import numbered
from shoal.audit.disassociated.shared_chunk_room import shared_items
from shoal.audit.verdict import Check, Verdict, not_checked
from shoal.data.transactions import Transactions
from shoal.release.disassociated import Disassociated
from shoal.release.evidence import Evidence
from shoal.run import DEFAULT_RUN, Run

_STAGES = ("structure", "clusters", "joint clusters", "certain links", "sensitive items", "original")


def check(release: Disassociated, evidence: Evidence, run: Run = DEFAULT_RUN) -> Verdict:
    """The audit with the evidence that it can use."""
    return audit(release, original=evidence.baskets, run=run)


def audit(
    release: Disassociated,
    *,
    original: Transactions | None = None,
    run: Run = DEFAULT_RUN,
    limits: Limits | None = None,
) -> Verdict:
    """Check the promise of a disassociated release and, with the original, that the release was made from it.

    Args:
        release: The release, as read from its folder. It may be damaged or hostile in any way that its shape allows;
            the audit then ends with a verdict that does not hold.
        original: The data it was made from. Adds the checks that nothing was added and nothing lost.
        run: threads, progress and chance (:class:`shoal.Run`).
        limits: How much work may be spent on counting itemsets; by default it grows with the release.

    Returns:
        One entry for each condition, with a witness for each that does not hold. A condition that would take too much
        work to check, or that is meaningless for so damaged a release, counts as not holding and says why. If a
        condition fails that the promise may hold without, the entry also says whether the promise is broken.

    Reference:
        Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, sections 3 and 5.

    Deviations:
        Clusters with fewer than k records fail; Lemma 2 counts non-empty subrecords and requires a term chunk where
        there is no record chunk; sensitive items do not count as content of a term chunk.

    Example:
        >>> import numpy as np, pyarrow as pa
        >>> from shoal.promises import KmAnonymity
        >>> ints = lambda *values: np.array(values, np.int64)
        >>> release = Disassociated(
        ...     KmAnonymity(2, 2), pa.array(["tea"]), cluster_size=ints(2), cluster_parent=ints(-1),
        ...     chunk_owner=ints(0), chunk_shared=np.array([False]), chunk_offsets=ints(0, 2),
        ...     subrecord_offsets=ints(0, 1, 2), items=np.zeros(2, np.int32),
        ...     term_offsets=ints(0, 0), term_items=np.zeros(0, np.int32))
        >>> audit(release).holds
        True
    """
    limits = limits or Limits.for_release(release.n_chunks, len(release.items))
    return say_in_fact(release, Verdict.of_stages(_stages(release, original, limits), _STAGES, run), limits)


def _stages(release: Disassociated, original: Transactions | None, limits: Limits) -> Iterator[tuple[str, list[Check]]]:
    order, bags, domains = numbered(release)
    owners = structure.check_owners(release)
    sizes = structure.check_sizes(release)
    joints, forest = structure.check_forest(release, sizes_hold=sizes.holds)
    sets = structure.check_sets(release, order)
    placed = owners.holds and sizes.holds
    yield (
        "structure",
        [
            structure.check_vocabulary(release),
            sizes,
            joints,
            owners,
            structure.check_nothing_empty(release),
            sets,
            structure.check_domains(release, domains)
            if owners.holds
            else _skipped("disjoint domains", "chunks do not belong to the right clusters"),
            structure.check_fit(release) if placed else _skipped("subrecords fit", "chunks or sizes are wrong"),
            structure.check_order(release, order),
        ],
    )
    flags = sensitive.sensitive_items(release)
    yield (
        "clusters",
        [
            clusters.check_cluster_size(release),
            clusters.check_record_chunks(release, bags, domains, limits)
            if sets.holds
            else _skipped("record chunks", "a subrecord holds an item twice"),
            clusters.check_lemma2(release, flags) if placed else _skipped("Lemma 2", "chunks or sizes are wrong"),
        ],
    )
    if forest is not None and placed and sets.holds:
        shared = shared_items(release, forest, domains)
        yield "joint clusters", joint.check_shared_chunks(release, forest, bags, domains, shared, limits)
        if release.links is not None:
            yield "certain links", links.check_links(release, bags, domains, shared)
    else:
        yield "joint clusters", [_skipped("shared chunks", "the structure of the release is wrong")]
        if release.links is not None:
            yield "certain links", [_skipped("certain links", "the structure of the release is wrong")]
    if release.diversity is not None:
        if placed:
            yield "sensitive items", sensitive.check_sensitive(release, release.diversity, flags)
        else:
            yield "sensitive items", [_skipped("sensitive items", "chunks or sizes are wrong")]
    if original is not None:
        if forest is None or not placed or not sets.holds:
            yield "original", [_skipped("records of the original", "the structure of the release is wrong")]
            return
        # Pairs are counted by sparse matrix products: SciPy loads only for those who have the original.
        from shoal.audit.disassociated import original_itemsets

        matched = against_original.match(release, original)
        joined = subrecords.merge_chunks(bags, 2)
        yield (
            "original",
            [
                against_original.check_records(release, original, matched, flags),
                against_original.check_items(release, original, matched),
                against_original.check_supports(release, matched, flags),
                original_itemsets.check_pairs(release, joined, matched),
                original_itemsets.check_subrecords(release, joined, matched),
            ],
        )


def _skipped(name: str, why: str) -> Check:
    return not_checked(name, "makes sense only for a release of the right shape", why)
