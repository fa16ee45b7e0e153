"""re in all its forms against their definition, on examples counted by hand, and the closed form against averages."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.measuring.baskets import pair_errors
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications
from tests.oracles import utility as oracle
from tests.oracles.reconstruction import distribution

Range = tuple[int, int]
RANGES = st.tuples(st.integers(0, 4), st.integers(2, 6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def close(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-12)


@given(publications(), st.lists(RANGES, min_size=1, max_size=2, unique=True), st.integers(1, 3))
def test_re_is_its_definition(published: Published, ranges: list[Range], n: int) -> None:
    original = published.records
    release = disassociated(published.nodes, published.k, published.m)
    found = shoal.measure(
        Transactions.from_records(original), release, top=1, ranges=ranges, reconstructions=n, run=Run(chance=5)
    )
    drawn = [list(records) for records in release.reconstruct(n, run=Run(chance=5))]
    chunks = oracle.subrecords(published.nodes)
    for start, end in ranges:
        for step in range(1, n + 1):
            name = "re" if step == 1 else f"re-r{step}"

            def average(pair: Any, step: int = step) -> Fraction:
                return Fraction(sum(oracle.support(records, pair) for records in drawn[:step]), step)

            assert found[f"{name} {start}-{end}"].value == close(oracle.re(original, average, start, end))
        certain = found[f"re-a {start}-{end}"]
        assert certain.value == close(oracle.re(original, lambda pair: oracle.support(chunks, pair), start, end))
        pairs = oracle.pairs(original, start, end)
        inside = [oracle.support(original, pair) for pair in pairs]
        kept = [oracle.support(chunks, pair) for pair in pairs]
        assert certain.details["pairs"] == len(pairs)
        assert certain.details["in_neither"] == sum(a == b == 0 for a, b in zip(inside, kept, strict=True))
        assert certain.details["invented"] == 0
        errors = [oracle.relative_error(a, b) for a, b in zip(inside, kept, strict=True) if a]
        mean = float(sum(errors) / len(errors)) if errors else None
        assert certain.details["error_of_original_pairs"] == close(mean)


@given(publications(joints=False), RANGES)
def test_the_closed_form_takes_what_is_expected(published: Published, ranks: Range) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    original = Transactions.from_records(published.records)
    found = shoal.measure(original, release, top=1, ranges=[ranks], reconstructions=1, run=Run(chance=5))
    wanted = oracle.re(published.records, lambda pair: oracle.expected_support(published.nodes, pair), *ranks)
    assert found[f"re-closed {ranks[0]}-{ranks[1]}"].value == close(wanted)


def test_the_closed_form_of_shared_chunks_is_the_mean_of_all_placements() -> None:
    records = [frozenset(record) for record in ("ab", "a", "ab", "c", "c", "cb")]
    node = ([(3, [[frozenset("a")] * 3], set()), (3, [[frozenset("c")] * 3], set())], [[frozenset("b")] * 3])
    worlds = distribution(node, may_be_empty=True)

    def mean(pair: Any) -> Fraction:
        return sum((chance * oracle.support(world, pair) for world, chance in worlds.items()), Fraction(0))

    found = shoal.measure(
        Transactions.from_records(records), disassociated([node], k=3), ranges=[(0, 3)], run=Run(chance=1)
    )
    assert found["re-closed 0-3"].value == close(oracle.re(records, mean, 0, 3))


def test_an_example_counted_by_hand() -> None:
    original = Transactions.from_records([{"tea", "milk"}] * 4 + [{"tea", "caviar"}])
    release = disassociated([(5, [[["tea", "milk"]] * 4 + [["tea"]]], ["caviar"])], k=3)
    found = shoal.measure(original, release, ranges=[(0, 3), (1, 3), (2, 9)], run=Run(chance=1))
    # milk+tea: 4 and 4. caviar+tea: 1 and 1, since tea is in all records. caviar+milk: 0 and 4/5, an error of 2.
    assert found["re-closed 0-3"].value == close(2 / 3)
    assert dict(found["re-closed 0-3"].details) == {
        "pairs": 3,
        "in_neither": 0,
        "invented": 1,
        "error_of_original_pairs": 0.0,
        "items": 3,
        "rank_ties": 0,
    }
    # Inside chunks: caviar+tea 1 and 0, an error of 2; caviar+milk 0 and 0, which counts as no error.
    assert found["re-a 0-3"].value == close(2 / 3)
    assert found["re-a 0-3"].details["in_neither"] == 1
    assert found["re-a 0-3"].details["error_of_original_pairs"] == 1
    assert found["re-a 1-3"].value == 0  # only caviar+milk, which is nowhere
    assert found["re 2-9"].value is None  # one item makes no pair
    assert found["re 2-9"].details["items"] == 1
    assert found["re 2-9"].details["error_of_original_pairs"] is None


def test_the_denominator_is_the_average_of_both_supports() -> None:
    original = Transactions.from_records([{"a", "b"}] * 3 + [{"a"}, {"b"}, {"b"}])
    release = disassociated([(6, [["a", "a", "a", "a"], ["b"] * 5], "")], k=3)
    found = shoal.measure(original, release, ranges=[(0, 2)], run=Run(chance=1))
    expected = 4 * 5 / 6
    assert found["re-closed 0-2"].value == close(abs(3 - expected) / ((3 + expected) / 2))


def test_ties_in_rank_go_by_item_and_are_counted() -> None:
    original = Transactions.from_records([{"a", "b"}] * 2 + [{"c", "d"}] * 2 + [{"a", "e"}])
    release = disassociated([(5, [["ab"] * 2 + ["a"], ["cd"] * 2], "e")], k=2)
    found = shoal.measure(original, release, ranges=[(1, 3), (0, 2), (3, 5)], run=Run(chance=1))
    # a 3, then b, c and d 2 each, e 1: ranks 1 and 2 are b and c, and d ties with both.
    assert found["re-a 1-3"].details["rank_ties"] == 1
    assert found["re-a 0-2"].details["rank_ties"] == 2
    assert found["re-a 3-5"].details["rank_ties"] == 2  # d and e, of which d ties with b and c
    assert found["re-a 0-2"].value == 0


def test_the_closed_form_is_what_averages_tend_to() -> None:
    original = shoal.quest(400, n_items=30, mean_length=5, seed=2)
    release = shoal.disassociate(original, k=4, m=2, max_cluster_size=20)
    found = shoal.measure(original, release, top=1, ranges=[(0, 12)], reconstructions=500, run=Run(chance=3))
    steps = {name: found[f"{name} 0-12"].value for name in ("re", "re-r2", "re-r5", "re-r10", "re-r100", "re-r500")}
    closed = found["re-closed 0-12"].value
    away = [abs(value - closed) for value in steps.values()]
    assert closed < steps["re-r2"] < steps["re"]
    assert away[-1] < 0.01  # the standard error of a mean of 500 draws, over 66 pairs
    assert away[-1] < away[0] / 5


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        ([(0, 1)], "the end of a range is 1"),
        ([(-1, 5)], "the start of a range is -1"),
        ([(0, 2.5)], "the end of a range is 2.5"),
        ([7], "a range is 7"),
        ([(0, 5), (0, 5)], "given twice"),
    ],
)
def test_ranges_that_are_none_are_refused(ranges: Any, said: str) -> None:
    original = Transactions.from_records([{"a", "b"}] * 3)
    with pytest.raises(InputError, match=said):
        shoal.measure(original, shoal.disassociate(original, k=3, m=2), ranges=ranges)


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_errors, "MOST_PAIRS", 2)
    original = Transactions.from_records([set("abc")] * 3)
    with pytest.raises(InputError, match="3 pairs of items: choose smaller ones, 2 at most"):
        shoal.measure(original, shoal.disassociate(original, k=3, m=2), ranges=[(0, 3)])
