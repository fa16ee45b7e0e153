"""The risk of baskets, against the definitions; what is sampled, against what is counted."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.measuring.risk import rare_sets, singled_out
from shoal.measuring.risk.share import Share, percent, sampled_share
from shoal.publish.disassociation.horizontal import cluster_records
from shoal.run import Run
from tests.making.transaction_strategies import records
from tests.oracles import risk as oracle

MANY = records(1, 25, "abcdefg")


def share_of(rows, fewest, size):
    return sum(number is not None and number <= size for number in fewest) / len(rows)


@settings(max_examples=60)
@given(MANY, st.integers(2, 5), st.integers(1, 4))
def test_every_number_is_what_its_definition_says(rows, k, m):
    found = shoal.risk(Transactions.from_records(rows), k=k, m=m, top=3)
    minimal, supports = oracle.minimal_problematic(rows, k, m), oracle.supports(rows, m)
    assert (found.records, found.k, found.m, found.notes) == (len(rows), k, m, ())
    assert found.unique_records == oracle.unique(rows)
    for one in found.lengths:
        n = sum(len(items) == one.length for items in supports)
        wanted = sum(len(items) == one.length for items in minimal)
        common = sum(len(items) == one.length and count >= k for items, count in supports.items())
        assert (one.sets, one.minimal, one.common) == (n, wanted, common)
        assert one.share == (wanted / n if n else None)
        assert one.share_of_candidates == (wanted / (wanted + common) if wanted + common else None)
    alone, few = oracle.fewest_items(rows, 2, m), oracle.fewest_items(rows, k, m)
    for size, one in enumerate(found.known, start=1):
        assert one.items == size
        assert one.alone == Share(*[share_of(rows, alone, size)] * 3)
        assert one.among_few == Share(*[share_of(rows, few, size)] * 3)
    taking_part = Counter(item for items in minimal for item in items)
    best = sorted(taking_part.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    assert [(one.item, one.minimal, one.share) for one in found.contributors] == [
        (item, count, count / len(minimal)) for item, count in best
    ]
    assert all(one.records == sum(one.item in row for row in rows) for one in found.contributors)


@settings(max_examples=60)
@given(records(3, 25, "abcdefg"), st.integers(2, 3), st.integers(1, 3))
def test_clusters_are_counted_one_by_one_and_their_shares_averaged(rows, k, m):
    data = Transactions.from_records(rows)
    made = cluster_records(data, least=k, most=4 * k)
    words = data.words
    clusters = [
        [frozenset(words[code] for code in made.items[made.offsets[row] : made.offsets[row + 1]]) for row in part]
        for part in np.split(made.rows, made.bounds[1:-1])
    ]
    found = shoal.risk(data, k=k, m=m).clusters
    assert found.number == len(clusters)
    counted = [(oracle.supports(part, m), oracle.minimal_problematic(part, k, m)) for part in clusters]
    shares = []
    for supports, minimal in counted:
        sizes, problematic = Counter(map(len, supports)), Counter(map(len, minimal))
        shares.append({size: Fraction(problematic[size], sizes[size]) for size in sizes})
    for one in found.lengths:
        assert one.sets == sum(len(items) == one.length for supports, _ in counted for items in supports)
        assert one.minimal == sum(len(items) == one.length for _, minimal in counted for items in minimal)
        mean = oracle.means(shares, one.length)
        assert one.share == (None if mean is None else pytest.approx(float(mean)))


def test_more_clusters_than_one_block_are_counted_the_same(monkeypatch):
    data = shoal.quest(300, n_items=30, seed=3)
    whole = shoal.risk(data, k=3, m=3).clusters
    monkeypatch.setattr(rare_sets, "_CLUSTERS", 2)
    assert whole.number > 4
    assert shoal.risk(data, k=3, m=3, run=Run(engine=Threads(2))).clusters == whole


def test_nothing_depends_on_the_order_of_the_records():
    rows = [frozenset("ab"), frozenset("abc"), frozenset("acd"), frozenset("bd"), frozenset("ab"), frozenset("e")] * 3
    found = shoal.risk(shoal.read(rows), k=3, m=3)
    assert shoal.risk(shoal.read(rows[::-1]), k=3, m=3) == found


def limited(monkeypatch, work_of):
    """Let a search for sets of so many items have so much work."""
    look = rare_sets.look

    def less(records, k, m, *, n_marked=None, work=None, **others):
        if n_marked is None:
            work = work_of.get(m, work)
        else:
            work = work_of.get("sample", work) if n_marked > work_of.get("enough", 0) else work
            work = work_of.get(f"sample of {m}", work)
        return look(records, k, m, n_marked=n_marked, work=work, **others)

    monkeypatch.setattr("shoal.measuring.risk.baskets.look", less)
    monkeypatch.setattr(singled_out, "look", less)


def test_what_is_too_much_to_count_is_estimated_and_said_to_be(monkeypatch):
    data = shoal.quest(3_000, n_items=150, seed=5)
    exact = shoal.risk(data, k=4, m=3)
    limited(monkeypatch, {3: 0})
    monkeypatch.setattr(singled_out, "SAMPLES", (200,))
    inside = 0
    for seed in range(20):
        found = shoal.risk(data, k=4, m=3, run=Run(chance=seed))
        assert found.lengths == exact.lengths[:2]
        assert found.known[:2] == exact.known[:2]
        assert "more than 2 items in all records were not counted" in found.notes[0]
        assert "random sample" in str(found)
        estimate, truth = found.known[2].alone, exact.known[2].alone.value
        assert (estimate.exact, estimate.sample) == (False, 200)
        assert exact.known[1].alone.value <= estimate.low <= estimate.value <= estimate.high <= 1
        few = found.known[2].among_few
        assert exact.known[1].among_few.value <= few.low <= few.value <= few.high <= 1
        inside += (estimate.low <= truth <= estimate.high) + (few.low <= exact.known[2].among_few.value <= few.high)
    assert inside >= 34  # of 40, each with a chance of .95 or more
    assert shoal.risk(data, k=4, m=3, run=Run(chance=1)) == shoal.risk(data, k=4, m=3, run=Run(chance=1))


def test_whom_fewer_items_betray_is_counted_once_and_not_sampled(monkeypatch):
    rows = [{"all", f"own {at}"} for at in range(300)]  # found by one item
    rows += [{"all", f"two {at // 2}"} for at in range(300)]  # among two by one item, and never found
    rows += [{f"p {at % 15}", f"q {at // 15}"} for at in range(150)]  # found by two items
    rows += [{"all", "more"}] * 150
    limited(monkeypatch, {2: 0})
    monkeypatch.setattr(singled_out, "SAMPLES", (200,))
    for seed in range(5):
        _, by_two = shoal.risk(shoal.read(rows), k=4, m=2, run=Run(chance=seed)).known
        assert by_two.alone.sample == 200
        assert by_two.alone.value == pytest.approx(450 / 900, abs=0.08)
        assert by_two.among_few.value == pytest.approx(750 / 900, abs=0.06)


def test_a_sample_of_all_that_is_open_is_a_count(monkeypatch):
    data = shoal.quest(300, n_items=40, seed=5)
    exact = shoal.risk(data, k=4, m=3)
    limited(monkeypatch, {3: 0, 2: 0})
    assert shoal.risk(data, k=4, m=3).known == exact.known


def test_the_sample_shrinks_where_its_sets_are_too_many_and_ends_in_bounds(monkeypatch):
    data = shoal.quest(3_000, n_items=150, seed=5)
    exact = shoal.risk(data, k=4, m=3)
    limited(monkeypatch, {3: 0, "sample": 0, "enough": 100})
    assert shoal.risk(data, k=4, m=3).known[2].alone.sample == 100
    limited(monkeypatch, {3: 0, "sample": 0})
    nothing = shoal.risk(data, k=4, m=3).known[2].alone
    assert nothing == Share(None, exact.known[1].alone.value, 1.0)
    assert "from " in nothing.shown


def test_fewer_items_are_sampled_where_more_are_too_much(monkeypatch):
    data = shoal.quest(3_000, n_items=150, seed=5)
    exact = shoal.risk(data, k=4, m=3)
    limited(monkeypatch, {3: 0, 2: 0, "sample of 3": 0})
    found = shoal.risk(data, k=4, m=3, run=Run(chance=1)).known
    assert found[0] == exact.known[0]
    assert found[1].alone.sample == 1000
    assert found[1].alone.low <= exact.known[1].alone.value <= found[1].alone.high
    assert found[2].alone == Share(None, exact.known[0].alone.value, 1.0)


def test_a_few_very_long_baskets_do_not_blow_it_up():
    long = [[f"x{number}" for number in range(start, start + 400)] for start in (0, 0, 0, 0, 0, 390, 780)]
    found = shoal.risk(shoal.read([*long, *([["tea", "milk"]] * 6)]), k=5, m=3)
    assert found.notes == ()
    assert found.lengths[2].sets == 3 * 400 * 399 * 398 // 6 - 2 * 120


@pytest.mark.parametrize(("hits", "sample"), [(0, 10), (3, 10), (10, 10), (50, 1000)])
def test_the_interval_leaves_a_fortieth_on_either_side(hits, sample):
    found = sampled_share(0, sample, hits, sample, sample)
    assert found.value == hits / sample
    if hits:
        assert oracle.at_least(hits, sample, found.low) == pytest.approx(0.025)
    else:
        assert found.low == 0
    if hits < sample:
        assert 1 - oracle.at_least(hits + 1, sample, found.high) == pytest.approx(0.025)
    else:
        assert found.high == 1


def test_a_share_is_never_rounded_to_none_or_all():
    shown = [percent(share) for share in (0.0, 1e-9, 0.0004, 0.0006, 0.9994, 0.9999, 1.0)]
    assert shown == ["0.0%", "under 0.1%", "under 0.1%", "0.1%", "99.9%", "over 99.9%", "100.0%"]


def test_fewer_records_than_k_have_no_clusters_and_none_have_no_risk():
    found = shoal.risk(shoal.read([["a", "b"]]), k=3, m=2)
    assert (found.clusters, found.known[0].among_few.value) == (None, 1.0)
    assert str(shoal.risk(Transactions.from_records([]), k=3)) == "There are no records."


def test_the_paragraph_says_what_was_counted():
    rows = [{"a", "b"}] * 3 + [{"a", "c"}] * 3 + [{"a", "b", "c"}]
    assert str(shoal.risk(shoal.read(rows), k=3, m=2, run=Run(chance=1))) == (
        "14.3% of 7 people have a unique record. One known item, if it is the worst one of the person, singles out "
        "none of them; the worst 2 items single out 14.3%. For 14.3%, the worst 2 items leave fewer than 3 possible "
        "people; 2 random items do so for about 0.0% (0.0% to 41.0%) of the 7 people who have that many. The word "
        "about marks an estimate from a random sample; each range contains the true value in at least 95 of 100 "
        "samples."
    )


@settings(deadline=None, max_examples=25)
@given(st.lists(st.frozensets(st.sampled_from("abcde"), min_size=1), min_size=3, max_size=12), st.integers(1, 3))
def test_random_items_are_drawn_of_those_who_have_so_many(rows: list[frozenset[str]], size: int) -> None:
    """Over many seeds the shares average to those that the definition says: every set of a person as likely."""
    data, k = shoal.read(rows), 3
    able = [row for row in rows if len(row) >= size]
    seen = [shoal.risk(data, k=k, m=3, run=Run(chance=seed)).random for seed in range(30)]
    if not able:
        assert all(len(one) < size for one in seen)
        return
    for name, most in (("alone", 2), ("among_few", k)):
        truth = [
            [sum(set(some) <= other for other in rows) < most for some in combinations(sorted(row), size)]
            for row in able
        ]
        expected = sum(sum(one) / len(one) for one in truth) / len(able)
        found = [getattr(one[size - 1], name) for one in seen]
        assert all(one[size - 1].people == share.sample == len(able) for one, share in zip(seen, found, strict=True))
        # 30 runs of as many draws: the deviation of their mean is at most half the root of their number.
        assert abs(sum(share.value for share in found) / 30 - expected) <= 2.5 / math.sqrt(30 * len(able))
        assert all(share.low <= share.value <= share.high for share in found)


def test_the_value_is_plain():
    found = shoal.risk(shoal.quest(200, n_items=30, seed=1), k=3, m=2).as_dict()
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k is 1: it must be a whole number from 2 on"),
        ({"m": 0}, "m is 0"),
        ({"m": 6}, "m is 6: it must be a whole number from 1 to 5"),
        ({"top": -1}, "top is -1"),
        ({"run": Run(chance=-1)}, "seed is -1"),
        ({"max_cluster_size": 8}, "max_cluster_size is 8: it must be a whole number from 9 on"),
        ({"quasi": ["a"]}, "are for tables"),
    ],
)
def test_what_is_out_of_range_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        shoal.risk(shoal.read([["a", "b"]] * 9), **options)
    with pytest.raises(InputError, match="threads is 0"):
        shoal.risk(shoal.read([["a", "b"]] * 9), run=Run(engine=Threads(0)))
    with pytest.raises(InputError, match="needs Transactions or a Table"):
        shoal.risk([["a"]])
    for options in ({"seed": 1}, {"threads": None}):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(options))}'"):
            shoal.risk(shoal.read([["a", "b"]] * 9), **options)
