"""Whether a release has the structure that the definition of disassociation requires.

Terrovitis et al., VLDB 2012, section 3. These checks do not concern k and m; but the checks that do are only valid for
releases of this shape, so a check that fails here may keep later ones from running.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.forest import Forest, endless, lay_out
from shoal.audit.disassociated.subrecords import Order
from shoal.audit.verdict import Check, decided, not_checked
from shoal.audit.wording import and_more, chunk_place, item_name, records
from shoal.data.arrays import Int32, Int64
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated


def check_vocabulary(release: Disassociated) -> Check:
    """With two codes for one name, one item could pass for two."""
    what = "every item has one name, and no two items have the same"
    vocabulary = release.vocabulary
    if vocabulary.null_count:
        return decided("vocabulary", what, len(vocabulary), "an item has no name")
    witness = None
    if pc.count_distinct(vocabulary).as_py() != len(vocabulary):
        counts = pc.value_counts(vocabulary)
        repeated = pc.index(pc.greater(counts.field("counts"), 1), True).as_py()
        witness = f"{shown(counts.field('values')[repeated].as_py())} is the name of two items"
    return decided("vocabulary", what, len(vocabulary), witness)


def check_sizes(release: Disassociated) -> Check:
    """Sizes must be positive, and small enough for their sums to be exact."""
    limit = 2**62 // max(release.n_clusters, 1)
    wrong = np.flatnonzero((release.cluster_size < 1) | (release.cluster_size > limit))
    witness = None
    if release.n_clusters == 0:
        witness = "the release has no cluster"
    elif len(wrong):
        witness = f"cluster {int(wrong[0])} claims {records(int(release.cluster_size[wrong[0]]))}"
        witness += and_more(len(wrong) - 1, "clusters")
    return decided("sizes", "every cluster has a possible number of records", release.n_clusters, witness)


def check_forest(release: Disassociated, *, sizes_hold: bool) -> tuple[Check, Forest | None]:
    """Parent links must form a forest, and a joint must have the records of its leaves."""
    name = "joint clusters"
    what = "joint clusters form a forest, and each has as many records as the clusters below it together"
    stuck = endless(release.cluster_parent)
    leaf = release.is_leaf
    joints = int(np.count_nonzero(~leaf))
    if len(stuck):
        witness = f"the parent links from cluster {int(stuck[0])} form a cycle"
        return decided(name, what, joints, witness + and_more(len(stuck) - 1, "clusters")), None
    if not sizes_hold:
        return not_checked(name, what, "the sizes of the clusters are not possible"), None
    forest = lay_out(release.cluster_parent, release.cluster_size, leaf)
    wrong = np.flatnonzero(forest.leaf_records != release.cluster_size)
    witness_or_none = None
    if len(wrong):
        joint = int(wrong[0])
        witness_or_none = (
            f"cluster {joint} claims {records(int(release.cluster_size[joint]))}, the clusters below it have "
            f"{int(forest.leaf_records[joint]):,}" + and_more(len(wrong) - 1, "clusters")
        )
    return decided(name, what, joints, witness_or_none), forest


def check_owners(release: Disassociated) -> Check:
    """Record chunks belong to leaves, shared chunks to joints."""
    what = "every record chunk belongs to a cluster of records, every shared chunk to a joint cluster"
    owner = release.chunk_owner
    lost = np.flatnonzero(owner < 0)
    wrong = np.flatnonzero(release.chunk_shared == release.is_leaf[owner]) if release.n_clusters else lost
    witness = None
    if len(lost):
        witness = f"chunk {int(lost[0])} belongs to no cluster" + and_more(len(lost) - 1, "chunks")
    elif len(wrong):
        whose = "joint cluster" if not release.chunk_shared[wrong[0]] else "cluster of records"
        witness = f"{chunk_place(release, int(wrong[0]))}: its owner is a {whose}"
        witness += and_more(len(wrong) - 1, "chunks")
    return decided("owners", what, release.n_chunks, witness)


def check_nothing_empty(release: Disassociated) -> Check:
    """An empty part carries no information and may hide that something was removed."""
    what = "no chunk and no subrecord is empty, every cluster of records has items, no joint cluster has a term chunk"
    checked = release.n_clusters + release.n_chunks + release.n_subrecords
    subrecords = np.diff(release.chunk_offsets)
    lengths = np.diff(release.subrecord_offsets)
    witness = None
    if (subrecords == 0).any():
        witness = f"chunk {int(np.argmin(subrecords))} has no subrecord"
    elif (lengths == 0).any():
        row = int(np.argmin(lengths))
        witness = f"{chunk_place(release, _chunk_of(release, row))}: subrecord {row} is empty"
    else:
        terms = np.diff(release.term_offsets)
        leaf = release.is_leaf
        owner = release.chunk_owner[release.chunk_owner >= 0]
        bare = np.flatnonzero(leaf & (terms == 0) & (np.bincount(owner, minlength=release.n_clusters) == 0))
        joint = np.flatnonzero(~leaf & (terms > 0))
        if len(bare):
            witness = f"cluster {int(bare[0])} has no item" + and_more(len(bare) - 1, "clusters")
        elif len(joint):
            witness = f"joint cluster {int(joint[0])} has a term chunk" + and_more(len(joint) - 1, "joint clusters")
    return decided("nothing empty", what, checked, witness)


def check_sets(release: Disassociated, order: Order) -> Check:
    """Subrecords and term chunks are sets."""
    what = "no subrecord and no term chunk has an item twice"
    checked = release.n_subrecords + release.n_clusters
    witness = None
    if order.repeated is not None:
        start, end = (int(place) for place in release.subrecord_offsets[order.repeated : order.repeated + 2])
        item = _first_repeated(release.items[start:end])
        place = chunk_place(release, _chunk_of(release, order.repeated))
        witness = f"{place}: {item_name(release.vocabulary, item)} is twice in subrecord {order.repeated}"
    else:
        keys = term_keys(release)
        keys.sort()
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):
            cluster, item = divmod(int(keys[again[0]]), len(release.vocabulary))
            name = item_name(release.vocabulary, item)
            witness = f"cluster {cluster}: {name} is twice in the term chunk"
    return decided("sets", what, checked, witness)


def check_domains(release: Disassociated, domains: Domains) -> Check:
    """The parts of a cluster have no item in common (section 3: pairwise disjoint domains)."""
    what = (
        "the record chunks and the term chunk of a cluster have no item in common, "
        "and neither do the shared chunks of a joint cluster"
    )
    n_items = len(release.vocabulary)
    keys = release.chunk_owner[domains.chunk] * n_items + domains.item
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    witness = None
    if len(again):
        one, two = (int(domains.chunk[order[again[0] + step]]) for step in (0, 1))
        cluster, item = divmod(int(ordered[again[0]]), n_items)
        name = item_name(release.vocabulary, item)
        witness = f"cluster {cluster}: {name} is in chunk {one} and in chunk {two}"
    else:
        terms = term_keys(release)
        if (terms[1:] < terms[:-1]).any():
            terms.sort()
        both = _in_sorted(ordered, terms)
        if len(both):
            cluster, item = divmod(int(ordered[both[0]]), n_items)
            chunk = int(domains.chunk[order[both[0]]])
            name = item_name(release.vocabulary, item)
            witness = f"cluster {cluster}: {name} is in chunk {chunk} and in the term chunk"
    return decided("disjoint domains", what, len(domains.item) + len(release.term_items), witness)


def check_fit(release: Disassociated) -> Check:
    """A record gives each chunk at most one subrecord."""
    subrecords = np.diff(release.chunk_offsets)
    wrong = np.flatnonzero(subrecords > release.cluster_size[release.chunk_owner])
    witness = None
    if len(wrong):
        chunk = int(wrong[0])
        size = records(int(release.cluster_size[release.chunk_owner[chunk]]))
        witness = f"{chunk_place(release, chunk)}: {int(subrecords[chunk]):,} subrecords for {size}"
        witness += and_more(len(wrong) - 1, "chunks")
    what = "no chunk has more subrecords than its cluster has records"
    return decided("subrecords fit", what, release.n_chunks, witness)


def check_order(release: Disassociated, order: Order) -> Check:
    """A sorted order cannot leak the input's order (section 3 asks for a random one)."""
    what = "items ascend in every subrecord and term chunk, and subrecords in every chunk"
    witness = None
    if order.descending is not None:
        place = chunk_place(release, _chunk_of(release, order.descending))
        witness = f"{place}: the items of subrecord {order.descending} are not in order"
    elif order.misplaced is not None:
        place = chunk_place(release, _chunk_of(release, order.misplaced))
        witness = f"{place}: subrecord {order.misplaced} should come before the previous one"
    else:
        keys = term_keys(release)
        wrong = np.flatnonzero(keys[1:] < keys[:-1])
        if len(wrong):
            cluster = int(keys[wrong[0] + 1]) // len(release.vocabulary)
            witness = f"cluster {cluster}: the items of the term chunk are not in order"
    return decided("canonical order", what, release.n_subrecords + release.n_clusters, witness)


def term_keys(release: Disassociated) -> Int64:
    """``cluster * number of items + item`` for every entry of every term chunk."""
    cluster = np.arange(release.n_clusters, dtype=np.int64) * len(release.vocabulary)
    keys: Int64 = np.repeat(cluster, np.diff(release.term_offsets)) + release.term_items
    return keys


def _in_sorted(few: Int64, many: Int64) -> Int64:
    """The places in ``few`` of values that ``many`` (sorted) also has."""
    if len(many) == 0:
        return np.zeros(0, np.int64)
    place = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return np.flatnonzero(many[place] == few).astype(np.int64)


def _chunk_of(release: Disassociated, subrecord: int) -> int:
    return int(np.searchsorted(release.chunk_offsets, subrecord, side="right")) - 1


def _first_repeated(items: Int32) -> int:
    ordered = np.sort(items)
    return int(ordered[np.argmax(ordered[1:] == ordered[:-1])])
