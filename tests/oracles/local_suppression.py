"""Local suppression by its definitions, slowly: Liu, Feng, Zhu 2022 (DLS), as printed and as docs/papers.md reads it.

Standard library only. A cluster comes in as a list of frozensets and goes out as ``(size, chunks, terms)``, like those
of ``disassociation``. The rules that can be taken as printed are numbered as in docs/papers.md:

1. the first chunk is projected from the original records (algorithm 2, line 7);
2. items that share a problematic itemset with v are not looked at when v is suppressed, and problematic itemsets are
   not looked for again (algorithm 4, line 2; algorithm 3, line 18);
3. only the problematic itemsets themselves are deleted, not the sets around them (algorithm 5, line 8);
4. Lemma 2 is not asked for;
5. v is chosen, and then any problematic itemset that has it (algorithm 3, line 11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.oracles.disassociation import is_km_anonymous, lemma2

Item = Any
Set = frozenset[Item]


def support(items: Iterable[Item], records: Iterable[Set]) -> int:
    wanted = frozenset(items)
    return sum(wanted <= record for record in records)


def problems(records: Sequence[Set], domain: Collection[Item], k: int, m: int) -> list[Set]:
    """The minimal problematic itemsets (definition 7) of up to m items of the domain."""
    found: list[Set] = []
    for size in range(1, m + 1):
        for items in combinations(sorted(domain), size):
            if 0 < support(items, records) < k and not any(known <= set(items) for known in found):
                found.append(frozenset(items))
    return found


def may_be_suppressed(v: Item, problem: Set, records: Sequence[Set], domain: Collection[Item], k: int, m: int) -> bool:
    """Definition 8, asked of every set with v that is not problematic."""
    after = [record - {v} if problem <= record else record for record in records]
    for size in range(m):
        for others in combinations(sorted(set(domain) - {v}), size):
            items = {v, *others}
            if support(items, records) >= k and 0 < support(items, after) < k:
                return False
    return support({v}, after) >= k


def may_be_suppressed_as_printed(
    v: Item, problem: Set, records: Sequence[Set], left: list[Set], k: int, m: int
) -> bool:
    """Algorithm 4."""
    within = [record for record in records if problem <= record]
    others = [record for record in records if v in record and not problem <= record]
    looked_at = set().union(*within) & set().union(*others) - {v}
    looked_at -= set().union(*(other for other in left if v in other))
    return not any(
        0 < support({v, *chosen}, others) < k for size in range(m) for chosen in combinations(sorted(looked_at), size)
    )


def eliminate(
    records: Sequence[Set], k: int, m: int, printed: Collection[int] = ()
) -> tuple[list[Set], list[Item], list[Item]]:
    """The records without what is suppressed, the items that stay in the first chunk, and those that are set aside."""
    counts = Counter(item for record in records for item in record)
    ranked = sorted((item for item in counts if counts[item] >= k), key=lambda item: (-counts[item], item))
    domain, aside = list(ranked), []
    left = list(records)

    def in_order(found: list[Set]) -> list[Set]:
        return sorted(found, key=lambda items: _last_first([ranked.index(item) for item in items]))

    pending = in_order(problems(left, domain, k, m))
    while pending:
        contenders = []
        for problem in pending:
            if 2 in printed:
                valid = [v for v in problem if may_be_suppressed_as_printed(v, problem, left, pending, k, m)]
            else:
                valid = [v for v in problem if may_be_suppressed(v, problem, left, domain, k, m)]
            for v in valid or problem:
                gone = [record for record in left if (problem if valid else {v}) <= record]
                rest = [record - {v} if record in gone else record for record in left]
                gain = Fraction(sum(v in other and not support(other, rest) for other in pending), len(gone))
                contenders.append((-gain, support({v}, left), v, problem, bool(valid)))
        _, _, v, problem, locally = min(contenders, key=lambda contender: contender[:3])
        if locally and 5 in printed:
            problem = next(other for other in pending if v in other)
            pending.remove(problem)
        if locally:
            left = [record - {v} if problem <= record else record for record in left]
        else:
            domain.remove(v)
            aside.append(v)
            left = [record | ({v} & original) for record, original in zip(left, records, strict=True)]
        if 2 in printed or 5 in printed:
            pending = [other for other in pending if set(other) <= set(domain) and support(other, left)]
        else:
            pending = in_order(problems(left, domain, k, m))
    return left, domain, aside


def _last_first(ranks: list[int]) -> list[int]:
    return [max(ranks), *sorted(ranks)[:-1]]


def dls(records: Sequence[Set], k: int, m: int, printed: Collection[int] = ()) -> tuple[int, list[list[Set]], Set]:
    """The whole method on one cluster."""
    left, first, aside = eliminate(records, k, m, printed)
    counts = Counter(item for record in left for item in record)
    terms = frozenset(item for item in counts if item not in first and item not in aside)
    if 3 in printed:
        domains = [set(first), *_remaining_as_printed(records, sorted(aside), k, m)]
    else:
        # As printed, what was left of the first domain is published; ours also lets in what fits without suppression.
        kept = [set(first)] if {2, 5} & set(printed) else []
        domains = kept + _greedily(left, [] if kept else first, aside, counts, k, m)
    source = [records if number == 0 and 1 in printed else left for number in range(len(domains))]
    chunks = [
        [record & domain for record in rows if record & domain]
        for domain, rows in zip(map(frozenset, domains), source, strict=True)
    ]
    cluster = (len(records), [chunk for chunk in chunks if chunk], terms)
    if 4 not in printed and not lemma2(cluster, k, m):
        last = min(aside or first, key=lambda item: (counts[item], -ord(item)))
        chunks = [[row - {last} for row in chunk if row - {last}] for chunk in chunks]
        cluster = (len(records), [chunk for chunk in chunks if chunk], terms | {last})
    return cluster


def _greedily(
    left: Sequence[Set], first: list[Item], aside: list[Item], counts: Counter[Item], k: int, m: int
) -> list[set[Item]]:
    pending = [
        *sorted(first, key=lambda item: (-counts[item], item)),
        *sorted(aside, key=lambda item: (-counts[item], item)),
    ]
    domains: list[set[Item]] = []
    while pending:
        domain: set[Item] = set()
        for item in pending:
            if is_km_anonymous([record & (domain | {item}) for record in left], k, m):
                domain.add(item)
        domains.append(domain)
        pending = [item for item in pending if item not in domain]
    return domains


def _remaining_as_printed(records: Sequence[Set], items: list[Item], k: int, m: int) -> list[set[Item]]:
    """Algorithm 5: all itemsets that are no MPI themselves, the largest first."""
    forbidden = set(problems(records, items, k, m))
    level = [frozenset({item}) for item in items]
    every = list(level)
    while len(level) > 1:
        joined = {one | other for one in level for other in level if len(one | other) == len(one) + 1}
        level = sorted(joined - forbidden, key=sorted)
        every += level
    domains = []
    while every := [chosen for chosen in every if chosen]:
        current = max(every, key=len)
        domains.append(set(current))
        every = [chosen - current for chosen in every]
    return domains


def is_safe(cluster: tuple[int, list[list[Set]], Set], k: int, m: int) -> bool:
    """Every set of up to m items occurs in each chunk never or k times, and Lemma 2 holds."""
    return lemma2(cluster, k, m) and all(is_km_anonymous(chunk, k, m) for chunk in cluster[1])
