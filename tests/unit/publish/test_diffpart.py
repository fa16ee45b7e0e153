"""DiffPart: what it spends, what it publishes how often, and how little one record changes that."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from shoal import Hierarchy, Transactions, diffpart
from shoal.analyse.node_rows.basket_paths import basket_paths, count_errors
from shoal.audit.noisy_baskets.splits import Descent, last_counts
from shoal.errors import Infeasible, InputError
from shoal.publish.diffpart import Taxonomy, partition
from shoal.randomness import Numbers
from shoal.run import Run
from tests.checking.chance import usual
from tests.making.diffpart_runs import BALANCED, MIXED, ONE, PAIR, UNEVEN, coded, outputs, tally, tree_of
from tests.making.node_trees import bottoms, node_trees
from tests.oracles import diffpart as oracle

publishing: Any = sys.modules["shoal.publish.diffpart"]
CALM = 10**15


def as_dictionary(tree: Any) -> dict[str, list[str]]:
    """A tree of nodes as the oracle takes it; the root first."""
    children: dict[str, list[str]] = {}
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            children.setdefault(tree.labels[parent], []).append(tree.labels[node])
    return dict(sorted(children.items(), key=lambda entry: tree.labels.index(entry[0])))


def subsets(items: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [some for size in range(1, len(items) + 1) for some in combinations(items, size)]


def noting(spent: list[int]) -> Any:
    """Noise that lets everything pass, and remembers what it was asked for with."""
    return lambda units, _: spent.extend(units.tolist()) or units * 0 + CALM


def offering(offered: list[set[int]]) -> Any:
    """Gaps that let nothing pass, and remember."""
    return lambda units, _thresholds, limits, _chance: offered.append({*units.tolist()}) or limits


@settings(deadline=None, max_examples=25)
@example(tree_of(UNEVEN))
@given(node_trees(max_nodes=10))
def test_every_path_spends_epsilon_to_the_unit(tree: Any) -> None:
    """What noise is really drawn with, along the path of each basket, and what everybody can compute of it."""
    total, names = 3 * ONE // 7 + 5, as_dictionary(tree)
    taxonomy = Taxonomy.of(tree)
    for basket in subsets(bottoms(tree))[:25]:
        spent: list[int] = []
        offered: list[set[int]] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(publishing, "two_sided", noting(spent))
            patch.setattr(publishing, "gaps", offering(offered))
            found = partition(
                taxonomy,
                total,
                np.array([0, len(basket)]),
                np.array(basket, np.int32),
                np.zeros(1, np.int64),
                chance=Numbers(1),
                report=lambda *_: None,
            )
        assert found.nodes.tolist() == list(basket)
        assert sum(spent) == total
        path = oracle.path(names, total, frozenset(tree.labels[node] for node in basket))
        assert spent == [split.spent(part) for split, part in path]
        # Sub-partitions without records get the noise of those with some.
        allowed = [{split.units, split.rest} for split, _ in path]
        assert all(any(units <= both for both in allowed) for units in offered)
        known = basket_paths(tree, total / ONE, np.array([0, len(basket)]), np.array(basket, np.int32))
        assert known.units.tolist() == spent
        assert known.thresholds.tolist() == [split.threshold(part) for split, part in path]
        assert [tree.labels[node] for node in known.nodes] == [split.node for split, _ in path]
        descent, budgets, least = Descent.of(tree, total / ONE, *one(basket)), [], []
        while len(descent.going):
            descent, splits = descent.split()
            budgets += splits.budgets.tolist()
            least += splits.least.tolist()
            descent = descent.only(~splits.done)
        assert [budget * ONE for budget in budgets] == spent
        assert least == known.thresholds.tolist()


def one(basket: Sequence[int]) -> Any:
    return np.array([0, len(basket)]), np.array(basket, np.int32)


@given(node_trees(max_nodes=10), st.data())
def test_the_path_of_a_basket_does_not_depend_on_others_beside_it(tree: Any, data: st.DataObject) -> None:
    """As the auditor and readers look at them, all at once: baskets of few splits beside baskets of many."""
    baskets = data.draw(st.lists(st.sampled_from(subsets(bottoms(tree))[:40]), min_size=1, max_size=6))
    offsets, items = np.cumsum([0, *map(len, baskets)]), np.array([n for basket in baskets for n in basket], np.int32)
    paths = basket_paths(tree, 0.7, offsets, items)
    audited = last_counts(tree, 0.7, offsets, items)
    assert audited.least.tolist() == paths.least_counts.tolist()
    assert audited.budgets.tolist() == paths.count_budgets.tolist()
    for at, basket in enumerate(baskets):
        alone = basket_paths(tree, 0.7, np.array([0, len(basket)]), np.array(basket, np.int32))
        here = slice(paths.offsets[at], paths.offsets[at + 1])
        for name in ("nodes", "units", "thresholds"):
            assert getattr(paths, name)[here].tolist() == getattr(alone, name).tolist()


@pytest.mark.parametrize("tree", [PAIR, BALANCED, MIXED, UNEVEN], ids=["pair", "balanced", "mixed", "uneven"])
def test_counts_pass_from_their_thresholds_on(tree: Mapping[str, Sequence[str]]) -> None:
    """Noise that takes every count of a path just to its threshold lets the basket pass; one less anywhere does not."""
    total, nodes = ONE // 100, tree_of(tree)
    taxonomy = Taxonomy.of(nodes)
    for basket in subsets([node for node in oracle.walk(tree) if node not in tree]):
        needed = [split.threshold(part) for split, part in oracle.path(tree, total, frozenset(basket))]
        for lacking in [None, *range(len(needed))]:
            noise = iter([count - 1 - (step == lacking) for step, count in enumerate(needed)])
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(publishing, "two_sided", lambda units, _, noise=noise: units * 0 + next(noise))
                patch.setattr(publishing, "gaps", lambda _u, _t, limits, _c: limits)
                offsets, items = coded(nodes, [basket])
                found = partition(
                    taxonomy, total, offsets, items, np.zeros(1, np.int64), chance=Numbers(1), report=lambda *_: None
                )
            assert found.counts.tolist() == ([needed[-1]] if lacking is None else [])


CASES = [
    (PAIR, 1.0, ["a"] * 2 + ["ab"] * 5),
    (BALANCED, 3.0, ["a"] * 37 + ["ab"] * 3 + ["ac"] * 36 + ["d"] * 9),
    (MIXED, 4.0, ["a"] * 3 + ["b"] * 40 + ["abd"] * 43 + ["cd"] * 20),
]
N = 12_000


@pytest.mark.parametrize(("tree", "epsilon", "records"), CASES, ids=["pair", "balanced", "mixed"])
def test_baskets_are_published_as_often_as_the_definition_says(
    tree: Mapping[str, Sequence[str]], epsilon: float, records: list[str]
) -> None:
    """Each basket, there or not in the data; each with its least count; and whole releases."""
    total = int(epsilon * ONE)
    made = outputs(tree, total, records, N)
    sets = [frozenset(record) for record in records]
    items = [node for node in oracle.walk(tree) if node not in tree]
    for basket in map(frozenset, subsets(items)):
        there, least, exactly = oracle.marginal(tree, total, sets, basket)
        counts = [output[basket] for output in made if basket in output]
        assert min(counts, default=least) >= least
        assert usual(len(counts), N, float(there), of=100)
        assert usual(counts.count(least), N, float(exactly), of=100)
    for output, times in tally(made).most_common(5):
        assert usual(times, N, float(oracle.chance_of(tree, total, sets, dict(output))), of=100)


@pytest.mark.parametrize(("tree", "epsilon", "records"), CASES, ids=["pair", "balanced", "mixed"])
@pytest.mark.parametrize("added", ["a", "b", "ab"])
def test_by_definition_one_record_changes_no_chance_by_more_than_epsilon(
    tree: Mapping[str, Sequence[str]], epsilon: float, records: list[str], added: str
) -> None:
    """Exactly, for all releases of up to two baskets; and epsilon is not larger than it has to be."""
    total = int(epsilon * ONE)
    sets = [frozenset(record) for record in records]
    seen = {basket: oracle.marginal(tree, total, sets, basket)[1] for basket in {*sets, frozenset(added)}}
    counts = {basket: [least, least + 1, least + 40] for basket, least in seen.items()}
    options: list[dict[frozenset[str], int]] = [{}]
    options += [{basket: count} for basket, some in counts.items() for count in some]
    options += [{one: counts[one][0], two: counts[two][2]} for one in seen for two in seen if one != two]
    ratios = []
    for output in options:
        before, after = (oracle.chance_of(tree, total, data, output) for data in (sets, [*sets, frozenset(added)]))
        ratios.append(abs(oracle.logarithm(after / before)))
    assert max(ratios) <= oracle.Decimal(epsilon) + oracle.Decimal("1e-40")
    assert max(ratios) > oracle.Decimal(epsilon) * oracle.Decimal("0.99" if tree is PAIR else "0.5")


def largest_ratio(records: list[str], added: str, n: int = 40_000) -> float:
    """How much more or less likely one record makes something, at the least: a false alarm in one of a billion."""
    tallies = [tally(outputs(PAIR, ONE, data, n, seed)) for seed, data in enumerate((records, [*records, added]))]
    alarm = 1e-9 / (2 * len(tallies[0] | tallies[1]))
    largest = 0.0
    for event in tallies[0] | tallies[1]:
        for one, two in ((0, 1), (1, 0)):
            low = beta.ppf(alarm, tallies[one][event], n - tallies[one][event] + 1) if tallies[one][event] else 0.0
            high = beta.ppf(1 - alarm, tallies[two][event] + 1, n - tallies[two][event])
            largest = max(largest, float(np.log(low / high)) if low else 0.0)
    return largest


@pytest.mark.parametrize(("records", "added"), [(["a"] * 3, "a"), (["a"], "b"), ([], "a")])
def test_in_many_runs_one_record_changes_no_frequency_by_more_than_epsilon(records: list[str], added: str) -> None:
    """Epsilon is 1, and nearly reached where chances are large enough to see it."""
    ratio = largest_ratio(records, added)
    assert ratio <= 1
    assert ratio > 0.8 or added not in records


def doubled(draw: Any) -> Any:
    return lambda units, *more: draw(2 * units, *more)


@pytest.mark.parametrize(
    ("variant", "records", "added"),
    [
        ({name: doubled(getattr(publishing, name)) for name in ("two_sided", "gaps", "geometric")}, ["a"] * 3, "a"),
        ({"two_sided": lambda units, _: 0 * units}, ["a"] * 4, "a"),
        ({"gaps": lambda _u, _t, limits, _c: limits}, ["a"], "b"),
        ({"gaps": lambda _u, _t, limits, _c: limits}, [], "a"),
    ],
    ids=["twice the budget", "no noise on what has records", "nothing made up", "nothing made up of nothing"],
)
def test_wrong_variants_change_more(
    monkeypatch: pytest.MonkeyPatch, variant: dict[str, Any], records: list[str], added: str
) -> None:
    """The test above would see each of them."""
    for name, wrong in variant.items():
        monkeypatch.setattr(publishing, name, wrong)
    assert largest_ratio(records, added) > 1.05


DATA = Transactions.from_records([{"a", "b"}] * 400 + [{"a"}] * 300 + [{"c", "x"}] * 200)


def test_the_release_is_in_canonical_order_and_has_no_basket_twice() -> None:
    release = diffpart(DATA, 5.0, fanout=2, items="abcdefghx", run=Run(chance=3))
    rows = [row.tolist() for row in np.split(release.items, release.offsets[1:-1])]
    assert rows == sorted(rows)
    assert len({tuple(row) for row in rows}) == len(rows) > 2
    assert (release.row_counts >= 1).all()
    assert release.reproducible
    assert not diffpart(DATA, 1.0).reproducible
    assert release.n_items == 9


def test_the_order_of_records_changes_nothing() -> None:
    rows = [frozenset(row) for row in ["ab"] * 90 + ["c"] * 80 + ["abc"] * 70 + ["d"]]
    one, two = (diffpart(Transactions.from_records(some), 3.0, run=Run(chance=5)) for some in (rows, rows[::-1]))
    assert one.items.tolist() == two.items.tolist()
    assert one.row_counts.tolist() == two.row_counts.tolist()


def test_runs_without_a_seed_differ() -> None:
    made = {tuple(diffpart(DATA, 0.5).row_counts.tolist()) for _ in range(8)}
    assert len(made) > 1


def test_a_hierarchy_may_order_items_otherwise_than_the_data() -> None:
    tree = Hierarchy.from_rows([("x", "A", "*"), ("a", "A", "*"), ("c", "C", "*"), ("b", "C", "*"), ("new", "C", "*")])
    release = diffpart(DATA, 50.0, hierarchy=tree, run=Run(chance=1))
    found = {
        frozenset(release.tree.labels[node] for node in row): count
        for row, count in zip(np.split(release.items, release.offsets[1:-1]), release.row_counts.tolist(), strict=True)
    }
    assert found == {frozenset("ab"): 400, frozenset("a"): 300, frozenset("cx"): 200}


def test_errors_of_counts_are_those_of_their_noise() -> None:
    release = diffpart(DATA, 2.0, fanout=10, run=Run(chance=1))
    r = float(1 / oracle.exponential(oracle.Fraction(2)))
    assert count_errors(release) == pytest.approx(np.sqrt(2 * r) / (1 - r))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"epsilon": -1}, InputError, "epsilon is -1"),
        ({"epsilon": float("nan")}, InputError, "epsilon"),
        ({"epsilon": 0}, Infeasible, "too small for a hierarchy"),
        ({"epsilon": 1e-6}, Infeasible, "Raise epsilon"),
        ({"fanout": 1}, InputError, "fanout"),
        ({"items": ["a", "b"]}, InputError, "'c'"),
        ({"fanout": 30, "items": [*"abcx", *map(str, range(30))]}, Infeasible, "more than 20"),
        ({"items": "abcx", "hierarchy": Hierarchy.from_rows([("a", "*")])}, InputError, "either hierarchy or items"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        diffpart(DATA, **{"epsilon": 1.0, **options})


def test_too_many_partitions_are_an_outcome_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "MOST_PARTITIONS", 1)
    with pytest.raises(Infeasible, match="Another try spends"):
        diffpart(DATA, 5.0, run=Run(chance=1))


def test_baskets_of_all_levels_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sub-partitions pass at each level, as the limit allows, and three baskets in all, which it does not."""
    tree = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")])
    data = Transactions.from_records([{"a"}] * 900 + [{"b"}] * 900 + [{"c"}] * 900)
    for limit in (3, 2):
        monkeypatch.setattr(publishing, "MOST_PARTITIONS", limit)
        if limit == 3:
            assert diffpart(data, 900.0, hierarchy=tree, run=Run(chance=1)).n_rows == 3
            continue
        with pytest.raises(Infeasible, match="more than 2 partitions or baskets"):
            diffpart(data, 900.0, hierarchy=tree, run=Run(chance=1))


