"""Association rules: which other items occur in the records that contain a set of items.

Rules from frequent itemsets as in R. Agrawal, R. Srikant: Fast Algorithms for Mining Association Rules, VLDB 1994,
section 3: a consequent can only grow while the rule keeps its confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.data.arrays import Float64, Int64
from shoal.data.frozen import freeze
from shoal.data.ragged import steps
from shoal.errors import Infeasible
from shoal.limits import require_number, require_whole
from shoal.mining.subsets import CountedSets, Subsets, subsets_of
from shoal.mining.support import as_written

MAX_RULES = 50_000_000
# Rules that are processed together.
_BATCH = 1 << 20


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules between itemsets: the most confident first, then the more frequent, then by items.

    Rule ``i`` says that of the records that contain ``itemsets[antecedents[i]]``, a share of ``confidences[i]`` contain
    ``itemsets[consequents[i]]`` too. An expected count is the count if the two were independent.
    """

    itemsets: CountedSets
    """The itemsets of antecedents and consequents."""
    antecedents: Int64
    """The number of each rule's antecedent."""
    consequents: Int64
    """The number of each rule's consequent."""
    wholes: Int64
    """The number of the union of antecedent and consequent."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.wholes)

    def __repr__(self) -> str:
        return f"Rules({len(self):,} of {len(self.itemsets):,} itemsets)"

    @property
    def counts(self) -> npt.NDArray[Any]:
        """In how many records antecedent and consequent are together, or are expected to be."""
        return self.itemsets.counts[self.wholes]

    @property
    def supports(self) -> Float64:
        """The share of the records that contain antecedent and consequent."""
        supports: Float64 = self.counts / self.itemsets.n_records
        return supports

    @property
    def confidences(self) -> Float64:
        """The share of the antecedent's records that contain the consequent."""
        confidences: Float64 = self.counts / self.itemsets.counts[self.antecedents]
        return confidences

    @property
    def lifts(self) -> Float64:
        """How many times more frequent antecedent and consequent are together than expected."""
        apart = self.itemsets.counts[self.antecedents] * self.itemsets.counts[self.consequents]
        lifts: Float64 = self.counts * self.itemsets.n_records / apart
        return lifts

    @property
    def leverages(self) -> Float64:
        """By what share of the records antecedent and consequent are together more often than expected."""
        n = self.itemsets.n_records
        apart = self.itemsets.counts[self.antecedents] * self.itemsets.counts[self.consequents]
        leverages: Float64 = (self.counts * n - apart) / (n * n)
        return leverages

    @property
    def convictions(self) -> Float64:
        """How many times more often the rule would be wrong under independence; infinite if it is never wrong."""
        n = self.itemsets.n_records
        body, head = self.itemsets.counts[self.antecedents], self.itemsets.counts[self.consequents]
        wrong = n * (body - self.counts)
        convictions = np.full(len(self), np.inf)
        np.divide(body * (n - head), wrong, out=convictions, where=wrong > 0)
        return convictions

    def to_arrow(self) -> pa.Table:
        """A table of the rules: antecedent, consequent, count, support, confidence, lift, leverage, conviction.

        If counts are means, their column is called ``expected``, and the columns ``least`` and ``most`` before it are
        the certain bounds.
        """
        names, bounds = self.itemsets.names(), self.itemsets.bounds
        certain = {} if bounds is None else {"least": bounds[0][self.wholes], "most": bounds[1][self.wholes]}
        return pa.table(
            {
                "antecedent": names.take(pa.array(self.antecedents)),
                "consequent": names.take(pa.array(self.consequents)),
                **certain,
                "count" if self.counts.dtype.kind == "i" else "expected": self.counts,
                "support": self.supports,
                "confidence": self.confidences,
                "lift": self.lifts,
                "leverage": self.leverages,
                "conviction": self.convictions,
            }
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table to any Arrow consumer."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def association_rules(
    itemsets: CountedSets,
    min_confidence: float = 0.5,
    *,
    max_consequent: int | None = None,
    max_rules: int = MAX_RULES,
) -> Rules:
    """All rules between two sets without common items whose union is among the given itemsets.

    Args:
        itemsets: all frequent itemsets, or all up to some length; of baskets, or of a release with their means.
        min_confidence: the least share of the antecedent's records that must contain the consequent; it is compared
            exactly as it is written.
        max_consequent: how many items a consequent may have; by default any number.
        max_rules: how many rules there may be; more are refused.

    Returns:
        The rules, in their canonical order.

    Raises:
        InputError: an argument is out of range, or a subset of an itemset is not among them.
        Infeasible: there are too many.

    Example:
        >>> from shoal.data.transactions import Transactions
        >>> from shoal.mining.itemsets import frequent_itemsets
        >>> baskets = Transactions.from_records([{"bread", "milk"}, {"bread", "milk"}, {"bread"}])
        >>> association_rules(frequent_itemsets(baskets, 2), .9).to_arrow().to_pylist()[0]["antecedent"]
        ['milk']
    """
    require_number("min_confidence", min_confidence, least=0, most=1)
    if max_consequent is not None:
        require_whole("max_consequent", max_consequent, least=1)
    require_whole("max_rules", max_rules, least=1)
    subsets = subsets_of(itemsets)
    most = _largest_antecedents(itemsets.counts, min_confidence)
    everything = np.arange(len(itemsets))
    nothing = np.full(len(itemsets), -1, np.int64)
    level = _Level(everything, everything, nothing, nothing)
    made = [level.at(slice(0, 0))]
    total, size = 0, 0
    while len(level.whole) and size != max_consequent:
        grown = []
        for first in range(0, len(level.whole), _BATCH):
            grown.append(_moved(level.at(slice(first, first + _BATCH)), itemsets, subsets, most))
            total += len(grown[-1].whole)
            if total > max_rules:
                raise Infeasible(
                    f"more than {max_rules:,} rules have a confidence of at least {min_confidence:g}: raise "
                    "the minimum confidence or support, or limit the length of itemsets"
                )
        level = _joined(grown)
        made.append(level)
        size += 1
    whole, antecedents, consequents, _ = _joined(made)
    rules = Rules(itemsets, antecedents, consequents, whole)
    order = np.lexsort((antecedents, whole, -rules.counts, -rules.confidences))
    return Rules(itemsets, antecedents[order], consequents[order], whole[order])


