"""Whether a release that promises no certain links has any (the cover problem).

Form (a): an item in all records of a cluster, so that whoever holds an item of its term chunk holds that one too. An
item of a shared chunk is in all records to which it is open when it occurs as often as there are such records. Form (b)
(Liu, Feng, Zhu 2022, conclusions): an item of a chunk all of whose subrecords are the whole domain of the chunk.
"""

from __future__ import annotations

import numpy as np

from shoal.audit.disassociated.domains import Domains
from shoal.audit.disassociated.room import SharedItems
from shoal.audit.disassociated.subrecords import Bags
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, chunk_place, item_name, records
from shoal.release.disassociated import Disassociated


def check_links(release: Disassociated, bags: Bags, domains: Domains, shared: SharedItems) -> list[Check]:
    """No item in all records of a cluster with a term chunk, and none that is covered inside its chunk."""
    return [_check_term_links(release, domains, shared), _check_covered(release, bags, domains)]


def _check_term_links(release: Disassociated, domains: Domains, shared: SharedItems) -> Check:
    owner = release.chunk_owner[domains.chunk]
    could = release.cluster_size[owner]
    could[shared.entry] = shared.open_records
    linked = np.diff(release.term_offsets) > 0
    # Which of the clusters below has a term chunk is not asked: an item that all records below hold says too much.
    linked |= ~release.is_leaf
    wrong = np.flatnonzero(linked[owner] & (domains.support >= could))
    witness = None
    if len(wrong):
        at = int(wrong[0])
        witness = (
            f"{chunk_place(release, int(domains.chunk[at]))}: {item_name(release.vocabulary, int(domains.item[at]))} "
            f"is in all {records(int(could[at]))} that could hold it, so that every item of the term chunk is linked "
            "to it" + and_more(len(wrong) - 1, "items")
        )
    what = "no item is in all the records of a cluster that has a term chunk"
    return decided("links to term chunks", what, len(domains.item), witness)


def _check_covered(release: Disassociated, bags: Bags, domains: Domains) -> Check:
    width = np.diff(domains.offsets)
    whole = bags.lengths == width[bags.chunk]
    full = np.bincount(bags.chunk[whole], weights=bags.weight[whole], minlength=len(width)).astype(np.int64)
    wrong = np.flatnonzero((width[domains.chunk] > 1) & (domains.support == full[domains.chunk]))
    witness = None
    if len(wrong):
        at = int(wrong[0])
        witness = (
            f"{chunk_place(release, int(domains.chunk[at]))}: {item_name(release.vocabulary, int(domains.item[at]))} "
            "occurs only together with all other items of the chunk" + and_more(len(wrong) - 1, "items")
        )
    what = "in no chunk of several items does an item occur only together with all the others"
    return decided("links inside chunks", what, len(domains.item), witness)
