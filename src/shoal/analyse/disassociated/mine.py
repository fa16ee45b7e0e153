"""Frequent itemsets of a release, by their expected supports: no reconstruction is drawn.

Terrovitis et al., VLDB 2012, section 6, mine reconstructions; the mean over all of them is known (``supports``), and no
set has a greater one than its subsets, so that sets can be found level by level (Agrawal, Srikant, VLDB 1994).

The means of all pairs come from three sparse products: what the chances of single items give if all were independent,
plus what chunks hold together, minus what they would hold together by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.analyse.answers import Supports
from shoal.analyse.candidates import all_candidates, set_keys
from shoal.analyse.disassociated.sources import Index
from shoal.analyse.disassociated.supports import estimate, known_index
from shoal.analyse.disassociated.term_chunks import ANSWERS, TermItems
from shoal.data.arrays import Bools, Float64, Int32, Int64
from shoal.data.item_sets import ItemSets
from shoal.data.ragged import expand
from shoal.errors import Infeasible
from shoal.kernels.supports import OWN, TERM
from shoal.limits import require_whole
from shoal.mining.support import least_count
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run

MAX_ITEMSETS = 5_000_000
_PAIRS_FOR_A_SET = 20
"""Means of pairs are cheaper than the other numbers of a set: so many cost as much as one set."""
_ROUNDING = 1e-9
"""Means are sums of products of fractions: what is this little below the threshold is taken to be at it."""


@dataclass(frozen=True, eq=False)
class ExpectedItemsets(ItemSets):
    """Itemsets of a release, the greatest mean first, then the shorter, then by items."""

    supports: Supports
    n_records: int
    least: int
    """The number of records that a set had to reach on average."""

    def __iter__(self) -> Iterator[tuple[frozenset[str], float]]:
        yield from zip(self.sets(), self.supports.expected.tolist(), strict=True)

    def __repr__(self) -> str:
        return f"ExpectedItemsets({len(self):,} of {self.n_records:,} records, if {self.model})"

    @property
    def model(self) -> str:
        """The assumption of means and deviations that the release does not determine: what follows an "if"."""
        return self.supports.model

    @property
    def bounds(self) -> tuple[Int64, Int64]:
        """The least and the most records that each set is in, in every possible original."""
        return self.supports.least, self.supports.most

    @property
    def certain(self) -> Bools:
        """Which sets are frequent in every possible original."""
        certain: Bools = self.supports.least >= self.least
        return certain

    @property
    def counts(self) -> Float64:
        """The mean number of records of each set."""
        return self.supports.expected

    def to_arrow(self) -> pa.Table:
        """A table of the sets: items, size, least, most, certain, expected, deviation, support (a share)."""
        return pa.table(
            {
                "items": self.names(),
                "size": self.sizes,
                "least": self.supports.least,
                "most": self.supports.most,
                "certain": self.certain,
                "expected": self.supports.expected,
                "deviation": self.supports.deviation,
                "support": self.supports.expected / max(1, self.n_records),
            }
        )


def expected_itemsets(
    release: Disassociated,
    min_support: float = 0.001,
    *,
    top: int | None = None,
    max_length: int | None = None,
    max_itemsets: int = MAX_ITEMSETS,
    term_items: TermItems = ANSWERS,
    run: Run = DEFAULT_RUN,
) -> ExpectedItemsets:
    """All itemsets that reconstructions have in enough records on average.

    Args:
        release: what was published.
        min_support: a share of the records up to 1., or (as a whole number) how many records it takes.
        top: only so many, the greatest means; of equal ones the shorter, then by items.
        max_length: how many items a set may have; by default any number.
        max_itemsets: how many sets may be looked at; more are refused.
        term_items: how often the model has an item of a term chunk (see :func:`shoal.query`).
        run: threads, progress and chance (:class:`shoal.Run`).

    Raises:
        InputError: an argument is out of range.
        Infeasible: there are too many.

    Example:
        >>> import shoal
        >>> release = shoal.disassociate(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}]), k=3, m=2)
        >>> [(sorted(items), expected) for items, expected in expected_itemsets(release, 4)]
        [(['tea'], 5.0), (['milk'], 4.0), (['milk', 'tea'], 4.0)]
    """
    least = least_count(min_support, release.n_records)
    for name, value in (("top", top), ("max_length", max_length), ("max_itemsets", max_itemsets)):
        if value is not None:
            require_whole(name, value, least=1)
    report = run.report
    n_items = len(release.vocabulary)

    def estimated(sets: Int32) -> Supports:
        if len(sets) > max_itemsets:
            raise Infeasible(
                f"{len(sets):,} sets of {sets.shape[1]} items would have to be looked at, more than {max_itemsets:,}: "
                "raise --min-support, or limit --max-length"
            )
        offsets = np.arange(len(sets) + 1) * sets.shape[1]
        return estimate(release, offsets, sets.ravel(), term_items=term_items, run=run)

    report("mine", 0, 2)
    sets = np.arange(n_items, dtype=np.int32)[:, None]
    found = estimated(sets)
    threshold = least - _ROUNDING
    if top is not None:
        threshold = max(threshold, _at_rank(found.expected, top) - _ROUNDING)
    levels: list[tuple[Int32, Supports]] = []
    tables: list[Int64] = []  # the sets of each level as (number of the set without its last item, last item)
    while len(sets):
        kept = np.flatnonzero(found.expected >= threshold)
        sets, found = sets[kept], found.take(kept)
        levels.append((sets, found))
        tables.append(set_keys(tables, sets, n_items))
        length = sets.shape[1]
        report("mine", length, length + 1)
        if len(sets) < 2 or length == max_length:
            break
        if length == 1 and len(sets) ** 2 > _PAIRS_FOR_A_SET * max_itemsets:
            raise Infeasible(
                f"all pairs of {len(sets):,} frequent items would have to be looked at: raise --min-support, or set "
                "--max-length 1"
            )
        if length == 1 and not known_index(release).mixed:
            pairs, means = _frequent_pairs(release, sets[:, 0], term_items, threshold)
            if top is not None:
                threshold = max(threshold, _at_rank(np.concatenate([found.expected, means]), top) - _ROUNDING)
                pairs = pairs[means >= threshold]
            sets = pairs
        else:
            sets = all_candidates(tables, sets, n_items)
        found = estimated(sets)
    return _in_order(release, levels, least, top)


def _at_rank(values: Float64, rank: int) -> float:
    """The value at a rank, counted from 1 and from the greatest; minus infinity if there are fewer."""
    return float(np.partition(values, -rank)[-rank]) if len(values) >= rank else -np.inf


def _frequent_pairs(
    release: Disassociated, items: Int32, term_items: TermItems, threshold: float
) -> tuple[Int32, Float64]:
    """The pairs of the given items that reach the threshold, and their means."""
    from scipy.sparse import coo_array, csr_array, diags_array, triu

    index = known_index(release)
    sources = index.sources
    column = np.full(len(release.vocabulary), -1)
    column[items] = np.arange(len(items))

    # Single items: the chance of each in the records of each leaf.
    item = np.repeat(np.arange(len(release.vocabulary)), np.diff(sources.offsets))
    here = np.flatnonzero(column[item] >= 0)
    which, leaf = expand(sources.first[here].astype(np.int64), sources.beyond[here].astype(np.int64))
    size = np.diff(sources.records_upto)
    chance = _chances(index, here, term_items)[which]
    shape = len(size), len(items)
    own = (sources.chunk[here] == TERM) | (sources.region[here] == OWN)
    chance[own[which]] /= size[leaf[own[which]]]
    single = coo_array((chance, (leaf, column[item[here]][which])), shape=shape).tocsr()
    means = single.T @ (diags_array(size.astype(float)) @ single)

    # Items of one chunk: what it holds together, for what it would hold together by chance.
    kept = column[release.items] >= 0
    row = np.repeat(np.arange(release.n_subrecords), np.diff(release.subrecord_offsets))[kept]
    chunk = np.repeat(np.arange(release.n_chunks), np.diff(release.chunk_offsets))[row]
    columns, ones = column[release.items[kept]], np.ones(len(row))
    together = coo_array((ones, (row, columns)), shape=(release.n_subrecords, len(items))).tocsr()
    counts = csr_array(coo_array((ones, (chunk, columns)), shape=(release.n_chunks, len(items))))
    reach = diags_array(1 / np.maximum(index.ways.records, 1))
    means = means + together.T @ together - counts.T @ (reach @ counts)

    upper = triu(means, k=1).tocoo()
    frequent = upper.data >= threshold
    pairs = np.stack([items[upper.row[frequent]], items[upper.col[frequent]]], axis=1).astype(np.int32)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return pairs[order], upper.data[frequent][order]


def _chances(index: Index, rows: Int64, term_items: TermItems) -> Float64:
    """The chance of the item in a record, for shared chunks; elsewhere how many records hold it on average."""
    sources = index.sources
    chunk, region, entry = sources.chunk[rows], sources.region[rows], sources.entry[rows]
    term = chunk == TERM
    amount = np.where(term, 1.0 if term_items == "once" else (region + 1) / 2, 0.0)
    amount[~term] = np.diff(sources.post_offsets)[entry[~term]]
    shared = ~term & (region != OWN)
    amount[shared] /= index.ways.records[chunk[shared]]
    return amount


def _in_order(
    release: Disassociated, levels: list[tuple[Int32, Supports]], least: int, top: int | None
) -> ExpectedItemsets:
    """All levels, in their canonical order."""
    from shoal.kernels.rows import take_rows

    sizes = np.concatenate([np.full(len(sets), sets.shape[1]) for sets, _ in levels])
    together = Supports.concatenate([found for _, found in levels])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    items = np.concatenate([sets.ravel() for sets, _ in levels]).astype(np.int32)
    # Sets of a level are in lexicographic order. Equal means may differ in their last bits.
    order = np.lexsort((np.arange(len(sizes)), sizes, -np.round(together.expected, 6)))[:top]
    offsets, items = take_rows(offsets, items, order)
    return ExpectedItemsets(offsets, items, release.vocabulary, together.take(order), release.n_records, least)
