"""The conditions on shared chunks: Property 1, items absent from term chunks, and room (``shared_chunk_room``).

Terrovitis et al., VLDB 2012, section 5, Property 1 and Lemma 3: a shared chunk that has an item of T^r - the items in
record and shared chunks anywhere below its joint - must be k-anonymous as a whole, any other k^m-anonymous.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.disassociated.clusters import check_itemsets
from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.forest import Forest
from shoal.audit.disassociated.km import Limits
from shoal.audit.disassociated.shared_chunk_room import SharedItems, check_items, check_subrecords
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, chunk_place, item_name, itemset
from shoal.data.arrays import Bools
from shoal.release.disassociated import Disassociated


def check_shared_chunks(
    release: Disassociated, forest: Forest, bags: Bags, domains: Domains, shared: SharedItems, limits: Limits
) -> list[Check]:
    """Property 1, in two checks (k-anonymity, k^m-anonymity), then terms and room below, in three."""
    strict = np.zeros(release.n_chunks, bool)
    strict[shared.chunk[shared.closed]] = True
    k, m = release.promise.k, release.promise.m
    what = (
        f"in every shared chunk without items of T^r, every set of up to m = {m} items that occurs does so "
        f"at least k = {k} times (Property 1)"
    )
    return [
        _check_k_anonymous(release, bags, strict),
        check_itemsets(release, bags, domains, release.chunk_shared & ~strict, "shared chunks", what, limits),
        _check_terms_below(release, forest, shared),
        check_items(release, domains, shared),
        check_subrecords(release, bags, domains, shared),
    ]


def _check_k_anonymous(release: Disassociated, bags: Bags, strict: Bools) -> Check:
    k = release.promise.k
    few = np.flatnonzero(strict[bags.chunk] & (bags.weight < min(k, 2**62)))
    witness = None
    if len(few):
        row = int(few[0])
        items = bags.items[bags.offsets[row] : bags.offsets[row + 1]].tolist()
        witness = (
            f"{chunk_place(release, int(bags.chunk[row]))}: the subrecord {itemset(release.vocabulary, items)} occurs "
            f"{int(bags.weight[row]):,} times, fewer than k = {k}" + and_more(len(few) - 1, "subrecords")
        )
    what = (
        "in every shared chunk with an item that is also in a record or shared chunk below its joint (T^r), "
        f"every subrecord occurs at least k = {k} times (Property 1)"
    )
    return decided("shared chunks over T^r", what, int(np.count_nonzero(strict)), witness)


def _check_terms_below(release: Disassociated, forest: Forest, shared: SharedItems) -> Check:
    n_clusters = release.n_clusters
    concerned = np.zeros(len(release.vocabulary), bool)
    concerned[shared.item] = True
    cluster = np.repeat(np.arange(n_clusters), np.diff(release.term_offsets))
    relevant = np.flatnonzero(concerned[release.term_items])
    keys = np.sort(release.term_items[relevant].astype(np.int64) * n_clusters + forest.position[cluster[relevant]])
    start = np.searchsorted(keys, shared.item * n_clusters + shared.first)
    end = np.searchsorted(keys, shared.item * n_clusters + shared.beyond)
    wrong = np.flatnonzero(end > start)
    witness = None
    if len(wrong):
        at = int(wrong[0])
        leaf = int(np.flatnonzero(forest.position == keys[start[at]] % n_clusters)[0])
        name = item_name(release.vocabulary, int(shared.item[at]))
        witness = (
            f"{chunk_place(release, int(shared.chunk[at]))}: {name} is also in the term chunk of "
            f"cluster {leaf} below" + and_more(len(wrong) - 1, "items")
        )
    what = "no item of a shared chunk is in a term chunk below its joint cluster"
    return decided("shared items left the term chunks", what, len(shared.entry), witness)
