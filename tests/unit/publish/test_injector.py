"""Injector: whatever the rules, every row keeps l valid values, or it is impossible and the largest l is named."""

import random
import re
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from shoal import Background, Table, injector, negative_rules
from shoal.data.background import Condition, NegativeRule
from shoal.errors import Infeasible, InputError
from shoal.promises import MatchingDiversity
from shoal.run import Run
from tests.oracles import matching

KINDS, VALUES = "wxyz", "abcde"


def table_of(rows):
    kinds, values = zip(*rows, strict=True)
    return Table.from_arrow(pa.table({"kind": kinds, "illness": values}), quasi="kind", sensitive="illness")


def background_of(rules):
    """Rules as pairs of a kind and the value that it cannot have."""
    return Background("illness", tuple(NegativeRule((Condition("kind", k, (k,)),), v) for k, v in rules))


def groups_of(release):
    """Each group as the kinds of its rows and its values."""
    kinds = [release.quasi.columns[0].texts[code] for code in release.quasi.columns[0].codes]
    names = release.values.to_pylist()
    for g in range(release.n_groups):
        entries = range(release.bucket_offsets[g], release.bucket_offsets[g + 1])
        values = [names[release.bucket_values[b]] for b in entries for _ in range(release.bucket_counts[b])]
        yield kinds[release.group_offsets[g] : release.group_offsets[g + 1]], values


def fewest_valid(kinds, values, rules):
    names = sorted(set(values))
    excluded = [sum((kind, name) in rules and 1 << bit for bit, name in enumerate(names)) for kind in kinds]
    return min(matching.count_valid(excluded, [values.count(name) for name in names]))


rows_of = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(VALUES)), min_size=2, max_size=9)
rules_of = st.sets(st.tuples(st.sampled_from(KINDS), st.sampled_from(VALUES)), max_size=8)


@settings(max_examples=400, deadline=None)
@given(rows_of, rules_of, st.integers(2, 4), st.sampled_from(["balanced", "printed"]), st.booleans())
@example([("w", "a"), ("w", "b"), ("x", "c"), ("x", "d")], {("x", "a")}, 2, "balanced", True)
def test_every_row_keeps_l_valid_values_or_no_grouping_could_do_it(rows, rules, l, strategy, true):  # noqa: E741
    if true:  # rules that hold for all rows, as they do with full confidence
        rules = {rule for rule in rules if rule not in rows}
    possible = fewest_valid([k for k, _ in rows], [v for _, v in rows], rules)
    if possible < l:
        with pytest.raises(Infeasible) as told:
            injector(table_of(rows), l, background=background_of(rules), strategy=strategy)
        if possible == 0:
            assert "the rules contradict the data as a whole" in str(told.value)
        else:
            assert ("no l works" if possible < 2 else f"the largest l that works is {possible};") in str(told.value)
        return
    release = injector(table_of(rows), l, background=background_of(rules), strategy=strategy)
    groups = list(groups_of(release))
    for kinds, values in groups:
        assert fewest_valid(kinds, values, rules) >= l
    assert Counter(k for kinds, _ in groups for k in kinds) == Counter(k for k, _ in rows)
    assert Counter(v for _, values in groups for v in values) == Counter(v for _, v in rows)
    assert release.promise == MatchingDiversity(l, "illness", None)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([0.6, 0.8, 1.0]))
def test_mined_rules_of_larger_tables_leave_every_row_l_values(seed, l, min_confidence):  # noqa: E741
    chance = random.Random(seed)
    rows = [(chance.choice(KINDS), chance.choice(VALUES)) for _ in range(60)]
    rare = {("w", "a"), ("x", "b"), ("y", "c")}
    rows = [(k, "e" if (k, v) in rare and chance.random() < 0.9 else v) for k, v in rows]
    table = table_of(rows)
    options = {"min_expectation": 0.7, "min_confidence": min_confidence}
    possible = l
    try:
        release = injector(table, l, **options)
    except Infeasible as told:
        largest = re.search(r"the largest l that works is (\d)", str(told))
        if largest is None:
            assert min_confidence < 1, "rules without an exception leave rows that are mixed so well several values"
            return
        possible = int(largest[1])
        assert 2 <= possible < l
        release = injector(table, possible, **options)
    assert release.background == negative_rules(table, 0.7, min_confidence=min_confidence).background()
    rules = {(rule.conditions[0].label, rule.excluded) for rule in release.background.rules}
    for kinds, values in groups_of(release):
        assert fewest_valid(kinds, values, rules) >= possible


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from("abcd")), min_size=10, max_size=24), rules_of)
def test_many_rows_with_excluded_values_of_their_own_find_groups(rows, rules):
    """Rules that are wrong about many rows: these join groups last, and groups are merged over and over."""
    assume(fewest_valid([k for k, _ in rows], [v for _, v in rows], rules) >= 2)
    for kinds, values in groups_of(injector(table_of(rows), 2, background=background_of(rules))):
        assert fewest_valid(kinds, values, rules) >= 2


