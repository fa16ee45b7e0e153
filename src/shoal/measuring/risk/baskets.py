"""The risk of re-identification in baskets, before anything is published.

The counts are defined in ``rare_sets`` (after Liu, Feng, Zhu 2022) and ``singled_out``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.arrays import Int64
from shoal.data.transactions import Transactions
from shoal.limits import require_whole
from shoal.measuring.risk.random_items import RandomKnown, singled_out_by_random
from shoal.measuring.risk.rare_sets import RareSets, Records, look, look_in_clusters, merged
from shoal.measuring.risk.share import Share, percent
from shoal.measuring.risk.singled_out import Known, singled_out
from shoal.run import Run

MOST_ITEMS = 5
"""The largest m."""


@dataclass(frozen=True)
class Lengths:
    """Itemsets of one length: how many occur, and how many of these are minimal problematic.

    Shares are of all records, or means over the clusters with such sets; None if there are no such sets.
    """

    length: int
    sets: int
    """The number of itemsets in at least one record."""
    common: int
    """The number of itemsets in at least k records."""
    minimal: int
    """The number of itemsets in fewer than k records, with all their subsets in k or more."""
    share: float | None
    """The share of minimal ones among all."""
    share_of_candidates: float | None
    """The share of minimal ones among those whose subsets are all in k records or more: themselves and the common."""


@dataclass(frozen=True)
class Clusters:
    """The same, by cluster."""

    number: int
    """The number of clusters."""
    lengths: tuple[Lengths, ...]
    """Sets and minimal ones are summed over all clusters."""


@dataclass(frozen=True)
class Contributor:
    """An item and its contribution to the risk."""

    item: str
    records: int
    """The number of records that hold it."""
    minimal: int
    """The number of minimal problematic itemsets that contain it."""
    share: float
    """The share of all minimal problematic itemsets that contain it."""


@dataclass(frozen=True)
class BasketRisk:
    """The risk of re-identification in baskets; printed, it is a paragraph.

    Example:
        >>> import shoal
        >>> found = shoal.risk(shoal.read([{"tea", "milk"}] * 4 + [{"tea", "caviar"}]), k=3, m=2)
        >>> found.unique_records, found.lengths[0].minimal, found.known[0].alone
        (1, 1, Share(20.0%))
    """

    records: int
    items: int
    k: int
    m: int
    unique_records: int
    """Records whose set of items is unique."""
    known: tuple[Known, ...]
    """The risk from the worst 1, ..., m items: those of the person's items that the fewest records hold."""
    random: tuple[RandomKnown, ...]
    """The risk from 1, ..., m random items, for people who have that many."""
    lengths: tuple[Lengths, ...]
    """Minimal problematic itemsets over all records; lengths with too many sets to search are missing at the end."""
    clusters: Clusters | None
    """None if the records are not in clusters, because there are fewer than k."""
    contributors: tuple[Contributor, ...]
    notes: tuple[str, ...]
    """What was not counted, and why."""

    def as_dict(self) -> dict[str, Any]:
        """The risk as plain values, ready for JSON."""
        clusters = self.clusters and {
            "number": self.clusters.number,
            "lengths": [vars(one) for one in self.clusters.lengths],
        }
        return {
            "words": str(self),
            "records": self.records,
            "items": self.items,
            "k": self.k,
            "m": self.m,
            "unique_records": self.unique_records,
            "known": [one.as_dict() for one in self.known],
            "random": [one.as_dict() for one in self.random],
            "lengths": [vars(one) for one in self.lengths],
            "clusters": clusters,
            "contributors": [vars(one) for one in self.contributors],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """The risk as a paragraph."""
        if not self.records:
            return "There are no records."
        last = self.known[-1]
        text = (
            f"{percent(self.unique_records / self.records)} of {self.records:,} people have a unique record. One known "
            "item, if it is the worst one of the person, singles out "
            f"{_people(self.known[0].alone)} of them"
        )
        text += "".join(f"; the worst {one.items} items single out {_people(one.alone)}" for one in self.known[1:])
        worst = f"the worst {last.items} items leave" if last.items > 1 else "the worst item leaves"
        text += f". For {_people(last.among_few)}, {worst} fewer than {self.k} possible people"
        if self.random:
            one = self.random[-1]
            random = f"{one.items} random items do" if one.items > 1 else "a random item does"
            few = one.among_few
            text += f"; {random} so for about {percent(few.value or 0.0)} ({percent(few.low)} to {percent(few.high)})"
            text += f" of the {one.people:,} people who have that many"
        text += "."
        shares = [share for one in self.known for share in (one.alone, one.among_few)]
        if self.random or any(share.sample for share in shares):
            text += (
                " The word about marks an estimate from a random sample; each range contains the true value in at "
                "least 95 of 100 samples."
            )
        if any(share.value is None for share in shares):
            text += " Where only a range is given, even a sample was too much to search."
        return text


def require_options(k: int, m: int, max_cluster_size: int | None, top: int) -> None:
    """Refuse numbers out of range."""
    require_whole("k", k, least=2)
    require_whole("m", m, least=1, most=MOST_ITEMS)
    if max_cluster_size is not None:
        require_whole("max_cluster_size", max_cluster_size, least=2 * k - 1)
    require_whole("top", top, least=0)


def basket_risk(
    data: Transactions,
    k: int,
    m: int,
    *,
    bounds: Int64 | None,
    top: int,
    chance: np.random.Generator,
    run: Run,
) -> BasketRisk:
    """Measure the risk of re-identification in baskets; see ``shoal.risk`` for the arguments.

    Args:
        data: the baskets, sorted by cluster.
        k: how many people should remain possible.
        m: how many items of a person an adversary may know.
        bounds: where each cluster starts, and the end; None for no clusters.
        top: how many items to list.
        chance: what to draw samples with.
        run: threads, progress and chance (:class:`shoal.Run`).
    """
    records, distinct = merged(data.offsets, data.items, data.n_items)
    found = _as_far_as_possible(records, k, m, run)
    clusters, in_clusters = _clusters(data, bounds, k, m, run)
    known = singled_out(records, distinct, found, k, m, chance=chance, run=run)
    lengths = _lengths(found.sets, found.common, found.minimal)
    return BasketRisk(
        records=len(data),
        items=data.n_items,
        k=k,
        m=m,
        unique_records=int(np.count_nonzero(distinct.counts == 1)),
        known=known,
        random=singled_out_by_random(data, k, m, chance=chance, run=run),
        lengths=lengths,
        clusters=clusters,
        contributors=_contributors(data, found, top),
        notes=(*_not_counted(len(lengths), m, "all records"), *_not_counted(in_clusters, m, "the clusters")),
    )


def _as_far_as_possible(records: Records, k: int, m: int, run: Run) -> RareSets:
    """Search sets of up to m items, or of fewer if those are too many; single items never are."""
    for length in range(m, 0, -1):
        found = look(records, k, length, run=run)
        if found is not None:
            return found
    raise AssertionError("single items are never too many")


def _clusters(data: Transactions, bounds: Int64 | None, k: int, m: int, run: Run) -> tuple[Clusters | None, int]:
    """The counts of the clusters, and the length up to which they were counted."""
    if bounds is None:
        return None, m
    for length in range(m, 0, -1):
        found = look_in_clusters(data.offsets, data.items, bounds, k, length, run=run)
        if found is not None:
            return Clusters(len(bounds) - 1, _lengths(*found)), length
    raise AssertionError("single items are never too many")


def _lengths(sets: Int64, common: Int64, minimal: Int64) -> tuple[Lengths, ...]:
    """Counts of groups as one, with the means of their shares."""
    return tuple(
        Lengths(
            at + 1,
            int(sets[:, at].sum()),
            int(common[:, at].sum()),
            int(minimal[:, at].sum()),
            _mean_share(minimal[:, at], sets[:, at]),
            _mean_share(minimal[:, at], minimal[:, at] + common[:, at]),
        )
        for at in range(sets.shape[1])
    )


def _mean_share(part: Int64, whole: Int64) -> float | None:
    there = whole > 0
    return float((part[there] / whole[there]).mean()) if there.any() else None


def _contributors(data: Transactions, found: RareSets, top: int) -> tuple[Contributor, ...]:
    """The items in most minimal problematic sets, ties by item."""
    ranked = np.lexsort((np.arange(data.n_items), -found.parts))[:top]
    ranked = ranked[found.parts[ranked] > 0]
    words = data.vocabulary.take(ranked).to_pylist()
    counts, supports = found.parts[ranked].tolist(), data.supports[ranked].tolist()
    total = max(1, int(found.minimal.sum()))
    return tuple(
        Contributor(word, support, count, count / total)
        for word, support, count in zip(words, supports, counts, strict=True)
    )


def _not_counted(length: int, m: int, where: str) -> tuple[str, ...]:
    if length == m:
        return ()
    return (
        f"itemsets of more than {length} item{'' if length == 1 else 's'} in {where} were not counted: there are too "
        "many for the available work and memory; use a smaller m, or a part of the records",
    )


def _people(share: Share) -> str:
    if share.exact:
        return share.shown if share.high else "none"
    return f"({share.shown})"
