"""What is left of the risk of a table in a release of it: against groups that are looked through one by one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.table import Table
from shoal.measuring.risk.published import published_value_chances, row_chances, value_chances
from tests.making.bucketized_releases import anatomized, bucketized
from tests.making.generalized_releases import flat_tree, generalized
from tests.oracles import table_risk as oracle

CELLS = st.sampled_from(["a", "b", None])
ROWS = st.lists(st.tuples(CELLS, st.sampled_from([1, 2, None]), CELLS, st.sampled_from("xyz")), min_size=1, max_size=14)
NAMES = ("word", "number", "secret", "other")
DEEP = {"*": None, "ab": "*", "a": "ab", "b": "ab", "c": "*"}


def table_of(rows: list[tuple[Any, ...]]) -> Table:
    kinds = (pa.string(), pa.int64(), pa.string(), pa.string())
    columns = {
        name: pa.array([row[at] for row in rows], kind)
        for at, (name, kind) in enumerate(zip(NAMES, kinds, strict=True))
    }
    return Table.from_arrow(pa.table(columns), quasi=["word", "number"], sensitive=["secret", "other"])


@given(ROWS, st.sets(st.sampled_from(["word", "number"])), st.sampled_from(["secret", "other"]))
def test_a_value_of_a_table_is_named_by_the_most_frequent_of_its_group(
    rows: list[tuple[Any, ...]], quasi: set[str], secret: str
) -> None:
    known = sorted(quasi)
    groups = oracle.groups_of(
        [tuple(row[NAMES.index(name)] for name in known) for row in rows], [row[NAMES.index(secret)] for row in rows]
    )
    found = value_chances(table_of(rows), known, secret)
    assert (found.highest, found.average) == pytest.approx(tuple(map(float, oracle.naming(groups))))


@given(
    st.lists(
        st.tuples(st.sampled_from(["*", "ab", "a", "b", "c"]), st.sampled_from("xyz*"), st.sampled_from("uv*")),
        min_size=1,
    ),
    st.integers(2, 5),
    st.integers(0, 3),
)
def test_a_generalized_release_is_counted_group_by_group(
    rows: list[tuple[str, str, str]], k: int, suppressed: int
) -> None:
    trees = {"word": DEEP, "secret": flat_tree("xyz"), "other": flat_tree("uv")}
    release = generalized(rows, trees, 1, k, suppressed=suppressed)
    picked = row_chances(release, k)
    groups = oracle.groups_of([row[0] for row in rows], rows)
    found = (picked.highest, picked.average, picked.above)
    assert found == pytest.approx(tuple(map(float, oracle.picking(groups, k))))
    for name, place in (("secret", 1), ("other", 2)):
        named = published_value_chances(release, name)
        values = oracle.groups_of([row[0] for row in rows], [row[place] for row in rows])
        assert (named.highest, named.average) == pytest.approx(tuple(map(float, oracle.naming(values))))


@given(
    st.lists(st.dictionaries(st.sampled_from(["flu", "cold", "gout", None]), st.integers(1, 4), min_size=1), min_size=1)
)
def test_a_bucketized_release_is_counted_group_by_group(buckets: list[dict[str | None, int]]) -> None:
    groups = [([(number,)] * sum(counts.values()), counts) for number, counts in enumerate(buckets)]
    release = bucketized(groups, ["age"], anatomized(2))
    found = published_value_chances(release, release.sensitive)
    values = [[value for value, count in counts.items() for _ in range(count)] for counts in buckets]
    assert (found.highest, found.average) == pytest.approx(tuple(map(float, oracle.naming(values))))


def test_publishing_lowers_the_chances_to_what_is_promised() -> None:
    rows = [(20 + n, "fm"[n % 2], f"illness {n % 9}") for n in range(90)]
    data = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("age", "sex", "illness"))})
    table = Table.from_arrow(data, quasi=["age", "sex"], sensitive="illness")
    assert row_chances(shoal.k_anonymity(table, 6), 6).highest <= 1 / 6
    assert value_chances(table, ["age", "sex"], "illness").highest == 1
    assert published_value_chances(shoal.anatomy(table, 4), "illness").highest <= 1 / 4