def test_a_woman_is_not_left_alone_with_what_only_women_have():
    # Section V: one female and l male rows would satisfy the simple requirement.
    rows = [("f", "ovarian cancer"), *(("m", v) for v in ("flu", "cold", "gout"))]
    rule = {("m", "ovarian cancer")}
    with pytest.raises(Infeasible, match=r"only 1 of 4 values of illness for kind = f.*no l works"):
        injector(table_of(rows), 2, background=background_of(rule))
    release = injector(table_of([*rows, ("f", "flu"), ("f", "gout")]), 2, background=background_of(rule))
    assert all(fewest_valid(kinds, values, rule) >= 2 for kinds, values in groups_of(release))


def test_a_row_whose_own_value_is_excluded_joins_a_group_in_which_it_can_have_others():
    rows = [*(("w", v) for v in "abc"), ("x", "a"), *(("w", v) for v in "abc")]
    release = injector(table_of(rows), 2, background=background_of({("x", "a")}))
    groups = list(groups_of(release))
    assert all(fewest_valid(kinds, values, {("x", "a")}) >= 2 for kinds, values in groups)
    assert any("x" in kinds and len(kinds) > 2 for kinds, _ in groups)


def test_chance_decides_which_of_like_rows_go_where_and_a_seed_stands_in_for_it():
    ages = list(range(40))
    table = Table.from_arrow(pa.table({"age": ages, "illness": [*"abcd"] * 10}), quasi="age", sensitive="illness")
    nothing = Background("illness", ())
    drawn = [injector(table, 2, background=nothing, run=Run(chance=seed)) for seed in (None, None, 3, 3)]
    groups = [[tuple(kinds) for kinds, _ in groups_of(release)] for release in drawn]
    assert groups[0] != groups[1]
    assert groups[2] == groups[3]
    assert [release.reproducible for release in drawn] == [False, False, True, True]


def test_the_promise_says_how_the_rules_were_found_and_the_rules_stay_with_the_release_in_memory():
    table = table_of([(k, v) for k in KINDS for v in VALUES] * 3)
    release = injector(table, 3, min_expectation=0.8, max_attributes=2, membership="product")
    assert release.promise == MatchingDiversity(3, "illness", 0.8, 1.0, 2, (), "product")
    assert release.background is not None
    assert not release.discloses_background
    assert injector(table, 3, disclose_rules=True).discloses_background


@pytest.mark.parametrize(
    ("sensitive", "column", "words"),
    [
        ("kind", "illness", "the rules are about 'kind', but the sensitive column is 'illness'"),  # fewer values
        ("age", "kind", "the rules are about 'age', but the sensitive column is 'illness'"),  # more values
        ("nobody", "kind", "the rules are about 'nobody', but the sensitive column is 'illness'"),
        ("illness", "age", "a condition on 'age', which is no quasi-identifier; those are 'kind'"),
        ("illness", "nobody", "a condition on 'nobody', which is no quasi-identifier; those are 'kind'"),
    ],
)
def test_rules_about_other_columns_are_refused(sensitive, column, words):
    people = pa.table({"kind": [*"wx"] * 4, "illness": [*"abcd"] * 2, "age": range(8)})
    table = Table.from_arrow(people, quasi="kind", sensitive="illness")
    for rules in ((), ((NegativeRule((Condition(column, "w", ("w",)),), "a")),)):
        if rules or sensitive != "illness":
            with pytest.raises(InputError, match=words):
                injector(table, 2, background=Background(sensitive, rules))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strategy": "best"}, "strategy is 'best'"),
        ({"min_expectation": 1.0}, "min_expectation is 1.0"),
        ({"min_confidence": 0}, "min_confidence is 0"),
        ({"membership": "odd"}, "membership is 'odd'"),
        ({"max_attributes": 0}, "max_attributes is 0"),
        ({"run": Run(chance=-1)}, "seed is -1"),
    ],
)
def test_options_out_of_range_are_named(options, words):
    with pytest.raises(InputError, match=words):
        injector(table_of([("w", "a"), ("w", "b")]), 2, **options)
