"""The conditions of the promise on every cluster of records: enough records, safe chunks, and Lemma 2.

Terrovitis et al., VLDB 2012, section 5. Lemma 2 as printed is right only if read as follows: every cluster has at least
k records; |C| counts non-empty subrecords; and without any record chunk the bound is s, so only a term chunk helps.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.km import Limits, count_itemsets
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, chunk_place, itemset, records
from shoal.data.arrays import Bools, Int64
from shoal.release.disassociated import Disassociated


def check_cluster_size(release: Disassociated) -> Check:
    """A cluster with fewer than k records cannot offer k candidates."""
    k = release.promise.k
    leaf = release.is_leaf
    small = np.flatnonzero(leaf & (release.cluster_size < min(k, 2**62)))
    witness = None
    if len(small):
        size = records(int(release.cluster_size[small[0]]))
        witness = f"cluster {int(small[0])} has {size}, fewer than k = {k}"
        witness += and_more(len(small) - 1, "clusters")
    what = f"every cluster has at least k = {k} records"
    return decided("cluster size", what, int(np.count_nonzero(leaf)), witness)


def check_itemsets(
    release: Disassociated, bags: Bags, domains: Domains, wanted: Bools, name: str, what: str, limits: Limits
) -> Check:
    """Every itemset of 1..m items that occurs in one of the wanted chunks occurs there at least k times."""
    k, m = release.promise.k, release.promise.m
    counted = count_itemsets(bags, domains, wanted, k, m, limits)
    if counted.refused is not None:
        return not_checked(name, what, counted.refused)
    witness = None
    if counted.found is not None:
        found = counted.found
        witness = (
            f"{chunk_place(release, found.chunk)}: {itemset(release.vocabulary, sorted(found.items))} occurs in "
            f"{records(found.count)}, fewer than k = {k}"
        )
    return decided(name, what, int(np.count_nonzero(wanted)), witness)


def check_record_chunks(release: Disassociated, bags: Bags, domains: Domains, limits: Limits) -> Check:
    """Every record chunk is k^m-anonymous (condition (a) of Lemma 2)."""
    k, m = release.promise.k, release.promise.m
    what = f"in every record chunk, every set of up to m = {m} items that occurs does so at least k = {k} times"
    return check_itemsets(release, bags, domains, ~release.chunk_shared, "record chunks", what, limits)


def check_lemma2(release: Disassociated, sensitive: Bools) -> Check:
    """Enough subrecords, or a term chunk, so that no possible original has an empty record (condition (b))."""
    k, m = release.promise.k, release.promise.m
    what = (
        "every cluster has a term chunk"
        + (" with an item that is not sensitive" if sensitive.any() else "")
        + f", or at least s + k(h - 1) subrecords (s: its records, h: its chunks, at most m = {m})"
    )
    leaf = release.is_leaf
    subrecords, chunks = subrecords_of_clusters(release)
    # The total number of subrecords cannot be exceeded; capping k and m there keeps the products small.
    steps = np.minimum(np.maximum(chunks, 1), min(m, release.n_chunks + 1)) - 1
    needed = release.cluster_size + min(k, release.n_subrecords + 1) * steps
    wrong = np.flatnonzero(leaf & (plain_terms(release, sensitive) == 0) & (subrecords < needed))
    witness = None
    if len(wrong):
        cluster = int(wrong[0])
        term = (
            "a term chunk with only sensitive items"
            if release.term_offsets[cluster + 1] > release.term_offsets[cluster]
            else "no term chunk"
        )
        bound = int(release.cluster_size[cluster]) + k * int(steps[cluster])
        witness = (
            f"cluster {cluster} has {term} and {int(subrecords[cluster]):,} subrecords in "
            f"{int(chunks[cluster]):,} record chunks, fewer than {bound:,}"
        ) + and_more(len(wrong) - 1, "clusters")
    return decided("Lemma 2", what, int(np.count_nonzero(leaf)), witness)


def subrecords_of_clusters(release: Disassociated) -> tuple[Int64, Int64]:
    """How many non-empty subrecords and how many record chunks each cluster has; shared chunks do not count."""
    filled = np.concatenate([[0], np.cumsum(np.diff(release.subrecord_offsets) > 0)])
    per_chunk = np.diff(filled[release.chunk_offsets])
    own = np.flatnonzero(~release.chunk_shared & (per_chunk > 0))
    owner = release.chunk_owner[own]
    totals = np.zeros(release.n_clusters, np.int64)
    np.add.at(totals, owner, per_chunk[own])
    return totals, np.bincount(owner, minlength=release.n_clusters).astype(np.int64)


def plain_terms(release: Disassociated, sensitive: Bools) -> Int64:
    """How many items that are not sensitive the term chunk of each cluster has."""
    plain = np.concatenate([[0], np.cumsum(~sensitive[release.term_items])])
    counts: Int64 = np.diff(plain[release.term_offsets]).astype(np.int64)
    return counts
