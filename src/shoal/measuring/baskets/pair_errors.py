"""Errors in the supports of pairs of items: re, re-a, re over several reconstructions, and in closed form.

Terrovitis, Mamoulis, Liagouris, Skiadopoulos, VLDB 2012, section 6, equation 3: |s_o - s_p| / AVG(s_o, s_p), where
s_o and s_p are the supports of a pair in the original and in what was published. Section 7: the mean over all pairs of
items from a range of ranks, the items being ordered by descending support; one reconstruction (re), averages over
several (re-r2, re-r5, re-r10), chunks alone (re-a).

Deviations: the paper says that the average in the denominator avoids divisions by 0. It does not if both supports
are 0, which is common among rare items; such a pair counts here as an error of 0, because nothing is wrong with it. A
pair that is only in the published data has an error of 2 however rare it is. Therefore averaging over more
reconstructions, each of which invents other pairs, makes re larger where most pairs are in no record of the original.
Both are counted next to the mean, and so is the mean over the pairs of the original alone. The paper does not
say whether its ranges include their end: here 0-20 are twenty items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.analyse.disassociated.supports import estimate
from shoal.analyse.disassociated.term_chunks import DRAWN
from shoal.data.arrays import Float64, Int32, Int64
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.kernels.compiling import announced
from shoal.limits import require_whole
from shoal.measuring.baskets.against_original import Compared
from shoal.measuring.metric import Detail, Metric
from shoal.mining.counting import count_itemsets
from shoal.quoting import shown
from shoal.run import Run

Range = tuple[int, int]

MOST_PAIRS = 20_000_000
STEPS = (1, 2, 5)
"""Numbers of reconstructions that are reported, also times 10, 100, ..."""

_EDGES = (
    "a pair in neither (0/0) counts as 0, an invented one, which is not in the original, as 2; items with equal "
    "supports are ranked by item, and rank ties are items outside the range with the support of its first or last; "
    "nothing: there are no two items of these ranks"
)
_MEANINGS = {
    "re": "the mean over all pairs of items of these ranks of |s - t| / ((s + t) / 2), where s is the number of "
    "records with both in the original, and t that in a random reconstruction",
    "re-closed": "the same, with t expected over all reconstructions, in closed form",
    "re-a": "the same, with t counted inside chunks only, so that all of it is certain",
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of items from some ranges of ranks, range after range."""

    ranges: tuple[Range, ...]
    bounds: Int64
    """The start of the pairs of each range; one more entry than there are ranges."""
    first: Int32
    second: Int32
    """Codes of the original."""
    items: tuple[int, ...]
    """The number of items of each range."""
    ties: tuple[int, ...]
    """The number of items outside each range with the support of its first or of its last item."""

    @classmethod
    def of(cls, first: Int32, second: Int32) -> Pairs:
        """Pairs of no range."""
        return cls((), np.zeros(1, np.int64), first, second, (), ())

    def __len__(self) -> int:
        return len(self.first)


def require_ranges(ranges: Sequence[Range]) -> None:
    """Refuse invalid ranges, and ranges with more pairs than can be counted."""
    for one in ranges:
        if not isinstance(one, tuple | list) or len(one) != 2:
            raise InputError(f"a range is {shown(one)}: it must be two ranks, as in (0, 20)")
        require_whole("the start of a range", one[0], least=0)
        require_whole("the end of a range", one[1], least=one[0] + 2)
    if len({tuple(one) for one in ranges}) < len(ranges):
        raise InputError("a range of ranks is given twice")


