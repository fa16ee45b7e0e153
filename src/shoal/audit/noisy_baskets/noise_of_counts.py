"""Noisy counts against those of the original: neither farther from them than the stated noise allows, nor closer.

Noise of a count with budget e has P(x) proportional to r^|x|, r = exp(-e). All bounds are exact or from above, without
approximation by another distribution: tails are r^m, and the sum of e |x| over many baskets is bounded by its moments,
E exp(-t e |x|) = tanh(e / 2) / tanh(e (1 + t) / 2), for every t above -1 (Chernoff).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.equal_rows import kinds_of_rows
from shoal.audit.noisy_baskets.splits import Descent, LastCounts
from shoal.audit.not_tried import LeftOut
from shoal.audit.parts import expand
from shoal.audit.tail_bounds import FALSE_ALARM, IN_WORDS, too_many
from shoal.audit.trees import bottom
from shoal.audit.verdict import Check, decided
from shoal.audit.wording import and_more, itemset
from shoal.data.arrays import Float64, Int32, Int64
from shoal.data.transactions import Transactions
from shoal.release.noisy_baskets import NoisyBaskets

NOISE, NEAR, MISSING = "noise", "counts in the original", "missing baskets"
_SMALLER = np.geomspace(1e-3, 1e9, 300)
_LARGER = -np.linspace(0.005, 0.995, 199)


@dataclass(frozen=True, eq=False)
class Matched:
    """The different baskets of an original, in the items of the release."""

    offsets: Int64
    items: Int32
    counts: Int64
    """How many records each basket is."""
    true: Int64
    """How many records each basket of the release is."""
    row: Int64
    """Where each basket of the original is in the release; -1: nowhere."""
    sure: Int64
    """Those that pass all their thresholds except with a negligible chance."""


def match_original(release: NoisyBaskets, original: Transactions) -> tuple[Matched, tuple[str, ...]]:
    """Find the baskets of the original, by name, and those of its items that the hierarchy lacks."""
    names = original.vocabulary.cast(pa.string())
    lowest = np.flatnonzero(bottom(release.tree))
    labels = pa.array([release.tree.labels[node] for node in lowest.tolist()], pa.string())
    found = pc.fill_null(pc.index_in(names, labels), -1).to_numpy(zero_copy_only=False).astype(np.int64)
    missing = tuple(names.filter(pa.array(found < 0)).to_pylist())
    codes = np.where(found < 0, 0, lowest[found]) if len(found) else found
    owners = np.repeat(np.arange(len(original)), original.lengths)
    # The hierarchy may sort items differently from the data.
    items = (np.sort(owners * len(release.tree) + codes[original.items]) % len(release.tree)).astype(np.int32)
    both = np.concatenate([release.offsets, original.offsets[1:] + release.offsets[-1]])
    kinds = kinds_of_rows(both, np.concatenate([release.items, items]), len(release.tree))
    rows, records = kinds[: release.n_rows], kinds[release.n_rows :]
    present, first, counts = np.unique(records, return_index=True, return_counts=True)
    row_of = np.full(int(kinds.max(initial=-1)) + 1, -1, np.int64)
    row_of[rows] = np.arange(release.n_rows)
    row = row_of[present]
    true = np.zeros(release.n_rows, np.int64)
    true[row[row >= 0]] = counts[row >= 0]
    _, place = expand(original.offsets[first], original.offsets[first + 1])
    lengths = original.lengths[first]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    sure = np.empty(0, np.int64) if missing else _sure(release, offsets, items[place], counts)
    return Matched(offsets, items[place], counts, true, row, sure), missing


def _sure(release: NoisyBaskets, offsets: Int64, items: Int32, counts: Int64) -> Int64:
    """The baskets that pass every split except with a chance of one in ten billion for all of them together.

    The baskets of the original are split as the release states, and those that stay together are counted: their number,
    less what noise may take away, must reach the threshold. Most baskets are gone after a few splits.
    """
    n = len(release.tree)
    descent, parts = Descent.of(release.tree, release.promise.epsilon, offsets, items), np.zeros(len(counts), np.int64)
    enough = math.log((len(items) + 1) * (int(descent.inner[0]) + 1) / FALSE_ALARM)
    sure = [np.empty(0, np.int64)]
    while len(descent.going):
        before = descent.cut
        descent, splits = descent.split()
        split = descent.cut != before
        ends = np.concatenate([[0], np.cumsum(np.add.reduceat(split, descent.starts, dtype=np.int64))])
        ways = kinds_of_rows(*_once(ends, descent.cut[split]), n)
        _, parts = np.unique(parts * len(ways) + ways, return_inverse=True)
        left = np.bincount(parts, weights=counts[descent.going]).astype(np.int64)[parts]
        passes = (left - splits.least) * splits.budgets >= enough
        sure.append(descent.going[passes & splits.done])
        descent, parts = descent.only(passes & ~splits.done), parts[passes & ~splits.done]
    return np.sort(np.concatenate(sure))


def _once(offsets: Int64, nodes: Int64) -> tuple[Int64, Int32]:
    """Rows of ascending nodes without repetitions."""
    first = np.diff(nodes, prepend=-1) != 0
    first[offsets[:-1]] = True
    before = np.concatenate([[0], np.cumsum(first)])
    return before[offsets], nodes[first].astype(np.int32)


def check_counts(release: NoisyBaskets, matched: Matched, published: LastCounts) -> Check:
    """No count is farther from the true one than its noise allows.

    Given that a basket is published, its count exceeds the true one, or the threshold if that is greater, by m or more
    with a chance of at most 2 r^m, and falls below the true one in the same way.
    """
    what = f"every count is as close to that of the original as its noise is, up to chance ({IN_WORDS})"
    reach = math.log(4 * max(release.n_rows, 1) / FALSE_ALARM) / published.budgets
    over = release.row_counts - np.maximum(matched.true, published.least)
    wrong = np.flatnonzero((over > reach) | (matched.true - release.row_counts > reach))
    witness = None
    if len(wrong):
        row = int(wrong[0])
        nodes = release.items[release.offsets[row] : release.offsets[row + 1]]
        witness = (
            f"{_named(release, nodes)} is counted {int(release.row_counts[row]):,} times, and is "
            f"{int(matched.true[row]):,} records of the original"
        ) + and_more(len(wrong) - 1, "baskets")
    return decided(NEAR, what, release.n_rows, witness)


def check_missing(release: NoisyBaskets, matched: Matched) -> Check:
    """Baskets that must pass their thresholds are published."""
    what = f"baskets that are frequent enough to pass all their thresholds are published, up to chance ({IN_WORDS})"
    lost = matched.sure[matched.row[matched.sure] < 0]
    witness = None
    if len(lost):
        at = int(lost[0])
        nodes = matched.items[matched.offsets[at] : matched.offsets[at + 1]]
        witness = (
            f"{_named(release, nodes)} is {int(matched.counts[at]):,} records of the original, but is not published"
        ) + and_more(len(lost) - 1, "baskets")
    return decided(MISSING, what, len(matched.sure), witness)


def check_noise(release: NoisyBaskets, matched: Matched, published: LastCounts) -> Check | LeftOut:
    """Counts are as far from the true ones, overall, as the stated noise makes them."""
    rows = matched.row[matched.sure]
    rows = rows[rows >= 0]  # that these passed their thresholds carries no information about their noise
    budgets = published.budgets[rows]
    if np.log(np.tanh(budgets / 2)).sum() > math.log(FALSE_ALARM):
        why = "baskets of the original are frequent enough to show whether there is noise in the counts"
        return LeftOut(NOISE, f"only {len(rows):,} {why}")
    away = np.abs(release.row_counts[rows] - matched.true[rows])
    spread = float(budgets @ away)
    none = int((away == 0).sum())
    chances = (
        _chance(spread, budgets, _SMALLER),
        _chance(spread, budgets, _LARGER),
        float(too_many(none, len(rows), np.tanh(budgets / 2).mean())),  # some counts without any noise
    )
    what = f"counts are as far from those of the original as the noise of their budgets makes them ({IN_WORDS})"
    witness = None
    if min(chances) < FALSE_ALARM / len(chances):
        size = "much" if min(chances) == chances[1] else "little"
        witness = (
            f"there is too {size} noise: {len(rows):,} counts of frequent baskets differ from the true ones by "
            f"{away.mean():.3g} on average, {none:,} not at all; by their budgets, "
            f"{(1 / np.sinh(budgets)).mean():.3g} would be expected"
        )
    return decided(NOISE, what, len(rows), witness)


def _chance(spread: float, budgets: Float64, bends: Float64) -> float:
    """A bound of the chance of such a spread, or of one farther on the side of these exponents."""
    least = min(
        bend * spread + float((np.log(np.tanh(budgets / 2)) - np.log(np.tanh(budgets * (1 + bend) / 2))).sum())
        for bend in bends.tolist()
    )
    return math.exp(min(0.0, least))


def _named(release: NoisyBaskets, nodes: Int32) -> str:
    return itemset(pa.array(release.tree.labels), nodes.tolist())
