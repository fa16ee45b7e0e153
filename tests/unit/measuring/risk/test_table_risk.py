"""The risk of a table, against the definitions."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.table import Table
from shoal.errors import InputError
from tests.oracles import risk as oracle

people = st.lists(
    st.tuples(st.integers(30, 32), st.sampled_from("fm"), st.sampled_from("xyz")), min_size=1, max_size=30
)
COLUMNS = ("age", "sex", "job")


def table(rows, **roles):
    return Table.from_arrow(pa.table({name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}), **roles)


def floats(numbers):
    return [pytest.approx(float(number)) for number in numbers]


@given(people, people, st.integers(2, 4))
def test_every_number_is_what_its_definition_says(rows, others, k):
    for population in (None, [*others, *rows]):
        known, everybody = [row[:2] for row in rows], [row[:2] for row in population or rows]
        found = shoal.risk(
            table(rows), k=k, quasi=["age", "sex"], population=None if population is None else table(population)
        )
        groups = Counter(known)
        small = [count for count in groups.values() if count < k]
        assert (found.rows, found.groups, found.k_reached) == (len(rows), len(groups), min(groups.values()))
        assert (found.unique_rows, found.small_groups, found.rows_in_small_groups) == (
            oracle.unique(known), len(small), sum(small),
        )  # fmt: skip
        assert list(vars(found.prosecutor).values()) == floats(oracle.adversary(known, known, k))
        assert list(vars(found.journalist).values()) == floats(oracle.adversary(known, everybody, k))
        assert found.marketer == pytest.approx(float(oracle.adversary(known, everybody, k)[1]))
        assert found.population == (None if population is None else len(population))
        plain = found.as_dict()
        assert json.loads(json.dumps(plain)) == plain


def test_columns_have_the_role_or_are_named():
    rows = [(30, "f", "x"), (30, "f", "y"), (31, "m", "x")]
    by_role = shoal.risk(table(rows, quasi=["sex"]), k=2)
    assert by_role == shoal.risk(table(rows), k=2, quasi="sex")
    assert (by_role.quasi, by_role.k_reached, by_role.prosecutor.average) == (("sex",), 1, 2 / 3)


def test_values_of_the_population_are_compared_as_texts():
    sample = Table.from_arrow(pa.table({"age": pa.array([30, 31]), "sex": ["f", None]}))
    everybody = Table.from_arrow(pa.table({"age": pa.array(["31", "30", "30"]), "sex": [None, "f", "f"]}))
    assert shoal.risk(sample, k=2, quasi=["age", "sex"], population=everybody).journalist.average == 0.75


def test_a_table_that_is_no_part_of_the_population_is_refused_with_a_witness():
    rows, population = [(30, "f", "x"), (30, "f", "y"), (31, "m", "x")], [(31, "m", "z"), (30, "f", "z")]
    with pytest.raises(InputError, match=r"2 of its rows have age = 30, sex = f, but only 1 of the population's"):
        shoal.risk(table(rows), k=2, quasi=["age", "sex"], population=table(population))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi": ["agee"]}, "no such column: 'agee' .did you mean 'age'"),
        ({}, "no column to group by"),
        ({"quasi": ["age"], "k": 1}, "k is 1"),
        ({"quasi": ["age"], "m": 2}, "m is for baskets"),
    ],
)
def test_what_is_wrong_is_said(options, message):
    with pytest.raises(InputError, match=message):
        shoal.risk(table([(30, "f", "x")]), **options)


def test_a_table_without_rows_is_refused():
    with pytest.raises(InputError, match="no rows"):
        shoal.risk(table([(30, "f", "x")]).keep_rows(np.zeros(1, bool)), quasi=["age"])
