"""Association rules of a randomized release: confidences are ratios of two estimates that share their chance.

The interval of a confidence is that of a ratio (E. Fieller, J. R. Stat. Soc. B 16(2), 1954): all values c for which the
estimate of supp(AB) - c supp(A) is within 1.96 of its standard errors from 0. The covariance of the two supports is
estimated without bias, as their variances are: what a row counts for A, times what it counts for A and B, is a product
over items again, and comes from counts of subsets alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from shoal.analyse.candidates import extended
from shoal.analyse.randomized.estimates import NORMAL_95, Chance
from shoal.analyse.randomized.itemsets import ROUNDING, EstimatedItemsets
from shoal.data.arrays import Float64, Int32, Int64
from shoal.data.frozen import freeze
from shoal.errors import Infeasible, InputError
from shoal.limits import require_number, require_whole
from shoal.mining.rules import MAX_RULES

# Subsets of itemsets that are looked up in one go.
_BATCH = 1 << 20


@dataclass(frozen=True, eq=False)
class EstimatedRules:
    """Rules between itemsets of a randomized release: the most confident first, then the more frequent, then by items.

    Rule ``i`` says that of the records that contain ``itemsets[antecedents[i]]``, an estimated share of
    ``confidences[i]`` contain ``itemsets[consequents[i]]`` too. Chance may make a confidence more than 1.
    """

    itemsets: EstimatedItemsets
    """The itemsets that antecedents, consequents and their unions are among."""
    antecedents: Int64
    """The number of each rule's antecedent."""
    consequents: Int64
    """The number of each rule's consequent."""
    wholes: Int64
    """The number of antecedent and consequent together."""
    low: Float64
    high: Float64
    """The interval of the confidence; infinite where the antecedent may be in no record at all."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.wholes)

    def __repr__(self) -> str:
        return f"EstimatedRules({len(self):,} of {len(self.itemsets):,} itemsets)"

    @property
    def supports(self) -> Float64:
        """The share of the records that antecedent and consequent are in, by its estimate."""
        return self.itemsets.estimates.estimate[self.wholes]

    @property
    def confidences(self) -> Float64:
        """The share of the antecedent's records that the consequent is in, by the estimates."""
        confidences: Float64 = self.supports / self.itemsets.estimates.estimate[self.antecedents]
        return confidences

    @property
    def lifts(self) -> Float64:
        """How many times more frequent antecedent and consequent are together than expected, by the estimates."""
        lifts: Float64 = self.confidences / self.itemsets.estimates.estimate[self.consequents]
        return lifts

    def to_arrow(self) -> pa.Table:
        """A table of the rules: antecedent, consequent, support, confidence, its interval (low, high), lift."""
        names = self.itemsets.names()
        return pa.table(
            {
                "antecedent": names.take(pa.array(self.antecedents)),
                "consequent": names.take(pa.array(self.consequents)),
                "support": self.supports,
                "confidence": self.confidences,
                "low": self.low,
                "high": self.high,
                "lift": self.lifts,
            }
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the table to any Arrow consumer."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def estimated_rules(
    itemsets: EstimatedItemsets,
    min_confidence: float = 0.5,
    *,
    max_consequent: int | None = None,
    max_rules: int = MAX_RULES,
) -> EstimatedRules:
    """All rules between two of the itemsets without common items whose union is among them, too.

    Args:
        itemsets: what :func:`estimated_itemsets` found.
        min_confidence: the smallest share of the antecedent's records that the consequent must be in, by the estimates.
        max_consequent: how many items a consequent may have; by default any number.
        max_rules: how many rules may be looked at; more are refused.

    Raises:
        InputError: an argument is out of range, or the itemsets were estimated from a constant number of counts.
        Infeasible: there are too many.

    Example:
        >>> import shoal
        >>> again = shoal.Run(chance=1)
        >>> release = shoal.mask(shoal.read([{"tea", "milk"}] * 800 + [{"tea"}] * 200), keep_prob=.95, run=again)
        >>> rule = estimated_rules(release.mine(.5).found, .9).to_arrow().to_pylist()[0]
        >>> rule["antecedent"], rule["consequent"], rule["low"] < 1 < rule["high"]
        (['milk'], ['tea'], True)
    """
    require_number("min_confidence", min_confidence, least=0, most=1)
    if max_consequent is not None:
        require_whole("max_consequent", max_consequent, least=1)
    require_whole("max_rules", max_rules, least=1)
    if itemsets.estimator == "constant":
        raise InputError(
            "supports from a constant number of counts are not exact, and nothing is known of the ratio of two: leave "
            "out --estimator constant"
        )
    sizes, how_many = np.unique(itemsets.sizes, return_counts=True)
    splits = sum(n * (2**size - 2) for size, n in zip(sizes.tolist(), how_many.tolist(), strict=True))
    if splits > max_rules:
        raise Infeasible(
            f"the itemsets have {splits:,} ways to be split into two, more than {max_rules:,}: raise --min-support, or "
            "bound the length of itemsets with --max-length"
        )
    nothing = np.empty(0, np.int64)
    found = [_Rules(nothing, nothing, nothing, np.empty(0))]
    for size in sizes[sizes > 1].tolist():
        wholes = np.flatnonzero(itemsets.sizes == size)
        step = max(1, _BATCH >> size)
        for first in range(0, len(wholes), step):
            found += _rules_of(itemsets, wholes[first : first + step], size, min_confidence, max_consequent or size)
    whole, antecedent, consequent, covariance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    low, high = _intervals(itemsets, whole, antecedent, covariance)
    rules = EstimatedRules(itemsets, antecedent, consequent, whole, low, high)
    order = np.lexsort((antecedent, whole, -rules.supports, -np.round(rules.confidences, 12)))
    return EstimatedRules(itemsets, antecedent[order], consequent[order], whole[order], low[order], high[order])