def refused(records: list[str], passing: set[int], limit: int) -> bool:
    """Whether a run is refused in which these sub-partitions of the first split pass, and none of a later one.

    Of MIXED the first split has three sub-partitions: 1 is the basket {a}, 2 is {X} and 3 is {a, X}.
    """
    nodes = tree_of(MIXED)
    offsets, items = coded(nodes, records)
    of_record = [("a" in record) + 2 * bool(set(record) - {"a"}) for record in records]
    there = sorted(set(of_record))
    empty = {True: [part for part in (1,) if part not in there], False: [part for part in (2, 3) if part not in there]}
    total, splits = 4 * ONE, []

    def two_sided(units: Any, _: Any) -> Any:
        splits.append(len(units))
        if len(splits) > 1:
            return units * 0 - CALM
        return np.array([CALM if part in passing else -CALM for part in there], np.int64)

    def gaps(units: Any, _thresholds: Any, limits: Any, _chance: Any) -> Any:
        if len(splits) > 1:
            return limits
        # A basket may spend all there is. Of the empty ones of its kind, those at the end are left.
        rests = [empty[spent == total][-left:] for spent, left in zip(units.tolist(), limits.tolist(), strict=True)]
        return np.array([next((gap for gap, part in enumerate(r) if part in passing), len(r)) for r in rests], np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "two_sided", two_sided)
        patch.setattr(publishing, "gaps", gaps)
        patch.setattr(publishing, "MOST_PARTITIONS", limit)
        try:
            runs = np.zeros(len(records), np.int64)
            partition(Taxonomy.of(nodes), total, offsets, items, runs, chance=Numbers(1), report=lambda *_: None)
        except Infeasible:
            return True
    return False


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
@pytest.mark.parametrize("passing", [{1}, {2}, {1, 2}, {2, 3}, {1, 2, 3}], ids=str)
def test_only_noisy_counts_decide_that_there_are_too_many_partitions(passing: set[int], limit: int) -> None:
    """Same partitions passed, same outcome, whoever is in the data.

    A limit on the empty ones alone refused {1, 2, 3} of nobody, and published it once one person held a: no epsilon
    bounds that.
    """
    data = [[], ["a"], ["b"], ["ab"], ["a", "b"], ["a", "ab"], ["a", "b", "ab"]]
    assert [refused(records, passing, limit) for records in data] == [len(passing) > limit] * len(data)


def test_no_records_are_published_as_any_others_where_the_items_are_known() -> None:
    nobody = Transactions.from_records([])
    made = [diffpart(nobody, 1.0, items="ab", run=Run(chance=seed)).n_rows for seed in range(40)]
    assert 0 in made
    assert set(made) != {0}


def test_records_find_their_children() -> None:
    from shoal.kernels.child_masks import mark_children

    tree = tree_of(MIXED)  # * a X b Y c d
    taxonomy = Taxonomy.of(tree)
    offsets, items = coded(tree, ["a", "acd", "b", "bd"])
    records, tops = np.array([0, 1, 2, 3, 3]), np.array([0, 0, 0, 0, 2], np.int32)
    masks = np.empty(5, np.int64)
    mark_children(offsets, items, records, tops, tree.parents, tree.ends, taxonomy.bits, masks)
    assert masks.tolist() == [1, 3, 2, 2, 3]
