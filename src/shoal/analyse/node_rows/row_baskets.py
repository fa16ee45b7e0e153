"""Releases that are rows as baskets that any program takes: as they are, or with an item in the place of each node.

A row of generalized baskets that holds a node comes from a record with one or more of the items below it. Filled, it
gets one of them, each as likely and whatever stands beside it: the record of a possible original, though records that
hold two items below one node are as possible. Baskets with noisy counts are repeated as often as these say.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from shoal.analyse.node_rows.item_nodes import ItemNodes, item_nodes
from shoal.data.hierarchy import Hierarchy
from shoal.data.ragged import expand
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible, InputError
from shoal.limits import require_whole
from shoal.memory import available_memory
from shoal.randomness import generator
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.run import DEFAULT_RUN, Run

# What an item and a record take while baskets are repeated and put in order.
_BYTES = 48


def row_baskets(release: GeneralizedBaskets | NoisyBaskets) -> Transactions:
    """The rows of a release, with what they are called: generalized items are items like others.

    Raises:
        InputError: there are no rows.
        Infeasible: noisy counts say that there are more baskets than fit into memory.

    Example:
        >>> from shoal.data.node_tree import NodeTree
        >>> from shoal.promises import UnboundedDifferentialPrivacy
        >>> tree = NodeTree(("*", "milk", "tea"), np.array([-1, 0, 0], np.int32), np.array([2, 1, 1]))
        >>> offsets, items, counts = np.array([0, 2, 3]), np.array([1, 2, 2], np.int32), np.array([1, 2])
        >>> release = NoisyBaskets(UnboundedDifferentialPrivacy(1.0), tree, offsets, items, counts)
        >>> [sorted(basket) for basket in row_baskets(release)]
        [['milk', 'tea'], ['tea'], ['tea']]
    """
    return release.baskets()


def published_baskets(release: GeneralizedBaskets) -> Transactions:
    """The rows of generalized baskets; see above."""
    return Transactions.from_codes(release.offsets, release.nodes, _words(release))


def repeated_baskets(release: NoisyBaskets) -> Transactions:
    """Baskets with noisy counts, each as often as these say; see above."""
    words = _words(release)
    size = release.n_records + int(release.lengths @ release.row_counts)
    if size * _BYTES > available_memory():
        raise Infeasible(
            f"its counts say that there are {release.n_records:,} baskets, which would take {size * _BYTES / 1e9:,.1f} "
            "GB of memory: shoal query counts without repeating them, and shoal export --to jsonl writes each once, "
            "with its count"
        )
    start = np.repeat(release.offsets[:-1], release.row_counts)
    lengths = np.repeat(release.lengths, release.row_counts)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Transactions.from_codes(offsets, release.items[expand(start, start + lengths)[1]], words)


def _words(release: GeneralizedBaskets | NoisyBaskets) -> pa.Array:
    if not release.n_rows:
        raise InputError("this release has no rows: there is nothing to work on")
    return pa.array(release.tree.labels, pa.string())


def filled_baskets(
    release: GeneralizedBaskets,
    n: int = 1,
    *,
    hierarchy: Hierarchy | None = None,
    run: Run = DEFAULT_RUN,
) -> Iterator[Transactions]:
    """Possible originals of generalized baskets: each node becomes one of the items below it, by chance.

    Args:
        release: what was published.
        n: how many originals.
        hierarchy: what it was generalized with, unless the release has all of it.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        An iterator over n data sets, their records in the order of the rows.

    Raises:
        InputError: an argument is out of range, or no hierarchy says which items are below a node.
    """
    require_whole("n", n, least=1)
    items = item_nodes(release, hierarchy)
    return _filled(release, items, n, generator(run.chance), run)


def _filled(
    release: GeneralizedBaskets, items: ItemNodes, n: int, chance: np.random.Generator, run: Run
) -> Iterator[Transactions]:
    for number in range(n):
        run.report("reconstruct", number, n)
        codes = chance.integers(items.first[release.nodes], items.end[release.nodes])
        yield Transactions.from_codes(release.offsets, codes, items.names)
    run.report("reconstruct", n, n)
