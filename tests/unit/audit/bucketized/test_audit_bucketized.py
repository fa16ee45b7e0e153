"""The audit of bucketized releases: what holds, what was left out, and every kind of damage with its witness."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.bucketized import audit
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release.bucketized import Bucketized
from shoal.run import Run
from shoal.speaking import spoken
from tests.making.bucketized_releases import (
    COLUMNS,
    GROUPS,
    SEX_RULES,
    anatomized,
    bucketized,
    failing,
    good,
    injected,
    original,
    patients,
    rules,
    table_of,
)


def test_a_good_release_holds_with_and_without_its_original() -> None:
    verdict = audit(good())
    assert verdict.confirmed
    assert str(verdict).startswith("all 7 checks hold\n")
    assert [check.name for check in verdict.checks] == [
        "columns",
        "groups",
        "sensitive values",
        "counts",
        "order",
        "different values",
        "share of a value",
    ]
    seen: list[tuple[str, int, int]] = []
    verdict = audit(good(), original=original(), run=Run(progress=lambda *step: seen.append(step)))
    assert verdict.confirmed, str(verdict)
    assert seen[-1] == ("original", 4, 4)
    assert len(verdict.checks) == 10
    json.dumps(verdict.as_dict())


def array(release: Bucketized, name: str, place: int, value: int) -> Bucketized:
    changed = getattr(release, name).copy()
    changed[place] = value
    return replace(release, **{name: changed})


def with_codes(release: Bucketized, column: int, order: list[int]) -> Bucketized:
    columns = list(release.quasi.columns)
    columns[column] = replace(columns[column], codes=columns[column].codes[order])
    return replace(release, quasi=Table(tuple(columns)))


def rows_in(release: Bucketized, order: list[int]) -> Bucketized:
    columns = tuple(replace(column, codes=column.codes[order]) for column in release.quasi.columns)
    return replace(release, quasi=Table(columns))


def groups_in(order: list[int]) -> Bucketized:
    ordered = bucketized(GROUPS, COLUMNS, anatomized(2))
    bounds = list(zip(ordered.group_offsets[:-1], ordered.group_offsets[1:], strict=True))
    values = ordered.values.to_pylist()
    rows = list(zip(*(column.values.take(pa.array(column.codes)).to_pylist() for column in ordered.quasi), strict=True))
    groups = []
    for number in order:
        start, end = bounds[number]
        entries = range(*ordered.bucket_offsets[number : number + 2].tolist())
        counts = {values[int(ordered.bucket_values[b])]: int(ordered.bucket_counts[b]) for b in entries}
        groups.append((rows[start:end], counts))
    return bucketized(groups, COLUMNS, anatomized(2), sort=False)


def test_the_order_helpers_change_nothing_but_the_order() -> None:
    assert audit(groups_in([0, 1, 2])).holds


DAMAGES: dict[str, tuple[Callable[[Bucketized], Bucketized], str, str]] = {
    "a count too large": (
        lambda r: array(r, "bucket_counts", 0, 2),
        "counts",
        "group 0 has 2 rows, and sensitive values for 3",
    ),
    "a count of none": (lambda r: array(r, "bucket_counts", 2, 0), "counts", "group 1 has flu in 0 rows"),
    "a count below none": (lambda r: array(r, "bucket_counts", 2, -5), "counts", "group 1 has flu in -5 rows"),
    "counts that overflow": (lambda r: array(r, "bucket_counts", 0, 2**63 - 1), "counts", "group 0 has cold in"),
    "a value twice": (lambda r: array(r, "bucket_values", 1, 0), "counts", "group 0 counts cold twice"),
    "a value of another group": (
        lambda r: array(r, "bucket_values", 0, 3),
        "order",
        "group 0: flu should come before mumps",
    ),
    "a row moved to the next group": (
        lambda r: array(r, "group_offsets", 1, 1),
        "counts",
        "group 0 has 1 rows, and sensitive values for 2",
    ),
    "an empty group": (lambda r: array(r, "group_offsets", 1, 0), "groups", "group 0 has no row"),
    "offsets that go back": (lambda r: array(r, "group_offsets", 1, 5), "groups", "group 1 has no row"),
    "a group without values": (lambda r: array(r, "bucket_offsets", 1, 0), "groups", "group 0 has no sensitive value"),
    "rows in no group": (
        lambda r: array(r, "group_offsets", 3, 6),
        "groups",
        "the groups hold the rows 0 to 6 of 7",
    ),
    "no groups": (
        lambda r: replace(r, group_offsets=np.zeros(1, np.int64)),
        "groups",
        "the release has no group",
    ),
    "groups of one kind only": (
        lambda r: replace(r, bucket_offsets=np.array([0, 2, 7], np.int64)),
        "groups",
        "3 groups have rows, and 2 sensitive values",
    ),
    "counts missing": (
        lambda r: replace(r, bucket_counts=r.bucket_counts[:-1]),
        "groups",
        "7 sensitive values have 6 counts",
    ),
    "a value that nobody has": (
        lambda r: replace(r, values=pa.array([*r.values.to_pylist(), "zoster"])),
        "sensitive values",
        "zoster is in no group",
    ),
    "a value named twice": (
        lambda r: replace(r, values=pa.array(["cold", "cold", "gout", "mumps"])),
        "sensitive values",
        "cold is named twice",
    ),
    "values out of order": (
        lambda r: replace(r, values=pa.array(["flu", "cold", "gout", "mumps"])),
        "sensitive values",
        "flu is not in order",
    ),
    "a value without a name": (
        lambda r: array(r, "bucket_values", 6, 4),
        "sensitive values",
        "a group counts a sensitive value that has no name",
    ),
    "a row without a value": (
        lambda r: replace(
            r, quasi=Table((replace(r.quasi.columns[0], codes=r.quasi.columns[0].codes + 1), *r.quasi.columns[1:]))
        ),
        "columns",
        "column 'age': a row has a value that the column does not name",
    ),
    "quasi values out of order": (
        lambda r: replace(
            r, quasi=Table((*r.quasi.columns[:1], replace(r.quasi.columns[1], values=pa.array(["m", "f"]))))
        ),
        "columns",
        "column 'sex': m is not in order",
    ),
    "the sensitive column published": (
        lambda r: replace(r, quasi=Table((replace(r.quasi.columns[0], name="disease"), *r.quasi.columns[1:]))),
        "columns",
        "column 'disease' is the sensitive one",
    ),
    "rows in another order": (
        lambda r: rows_in(r, [1, 0, 2, 3, 4, 5, 6]),
        "order",
        "group 0: row 1 should come before row 0",
    ),
    "groups in another order": (
        lambda _: groups_in([1, 0, 2]),
        "order",
        "group 1 should come before group 0",
    ),
    "fewer values in a group": (
        lambda r: replace(
            r,
            bucket_offsets=np.array([0, 1, 3, 6], np.int64),
            bucket_values=np.array([1, 1, 2, 0, 2, 3], np.int32),
            bucket_counts=np.array([2, 1, 1, 1, 1, 1], np.int64),
        ),
        "different values",
        "group 0 has 1 value of disease",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_caught_with_a_witness(damage: str) -> None:
    change, name, witness = DAMAGES[damage]
    found = failing(audit(change(good())))
    assert witness in found[name], found


def test_a_promise_of_more_than_there_is() -> None:
    found = failing(audit(good(anatomized(3))))
    assert found["different values"] == "group 0 has 2 different values of disease (and 1 more groups)"
    assert found["share of a value"].startswith("group 0 has cold in 1 of its 2 rows")
    assert set(failing(audit(good(injected(3)), background=rules()))) == {"different values", "valid values"}
    huge = failing(audit(good(anatomized(10**12))))
    assert set(huge) == {"different values", "share of a value"}


def test_one_in_l_is_asked_for_where_it_is_promised_only() -> None:
    """Table II of the paper has a value in two of three rows, and matching l-diversity does not mind."""
    found = failing(audit(patients(anatomized(2))))
    assert found == {"share of a value": "group 0 has Ovarian Cancer in 2 of its 3 rows (and 2 more values)"}
    assert audit(patients(injected(2)), background=rules()).holds


def test_exactly_one_in_l_is_enough() -> None:
    four = bucketized([([(1,), (2,), (3,), (4,)], {"a": 2, "b": 2})], ["x"], anatomized(2))
    assert audit(four).holds
    five = bucketized([([(1,), (2,), (3,), (4,), (5,)], {"a": 3, "b": 2})], ["x"], anatomized(2))
    assert failing(audit(five)) == {"share of a value": "group 0 has a in 3 of its 5 rows"}


def test_values_for_fewer_rows_than_there_are() -> None:
    release = bucketized([([(1,), (2,), (3,)], {"a": 2, "b": 1})], ["x"], anatomized(2))
    found = failing(audit(array(release, "bucket_counts", 0, 1)))
    assert found["counts"] == "group 0 has 3 rows, and sensitive values for 2"


def test_section_2_of_the_paper() -> None:
    """Bob is the man of the first group: who knows about men and women knows his disease, and those of all there."""
    verdict = audit(patients(injected(2)), background=SEX_RULES)
    assert failing(verdict) == {
        "valid values": "group 0, row zip 47602, age 22, sex F: has 1 valid value: Ovarian Cancer (and 2 more rows)"
    }


def test_without_rules_the_promise_is_not_confirmed() -> None:
    verdict = audit(good(injected(2)))
    assert verdict.holds
    assert not verdict.confirmed
    assert verdict.head == (
        "all 6 checks that were made hold, but 1 was left out, so the promise is not confirmed: valid values"
    )
    assert "left out: valid values: the promise names rules that the release does not disclose" in str(verdict)
    plain = verdict.as_dict()
    assert plain["confirmed"] is False
    assert plain["not_checked"] == [{"name": "valid values", "why": spoken(verdict.left_out[0].why)}]


KNOWN = rules(({"sex": "m"}, "gout"))


def test_rules_that_are_disclosed_are_taken_but_may_not_be_all() -> None:
    release = replace(good(injected(2)), background=KNOWN, discloses_background=True)
    verdict = audit(release)
    assert "that satisfies the 1 rule that the release discloses" in verdict["valid values"].what
    assert failing(verdict)["valid values"].startswith("group 1, row age 40, sex f: has 1 valid value: gout")
    held = audit(replace(release, background=rules(({"sex": "m"}, "measles"))))
    assert held.holds
    assert held.head.endswith("1 was left out, so the promise is not confirmed: rules of the original")
    # Rules that a release has in memory and does not disclose are not what an auditor sees.
    hidden = audit(replace(release, discloses_background=False))
    assert [entry.name for entry in hidden.left_out] == ["valid values"]
    # Where the promise is about a list that the publisher gave, there is nothing to count.
    given_list = audit(replace(release, promise=injected(2, min_expectation=None), background=rules()))
    assert given_list.confirmed


def test_disclosed_rules_about_other_columns_fail() -> None:
    release = replace(good(injected(2)), background=rules(({"shoe size": "9"}, "gout")), discloses_background=True)
    assert "'shoe size' is not a quasi-identifier" in failing(audit(release))["valid values"]
    with pytest.raises(InputError, match="shoe size"):
        audit(good(injected(2)), background=rules(({"shoe size": "9"}, "gout")))
    with pytest.raises(InputError, match="rules are about 'income'"):
        audit(good(injected(2)), background=rules(sensitive="income"))


def test_rules_are_not_about_a_promise_of_shares() -> None:
    with pytest.raises(InputError, match="names no rules"):
        audit(good(), background=KNOWN)
    with pytest.raises(InputError, match="names no rules"):
        audit(good(), original=original(), hierarchies={"sex": Hierarchy.from_rows([("f", "*"), ("m", "*")])})


def crowd() -> tuple[Bucketized, Table]:
    """Sixty people; no man has gout, which one in six have: a rule from an expectation of .9 on."""
    people = [(sex, value) for sex in "fm" for value in ("cold", "flu", "mumps") for _ in range(8)]
    people += [("f", "gout")] * 12
    chance = random.Random(5)
    chance.shuffle(people)
    by_value = {value: [row for row in people if row[1] == value] for value in ("cold", "flu", "mumps", "gout")}
    groups = []
    for start in range(0, 12, 1):
        part = [rows[start] for rows in by_value.values() if start < len(rows)]
        groups.append(part)
    for start in range(12, 16):
        groups.append([by_value[value][start] for value in ("cold", "flu", "mumps")])
    release = bucketized(
        [([row[:1] for row in part], dict(Counter(row[1] for row in part))) for part in groups], ["sex"], injected(3)
    )
    return release, table_of(people, ("sex", "disease"))


def test_rules_are_counted_in_the_original() -> None:
    release, table = crowd()
    verdict = audit(release, original=table)
    assert "that satisfies the 1 rule counted in the original" in verdict["valid values"].what
    given_rules = audit(release, background=rules(({"sex": "m"}, "gout")), original=table)
    assert given_rules["valid values"].holds == verdict["valid values"].holds
    assert given_rules["rules of the original"].holds
    fewer = audit(release, background=rules(({"sex": "m"}, "nothing")), original=table)
    assert "the rules of the original exclude gout for row sex m" in failing(fewer)["rules of the original"]
    more = audit(release, background=rules(({"sex": "m"}, "gout"), ({"sex": "f"}, "gout")), original=table)
    assert more["rules of the original"].holds
    assert "leave no assignment" in failing(more)["valid values"]


def test_a_hierarchy_that_is_missing_is_named() -> None:
    release, table = crowd()
    release = replace(release, promise=injected(3, generalized=("sex",)))
    verdict = audit(release, original=table)
    assert [entry.name for entry in verdict.left_out] == ["valid values"]
    assert "--hierarchy sex=FILE" in verdict.left_out[0].why
    tree = Hierarchy.from_rows([("f", "*"), ("m", "*")])
    assert not audit(release, original=table, hierarchies={"sex": tree}).left_out
    with pytest.raises(InputError, match="do not name nodes of a hierarchy of 'sex'"):
        audit(replace(release, promise=injected(3)), original=table, hierarchies={"sex": tree})
    with pytest.raises(InputError, match="hierarchies only serve to count rules in the original"):
        audit(release, hierarchies={"sex": tree})


numbers = st.integers(-3, 8) | st.sampled_from([2**31 - 1, 2**62, -(2**63), 2**63 - 1])


@given(
    st.lists(numbers, min_size=1, max_size=5),
    st.lists(numbers, min_size=1, max_size=5),
    st.lists(st.integers(-2, 5), max_size=7),
    st.lists(numbers, max_size=7),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_whatever_the_arrays_hold_there_is_a_verdict(
    offsets: list[int], bucket_offsets: list[int], values: list[int], counts: list[int], matched: bool
) -> None:
    release = replace(
        good(injected(2) if matched else anatomized(2)),
        group_offsets=np.array(offsets, np.int64),
        bucket_offsets=np.array(bucket_offsets, np.int64),
        bucket_values=np.array(values, np.int32),
        bucket_counts=np.array(counts, np.int64),
    )
    verdict = audit(release, background=KNOWN if matched else None, original=original())
    json.dumps(verdict.as_dict())
    assert str(verdict)
    if verdict.holds:
        assert sum(counts) == 7
