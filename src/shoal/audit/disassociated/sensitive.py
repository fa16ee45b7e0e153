"""The conditions on sensitive items: they are in term chunks only, and no record is forced to hold one.

Terrovitis et al., VLDB 2012, section 5 ("l-diversity"), read more strictly: a cluster whose other items cannot fill all
its records would disclose a sensitive item, and a small cluster discloses too much. A term chunk does not show how
often a sensitive item occurs in its cluster; this is not checked.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.disassociated.clusters import plain_terms, subrecords_of_clusters
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, chunk_place, item_name, records
from shoal.data.arrays import Bools
from shoal.promises import LDiversity
from shoal.release.disassociated import Disassociated


def sensitive_items(release: Disassociated) -> Bools:
    """Which items of the vocabulary the release calls sensitive."""
    if release.diversity is None:
        return np.zeros(len(release.vocabulary), bool)
    names = pa.array(release.diversity.sensitive, pa.string())
    flags: Bools = pc.is_in(release.vocabulary.cast(pa.string()), names).to_numpy(zero_copy_only=False)
    return flags


def check_sensitive(release: Disassociated, diversity: LDiversity, sensitive: Bools) -> list[Check]:
    """Where sensitive items are, how large their clusters are, and whether any record is forced to hold one."""
    named = np.concatenate([[0], np.cumsum(sensitive[release.term_items])])[release.term_offsets]
    naming = np.diff(named) > 0
    return [
        _check_only_terms(release, sensitive),
        _check_cluster_size(release, naming, diversity.l),
        _check_unforced(release, naming, sensitive),
    ]


def _check_only_terms(release: Disassociated, sensitive: Bools) -> Check:
    places = np.flatnonzero(sensitive[release.items])
    witness = None
    if len(places):
        row = int(np.searchsorted(release.subrecord_offsets, places[0], side="right")) - 1
        chunk = int(np.searchsorted(release.chunk_offsets, row, side="right")) - 1
        name = item_name(release.vocabulary, int(release.items[places[0]]))
        witness = f"{chunk_place(release, chunk)}: holds the sensitive item {name}"
        witness += and_more(len(places) - 1, "occurrences")
    what = "sensitive items are in term chunks only"
    return decided("sensitive items", what, int(np.count_nonzero(sensitive)), witness)


def _check_cluster_size(release: Disassociated, naming: Bools, least: int) -> Check:
    small = np.flatnonzero(naming & (release.cluster_size < min(least, 2**62)))
    witness = None
    if len(small):
        size = records(int(release.cluster_size[small[0]]))
        witness = f"cluster {int(small[0])} names a sensitive item and has {size}, fewer than l = {least}"
        witness += and_more(len(small) - 1, "clusters")
    what = f"every cluster that names a sensitive item has at least l = {least} records"
    return decided("sensitive cluster size", what, int(np.count_nonzero(naming)), witness)


def _check_unforced(release: Disassociated, naming: Bools, sensitive: Bools) -> Check:
    subrecords, _ = subrecords_of_clusters(release)
    forced = np.flatnonzero(naming & (plain_terms(release, sensitive) == 0) & (subrecords < release.cluster_size))
    witness = None
    if len(forced):
        cluster = int(forced[0])
        start, end = (int(place) for place in release.term_offsets[cluster : cluster + 2])
        item = int(release.term_items[start:end][sensitive[release.term_items[start:end]]][0])
        lacking = records(int(release.cluster_size[cluster] - subrecords[cluster]))
        witness = (
            f"cluster {cluster}: at least {lacking} can hold nothing but sensitive items such as "
            f"{item_name(release.vocabulary, item)}" + and_more(len(forced) - 1, "clusters")
        )
    what = "in every cluster that names a sensitive item, the other items alone could fill all its records"
    return decided("sensitive items forced on nobody", what, int(np.count_nonzero(naming)), witness)
