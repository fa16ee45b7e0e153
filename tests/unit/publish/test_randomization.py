"""Flips, made-up rows and their mixture: what is done, what is refused, and that chance is what is stated."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.engine.threads import Threads
from shoal.errors import Infeasible, InputError
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.promises.randomized import epsilon_of
from shoal.publish.randomization import flips, randomize_and_trace
from shoal.publish.randomization.fake_rows import lengths_of
from shoal.release.randomized import Randomized
from shoal.run import Run
from tests.checking.chance import usual, usual_counts
from tests.making.transaction_strategies import transactions
from tests.oracles import drawn_rows as oracle

BASKETS = Transactions.from_records(
    [{"tea", "milk"}] * 300 + [{"tea"}] * 200 + [{"caviar", "milk", "tea", "rum"}] * 100
)


def rows_of(release: Randomized) -> list[tuple[int, ...]]:
    bounds = zip(release.offsets[:-1].tolist(), release.offsets[1:].tolist(), strict=True)
    return [tuple(release.items[start:end].tolist()) for start, end in bounds]


@given(transactions(), st.sampled_from([1.0, 0.8, 0.55]), st.sampled_from([0.0, 0.4, 1.0, 2.5]), st.integers(0, 99))
def test_a_release_has_its_shape_whatever_is_drawn(data: Transactions, keep: float, w: float, seed: int) -> None:
    if keep == 1 and w == 0:
        return
    release, sources = randomize_and_trace(data, keep_prob=keep, fakes=w, run=Run(chance=seed))
    rows = rows_of(release)
    assert rows == sorted(rows)
    assert all(list(row) == sorted(set(row)) and set(row) <= set(range(data.n_items)) for row in rows)
    assert (release.n_records, release.n_fakes) == (len(data), int(w * len(data) + 0.5))
    assert sorted(sources.tolist()) == [-1] * release.n_fakes + list(range(len(data)))
    assert release.reproducible
    if keep == 1:
        originals = [tuple(data.items[a:b].tolist()) for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
        assert [row for row, source in zip(rows, sources.tolist(), strict=True) if source >= 0] == sorted(originals)
        assert all(originals[source] == row for row, source in zip(rows, sources.tolist(), strict=True) if source >= 0)


def test_the_same_seed_gives_the_same_release_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flips, "FLIPS_A_PART", 50)
    one, many = (shoal.hybrid(BASKETS, 0.9, 2, run=Run(engine=Threads(threads), chance=4)) for threads in (1, 3))
    assert rows_of(one) == rows_of(many) != rows_of(shoal.hybrid(BASKETS, 0.9, 2, run=Run(chance=5)))


def test_without_a_seed_no_two_releases_are_alike_and_none_is_marked() -> None:
    one, other = shoal.mask(BASKETS, 0.9), shoal.mask(BASKETS, 0.9)
    assert rows_of(one) != rows_of(other)
    assert not one.reproducible


@pytest.mark.parametrize("part", [flips.FLIPS_A_PART, 700])
@pytest.mark.parametrize("keep", [0.52, 0.8, 0.97])
def test_every_cell_is_flipped_alike_and_on_its_own(keep: float, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # 11 checks by exact tails, each a false alarm once in 10^8 at most.
    monkeypatch.setattr(flips, "FLIPS_A_PART", part)
    n_rows, n_items = 4_000, 9
    data = Transactions.from_records(
        [{f"i{item}" for item in range(n_items) if item % 3 == row % 3} for row in range(n_rows)]
    )
    release, sources = randomize_and_trace(data, keep_prob=keep, run=Run(chance=8))
    was, now = np.zeros((n_rows, n_items), bool), np.zeros((n_rows, n_items), bool)
    was[np.repeat(np.arange(n_rows), data.lengths), data.items] = True
    now[np.repeat(sources, release.lengths), release.items] = True
    turned = was != now
    for item in range(n_items):
        assert usual(int(turned[:, item].sum()), n_rows, 1 - keep, of=11)
    assert usual(int(turned[was].sum()), int(was.sum()), 1 - keep, of=11)
    in_pairs = (turned[:, :-1] & turned[:, 1:]).ravel()[::2]
    assert usual(int(in_pairs.sum()), in_pairs.size, (1 - keep) ** 2, of=11)


def test_what_is_there_goes_as_often_as_what_is_not_comes() -> None:
    data = Transactions.from_records([{"a", "b", "c", "d"}] * 2_000)
    release = shoal.mask(data, 0.7, items="abcdefgh", run=Run(chance=3))
    for item, count in enumerate(release.supports.tolist()):
        assert usual(count, 2_000, 0.7 if item < 4 else 0.3, of=8)


def test_made_up_rows_have_the_stated_lengths_and_any_items_alike() -> None:
    data = Transactions.from_records([{"a", "b", "c", "d", "e", "f"}])
    lengths = {1: 0.5, 2: 0.2, 4: 0.2, 6: 0.1}
    release, sources = randomize_and_trace(data, fakes=30_000, fake_length=lengths, run=Run(chance=5))
    made_up = [row for row, source in zip(rows_of(release), sources.tolist(), strict=True) if source < 0]
    assert len(made_up) == 30_000
    counts = Counter(map(len, made_up))
    assert usual_counts([counts[length] for length in lengths], [30_000 * share for share in lengths.values()])
    for size in (1, 2, 4):
        sets = Counter(row for row in made_up if len(row) == size)
        assert usual_counts(list(sets.values()), np.full(len(sets), counts[size] / len(sets)))
    assert len([row for row in set(made_up) if len(row) == 2]) == 15


@pytest.mark.parametrize(
    ("wanted", "lengths"),
    [
        (None, {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}),  # the mean of the data is 2: evenly from 1 to 3
        (2, {2: 1.0}),
        ((2, 3), {2: 0.5, 3: 0.5}),
        ({4: 3, 1: 1}, {1: 0.25, 4: 0.75}),
        ("data", {1: 1 / 3, 2: 0.5, 4: 1 / 6}),
    ],
)
def test_lengths_can_be_asked_for_in_many_ways(wanted: object, lengths: dict[int, float]) -> None:
    assert dict(lengths_of(wanted, BASKETS, 4)) == pytest.approx(lengths)


def test_the_default_lengths_end_where_the_items_do() -> None:
    data = Transactions.from_records([{"a", "b", "c"}] * 3)
    assert dict(lengths_of(None, data, 3)) == pytest.approx({1: 1 / 3, 2: 1 / 3, 3: 1 / 3})


@given(st.integers(1, 9), st.integers(1, 9), st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1))
def test_the_chance_that_a_made_up_row_holds_given_items(size: int, n: int, weights: list[tuple[int, int]]) -> None:
    shares = {min(length, n): weight for length, weight in weights}
    total = sum(shares.values())
    promise = Randomization(1, 1, tuple((length, shares[length] / total) for length in sorted(shares)))
    exact = oracle.fake_share(size, n, list(promise.fake_lengths)) if size <= n else 0
    assert promise.fake_share(size, n) == pytest.approx(float(exact), abs=1e-12)


def test_longer_records_are_cut_by_chance() -> None:
    data = Transactions.from_records([{"a", "b", "c", "d", "e"}] * 3_000 + [{"a"}] * 10)
    release, sources = randomize_and_trace(data, keep_prob=0.9999999, max_basket=2, run=Run(chance=1))
    rows = rows_of(release)
    assert {len(row) for row, source in zip(rows, sources.tolist(), strict=True) if source < 3_000} == {2}
    assert {row for row, source in zip(rows, sources.tolist(), strict=True) if source >= 3_000} == {(0,)}
    pairs = Counter(row for row, source in zip(rows, sources.tolist(), strict=True) if source < 3_000)
    assert usual_counts(list(pairs.values()), np.full(10, 300))


def test_cut_records_promise_differential_privacy() -> None:
    release = shoal.hybrid(BASKETS, 0.75, 1, fake_length=2, max_basket=1)
    assert release.privacy == DifferentialPrivacy(epsilon_of(0.75, 1, 4), 1)
    # Two records of at most one item differ in two items: exp(2 ln 3) = 9.
    assert np.exp(release.privacy.epsilon) == pytest.approx(9, abs=1e-4)
    assert np.exp(release.privacy.epsilon) >= 9
    # Where there are fewer items than that, they differ in all of them.
    assert epsilon_of(0.75, 10, 3) == pytest.approx(3 * np.log(3), abs=1e-5)
    assert shoal.mask(BASKETS, 0.75).privacy is None


def test_epsilon_bounds_what_one_record_changes() -> None:
    # All pairs of records of at most L of n items, all rows that may come of them, exactly.
    from itertools import combinations, product
    from math import exp, prod

    for n, most, keep in ((3, 1, 0.7), (4, 2, 0.6), (3, 3, 0.9)):
        records = [set(c) for size in range(most + 1) for c in combinations(range(n), size)]
        worst = 0.0
        for one, other in product(records, repeat=2):
            for row in product((0, 1), repeat=n):
                chances = [
                    prod(keep if (i in rec) == bool(bit) else 1 - keep for i, bit in enumerate(row))
                    for rec in (one, other)
                ]
                worst = max(worst, chances[0] / chances[1])
        assert worst <= exp(epsilon_of(keep, most, n)) < worst * 1.00001


def test_a_list_of_items_from_elsewhere_is_what_is_published() -> None:
    release = shoal.mask(BASKETS, 0.9, items=["tea", "milk", "rum", "caviar", "gin", "gin"], run=Run(chance=2))
    assert release.vocabulary.to_pylist() == ["caviar", "gin", "milk", "rum", "tea"]
    assert usual(int(release.supports[1]), 600, 0.1)
    assert usual(int(release.supports[4]), 600, 0.9)
    with pytest.raises(InputError, match="not in the list of items: 'caviar', 'rum'"):
        shoal.mask(BASKETS, 0.9, items=["tea", "milk"])


def test_a_list_of_items_may_be_in_another_order_than_the_data() -> None:
    data = Transactions.from_records([{"2", "10"}, {"2", "10", "33"}, {"33"}])
    release = shoal.fakes(data, 1 / 3, fake_length=1, items=["2", "10", "33", "apple"], run=Run(chance=1))
    words = release.vocabulary.to_pylist()
    assert words == ["10", "2", "33", "apple"]
    assert {(0, 1), (0, 1, 2), (2,)} <= set(rows_of(release))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"keep_prob": 0.5}, "keep_prob is 0.5: .* at least 0.51. Near .5 .* nothing could be mined$"),
        ({"keep_prob": 0.1}, "did you mean 0.9\\?"),
        ({"keep_prob": 1.2}, "keep_prob is 1.2: it must be a number from 0 to 1"),
        ({"keep_prob": float("nan")}, "keep_prob is nan"),
        ({}, "nothing is randomized"),
        ({"fakes": -0.5}, "fakes is -0.5: it must be a number from 0"),
        ({"fakes": 1, "fake_length": 5}, "fake transactions of 5 items are requested, but there are 4 items"),
        ({"fakes": 1, "fake_length": (2, 10**12)}, "fake transactions of 1,000,000,000,000 items are requested"),
        ({"fakes": 1, "fake_length": 0}, "length of a fake transaction is 0"),
        ({"fakes": 1, "fake_length": (3, 2)}, "largest length of a fake transaction is 2: it must be a whole number"),
        ({"fakes": 1, "fake_length": {2: 0.0}}, "must add up to more than 0"),
        ({"fakes": 1, "fake_length": {2: -1.0}}, "share of fake transactions of length 2 is -1"),
        ({"fakes": 1, "fake_length": {}}, "must add up"),
        ({"fakes": 1, "max_basket": 2}, "max_basket needs flips"),
        ({"keep_prob": 0.9, "fakes": 1, "max_basket": 2}, "would come from the data"),
        ({"keep_prob": 0.9, "fakes": 1, "fake_length": "data", "max_basket": 2}, "would come from the data"),
        ({"keep_prob": 0.9, "max_basket": 0}, "max_basket is 0"),
        ({"keep_prob": 0.9, "run": Run(chance=-1)}, "seed is -1"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        randomize_and_trace(BASKETS, **wrong)


def test_what_a_method_does_not_do_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is flipped"):
        shoal.mask(BASKETS, 1)
    with pytest.raises(InputError, match="no fake transactions are added"):
        shoal.fakes(BASKETS, 0)
    for keep, w in ((1, 2), (0.9, 0)):
        with pytest.raises(InputError, match="a hybrid flips items and adds fake transactions"):
            shoal.hybrid(BASKETS, keep, w)


def test_no_records_and_too_many_items_are_impossible() -> None:
    with pytest.raises(Infeasible, match="no records"):
        shoal.mask(Transactions.from_records([]), 0.9)
    many = Transactions.from_records([{f"i{number}"} for number in range(30_000)])
    with pytest.raises(Infeasible, match=r"about 270,.*,.* items would be published.*each of the 30,000 items"):
        shoal.mask(many, 0.7)


@pytest.mark.parametrize(("limit", "impossible"), [(1_590, True), (1_600, False)])
def test_under_differential_privacy_no_length_of_a_record_decides_what_is_too_large(
    monkeypatch: pytest.MonkeyPatch, limit: int, impossible: bool
) -> None:
    """Whichever records are replaced by longer or shorter ones, all are refused or none is: by length, cut or not."""
    monkeypatch.setattr("shoal.publish.randomization.MOST_ONES", limit)
    # 200 rows of 40 items, 100 of them made up: .9 * 1,000 + .1 * 7,000 items if all have 5 before they are flipped.
    catalogue = [f"i{number:02}" for number in range(40)]
    for long in (0, 1, 50, 99, 100):
        records = [catalogue] * long + [catalogue[:1]] * (100 - long)
        data = Transactions.from_records(records)
        hybrid = partial(shoal.hybrid, data, 0.9, 1, fake_length=5, max_basket=5, items=catalogue, run=Run(chance=1))
        if impossible:
            with pytest.raises(Infeasible, match=r"up to 1,600 items .* if all records had 5 items.*Lower max_basket"):
                hybrid()
        else:
            assert hybrid().n_rows == 200


def test_tiny_chances_cost_little() -> None:
    # 900 million cells, and not one in a million of them flipped: drawn by gaps this takes no time.
    many = Transactions.from_records([{f"i{number}"} for number in range(30_000)])
    release = shoal.mask(many, 1 - 1e-6, run=Run(chance=1))
    assert usual(len(release.items) - 30_000, 900_000_000, 1e-6)
