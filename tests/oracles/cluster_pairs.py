"""ANR and ARE by equations 2 and 3 of Liu, Feng, Zhu 2022, section 6.3, slowly; see docs/measure.md for what is open.

Standard library only. A cluster is ``(records, chunks)``: its original records, and its record chunks, each a list of
subrecords; records and subrecords are sets. Nothing to measure is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Cluster = tuple[Sequence[Any], Sequence[Sequence[Any]]]


def pairs(records: Iterable[Any]) -> Counter[frozenset[Any]]:
    """Every itemset of two items that occurs, and in how many records."""
    return Counter(frozenset(pair) for record in records for pair in combinations(sorted(record), 2))


def original_pairs(records: Sequence[Any], k: int) -> Counter[frozenset[Any]]:
    """I_T: the same without items that are minimal problematic itemsets."""
    supports = Counter(item for record in records for item in record)
    return pairs([{item for item in record if supports[item] >= k} for record in records])


def top(counts: Counter[frozenset[Any]], percent: int) -> list[frozenset[Any]]:
    """The most frequent pairs: at least so many percent, and whatever is as frequent as one of them."""
    ranked = sorted(counts.values(), reverse=True)
    enough = next((n for n in range(len(ranked) + 1) if 100 * n >= percent * len(ranked)), 0)
    return [pair for pair, count in counts.items() if enough and count >= ranked[enough - 1]]


def mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction()) / len(values) if values else None


def ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def anr(clusters: Sequence[Cluster], k: int) -> Fraction | None:
    """Equation 2."""
    ratios = []
    for records, chunks in clusters:
        whole = original_pairs(records, k)
        if whole:
            ratios.append(Fraction(sum(len(pairs(chunk)) for chunk in chunks), len(whole)))
    return mean(ratios)


def anr_pooled(clusters: Sequence[Cluster], k: int) -> Fraction | None:
    kept = sum(len(pairs(chunk)) for _, chunks in clusters for chunk in chunks)
    return ratio(kept, sum(len(original_pairs(records, k)) for records, _ in clusters))


def are(clusters: Sequence[Cluster], k: int, percent: int) -> Fraction | None:
    """Equation 3."""
    errors = []
    for records, chunks in clusters:
        whole = original_pairs(records, k)
        inside = [pairs(chunk) for chunk in chunks]
        each = [
            Fraction(whole[pair] - sum(chunk[pair] for chunk in inside), whole[pair]) for pair in top(whole, percent)
        ]
        if each:
            errors.append(sum(each, Fraction()) / len(each))
    return mean(errors)


def are_pooled(clusters: Sequence[Cluster], k: int, percent: int) -> Fraction | None:
    lost = every = 0
    for records, chunks in clusters:
        whole = original_pairs(records, k)
        for pair in top(whole, percent):
            every += whole[pair]
            lost += whole[pair] - sum(pairs(chunk)[pair] for chunk in chunks)
    return ratio(lost, every)
