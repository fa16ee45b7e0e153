"""One set of metrics for every release of baskets: each kind against the definitions, and what does not fit refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import Infeasible, InputError
from shoal.measuring.baskets import views as basket_views
from shoal.measuring.baskets.common_utility import BasketUtility
from shoal.measuring.baskets.pairs_kept import frequent_pairs
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.generalized_baskets import (
    Recoded,
    generalized_baskets,
    hierarchy_of,
    item_paths,
    noisy_baskets,
    noisy_counts,
    recoded,
)
from tests.making.randomized_strategies import keep_of, lengths_of, releases, rows_of
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import basket_utility as oracle
from tests.oracles import randomized_supports, utility

Rows = Sequence[frozenset[Any]]
FEW = settings(max_examples=40)
SHARES = st.sampled_from([0.1, 0.3, 0.5, 1.0])


def values(found: BasketUtility) -> dict[str, float | None]:
    return {metric.label: metric.value for metric in found}


def check_rows(found: BasketUtility, original: Rows, seen: Rows, n: int, top: int, share: float) -> None:
    """What is mined from rows, of which some may be left out since they show nothing."""
    told = values(found)
    seen = [row for row in seen if row]
    assert told["tKd"] == utility.tkd(original, seen, top)
    true = oracle.frequent(original, Fraction(str(share)), len(original))
    view = oracle.frequent(seen, Fraction(str(share)), n)
    assert (told[f"sigma+ at {share:g}"], told[f"sigma- at {share:g}"]) == oracle.sigmas(true, view)
    items = frozenset().union(*original)
    assert told["items kept"] == len(items & frozenset().union(*seen)) / len(items)


@FEW
@given(recoded(), st.integers(1, 25), SHARES, st.booleans())
def test_generalized_baskets_are_measured_by_definition(case: Recoded, top: int, share: float, whole: bool) -> None:
    original = Transactions.from_records(case.records)
    release = case.release(whole=whole)
    ranges = [(0, 3), (2, 6)]
    found = shoal.measure(
        original, release, hierarchy=case.hierarchy, top=top, ranges=ranges, min_support=share, common=True
    )
    check_rows(found, case.records, oracle.named(case.rows), len(case.rows), top, share)
    told = oracle.pair_support(case.rows)
    for start, end in ranges:
        assert found[f"re {start}-{end}"].value == pytest.approx(utility.re(case.records, told, start, end))
    assert found["pairs kept"].value == pytest.approx(oracle.pairs_kept(case.records, told))
    wanted = oracle.at_all_levels(oracle.generalized(case.records, []), case.paths)
    seen = oracle.at_all_levels(case.rows, case.paths)
    assert sorted(map(sorted, wanted)) == sorted(map(sorted, utility.at_all_levels(case.records, case.paths)))
    assert found["tKd-ML2"].value == utility.tkd(wanted, [row for row in seen if row], top)
    assert found["NCP"].value == pytest.approx(oracle.ncp(case.records, case.raised, len(case.paths)))


@FEW
@given(records(1, 8, "abcde"), noisy_counts(), item_paths(), st.integers(1, 25), SHARES)
def test_noisy_counts_are_measured_by_definition(
    rows: list[frozenset[str]],
    counts: dict[frozenset[str], int],
    paths: dict[str, tuple[str, ...]],
    top: int,
    share: float,
) -> None:
    tree = hierarchy_of(paths)
    found = shoal.measure(
        Transactions.from_records(rows),
        noisy_baskets(counts, tree),
        hierarchy=tree,
        top=top,
        ranges=[(0, 5)],
        min_support=share,
        common=True,
    )
    # Of equals, items that the original does not have come last: here they are called so that they do.
    known = frozenset().union(*rows)
    called = {item: item if item in known else f"~{item}" for item in paths}
    paths = {called[item]: (called[item], *path[1:]) for item, path in paths.items()}
    seen = [frozenset(called[item] for item in basket) for basket in oracle.repeated(counts)]
    check_rows(found, rows, seen, len(seen), top, share)
    assert found["re 0-5"].value == pytest.approx(utility.re(rows, lambda pair: utility.support(seen, pair), 0, 5))
    kept = oracle.pairs_kept(rows, lambda pair: utility.support(seen, pair))
    assert found["pairs kept"].value == pytest.approx(kept)
    levels = [utility.at_all_levels(data, paths) for data in (rows, seen)]
    assert found["tKd-ML2"].value == utility.tkd(levels[0], [row for row in levels[1] if row], top)


@FEW
@given(publications(joints=False), st.integers(1, 25), SHARES, st.integers(0, 99))
def test_disassociated_releases_are_measured_by_a_reconstruction_and_what_is_expected(
    published: Published, top: int, share: float, seed: int
) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    paths = {item: (item, "x" if item in "abc" else "y", "*") for item in "abcde"}
    found = shoal.measure(
        Transactions.from_records(published.records),
        release,
        hierarchy=hierarchy_of(paths),
        top=top,
        ranges=[(0, 5)],
        min_support=share,
        run=Run(chance=seed),
        common=True,
    )
    (drawn,) = map(list, release.reconstruct(run=Run(chance=seed)))
    check_rows(found, published.records, drawn, len(drawn), top, share)

    def told(pair: frozenset[str]) -> Fraction:
        return utility.expected_support(published.nodes, pair)

    assert found["re 0-5"].value == pytest.approx(utility.re(published.records, told, 0, 5))
    assert found["pairs kept"].value == pytest.approx(oracle.pairs_kept(published.records, told))
    levels = [utility.at_all_levels(data, paths) for data in (published.records, drawn)]
    assert found["tKd-ML2"].value == utility.tkd(*levels, top)


@FEW
@given(releases(most_items=4, most_rows=10), st.data(), st.integers(1, 12), SHARES)
def test_randomized_releases_are_measured_by_estimates(
    release: shoal.Randomized, data: st.DataObject, top: int, share: float
) -> None:
    names = st.sampled_from([str(number) for number in range(release.n_items)])
    row = st.frozensets(names, min_size=1)
    original = data.draw(st.lists(row, min_size=release.n_records, max_size=release.n_records))
    baskets = Transactions.from_records(original)
    supports = {word: int(count) for word, count in enumerate(release.supports)}
    if release.promise.keep_prob == 1:  # else chance hides that these are other data
        assume(all(utility.support(original, frozenset([str(code)])) <= n for code, n in supports.items()))
    found = shoal.measure(baskets, release, top=top, ranges=[(0, 4)], min_support=share, common=True)

    def told(items: frozenset[str]) -> Fraction:
        codes = sorted(map(int, items))
        share = randomized_supports.fake_share(lengths_of(release), len(codes), release.n_items)
        fake = share if release.n_fakes else Fraction(0)
        return randomized_supports.estimate(rows_of(release), codes, keep_of(release), release.n_records, fake)

    def records_with(pair: frozenset[str]) -> Fraction:
        return max(Fraction(0), told(pair)) * release.n_records

    assert found["re 0-4"].value == pytest.approx(utility.re(original, records_with, 0, 4))
    assert found["pairs kept"].value == pytest.approx(oracle.pairs_kept(original, records_with))
    words = sorted({str(number) for number in range(release.n_items)})
    sets = [frozenset(some) for n in range(1, len(words) + 1) for some in combinations(words, n)]
    estimates = {items: told(items) for items in sets}
    mined = oracle.estimated(estimates, Fraction(str(share)))
    true = oracle.frequent(original, Fraction(str(share)), len(original))
    sigmas = found[f"sigma+ at {share:g}"].value, found[f"sigma- at {share:g}"].value
    assert sigmas == oracle.sigmas(true, mined)
    assert found["tKd"].value == oracle.tkd_of_estimates(original, estimates, top)
    assert found["tKd-ML2"].value is None
    held = {str(code) for code, count in enumerate(release.supports.tolist()) if count}
    items = frozenset().union(*original)
    assert found["items kept"].value == len(items & held) / len(items)


def test_levels_of_a_randomized_release_are_refused_with_a_reason() -> None:
    original = shoal.read([{"a", "b"}] * 5)
    tree = hierarchy_of({"a": ("a", "*"), "b": ("b", "*")})
    with_tree = shoal.measure(original, shoal.mask(original, 0.9, run=Run(chance=1)), hierarchy=tree, common=True)[
        "tKd-ML2"
    ]
    assert with_tree.value is None
    assert "flips of single items are corrected" in with_tree.reason
    without = shoal.measure(original, shoal.mask(original, 0.9, run=Run(chance=1)), common=True)["tKd-ML2"]
    assert without.reason == "no hierarchy of the items was given"


@settings(max_examples=10)
@given(records(2, 8, "abcde"), item_paths("abcde"))
def test_what_is_published_as_it_is_lost_nothing(rows: list[frozenset[str]], paths: dict[str, tuple[str, ...]]) -> None:
    original, tree = Transactions.from_records(rows), hierarchy_of(paths)
    counts = {row: rows.count(row) for row in rows}
    for release in (
        generalized_baskets(rows, tree, []),
        noisy_baskets(counts, tree),
        disassociated([(len(rows), [rows], "")], k=2),
    ):
        found = shoal.measure(original, release, hierarchy=tree, ranges=[(0, 5)], min_support=0.2, common=True)
        for metric in found:
            best = 0 if metric.direction == "lower is better" else 1
            assert metric.value is None or metric.value == pytest.approx(best), (release, metric)


@FEW
@given(records(1, 12, "abcdef"), st.integers(1, 20), st.integers(1, 30))
def test_the_most_frequent_pairs_are_counted_some_items_at_a_time(
    rows: list[frozenset[str]], most: int, block: int
) -> None:
    data = Transactions.from_records(rows)
    pairs, counts = frequent_pairs(data, most, block=block)
    words = data.words
    found = [
        (frozenset([words[one], words[other]]), count)
        for one, other, count in zip(pairs.first.tolist(), pairs.second.tolist(), counts.tolist(), strict=True)
    ]
    every = [(items, count) for items, count in utility.in_order(rows) if len(items) == 2]
    assert found == every[:most]


RECORDS = [frozenset("ab")] * 3 + [frozenset("cd")] * 3 + [frozenset("e")] * 2
PATHS = {item: (item, "x" if item in "ab" else "y", "*") for item in "abcdef"}
GROUPS = [frozenset("ab")]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (RECORDS[1:], "the original has 7 records, the release 8"),
        ([*RECORDS[:-1], frozenset("f")], r"below no published node \(1\): 'f'"),
        ([*RECORDS[:-1], frozenset("z")], r"below no published node \(1\): 'z'"),
        ([*RECORDS[:-1], frozenset("c")], "'c' is in 3 rows of the release, and should be in 4"),
        ([*RECORDS[:-1], frozenset("ae")], "'x' is in 3 rows of the release, and should be in 4"),
    ],
)
def test_other_data_are_not_the_original_of_generalized_baskets(rows: list[frozenset[str]], said: str) -> None:
    release = generalized_baskets(RECORDS, hierarchy_of(PATHS), GROUPS)
    with pytest.raises(InputError, match=f"(?s)this is not the original of this release:.*{said}"):
        shoal.measure(Transactions.from_records(rows), release, min_support=1, common=True)


def test_a_group_whose_items_nobody_tells_needs_the_hierarchy_that_it_was_made_with() -> None:
    original = Transactions.from_records(RECORDS)
    cut = generalized_baskets(RECORDS, hierarchy_of(PATHS), GROUPS, whole=False)
    with pytest.raises(InputError, match="does not tell what 'x' stands for"):
        shoal.measure(original, cut, common=True)
    with pytest.raises(InputError, match="not in this hierarchy"):
        shoal.measure(original, cut, hierarchy=hierarchy_of({item: (item, "*") for item in "abcdef"}), common=True)
    shoal.measure(original, cut, hierarchy=hierarchy_of(PATHS), common=True)
    made = shoal.km_generalization(shoal.read([{str(n), str(n + 1)} for n in range(40)]), k=5, m=2)
    assert not made.discloses_hierarchy  # made of the items' names, as it is here again
    told = shoal.measure(shoal.read([{str(n), str(n + 1)} for n in range(40)]), made, ranges=[(0, 20)], common=True)
    assert told["items kept"].value == 0


def test_items_that_a_hierarchy_does_not_have_are_not_from_the_original() -> None:
    release = noisy_baskets({frozenset("a"): 5}, hierarchy_of(PATHS))
    with pytest.raises(InputError, match=r"(?s)not the original.*not in the hierarchy \(1\): 'z'"):
        shoal.measure(shoal.read([{"a", "z"}]), release, common=True)
    with pytest.raises(InputError, match=r"in the hierarchy \(1\): 'x'"):  # a group is no item
        shoal.measure(shoal.read([{"a", "x"}]), release, common=True)


def test_too_many_sets_in_a_release_are_a_reason_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Infeasible("too many")

    monkeypatch.setattr(basket_views, "frequent_itemsets", refuse)
    release = generalized_baskets(RECORDS, hierarchy_of(PATHS), GROUPS)
    found = shoal.measure(Transactions.from_records(RECORDS), release, min_support=0.5, common=True)
    assert (found["sigma+ at 0.5"].value, found["sigma- at 0.5"].reason) == (None, "too many")
    assert found["tKd"].value is not None


def test_the_report_says_how_the_release_was_read() -> None:
    release = generalized_baskets(RECORDS, hierarchy_of(PATHS), GROUPS)
    found = shoal.measure(
        Transactions.from_records(RECORDS), release, top=5, min_support=2, ranges=[(0, 5)], common=True
    )
    assert found.head.startswith(
        "8 records, km-generalization; top 5 itemsets, at 2 records\nread as: itemsets of items"
    )
    plain = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert (plain["records"], plain["method"], plain["top"], plain["min_support"]) == (8, "km-generalization", 5, 2)
    names = ["tKd", "tKd-ML2", "re", "pairs kept", "sigma+", "sigma-", "items kept", "NCP"]
    assert [metric["name"] for metric in plain["metrics"]] == names
    assert dict(found["pairs kept"].details) == {"pairs": 2, "occurrences": 6, "of_all_occurrences": 1.0}
    # a and b are two items of one group, c and d are what they are; e is alone.
    assert found["pairs kept"].value == 0.5
    assert found["re 0-5"].value == pytest.approx(2 / 10)  # one of ten pairs has an error of 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"top": 0}, "top is 0"),
        ({"ranges": [(0, 1)]}, "the end of a range is 1"),
        ({"min_support": 1.5}, "min_support is 1.5"),
        ({"run": Run(chance=-1)}, "seed is -1"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], said: str) -> None:
    original = shoal.read([{"a", "b"}] * 5)
    with pytest.raises(InputError, match=said):
        shoal.measure(original, shoal.disassociate(original, k=2, m=2), **arguments, common=True)


def test_what_is_no_release_of_baskets_is_refused() -> None:
    with pytest.raises(InputError, match="measure needs the original, as it was read, and its release, in this order"):
        shoal.measure(shoal.read([{"a"}]), shoal.read([{"a"}]), common=True)
    table = shoal.read_table(pa.table({"a": ["b"], "s": ["x"]}), quasi="a", sensitive="s")
    with pytest.raises(InputError, match="common: not used for a table: remove it"):
        shoal.measure(table, table, common=True)