def pairs_of(original: Transactions, ranges: Sequence[Range]) -> Pairs:
    """The pairs of items whose ranks by descending support, from 0, are in a range; ties are ranked by item."""
    supports = original.supports
    ranked = np.lexsort((np.arange(len(supports)), -supports)).astype(np.int32)
    chosen = [np.sort(ranked[start:end]) for start, end in ranges]
    sizes = [len(codes) for codes in chosen]
    lengths = [size * (size - 1) // 2 for size in sizes]
    if sum(lengths) > MOST_PAIRS:
        raise InputError(
            f"the ranges have {sum(lengths):,} pairs of items: choose smaller ones, {MOST_PAIRS:,} at most"
        )
    left, right = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for codes in chosen:
        one, other = np.triu_indices(len(codes), 1)
        left.append(codes[one])
        right.append(codes[other])
    ties = tuple(_ties(supports, codes) for codes in chosen)
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    kept = tuple((int(start), int(end)) for start, end in ranges)
    return Pairs(kept, bounds, np.concatenate(left), np.concatenate(right), tuple(sizes), ties)


def _ties(supports: Int64, codes: Int32) -> int:
    if not len(codes):
        return 0
    inside = supports[codes]
    edges = np.unique([inside.min(), inside.max()])
    return int(np.count_nonzero(np.isin(supports, edges)) - np.count_nonzero(np.isin(inside, edges)))


def counted(data: Transactions, pairs: Pairs) -> Int64:
    """The number of records that hold both items of each pair."""
    held = data.supports > 0  # the counting needs items that are in some record
    there = np.flatnonzero(held[pairs.first] & held[pairs.second])
    counts = np.zeros(len(pairs), np.int64)
    codes = np.stack([pairs.first[there], pairs.second[there]], axis=1).ravel()
    counts[there] = count_itemsets(data, (2 * np.arange(len(there) + 1), codes))
    return counts


def expected(compared: Compared, pairs: Pairs, run: Run) -> Float64:
    """The average number of records with both items over all reconstructions, each term-chunk item once."""
    codes = compared.release_codes
    first, second = codes[pairs.first], codes[pairs.second]
    there = np.flatnonzero((first >= 0) & (second >= 0))
    means = np.zeros(len(pairs))
    asked = np.stack([first[there], second[there]], axis=1).ravel()
    with announced(lambda: run.report("compile", 0, 1)):
        means[there] = estimate(compared.release, 2 * np.arange(len(there) + 1), asked, term_items=DRAWN).expected
    return means


def steps_to(n: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, ... up to n, and n itself.

    Example:
        >>> steps_to(12)
        [1, 2, 5, 10, 12]
    """
    round_numbers = [step * 10**power for power in range(len(str(n))) for step in STEPS]
    return sorted({number for number in round_numbers if number <= n} | {n})


def averages(drawn: Iterable[Transactions], pairs: Pairs, n: int) -> Iterator[tuple[int, Float64]]:
    """The mean supports over the first 1, 2, 5, ... n reconstructions."""
    total = np.zeros(len(pairs), np.int64)
    steps = set(steps_to(n))
    for number, data in enumerate(drawn, start=1):
        total += counted(data, pairs)
        if number in steps:
            yield number, total / number


def errors(name: str, original: Int64, published: npt.NDArray[np.number], pairs: Pairs) -> list[Metric]:
    """The mean relative error of each range, for supports computed in one way."""
    meaning = _MEANINGS.get(name, "the same, with t averaged over this many random reconstructions")
    both = original + published
    wrong = 2 * np.abs(original - published) / np.where(both > 0, both, 1)
    found = []
    for at, (start, end) in enumerate(pairs.ranges):
        here = slice(int(pairs.bounds[at]), int(pairs.bounds[at + 1]))
        n = here.stop - here.start
        in_original = original[here] > 0
        details: dict[str, Detail] = {
            "pairs": n,
            "in_neither": int(np.count_nonzero(both[here] == 0)),
            "invented": int(np.count_nonzero(~in_original & (published[here] > 0))),
            "error_of_original_pairs": float(wrong[here][in_original].mean()) if in_original.any() else None,
            "items": pairs.items[at],
            "rank_ties": pairs.ties[at],
        }
        value = float(wrong[here].mean()) if n else None
        found.append(Metric(name, value, "lower is better", (0.0, 2.0), meaning, _EDGES, f"{start}-{end}", details))
    return found
