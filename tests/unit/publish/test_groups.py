"""From rows and groups to a release: its order says nothing that is not published."""

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Table
from shoal.promises import FrequencyDiversity
from shoal.publish.groups import as_release, deal

rows_of = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.sampled_from("pq"), st.sampled_from("abc")),
    min_size=1,
    max_size=20,
)


def released(rows):
    groups, ages, sexes, values = zip(*rows, strict=True)
    table = Table.from_arrow(
        pa.table({"age": ages, "sex": sexes, "illness": values}), quasi=["age", "sex"], sensitive="illness"
    )
    numbers = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    return as_release(table, numbers, method="anatomy", promise=FrequencyDiversity(2, "illness"))


def content(release):
    """The groups as published, in their order."""
    rows = list(zip(*(np.array(c.texts)[c.codes].tolist() for c in release.quasi), strict=True))
    names = release.values.to_pylist()
    return [
        (
            rows[release.group_offsets[g] : release.group_offsets[g + 1]],
            {
                names[release.bucket_values[b]]: int(release.bucket_counts[b])
                for b in range(release.bucket_offsets[g], release.bucket_offsets[g + 1])
            },
        )
        for g in range(release.n_groups)
    ]


@settings(deadline=None)
@given(rows_of, st.randoms())
def test_neither_the_order_of_rows_nor_the_numbers_of_groups_can_be_seen(rows, random):
    one = content(released(rows))
    shuffled = random.sample(rows, len(rows))
    numbers = random.sample(range(9), 5)
    two = content(released([(numbers[g], *rest) for g, *rest in shuffled]))
    # Groups whose rows are all equal may stand in either order, which chance decides.
    assert [rows for rows, _ in one] == [rows for rows, _ in two]
    assert sorted(one, key=repr) == sorted(two, key=repr)
    assert [rows for rows, _ in one] == sorted(sorted(rows) for rows, _ in one)


def test_groups_with_equal_rows_stand_in_random_order():
    # One group has the values a and b, the other a and c; everything else is equal, and the first was made first.
    rows = [(0, 1, "p", "a"), (0, 1, "p", "b"), (1, 1, "p", "a"), (1, 1, "p", "c")]
    first = {"b" in content(released(rows))[0][1] for _ in range(64)}
    assert first == {True, False}


@given(st.lists(st.integers(0, 3), max_size=30), st.randoms())
def test_rows_are_dealt_to_places_of_their_kind(kinds, random):
    places = random.sample(kinds, len(kinds))
    dealt = deal(np.array(kinds, np.int64), np.array(places, np.int64), None)
    assert sorted(dealt.tolist()) == list(range(len(kinds)))
    assert [places[place] for place in dealt] == kinds


def test_rows_of_one_kind_are_dealt_in_every_order():
    kinds = np.zeros(3, np.int64)
    assert len({tuple(deal(kinds, kinds, None).tolist()) for _ in range(200)}) == 6
