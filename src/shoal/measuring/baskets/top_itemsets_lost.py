"""Which of the most frequent itemsets are lost: tKd, tKd-a and tKd-ML2.

Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, section 6, equation 2: tKd = 1 - |FI and FI'| / |FI|, where FI
are the top K itemsets of the original and FI' those of what was published. Section 7: mined from one random
reconstruction (tKd), or from the chunks alone (tKd-a).

Deviations: the paper does not define ties at the K-th place, nor how it splits itemsets by size. Here the canonical
order of itemsets breaks ties, and FI is split after it was found, so that the parts add up to the whole. For tKd-ML2
the paper considers generalized itemsets at different levels of abstraction: here each level is mined separately, so
that no itemset mixes two levels, and all levels but the root compete for the K places.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.data.arrays import Bools, Int64
from shoal.data.hierarchy import Hierarchy
from shoal.data.item_sets import ItemSets
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible
from shoal.measuring.baskets.against_original import as_records
from shoal.measuring.baskets.mining_error import is_among
from shoal.measuring.metric import Detail, Metric, share
from shoal.mining.itemsets import frequent_itemsets
from shoal.mining.top import top_itemsets
from shoal.run import Run

TIES_COUNTED = 100_000
"""Maximum number of sets as frequent as the last one that are counted; more would take too long."""

_MEANINGS = {
    "tKd": "the share of the original's top itemsets that are not among the top itemsets of a random reconstruction",
    "tKd-a": "the same, where the itemsets of the release are counted inside chunks only, so that all are certain",
    "tKd-ML2": "the same as tKd, for itemsets of every level of the hierarchy below its root, each level separately",
}
_EDGES = (
    "among sets as frequent as the last one, shorter ones are taken first, then by items; the others are ties cut, of "
    "the original and of what is published (100,000: that many or more); nothing: the original's top itemsets have "
    "none of that size"
)


@dataclass(frozen=True, eq=False)
class Top:
    """The most frequent itemsets of some data, and how many sets as frequent as the last one were cut off."""

    itemsets: ItemSets
    ties_cut: int
    """How many itemsets as frequent as the last one are not among them, up to ``TIES_COUNTED``."""


def top_of(data: Transactions, k: int, run: Run) -> Top:
    """The ``k`` most frequent itemsets; a set that is as frequent as the last one, but cut off, is a tie."""
    first = top_itemsets(data, k, run=run)
    if len(first) < k:
        return Top(first, 0)
    last = int(first.counts[-1])
    try:
        equals = frequent_itemsets(data, last, max_itemsets=k + TIES_COUNTED, run=run)
    except Infeasible:
        return Top(first, TIES_COUNTED)
    return Top(first, len(equals) - k)


def lost(name: str, original: Top, published: Top, m: int | None = None) -> list[Metric]:
    """One metric of the family: for all top itemsets of the original, for those of up to m items, for the others.

    Both sides have codes of one vocabulary. Without an m, only the total is computed.
    """
    wanted, found = original.itemsets, published.itemsets
    kept = is_among(wanted.offsets, wanted.items, found.offsets, found.items)
    sizes = original.itemsets.sizes
    every = np.ones(len(kept), bool)
    ties: dict[str, Detail] = {
        "ties_cut_original": original.ties_cut,
        "ties_cut_published": published.ties_cut,
    }
    whole = _metric(name, "", kept, every, ties)
    if m is None:
        return [whole]
    return [
        whole,
        _metric(name, f"at most {m} item{'s' if m > 1 else ''}", kept, sizes <= m, {}),
        _metric(name, f"more than {m} item{'s' if m > 1 else ''}", kept, sizes > m, {}),
    ]


def _metric(name: str, part: str, kept: Bools, here: Bools, more: dict[str, Detail]) -> Metric:
    n, n_kept = int(np.count_nonzero(here)), int(np.count_nonzero(kept & here))
    details: dict[str, Detail] = {"itemsets": n, "kept": n_kept, **more}
    value = share(n - n_kept, n)
    return Metric(name, value, "lower is better", (0.0, 1.0), _MEANINGS[name], _EDGES, part, details)


@dataclass(frozen=True, eq=False)
class Levels:
    """A hierarchy over the items of the original: the code of every item at every level that carries information."""

    codes: Int64
    """One row per level, one column per item of the original: a code of ``vocabulary``, or -1 for the root."""
    vocabulary: pa.Array
    """Items first, then the labels of level 1, and so on, each level in the order of its labels."""


def levels_of(hierarchy: Hierarchy, original: Transactions) -> Levels:
    """Number the nodes above the original's items.

    Raises:
        InputError: items without a place in the hierarchy; the message lists them.
    """
    places = hierarchy.places(original.words)
    codes = [np.arange(original.n_items)]
    words = [original.vocabulary]
    n_words = original.n_items
    for level in range(1, hierarchy.height):
        labels = np.array(hierarchy.labels[level], object)
        order = np.argsort(labels.astype(str), kind="stable")
        # A value directly below the root has the same label at every level between: that carries no information either.
        order = order[labels[order] != hierarchy.root]
        numbers = np.full(len(labels), -1)
        numbers[order] = n_words + np.arange(len(order))
        codes.append(numbers[hierarchy.level_codes(level)[places]])
        words.append(pa.array(labels[order], pa.string()))
        n_words += len(order)
    return Levels(np.stack(codes), pa.concat_arrays(words))


def at_all_levels(data: Transactions, levels: Levels) -> Transactions:
    """Every record once per level, with its items replaced by their nodes at that level.

    Levels share no code, so the itemsets of this stack are those of all levels, and none mixes two levels.
    """
    n_levels = len(levels.codes)
    rows = np.repeat(np.arange(len(data)), data.lengths)
    every_row = (np.arange(n_levels)[:, None] * len(data) + rows).ravel()
    every_code = levels.codes[:, data.items].ravel()
    return as_records(every_row[every_code >= 0], every_code[every_code >= 0], levels.vocabulary)
