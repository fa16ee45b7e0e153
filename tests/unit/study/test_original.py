"""An original on its way to another process: it arrives as it was, and has a fingerprint of its own."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.data.item_hierarchies import neighbours
from shoal.data.table import Role, Table
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.study.original import Original, receive, send
from tests.making.study_data import baskets, people
from tests.making.transaction_strategies import transactions

tables = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-3, 3)),
        st.sampled_from(["f", "m", "ü", None]),
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    ),
    min_size=1,
    max_size=12,
)


def sent(original: Original) -> Original:
    pipe = io.BytesIO()
    send(original, pipe)
    pipe.write(b"what comes after it")
    pipe.seek(0)
    return receive(pipe)


def assert_same_trees(one: Original, two: Original) -> None:
    assert one.made == two.made
    assert list(one.hierarchies) == list(two.hierarchies)
    for name, tree in one.hierarchies.items():
        assert list(tree.rows()) == list(two.hierarchies[name].rows())


@given(transactions())
def test_baskets_arrive_as_they_were(data: Transactions) -> None:
    original = Original.of(data)
    there = sent(original)
    assert list(there.baskets) == list(data)
    assert there.baskets.vocabulary.equals(data.vocabulary)
    assert (there.baskets.offsets.dtype, there.baskets.items.dtype) == (np.int64, np.int32)
    assert not there.baskets.items.flags.writeable
    assert_same_trees(original, there)
    assert there.fingerprint() == original.fingerprint()


@settings(max_examples=50)
@given(tables)
def test_tables_arrive_with_roles_and_missing_values(rows: list[tuple[Any, Any, Any]]) -> None:
    ages, sexes, incomes = zip((1, "f", 0.5), *rows, strict=True)  # a column without any value has no hierarchy
    columns = {"age": pa.array(ages, pa.int64()), "sex": pa.array(sexes, pa.string()), "income": list(incomes)}
    table = Table.from_arrow(pa.table(columns), quasi=["age", "sex"], sensitive="income")
    original = Original.of(table)
    there = sent(original)
    assert there.table.to_arrow().equals(table.to_arrow())
    assert [column.role for column in there.table] == [Role.QUASI, Role.QUASI, Role.SENSITIVE]
    assert [column.missing for column in there.table] == [column.missing for column in table]
    assert_same_trees(original, there)


def test_no_other_column_goes_anywhere() -> None:
    pipe = io.BytesIO()
    send(Original.of(people()), pipe)
    assert b"person 3" not in pipe.getvalue()
    assert b"mumps" in pipe.getvalue()


def test_other_data_roles_or_hierarchies_have_another_fingerprint() -> None:
    data, table = baskets(), people()
    tree = neighbours(data.words, fanout=2)
    originals = [
        Original.of(data),
        Original.of(baskets(61)),
        Original.of(data, tree),
        Original.of(table),
        Original.of(table.with_roles(sensitive="sex")),
        Original.of(replace(table, columns=table.columns[::-1])),
    ]
    prints = [original.fingerprint() for original in originals]
    assert len(set(prints)) == len(prints)
    assert Original.of(baskets()).fingerprint() == prints[0]


def test_hierarchies_that_do_not_fit_are_refused() -> None:
    flat = Hierarchy.from_rows([("f", "*"), ("m", "*")], name="sex")
    for data, tree, said in (
        (baskets(), flat, "without a place"),
        (baskets(), {"items": flat}, "one hierarchy"),
        (people(), flat, "for each column"),
        (people(), {"name": flat}, "'name', which is neither"),
        (people(), {"age": flat}, "without a place"),
        (people().with_roles(plain=["age", "sex"]), None, "no column is a quasi-identifier"),
    ):
        with pytest.raises(InputError, match=said):
            Original.of(data, tree)
