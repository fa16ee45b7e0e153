"""The oracles themselves, on the paper's examples, and the sufficiency of Lemma 2 on all small clusters."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement

import pytest

from tests.oracles import disassociation as oracle

S = frozenset


def bag(*rows: str) -> list[frozenset[str]]:
    return [S(row) for row in rows]


def test_figure_4_fails_without_lemma_2() -> None:
    cluster = (5, [bag("a", "a", "a"), bag("bc", "bc", "bc")], set())
    assert all(oracle.is_km_anonymous(chunk, 3, 2) for chunk in cluster[1])
    assert not oracle.lemma2(cluster, 3, 2)
    assert oracle.largest_supports(cluster, 2)[S("ab")] == 1
    assert oracle.guarantee1((5, [bag("a", "a", "a"), bag("bc", "bc", "bc")], {"d"}), 3, 2)
    assert oracle.reconstructable(cluster, ["a", "a", "bc", "bc", "abc"])
    assert not oracle.reconstructable(cluster, ["a", "a", "bc", "bc", "ab"])
    assert not oracle.reconstructable(cluster, ["a", "a", "bc", "abc"])


def test_figure_2_by_the_literal_publisher() -> None:
    first = [
        S({"itunes", "flu", "madonna", "ikea", "ruby"}),
        S({"madonna", "flu", "viagra", "ruby", "audi a4", "sony tv"}),
        S({"itunes", "madonna", "audi a4", "ikea", "sony tv"}),
        S({"itunes", "flu", "viagra"}),
        S({"itunes", "flu", "madonna", "audi a4", "sony tv"}),
    ]
    size, chunks, terms = oracle.verpart_literal(first, 3, 2)
    assert (size, terms) == (5, {"ikea", "viagra", "ruby"})
    assert [S().union(*chunk) for chunk in chunks] == [
        S({"itunes", "flu", "madonna"}),
        S({"audi a4", "sony tv"}),
    ]
    assert oracle.reconstructable((size, chunks, terms), first)


def test_horpart_as_printed() -> None:
    records = bag("ab", "ac", "a", "b", "bc", "c")
    assert oracle.horpart_literal(records, 3) == [[0], [1, 2], [3, 4], [5]]
    assert oracle.horpart_literal(bag("a", "a", "a"), 2) == [[0, 1, 2]]
    assert oracle.horpart_literal(records, 99) == [[0, 1, 2, 3, 4, 5]]


def test_property_1_is_needed() -> None:
    """[abc abd abd][ac d e][ac ac f] with k = 3, m = 2: the shared chunk is 3^2- but not 3-anonymous."""
    joint = (
        [(3, [bag("ab", "ab", "ab")], set()), (3, [], {"e"}), (3, [], {"f"})],
        [bag("ac", "ac", "ac", "c", "d", "d", "d")],
    )
    assert all(oracle.lemma2(leaf, 3, 2) for leaf in oracle.leaves(joint))
    assert oracle.is_km_anonymous(joint[1][0], 3, 2)
    assert not oracle.property1(joint, 3, 2)
    assert oracle.largest_supports(joint, 2)[S("bc")] == 1


def test_refine_as_printed_breaks_the_guarantee() -> None:
    """Row 5: P1 = {a}{ab}, P2 = {a}{a}{b} after REFINE; {a,b} is possible once at most."""
    joint = ([(2, [bag("a", "a")], set()), (3, [bag("a", "a")], set())], [bag("b", "b")])
    assert oracle.property1(joint, 2, 2)
    assert not oracle.lemma2(joint[0][1], 2, 2)
    assert oracle.largest_supports(joint, 2)[S("ab")] == 1


def partitions(items: str) -> list[list[set[str]]]:
    if not items:
        return [[]]
    first, rest = items[0], partitions(items[1:])
    grown = [[*part[:at], part[at] | {first}, *part[at + 1 :]] for part in rest for at in range(len(part))]
    return [[{first}, *part] for part in rest] + grown


@pytest.mark.parametrize(
    ("items", "largest", "k", "m"), [("abc", 5, 2, 2), ("abc", 5, 3, 2), ("abc", 4, 2, 3), ("abcd", 3, 2, 2)]
)
def test_lemma_2_with_k_records_is_enough(items: str, largest: int, k: int, m: int) -> None:
    """Every original of up to ``largest`` records, every way to publish it: with Lemma 2 Guarantee 1 holds."""
    possible = [S(row) for size in range(1, len(items) + 1) for row in combinations(items, size)]
    seen: set[object] = set()
    verdicts: Counter[tuple[bool, bool]] = Counter()
    for size in range(k, largest + 1):
        for records in combinations_with_replacement(possible, size):
            present = "".join(sorted(S().union(*records)))
            for n_terms in range(len(present) + 1):
                for terms in combinations(present, n_terms):
                    rest = "".join(item for item in present if item not in terms)
                    for domains in partitions(rest):
                        chunks = [[row & domain for row in records if row & domain] for domain in domains]
                        key = (size, terms, S(tuple(sorted("".join(sorted(r)) for r in c)) for c in chunks))
                        if key in seen or not all(oracle.is_km_anonymous(c, k, m) for c in chunks):
                            continue
                        seen.add(key)
                        cluster = (size, chunks, set(terms))
                        verdicts[oracle.lemma2(cluster, k, m), oracle.guarantee1(cluster, k, m)] += 1
    assert verdicts[True, False] == 0
    assert verdicts[True, True] > 50


def test_without_lemma_2_some_fail() -> None:
    cluster = (3, [bag("a", "a"), bag("b", "b")], set())
    assert oracle.reconstructable(cluster, ["a", "ab", "b"])
    assert not oracle.lemma2(cluster, 2, 2)
    assert not oracle.guarantee1(cluster, 2, 2)


def test_fewer_than_k_records_fail() -> None:
    assert not oracle.guarantee1((1, [], {"a"}), 2, 2)