class _Rules(NamedTuple):
    """Rules as numbers of itemsets, and the covariances of the supports of their wholes and antecedents."""

    whole: Int64
    antecedent: Int64
    consequent: Int64
    covariance: Float64


def _rules_of(
    itemsets: EstimatedItemsets, wholes: Int64, size: int, min_confidence: float, max_consequent: int
) -> list[_Rules]:
    """The rules whose wholes are the given itemsets, which have one size: one entry for each way to split them."""
    chance = Chance.of(itemsets.release)
    items = itemsets.items[itemsets.offsets[wholes][:, None] + np.arange(size)]
    places, rows = _subsets(itemsets, items)
    shares = np.where(places < 0, 0.0, itemsets.estimates.estimate[places])
    everything = 2**size - 1
    rules = []
    for left in range(1, everything):
        right = everything ^ left
        if right.bit_count() > max_consequent:
            continue
        confident = shares[everything] >= min_confidence * shares[left] * (1 - ROUNDING)
        at = np.flatnonzero(confident & (places[left] >= 0) & (places[right] >= 0))
        if len(at):
            shared = _shared_worth(chance, size, left) @ rows[:, at]
            of_fakes = chance.fake_share(size) * (1 - chance.fake_share(left.bit_count()))
            covariance = (shared + itemsets.release.n_fakes * of_fakes) / chance.n_records**2
            rules.append(_Rules(wholes[at], places[left, at], places[right, at], covariance))
    return rules


def _subsets(itemsets: EstimatedItemsets, items: Int32) -> tuple[Int64, Int64]:
    """Of each subset of each set: where it is among the itemsets, or -1, and in how many rows of the release it is.

    Row x of the results is the subset that has item t where bit t of x is set.
    """
    n, size = items.shape
    numbers = np.zeros((1 << size, n), np.int64)
    places = np.full((1 << size, n), -1, np.int64)
    rows = np.full((1 << size, n), itemsets.release.n_rows, np.int64)
    for subset in range(1, 1 << size):
        level = itemsets.levels[subset.bit_count() - 1]
        last = subset.bit_length() - 1
        # Every subset of what is reported was kept, and so is in the tables of the levels.
        smaller = numbers[subset ^ (1 << last)]
        numbers[subset] = extended(level.keys, smaller, items[:, last], itemsets.release.n_items)
        places[subset], rows[subset] = level.places[numbers[subset]], level.rows[numbers[subset]]
    return places, rows


def _shared_worth(chance: Chance, size: int, left: int) -> Float64:
    """By subset: what turns counts of rows into the sum of (what they count for A) x (for A and B) - (for A and B)."""
    there, missing = chance.there, chance.missing
    once, twice = np.array([missing, there - missing]), np.array([missing**2, there**2 - missing**2])
    both, plain = np.ones(1), np.ones(1)
    for item in range(size):
        both = np.kron(twice if left >> item & 1 else once, both)
        plain = np.kron(once, plain)
    return both - plain


def _intervals(
    itemsets: EstimatedItemsets, whole: Int64, antecedent: Int64, covariance: Float64
) -> tuple[Float64, Float64]:
    """Where the ratio of two estimates may lie; anywhere if the lower one may be 0."""
    share, error = itemsets.estimates.estimate, NORMAL_95 * itemsets.estimates.error
    above, below = share[whole], share[antecedent]
    spread_above, spread_below = error[whole] ** 2, error[antecedent] ** 2
    # No two numbers vary together more than each of them does; an estimate of it may.
    together = np.clip(NORMAL_95**2 * covariance, -error[whole] * error[antecedent], error[whole] * error[antecedent])
    bounded = itemsets.estimates.low[antecedent] > 0
    scale = np.where(bounded, below**2 - spread_below, 1.0)
    middle = above * below - together
    reach = np.sqrt(np.maximum(0, middle**2 - (above**2 - spread_above) * scale))
    low = np.where(bounded, (middle - reach) / scale, -np.inf)
    high = np.where(bounded, (middle + reach) / scale, np.inf)
    return low, high
