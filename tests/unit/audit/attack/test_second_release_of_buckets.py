"""Bucketized releases of one table, played together, against all tables that have the groups of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import anatomy, injector
from shoal.audit.attack.bucketized import attack, second_release
from shoal.data.background import Background
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release.bucketized import Bucketized
from tests.making.bucketized_releases import anatomized, bucketized, injected
from tests.oracles import several_releases as oracle

NAME = "second release"
Rows = Sequence[tuple[str, str]]


def buckets(rows: Rows, groups: Sequence[int]) -> list[oracle.Bucket]:
    """The rows in groups, as the oracle has them."""
    return [
        (
            [who for (who, _), own in zip(rows, groups, strict=True) if own == g],
            [v for (_, v), own in zip(rows, groups, strict=True) if own == g],
        )
        for g in sorted(set(groups))
    ]


def released(groups: Sequence[oracle.Bucket], promise: Any = None) -> Bucketized:
    """The same as a release."""
    return bucketized(
        [([(who,) for who in people], Counter(values)) for people, values in groups], ["q"], promise or anatomized(2)
    )


def table(rows: Rows) -> Table:
    columns = {"q": [who for who, _ in rows], "disease": [value for _, value in rows]}
    return Table.from_arrow(pa.table(columns), quasi="q", sensitive="disease")


def played(rows: Rows, *groups: Sequence[int]) -> dict[str, Any]:
    """What the attack finds, for unique descriptions and for any, and what the oracle does."""
    several = [buckets(rows, own) for own in groups]
    found = attack(released(several[0]), others=[released(own) for own in several[1:]], original=table(rows))[NAME]
    assert not found.breaks_promise
    unique, everybody = found.numbers["descriptions"]
    times = Counter(who for who, _ in rows)
    possible, common = oracle.possible_values(several), oracle.common_values(several)
    alone = [oracle.possible_values([own]) for own in several]
    for row, who in ((unique, [w for w in times if times[w] == 1]), (everybody, list(times))):
        assert row["people"] == sum(times[w] for w in who)
        assert row["one_value_by_one_release"] == sum(times[w] for w in who if any(len(one[w]) == 1 for one in alone))
        if row["people"]:
            by_common = sum(times[w] for w in who if len(common[w]) == 1) / row["people"]
            assert row["one_value_by_common_values_share"] == pytest.approx(by_common)
            mean = sum(times[w] * len(possible[w]) for w in who) / row["people"]
            assert row["values_by_all_releases"] >= mean - 1e-9  # nothing that is possible was struck out
        assert row["one_value"] <= sum(times[w] for w in who if len(possible[w]) == 1)
        assert row["one_value_and_right"] == row["one_value"]
    return {"found": unique["one_value"], "possible": sum(len(possible[w]) == 1 for w in times if times[w] == 1)}


def test_a_group_of_each_release_leaves_the_value_that_both_have() -> None:
    rows = [("ann", "flu"), ("bob", "gout"), ("cat", "mumps"), ("dan", "cold")]
    found = attack(
        released(buckets(rows, [0, 0, 1, 1])), others=[released(buckets(rows, [0, 1, 0, 1]))], original=table(rows)
    )[NAME]
    assert found.sentence == (
        "Of the 4 people with a unique description, 100.0% have one possible value of disease by both releases "
        "together, and 0.0% by one release alone. The promise does not cover a second release."
    )
    assert str(found.residual).startswith("100.0 % of the people with a unique description have one possible")
    assert found.numbers["struck_out_to_the_end"] is True


def test_what_another_person_of_the_group_must_have_is_struck_out() -> None:
    # By common values only two of six are left with one value; the others follow from these.
    rows = list(zip("abcdef", ["x", "y", "z", "y", "x", "z"], strict=True))
    shares = set()
    for second in combinations(range(6), 3):
        groups = [int(at in second) for at in range(6)]
        unique = attack(released(buckets(rows, [0, 0, 0, 1, 1, 1])), others=[released(buckets(rows, groups))])[NAME]
        one = unique.numbers["descriptions"][0]
        shares.add((one["one_value_by_common_values_share"], one["one_value_share"]))
    assert any(after > before for before, after in shares)


def test_all_pairs_of_groupings_of_six_people() -> None:
    """Sound always; and as complete as the definition where descriptions are unique and groups have three people."""
    totals: Counter[str] = Counter()
    for values in ("xyzxyz", "xxyyzz", "wxyzxy"):
        rows = list(zip("abcdef", values, strict=True))
        every = [(0, *(int(at in rest) for at in range(1, 6))) for rest in combinations(range(1, 6), 3)]
        for one in every:
            for other in every[::2]:
                totals.update(played(rows, one, other))
    assert totals["found"] > 0
    assert totals["found"] >= 0.95 * totals["possible"], totals


@given(st.lists(st.tuples(st.sampled_from("aabcd"), st.sampled_from("xyz")), min_size=2, max_size=6), st.data())
def test_nothing_that_is_possible_is_struck_out(rows: Rows, data: st.DataObject) -> None:
    number = data.draw(st.integers(2, 3))
    played(
        rows, *(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))) for _ in range(number))
    )


def test_a_release_that_is_published_twice_with_one_secret_adds_nothing() -> None:
    rows = [(f"{at}", "uvwxyz"[at * at % 31 % 6]) for at in range(120)]
    people = table(rows)
    secret = b"s" * 32
    for publish in (
        lambda **key: anatomy(people, 3, **key),
        lambda **key: injector(people, 3, background=Background("disease", ()), **key),
    ):
        same, anew = publish(secret=secret), publish()
        found = attack(same, others=[publish(secret=secret)], original=people)[NAME].numbers["descriptions"]
        for row in found:
            assert row["values_by_all_releases"] == row["values_by_the_first_release"]
            assert row["one_value"] == row["one_value_by_one_release"] == 0
        added = attack(same, others=[anew], original=people)[NAME].numbers["descriptions"][0]
        assert added["values_by_all_releases"] < added["values_by_the_first_release"]


def test_anatomy_and_injector_of_one_table_are_played_together() -> None:
    rows = [("ann", "flu"), ("bob", "gout"), ("cat", "mumps"), ("dan", "cold")]
    second = released(buckets(rows, [0, 1, 0, 1]), injected(2))
    found = attack(released(buckets(rows, [0, 0, 1, 1])), others=[second])[NAME]
    assert found.numbers["descriptions"][0]["one_value"] == 4
    assert "one_value_and_right" not in found.numbers["descriptions"][0]


ROWS = [("ann", "flu"), ("bob", "gout"), ("cat", "mumps"), ("dan", "cold")]


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (ROWS[:3], "of another table: it has 3 rows, and the first 4"),
        ([("eve", "flu"), *ROWS[1:]], "of another table: q eve occurs 1 times, and 0 times in the first"),
        ([("ann", "gout"), *ROWS[1:]], "of another table: flu is in 0 rows, and in 1 of the first"),
        ([("ann", "pox"), *ROWS[1:]], "of another table: the first does not have its value pox"),
        ([("ann", "gout"), ("bob", "flu"), *ROWS[2:]], None),
        (
            [("ann", "mumps"), ("bob", "cold"), ("cat", "flu"), ("dan", "gout")],
            "leave q ann no common value of disease",
        ),
    ],
)
def test_releases_of_different_tables_are_refused(other: Rows, says: str | None) -> None:
    first = released(buckets(ROWS, [0, 0, 1, 1]))
    second = released(buckets(other, [0, 0, 1, 1][: len(other)]))
    if says is None:
        attack(first, others=[second])  # which one table may have
        return
    with pytest.raises(InputError, match=says):
        attack(first, others=[second])


def test_releases_with_other_columns_or_of_another_original_are_refused() -> None:
    first = released(buckets(ROWS, [0, 0, 1, 1]))
    parts = [([(who,) for who in "ab"], {"flu": 1, "gout": 1}), ([(who,) for who in "cd"], {"mumps": 1, "cold": 1})]
    with pytest.raises(InputError, match="has no quasi-identifier 'q'"):
        attack(first, others=[bucketized(parts, ["age"], anatomized(2))])
    with pytest.raises(InputError, match="has no sensitive column 'disease'"):
        attack(first, others=[bucketized(parts, ["q"], anatomized(2, "illness"))])
    with pytest.raises(InputError, match="other release 2 is of another table"):
        attack(first, others=[first, released(buckets(ROWS[:3], [0, 0, 1]))])
    with pytest.raises(InputError, match="not made from this original"):
        attack(first, others=[first], original=table([("eve", "flu"), *ROWS[1:]]))


def test_values_that_cannot_be_dealt_to_a_group_show_another_table() -> None:
    # Everybody has a common value, but two people are left with the one value that one of them can have.
    first = [(["a", "b"], ["x", "y"]), (["c", "d"], ["y", "z"])]
    second = [(["a", "c"], ["y", "y"]), (["b", "d"], ["x", "z"])]
    assert oracle.possible_values([first, second])["a"] == {"y"}
    third = [(["a", "b"], ["x", "y"]), (["c", "d"], ["x", "z"])]
    fourth = [(["a", "c"], ["x", "x"]), (["b", "d"], ["y", "z"])]
    assert oracle.possible_values([third, fourth])["a"] == {"x"}
    fifth = [(["a", "b"], ["x", "z"]), (["c", "d"], ["x", "y"])]
    sixth = [(["a", "b"], ["x", "y"]), (["c", "d"], ["x", "z"])]
    assert oracle.possible_values([fifth, sixth])["a"] == set()
    with pytest.raises(InputError, match="the remaining values cannot be assigned to the rows of group 0 of the first"):
        attack(released(fifth), others=[released(sixth)])


def test_what_would_take_too_much_work_is_left_out_or_said(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = [released(buckets(ROWS, own)) for own in ([0, 0, 1, 1], [0, 1, 0, 1])]
    monkeypatch.setattr(second_release, "_WORK", 0)
    found = attack(releases[0], others=releases[1:])[NAME]
    assert found.numbers["struck_out_to_the_end"] is False
    monkeypatch.setattr(second_release, "_LARGEST", 0)
    left = {entry.name: entry.why for entry in attack(releases[0], others=releases[1:]).left_out}
    assert "too much work" in left[NAME]


def test_without_another_release_it_says_how_to_give_one() -> None:
    left = {entry.name: entry.why for entry in attack(released(buckets(ROWS, [0, 0, 1, 1]))).left_out}
    assert left[NAME] == "it needs another release of the same people (--other RELEASE)"
