"""Possible originals of a disassociated release, drawn at random.

Terrovitis et al., VLDB 2012, section 3 (a release stands for all its reconstructions) and 6 (averages over some).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.analyse.disassociated.layout import Layout, lay_out
from shoal.analyse.disassociated.placing import Model, Placed, place
from shoal.analyse.disassociated.term_chunks import DRAWN, TermItems, most_possible, require_term_items
from shoal.analyse.disassociated.without_empty_records import settle
from shoal.data.arrays import Int64
from shoal.data.transactions import Transactions
from shoal.errors import DamagedRelease, InputError
from shoal.limits import require_whole
from shoal.quoting import shown
from shoal.randomness import generator
from shoal.release.disassociated import Disassociated
from shoal.run import DEFAULT_RUN, Run

_ROUNDS = 200
"""How often the trees in which a record stayed empty are drawn anew, at most."""
_WORK = 4
"""How many pieces are drawn for that, at most, for each piece of the release."""
_WORK_ANYWAY = 100_000
"""How many pieces may be drawn for that however small the release is."""


def reconstruct(
    release: Disassociated,
    n: int = 1,
    *,
    term_items: TermItems = DRAWN,
    run: Run = DEFAULT_RUN,
) -> Iterator[Transactions]:
    """Possible originals of a release, at random: records that give back exactly its chunks.

    Each is as likely as this model says. The subrecords of a record chunk go to different records of their cluster,
    those of a shared chunk to different records of the clusters below its joint to which none of their items is closed
    (the cluster has it in a record chunk, or in a shared chunk on the way up), all choices being equally likely and
    chunks independent of each other. A term-chunk item goes to one record of its cluster, or to as many as
    ``term_items`` says. Of what comes out, only originals without an empty record count.

    That condition is kept by drawing a tree (a root cluster with all below it) again while it has an empty record. A
    tree that stays stubborn is mended, by moving subrecords from records that have others to empty ones, and then
    stirred by steps that leave the conditional distribution as it is; what comes out of these is close to the model.

    Deviations: the paper leaves open how often a term-chunk item occurs. "once" is the least that a release says. It
    is the default here, other than in queries: a data set carries no bounds beside it, and on real baskets it is the
    nearer of the two (``docs/query.md``).
    Where that leaves records empty in every placement (no chunk reaches them) an item of the term chunk goes to more
    records, as many as it takes. In shared chunks made by hand, whose subrecords may go to sets of records that overlap
    without one lying in the other, placements are not all equally likely.

    Args:
        release: what was published.
        n: how many originals.
        term_items: "once", or "uniform", as queries take it: the number of records that hold an item is
            from 1 to k - 1 (to all records of the cluster, for a sensitive item and for one that may have been moved
            to the term chunk), each equally likely.
        run: threads, progress and chance (:class:`shoal.Run`).

    Returns:
        An iterator over n data sets. Records stand in the order of the release's clusters.

    Raises:
        InputError: an argument is out of range.
        DamagedRelease: parts of the release do not fit each other, or no original has it.

    Example:
        >>> import shoal
        >>> release = shoal.disassociate(shoal.quest(300, n_items=30, seed=1), k=3, m=2)
        >>> for possible in release.reconstruct(2, run=shoal.Run(chance=1)):
        ...     print(possible)
        Transactions(300 records, 30 items)
        Transactions(300 records, 30 items)
    """
    if getattr(release, "shape", None) != Disassociated.shape:
        raise InputError(
            f"{shown(release)} is no release of baskets: release.reconstruct() draws possible tables of it"
        )
    require_whole("n", n, least=1)
    require_term_items(term_items)
    chance = generator(run.chance)
    layout = lay_out(release)
    return _drawn(release, _model(release, layout, term_items), n, chance, run)


def _drawn(
    release: Disassociated, model: Model, n: int, chance: np.random.Generator, run: Run
) -> Iterator[Transactions]:
    for number in range(n):
        run.report("reconstruct", number, n)
        yield _records(release, model.layout, draw(release, model, chance))
    run.report("reconstruct", n, n)


def _model(release: Disassociated, layout: Layout, term_items: TermItems) -> Model:
    most = layout.pieces.copy()
    if term_items == "uniform":
        most[release.n_chunks :] = most_possible(release)
    return Model(layout, layout.pieces, most)


def draw(release: Disassociated, model: Model, chance: np.random.Generator) -> list[Placed]:
    """Place all parts such that no record is empty."""
    layout = model.layout
    placed = [place(model, np.flatnonzero(~layout.concerned), chance)]
    parts = np.flatnonzero(layout.concerned)
    parts = parts[np.argsort(layout.tree[parts], kind="stable")]
    sizes = np.diff(layout.leaf_first)
    needy = np.flatnonzero(np.repeat(layout.needy, sizes))
    tree_of = np.repeat(layout.leaf_tree, sizes)[needy]
    budget = max(_WORK * int(layout.pieces.sum()), _WORK_ANYWAY)
    for _ in range(_ROUNDS):
        if len(parts) == 0 or budget < 0:
            break
        drawn = place(model, parts, chance)
        budget -= len(drawn.places)
        filled = np.zeros(layout.n_places, bool)
        filled[drawn.places] = True
        failed = np.unique(tree_of[~filled[needy]])
        again = np.isin(layout.tree[parts], failed)
        placed.append(drawn.only(~again))
        parts = parts[again]
        kept = np.isin(tree_of, failed)
        needy, tree_of = needy[kept], tree_of[kept]
    bounds = np.flatnonzero(np.diff(layout.tree[parts])) + 1
    for together in np.split(parts, bounds) if len(parts) else []:
        placed.append(settle(release, model, together, chance))
    return placed


def _records(release: Disassociated, layout: Layout, placed: list[Placed]) -> Transactions:
    """The records that the pieces make: all (record, item) pairs as numbers, sorted."""
    n_items = len(release.vocabulary)
    keys = [np.zeros(0, np.int64)]
    for some in placed:
        at = some.places if layout.records is None else layout.records[some.places]
        is_chunk = some.parts < release.n_chunks
        in_chunk = np.repeat(is_chunk, some.counts)
        term = some.part_of[~in_chunk] - release.n_chunks
        keys.append(at[~in_chunk] * n_items + release.term_items[term])
        counts = some.counts[is_chunk]
        row = _ranges(release.chunk_offsets[some.parts[is_chunk]], counts)
        lengths = np.diff(release.subrecord_offsets)[row]
        items = release.items[_ranges(release.subrecord_offsets[row], lengths)]
        keys.append(np.repeat(at[in_chunk] * n_items, lengths) + items)
    every = np.concatenate(keys)
    every.sort()
    again = np.flatnonzero(every[1:] == every[:-1])
    if len(again):
        record, item = divmod(int(every[again[0]]), n_items)
        leaves = np.flatnonzero(release.is_leaf)
        cluster = leaves[np.searchsorted(np.cumsum(release.cluster_size[leaves]), record, side="right")]
        raise DamagedRelease(
            f"the release is damaged: {shown(release.vocabulary[item].as_py())} is in two parts that go to one record "
            f"of cluster {int(cluster)} (shoal verify says more)"
        )
    records = every // n_items
    lengths = np.bincount(records, minlength=layout.n_places)
    return Transactions(
        np.concatenate([[0], np.cumsum(lengths)]), (every - records * n_items).astype(np.int32), release.vocabulary
    )


def _ranges(starts: Int64, lengths: Int64) -> Int64:
    """starts[i], starts[i] + 1, ... for every i, lengths[i] of them."""
    offsets = np.cumsum(lengths) - lengths
    found: Int64 = np.arange(int(lengths.sum())) + np.repeat(starts - offsets, lengths)
    return found
