"""Anatomy: every value in at most one in l rows of every group, rows dealt at random, and nothing lost."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Table, anatomy
from shoal.errors import Infeasible, InputError
from shoal.promises import FrequencyDiversity
from shoal.run import Run


def people(values, ages=None):
    ages = list(range(len(values))) if ages is None else ages
    return Table.from_arrow(pa.table({"age": ages, "illness": values}), quasi="age", sensitive="illness")


def groups_of(release):
    """Each group as its rows and its values."""
    ages = [release.quasi.columns[0].texts[code] for code in release.quasi.columns[0].codes]
    names = release.values.to_pylist()
    found = []
    for g in range(release.n_groups):
        rows = slice(release.group_offsets[g], release.group_offsets[g + 1])
        entries = slice(release.bucket_offsets[g], release.bucket_offsets[g + 1])
        counts = zip(release.bucket_values[entries].tolist(), release.bucket_counts[entries].tolist(), strict=True)
        found.append((ages[rows], {names[v]: n for v, n in counts}))
    return found


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=40), st.integers(2, 5), st.integers(0, 9))
def test_every_value_is_rare_in_every_group_and_nothing_is_lost_or_it_is_impossible(values, l, seed):  # noqa: E741
    most = max(Counter(values).values())
    if most * l > len(values):
        with pytest.raises(
            Infeasible, match=rf"of {most} of {len(values)} rows, which is more than one in {l}"
        ) as told:
            anatomy(people(values), l, run=Run(chance=seed))
        largest = len(values) // most
        assert str(told.value).endswith(f"the largest l that works is {largest}" if largest >= 2 else "no l works")
        return
    release = anatomy(people(values), l, run=Run(chance=seed))
    groups = groups_of(release)
    assert release.promise == FrequencyDiversity(l, "illness")
    for rows, counts in groups:
        assert len(rows) == sum(counts.values()) >= l
        assert max(counts.values()) * l <= len(rows)
    assert sorted(int(age) for rows, _ in groups for age in rows) == list(range(len(values)))
    assert sum((Counter(counts) for _, counts in groups), Counter()) == Counter(values)
    # A row sits in a group that has its value: otherwise somebody was given another's.
    assert all(values[int(age)] in counts for rows, counts in groups for age in rows)


def test_the_largest_l_that_works_works():
    values = [*"aaabbbccd"]
    with pytest.raises(Infeasible, match=r"'a' is the illness of 3 of 9 rows.*the largest l that works is 3"):
        anatomy(people(values), 4)
    assert anatomy(people(values), 3).n_groups == 3


def test_chance_decides_who_goes_where_and_a_seed_stands_in_for_it():
    table = people([*"abcd"] * 25)
    one, two = anatomy(table, 4), anatomy(table, 4)
    assert groups_of(one) != groups_of(two)
    assert not one.reproducible
    again = anatomy(table, 4, run=Run(chance=5))
    assert again.reproducible
    assert (
        groups_of(again)
        == groups_of(anatomy(table, 4, run=Run(chance=5)))
        != groups_of(anatomy(table, 4, run=Run(chance=6)))
    )


def test_who_shares_a_group_does_not_follow_the_order_of_the_input():
    # Were rows taken in the order in which they come, the first a would always be with the first b.
    table = people(["a"] * 8 + ["b"] * 8)
    partners = Counter()
    for _ in range(400):
        ages = next(rows for rows, _ in groups_of(anatomy(table, 2)) if "0" in rows)
        partners[next(age for age in ages if age != "0")] += 1
    assert set(partners) == {str(age) for age in range(8, 16)}
    assert max(partners.values()) < 90  # 50 are expected


def test_a_row_left_over_goes_to_a_group_without_its_value():
    for seed in range(60):
        groups = groups_of(anatomy(people([*"abcabcd"]), 3, run=Run(chance=seed)))
        assert sorted(sorted(counts.values()) for _, counts in groups) == [[1, 1, 1], [1, 1, 1, 1]]


def test_identifiers_and_plain_columns_are_not_published():
    rows = pa.table({"name": ["x", "y"], "age": [1, 2], "shoe": [3, 4], "illness": ["a", "b"]})
    release = anatomy(Table.from_arrow(rows, identifier="name", quasi="age", sensitive="illness"), 2)
    assert release.quasi.names == ["age"]


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"sensitive": "illness"}, "no column is a quasi-identifier"),
        ({"quasi": "age"}, "exactly one column must be sensitive, but none is"),
        ({"quasi": "age", "sensitive": ["illness", "shoe"]}, "exactly one column must be sensitive, but 2 are"),
    ],
)
def test_roles_that_are_missing_are_named(roles, words):
    table = Table.from_arrow(pa.table({"age": [1, 2], "shoe": [3, 4], "illness": ["a", "b"]}), **roles)
    with pytest.raises(InputError, match=words):
        anatomy(table, 2)


def test_missing_is_a_value_of_its_own():
    release = anatomy(people(["a", None, "a", None]), 2)
    assert release.values.to_pylist() == ["a", None]
    assert np.all(release.bucket_counts == 1)
