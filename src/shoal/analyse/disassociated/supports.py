"""How many records hold given items, from a release alone: certain bounds, and what reconstructions have on average.

Terrovitis et al., VLDB 2012, sections 3 and 6: an analyst works on the release itself or on random reconstructions. The
average over all reconstructions needs none of them: every chunk is placed independently and uniformly (``sources``), so
that the chance of a record to hold the items is a product over the chunks that have them, and so is the chance of two.
Mean and standard deviation are those of the model, in which a record may stay empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np

from shoal.analyse.answers import Support, Supports
from shoal.analyse.disassociated.sources import Index, index_of
from shoal.analyse.disassociated.term_chunks import ANSWERS, TermItems, model_words, require_term_items
from shoal.data.arrays import Int32, Int64
from shoal.data.transactions import codes_of
from shoal.errors import InputError
from shoal.kernels.joint_supports import Groups, Shared
from shoal.kernels.supports import MOST_ASKED, Desk, estimate_supports
from shoal.quoting import shown
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run

# Queries a call of the kernel: few enough to be interrupted between two.
_BATCH = 256

_found: WeakKeyDictionary[Disassociated, Index] = WeakKeyDictionary()


def support(
    release: Disassociated, items: Iterable[str], *, without: Iterable[str] = (), term_items: TermItems = ANSWERS
) -> Support:
    """How many records hold all of the items, and none of those in ``without``.

    Args:
        release: what was published.
        items: the items that a record must hold.
        without: the items that it must not hold.
        term_items: how often the model puts an item of a term chunk into its cluster: ``"uniform"``, any number from
            one to k - 1 (a sensitive item, and one that may have been moved there: to the size of the cluster), each
            as likely; or ``"once"``, which is the least. Bounds do not depend on it.

    Raises:
        InputError: an item is not in the release, or nothing is asked.
        Infeasible: the release has a shared chunk whose subrecords can go to different clusters in too many ways. No
            release that Shoal makes has.

    Example:
        >>> import shoal
        >>> baskets = [{"tea", "milk"}] * 4 + [{"tea", "caviar"}, {"tea", "gin"}]
        >>> release = shoal.disassociate(shoal.read(baskets), k=3, m=2)
        >>> print(support(release, {"tea", "milk"}))
        4 for certain
        >>> found = support(release, {"caviar"})
        >>> found.least, found.most, found.expected, found.deviation
        (1, 2, 1.5, 0.5)
        >>> found.model.partition(" and ")[2]
        'each term-chunk item is in 1 to 2 records of its cluster, every number as likely'
        >>> support(release, {"caviar"}, term_items="once").expected
        1.0
    """
    return supports(release, [items], without=[without], term_items=term_items)[0]


def supports(
    release: Disassociated,
    itemsets: Iterable[Iterable[str]],
    *,
    without: Iterable[Iterable[str]] | None = None,
    term_items: TermItems = ANSWERS,
    run: Run = DEFAULT_RUN,
) -> Supports:
    """The same for many itemsets at once; ``without`` has one collection of unwanted items for each of them.

    ``run`` says how it runs (:class:`shoal.Run`).
    """
    wanted = [frozenset(items) for items in itemsets]
    unwanted = [frozenset()] * len(wanted) if without is None else [frozenset(items) for items in without]
    if len(unwanted) != len(wanted):
        raise InputError(f"{len(wanted):,} itemsets, but {len(unwanted):,} collections of unwanted items")
    for have, lack in zip(wanted, unwanted, strict=True):
        if have & lack:
            raise InputError(f"{shown(min(have & lack))} is asked to be there and not to be there")
    sizes = np.array([len(items) for items in wanted], np.int64)
    flat = [name for have, lack in zip(wanted, unwanted, strict=True) for name in (*sorted(have), *sorted(lack))]
    lengths = sizes + np.array([len(items) for items in unwanted], np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return estimate(
        release,
        offsets,
        codes_of(release.vocabulary, flat, "the release"),
        sizes,
        term_items=term_items,
        run=run,
    )


def estimate(
    release: Disassociated,
    offsets: Int64,
    items: Int32,
    wanted: Int64 | None = None,
    *,
    term_items: TermItems = ANSWERS,
    run: Run = DEFAULT_RUN,
) -> Supports:
    """The same for itemsets of codes; of itemset i, the first ``wanted[i]`` must be there and the others must not.

    Millions in one call: itemset i is ``items[offsets[i]:offsets[i + 1]]``, codes into the release's vocabulary, of
    which none comes twice.
    """
    require_term_items(term_items)
    lengths = np.diff(offsets)
    if wanted is None:
        wanted = lengths
    if len(lengths) and not 1 <= lengths.min() <= lengths.max() <= MOST_ASKED:
        raise InputError(f"each query must name 1 to {MOST_ASKED} items, not {lengths.min()} or {lengths.max()}")
    index = known_index(release)
    least, most = np.zeros(len(lengths), np.int64), np.zeros(len(lengths), np.int64)
    expected, variance = np.zeros(len(lengths)), np.zeros(len(lengths))

    def part(first: int) -> None:
        here = slice(first, first + _BATCH)
        desk, shared, groups = _room(index, int(lengths[here].max()))
        estimate_supports(
            offsets[first : first + _BATCH + 1],
            items,
            wanted[here],
            index.sources,
            index.ways,
            term_items == "once",
            desk,
            shared,
            groups,
            expected[here],
            variance[here],
            least[here],
            most[here],
        )

    done = 0

    def report() -> None:
        run.report("estimate supports", min(done, len(lengths)), len(lengths))

    for _ in run.map(part, range(0, len(lengths), _BATCH), waiting=report):
        done += _BATCH
        report()
    dropped = release.dropped
    left_out = dropped.plain_instances + dropped.sensitive_instances
    return Supports(least, most, expected, np.sqrt(variance), model_words(release, term_items), left_out)


def _room(index: Index, widest: int) -> tuple[Desk, Shared, Groups]:
    """Room for the kernel to work on queries of so many items; memory is taken where something is written."""
    sources = index.sources
    leaves = int((sources.tree_beyond - np.arange(len(sources.tree_beyond))).max(initial=1))
    longest = widest * int(np.diff(sources.post_offsets).max(initial=1))  # a union may be as long as all its parts
    return (
        Desk._make([*np.empty((3, widest), np.int64), np.empty(widest, np.uint8), np.empty(longest, np.int32)]),
        Shared._make([*np.empty((10, leaves * widest), np.int64), np.empty(leaves * widest)]),
        Groups._make([np.empty(leaves * widest, np.int64), *np.empty((3, leaves)), np.empty(leaves, np.int64)]),
    )


def known_index(release: Disassociated) -> Index:
    """Where the release's items come from: found once, and kept as long as the release is."""
    if release not in _found:
        _found[release] = index_of(release)
    return _found[release]
