"""Running the algorithm backwards: pre-images by brute force, the smallest example, a figure over a whole family."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.disassociated.algorithm.minimality import (
    Original,
    Shape,
    at_most,
    attack_backwards,
    backwards,
    numbered,
    originals,
    simple_shapes,
    unprotected,
)
from shoal.data.transactions import Transactions
from shoal.engine.threads import Threads
from shoal.publish.disassociation import disassociate
from shoal.release.disassociated import Disassociated
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle

Rows = tuple[frozenset[str], ...]


def publisher(k: int, m: int) -> Callable[[Transactions], Disassociated]:
    """Our algorithm with everything in one cluster."""

    def publish(data: Transactions) -> Disassociated:
        most = max(len(data), 2 * k - 1)
        return disassociate(data, k, m, max_cluster_size=most, refine_rounds=0, run=Run(engine=Threads(1)))

    return publish


def literal(k: int, m: int) -> Callable[[Transactions], Disassociated]:
    """The paper's vertical partitioning with the repair of Lemma 2."""

    def publish(data: Transactions) -> Disassociated:
        rows = list(data)
        return disassociated([oracle.repaired(rows, oracle.verpart_literal(rows, k, m), k, m)], k, m)

    return publish


def every_bag(items: str, size: int) -> list[Rows]:
    subsets = [frozenset(chosen) for n in range(1, len(items) + 1) for chosen in combinations(items, n)]
    return list(combinations_with_replacement(subsets, size))


def as_original(rows: Rows, names: Sequence[str]) -> Original:
    bag = Counter(tuple(sorted(names.index(item) for item in row)) for row in rows)
    return tuple(sorted(bag.items()))


def test_two_records_that_must_have_been_just_these() -> None:
    finding = attack_backwards(disassociated([(2, [], "ab")]), publisher(2, 2))
    assert finding.numbers["fewest_pre_images"] == 1
    assert finding.numbers["clusters_with_an_unprotected_pre_image"] == 1
    assert finding.numbers["unprotected_pre_images_share"] == 1.0
    assert finding.numbers["largest_posterior"] == 0.0  # nobody has both
    assert "for 1 of them (100%)" in finding.sentence
    assert "The promise does not cover an adversary who does this" in finding.sentence
    assert not finding.breaks_promise


@pytest.mark.parametrize(
    "cluster",
    [
        (2, [], "ab"),
        (3, [["a", "a"]], "b"),
        (3, [["ab", "a"]], "c"),
        (3, [["a", "a"], ["b", "b", "b"]], ""),
        (4, [["ab", "a", "b"], ["c", "c"]], ""),
        (3, [["a", "a", "a"]], "bc"),
    ],
)
def test_possible_originals_by_brute_force(cluster: tuple[int, list[list[str]], str]) -> None:
    size, chunks, terms = cluster
    names = sorted({item for chunk in chunks for row in chunk for item in row} | set(terms))
    literal_cluster: Any = (size, [[frozenset(row) for row in chunk] for chunk in chunks], set(terms))
    expected = {
        as_original(rows, names)
        for rows in every_bag("".join(names), size)
        if oracle.reconstructable(literal_cluster, rows)
    }
    (shape,) = simple_shapes(disassociated([cluster]))
    found = originals(shape)
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert at_most(shape) >= len(found)


@given(st.lists(st.frozensets(st.sampled_from("abcd"), min_size=1), min_size=2, max_size=4), st.integers(1, 2))
@settings(max_examples=25)
def test_the_original_is_among_the_pre_images_of_its_cluster(rows: list[frozenset[str]], m: int) -> None:
    release = publisher(2, m)(Transactions.from_records(rows))
    (shape,) = simple_shapes(release)
    names = release.words
    assert as_original(tuple(rows), names) in originals(shape)
    assert at_most(shape) >= len(originals(shape))
    if len(originals(shape)) <= 300:
        assert backwards(shape, publisher(2, m), 2, m).pre_images >= 1


def family() -> list[Rows]:
    """All bags of two to five records over one, two and three items."""
    return [rows for items in ("a", "ab", "abc") for size in range(2, 6) for rows in every_bag(items, size)]