class _Level(NamedTuple):
    """Rules whose consequents have the same number of items; sets are numbers of itemsets, the empty one is -1."""

    whole: Int64
    antecedent: Int64
    consequent: Int64
    moved: Int64
    """The code of the last item of the consequent."""

    def at(self, rows: slice | Int64) -> _Level:
        return _Level(*(part[rows] for part in self))


def _joined(levels: list[_Level]) -> _Level:
    return _Level(*(np.concatenate(parts) for parts in zip(*levels, strict=True)))


def _largest_antecedents(counts: npt.NDArray[Any], min_confidence: float) -> npt.NDArray[Any]:
    """For each set, the largest count of an antecedent for which the rule is still confident enough."""
    wanted = as_written(min_confidence)
    if counts.dtype.kind == "f":  # means are not exact: equality up to rounding is enough
        return counts / float(wanted) * (1 + 1e-12) if wanted else np.full(len(counts), np.inf)
    distinct, place = np.unique(counts, return_inverse=True)
    largest = [min(2**62, int(count / wanted)) if wanted else 2**62 for count in distinct.tolist()]
    return np.array(largest, np.int64)[place]


def _moved(level: _Level, itemsets: CountedSets, subsets: Subsets, most: npt.NDArray[Any]) -> _Level:
    """Rules with one more, greater item in the consequent that are confident enough."""
    sizes = itemsets.sizes[level.antecedent]
    sizes[sizes == 1] = 0  # an antecedent is not empty
    row = np.repeat(np.arange(len(sizes)), sizes)
    cell = steps(sizes) + itemsets.offsets[level.antecedent[row]]
    item = itemsets.items[cell].astype(np.int64)
    without = subsets.without[cell]
    keep = (item > level.moved[row]) & (itemsets.counts[without] <= most[level.whole[row]])
    row, item = row[keep], item[keep]
    return _Level(level.whole[row], without[keep], subsets.extended(level.consequent[row], item), item)
