"""What shared chunks must satisfy: Property 1, and that there are records below them that can take their items.

Terrovitis et al., VLDB 2012, section 5, Property 1 and Lemma 3: a shared chunk that has an item of T^r - the items in
record and shared chunks anywhere below its joint - must be k-anonymous as a whole, any other k^m-anonymous.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.audit.clusters import check_itemsets
from shoal.audit.domains import Domains
from shoal.audit.forest import Forest
from shoal.audit.km import Limits
from shoal.audit.subrecords import Bags
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, chunk_place, item_name, itemset, records
from shoal.release.disassociated import Disassociated

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Below:
    """Occurrences of items at positions of the forest, for questions about everything below a joint."""

    keys: Int64
    """``item * number of clusters + position``, sorted."""
    sums: Int64
    """Running sums of what each occurrence weighs."""

    @classmethod
    def of(cls, item: Int64, position: Int64, weight: Int64, n_clusters: int) -> _Below:
        keys = item * n_clusters + position
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], np.concatenate([[0], np.cumsum(weight[order])]))

    def weigh(self, item: Int64, first: Int64, beyond: Int64, n_clusters: int) -> Int64:
        """The weight of an item's occurrences at positions first..beyond-1."""
        start = np.searchsorted(self.keys, item * n_clusters + first)
        end = np.searchsorted(self.keys, item * n_clusters + beyond)
        weights: Int64 = self.sums[end] - self.sums[start]
        return weights


def check_shared_chunks(
    release: Disassociated, forest: Forest, bags: Bags, domains: Domains, limits: Limits
) -> list[Check]:
    """Property 1, in two checks (k-anonymity, k^m-anonymity), then terms and room below."""
    shared = release.chunk_shared
    n_clusters = release.n_clusters
    entry = np.flatnonzero(shared[domains.chunk])
    item = domains.item[entry].astype(np.int64)
    owner = release.chunk_owner[domains.chunk[entry]]
    first, beyond = forest.position[owner] + 1, forest.position[owner] + forest.below[owner]
    concerned = np.zeros(len(release.vocabulary), bool)
    concerned[item] = True
    relevant = np.flatnonzero(concerned[domains.item])
    place = release.chunk_owner[domains.chunk[relevant]]
    occurrences = _Below.of(
        domains.item[relevant].astype(np.int64),
        forest.position[place],
        np.ones(len(relevant), np.int64),
        n_clusters,
    )
    meets = occurrences.weigh(item, first, beyond, n_clusters) > 0
    strict = np.zeros(release.n_chunks, bool)
    strict[domains.chunk[entry[meets]]] = True
    k, m = release.promise.k, release.promise.m
    what = (
        f"in every shared chunk without items of T^r, every set of up to m = {m} items that occurs does so "
        f"at least k = {k} times (Property 1)"
    )
    return [
        _check_k_anonymous(release, bags, strict),
        check_itemsets(release, bags, domains, shared & ~strict, "shared chunks", what, limits),
        _check_terms_below(release, forest, entry, domains, first, beyond),
        _check_room(release, forest, domains, entry, first, beyond),
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


def _check_terms_below(
    release: Disassociated, forest: Forest, entry: Int64, domains: Domains, first: Int64, beyond: Int64
) -> Check:
    n_clusters = release.n_clusters
    item = domains.item[entry].astype(np.int64)
    concerned = np.zeros(len(release.vocabulary), bool)
    concerned[item] = True
    cluster = np.repeat(np.arange(n_clusters), np.diff(release.term_offsets))
    relevant = np.flatnonzero(concerned[release.term_items])
    terms = _Below.of(
        release.term_items[relevant].astype(np.int64),
        forest.position[cluster[relevant]],
        np.ones(len(relevant), np.int64),
        n_clusters,
    )
    wrong = np.flatnonzero(terms.weigh(item, first, beyond, n_clusters))
    witness = None
    if len(wrong):
        at = wrong[0]
        inside = (release.term_items[relevant] == item[at]) & (
            (forest.position[cluster[relevant]] >= first[at]) & (forest.position[cluster[relevant]] < beyond[at])
        )
        leaf = int(cluster[relevant[np.argmax(inside)]])
        name = item_name(release.vocabulary, int(item[at]))
        witness = (
            f"{chunk_place(release, int(domains.chunk[entry[at]]))}: {name} is also in the term chunk of "
            f"cluster {leaf} below" + and_more(len(wrong) - 1, "items")
        )
    what = "no item of a shared chunk is in a term chunk below its joint cluster"
    return decided("shared items left the term chunks", what, len(entry), witness)


def _check_room(
    release: Disassociated, forest: Forest, domains: Domains, entry: Int64, first: Int64, beyond: Int64
) -> Check:
    """A record holds an item once, so clusters with the item in a record chunk cannot take it from a shared one."""
    n_clusters = release.n_clusters
    concerned = np.zeros(len(release.vocabulary), bool)
    concerned[domains.item[entry]] = True
    own = np.flatnonzero(concerned[domains.item] & ~release.chunk_shared[domains.chunk])
    place = release.chunk_owner[domains.chunk[own]]
    taken = _Below.of(
        domains.item[own].astype(np.int64), forest.position[place], release.cluster_size[place], n_clusters
    ).weigh(domains.item[entry].astype(np.int64), first, beyond, n_clusters)
    room = release.cluster_size[release.chunk_owner[domains.chunk[entry]]] - taken
    wrong = np.flatnonzero(domains.support[entry] > room)
    witness = None
    if len(wrong):
        at = entry[wrong[0]]
        name = item_name(release.vocabulary, int(domains.item[at]))
        witness = (
            f"{chunk_place(release, int(domains.chunk[at]))}: {name} occurs {int(domains.support[at]):,} times, but "
            f"only {records(int(room[wrong[0]]))} below could hold it" + and_more(len(wrong) - 1, "items")
        )
    what = "enough records below a joint cluster can take each item of its shared chunks"
    return decided("room for shared items", what, len(entry), witness)
