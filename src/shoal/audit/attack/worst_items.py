"""The worst items of a person: of all sets of up to j of the person's items, one that the fewest records hold.

The adversary of Terrovitis et al., VLDB 2012, section 2, knows any m items of a person. How many records remain depends
on which items these are: `people` draws them at random, this module finds the worst. It searches a person's sets on bit
masks of records; a set that one record holds is not extended.
"""

from __future__ import annotations

from math import comb

import numpy as np

from shoal.audit.attack.people import Asked, Itemset, Population, Victims

WORK = 40_000_000
"""How many bytes of masks may be read for one person, with a thousand more for every set."""


def worst_items(population: Population, victims: Victims, most_known: int, work: int = WORK) -> Asked:
    """For each number j of known items the worst set of up to j of each victim; ties by size, then by items.

    Victims with more sets than ``work`` allows are left out from that number of items on, and counted.
    """
    sets: list[list[Itemset]] = [[] for _ in range(most_known)]
    who: list[list[int]] = [[] for _ in range(most_known)]
    for at, record in enumerate(victims.records):
        worst = _worst_of(population, record, most_known, work)
        for j, itemset in enumerate(worst):
            sets[j].append(itemset)
            who[j].append(at)
    undecided = tuple(len(victims.records) - len(one) for one in sets)
    return Asked(tuple(map(tuple, sets)), tuple(map(tuple, who)), undecided)


def _worst_of(population: Population, record: int, most_known: int, work: int) -> list[Itemset]:
    """The worst set of up to 1, 2, ... items, as far as the work allows."""
    items = population.items[population.offsets[record] : population.offsets[record + 1]].tolist()
    allowed = work // (1_000 + len(population) // 8)
    deepest, spent = 0, 0
    while deepest < most_known:
        spent += comb(len(items), deepest + 1)
        if spent > allowed and deepest:
            break
        deepest += 1
    # The rarest items first: a set of few records is found early and cuts the search short.
    masks = sorted(((_mask(population, item), item) for item in items), key=lambda one: one[0].bit_count())
    best: list[tuple[int, int, Itemset]] = [(len(population) + 1, 0, ())] * (deepest + 1)

    def search(start: int, mask: int, chosen: Itemset) -> None:
        for at in range(start, len(masks)):
            both = mask & masks[at][0]
            held, itemset = both.bit_count(), tuple(sorted((*chosen, masks[at][1])))
            size = len(itemset)
            best[size] = min(best[size], (held, size, itemset))
            if size < deepest and held > 1:
                search(at + 1, both, itemset)

    search(0, -1, ())
    worst = [min(best[1 : size + 1]) for size in range(1, deepest + 1)]
    return [itemset for _, _, itemset in worst]


def _mask(population: Population, item: int) -> int:
    """The records that hold an item, as the bits of one number."""
    held = np.zeros(len(population), bool)
    held[population.records_with([item])] = True
    return int.from_bytes(np.packbits(held).tobytes(), "big")