def unprotected_in_family(publish: Callable[[Transactions], Disassociated]) -> tuple[int, dict[Shape, list[Original]]]:
    """How many of the family have a pair that k = 2 candidates are left to in no pre-image of their cluster."""
    shapes: dict[Rows, tuple[Shape, Original]] = {}
    pre_images: dict[tuple[Any, ...], list[Original]] = defaultdict(list)
    for rows in family():
        key = tuple(sorted(rows, key=sorted))
        if key not in shapes:
            release = publish(Transactions.from_records(rows))
            (shape,) = simple_shapes(release)
            shapes[key] = shape, as_original(rows, release.words)
            pre_images[shape, *release.words].append(shapes[key][1])
    # A cluster over a and c has the shape of one over a and b; its pre-images are the same up to names.
    by_shape = {key[0]: bags for key, bags in pre_images.items()}
    exposed = {shape: set(unprotected(bags, 2, 2)) for shape, bags in by_shape.items()}
    hit = sum(
        original in exposed[shape] for shape, original in (shapes[tuple(sorted(r, key=sorted))] for r in family())
    )
    return hit, by_shape


def test_the_figure_over_all_small_clusters() -> None:
    """482 of 840; one more where the first of the least frequent items is moved for Lemma 2, not the last."""
    assert len(family()) == 840
    ours, by_shape = unprotected_in_family(publisher(2, 2))
    assert ours == 482
    assert unprotected_in_family(literal(2, 2))[0] == 483
    # Enumerating the originals of a cluster and publishing them again finds the same pre-images.
    for shape in sorted(by_shape, key=lambda shape: (at_most(shape), repr(shape)))[:120]:
        found = backwards(shape, publisher(2, 2), 2, 2)
        assert found.pre_images == len(by_shape[shape])
        assert found.unprotected == len(unprotected(by_shape[shape], 2, 2))


def test_posteriors_by_hand() -> None:
    # Two records hold a, one of three b: the algorithm makes chunk a, a and term b of aa(b) in several ways.
    shape = numbered(3, [[((0,), 2)]], [1])
    found = backwards(shape, literal(2, 2), 2, 2)
    # Possible: b alone with the third record, or with it and one or two of the others. The algorithm allows one b only.
    assert (found.originals, found.pre_images) == (3, 1)
    assert found.posterior == 0.0  # in the one pre-image, {a} {a} {b}, nobody has both
    assert found.gained_posterior == 0.0
    covered = backwards(numbered(2, [[((0,), 2)]], [1]), literal(2, 2), 2, 2)
    assert (covered.originals, covered.pre_images) == (2, 1)
    assert covered.posterior == 1.0  # whoever has b has a
    assert covered.gained_posterior == 0.5  # one of the two with a has b


def test_a_cluster_that_the_algorithm_would_not_make_is_counted_apart() -> None:
    # a is in two records and k = 2: ours puts it into a record chunk.
    finding = attack_backwards(disassociated([(2, [["b", "b"]], "a"), (2, [["ab", "ab"]], "")]), publisher(2, 2))
    assert finding.numbers["clusters_examined"] == 2
    other = attack_backwards(disassociated([(2, [["a", "a"], ["b", "b"]], "")]), publisher(2, 2))
    assert other.numbers["clusters_that_this_algorithm_would_not_make"] == 1
    assert other.numbers["clusters_examined"] == 0
    assert other.residual is not None
    assert other.residual.share == 0
    assert other.sentence.startswith("0 of 1 clusters")


def test_the_budget_is_kept_and_equal_clusters_are_tried_once() -> None:
    calls = []

    def counting(data: Transactions) -> Disassociated:
        calls.append(len(data))
        return publisher(2, 2)(data)

    nodes = [(2, [["a", "a"]], "b"), (2, [["c", "c"]], "d"), (6, [["e"] * 3], "fghi")]
    finding = attack_backwards(disassociated([*nodes, ([(2, [["x", "x"]], "")] * 2, [])]), counting, most=20)
    assert calls == [2, 2]
    assert finding.numbers["clusters"] == 5
    assert finding.numbers["clusters_examined"] == 2
    assert finding.numbers["different_clusters_examined"] == 1
    # Of {a}{a} and a term chunk with b, the algorithm makes this of nothing but {a, b} and {a}.
    assert str(finding.residual).startswith("100.0 % of the clusters small enough to run the algorithm backwards")


def test_a_cluster_that_claims_any_number_of_records_is_passed_over() -> None:
    huge = disassociated([(10**12, [["a", "a"]], "bc")])
    assert attack_backwards(huge, publisher(2, 2)).numbers["clusters_examined"] == 0
