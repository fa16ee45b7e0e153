"""Errors of the frequent itemsets mined from a release: sigma+ and sigma-.

A. Mohaisen et al.: Privacy Preserving Association Rule Mining Revisited, IEICE Trans. E93-D, 2010, definitions 4 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from shoal.data.arrays import Bools, Int32, Int64
from shoal.data.item_sets import ItemRows
from shoal.measuring.metric import share


@dataclass(frozen=True)
class MiningError:
    """How many itemsets are frequent, how many were found, and how many are both."""

    true: int
    """``|F|``: the itemsets that are frequent in the original."""
    found: int
    """``|R|``: the itemsets that were found."""
    both: int
    """The itemsets that were found and are frequent."""

    @property
    def false_positive(self) -> float | None:
        """``sigma+ = |R - F| / |F|``: sets found that are not frequent; None if no set is frequent."""
        return share(self.found - self.both, self.true)

    @property
    def false_negative(self) -> float | None:
        """``sigma- = |F - R| / |F|``: frequent sets that were not found; None if no set is frequent."""
        return share(self.true - self.both, self.true)


def mining_error(true: ItemRows, found: ItemRows) -> MiningError:
    """Compare the frequent itemsets of an original with those found in a release of it, by name.

    Example:
        >>> import shoal
        >>> baskets = shoal.read([{"tea", "milk"}] * 3 + [{"tea"}])
        >>> error = mining_error(shoal.mine(baskets, 3).found, shoal.mine(baskets, 4).found)
        >>> error.false_positive, round(error.false_negative, 3)
        (0.0, 0.667)
    """
    return _counted(_among(true, found), len(found.offsets) - 1)


def mining_error_by_size(true: ItemRows, found: ItemRows) -> dict[int, MiningError]:
    """The same for each size of itemsets that occurs in either."""
    again = _among(true, found)
    sizes, others = np.diff(true.offsets), np.diff(found.offsets)
    return {
        size: _counted(again[sizes == size], int(np.count_nonzero(others == size)))
        for size in np.union1d(sizes, others).tolist()
    }


def _counted(again: Bools, n_found: int) -> MiningError:
    return MiningError(len(again), n_found, int(np.count_nonzero(again)))


def _among(wanted: ItemRows, found: ItemRows) -> Bools:
    """Which of the wanted sets were found."""
    places = pc.index_in(found.vocabulary, wanted.vocabulary)
    # An item that was only found gets a number after all others: two of them are never equal to a wanted one.
    strange = np.arange(len(wanted.vocabulary), len(wanted.vocabulary) + len(found.vocabulary))
    codes = np.where(places.is_null(), strange, pc.fill_null(places, 0)).astype(np.int32)
    return is_among(wanted.offsets, wanted.items, found.offsets, codes[found.items])


def is_among(offsets: Int64, items: Int32, other_offsets: Int64, other_items: Int32) -> Bools:
    """Which of some sets are among others, with the same codes, in any order inside a set."""
    from shoal.kernels.rows import row_ranks, sorted_rows

    upto = np.concatenate([offsets, offsets[-1] + other_offsets[1:]])
    codes = np.concatenate([items, other_items]).astype(np.int64)
    width = int(codes.max(initial=0)) + 1
    keys = np.repeat(np.arange(len(upto) - 1), np.diff(upto)) * width + codes
    keys.sort()
    members = (keys % width).astype(np.int32)
    ranks: Int64 = row_ranks(upto, members, sorted_rows(upto, members))
    n = len(offsets) - 1
    return np.isin(ranks[:n], ranks[n:])
