"""Valid values and chances, against all assignments: every small group up to symmetry, and thousands of random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.bucketized import assignments
from shoal.audit.attack.bucketized.assignments import Chances, Pattern, count_chances, likeliest
from shoal.audit.bucketized.exclusions import exclude
from shoal.audit.bucketized.valid_values import ValidValues, find_valid
from shoal.audit.budget import Budget, OutOfBudget
from shoal.data.background import Background
from shoal.release.bucketized import Bucketized
from tests.making.all_groups import every_group, partitions
from tests.making.bucketized_releases import anatomized, bucketized, rules
from tests.oracles import matching as oracle

Given = tuple[list[frozenset[str]], list[str]]
"""What each row cannot take, and the values."""


def release_of(groups: Sequence[Given]) -> tuple[Bucketized, Background]:
    """One release of all groups; a row is called by what it cannot take."""
    parts = []
    for excluded, values in groups:
        rows = [("".join(sorted(cannot)) or "-",) for cannot in excluded]
        parts.append((rows, {value: values.count(value) for value in sorted(set(values))}))
    release = bucketized(parts, ["cannot"], anatomized(2), sort=False)
    names = release.quasi.column("cannot").texts
    letters = sorted({letter for excluded, _ in groups for cannot in excluded for letter in cannot})
    return release, rules(*(({"cannot": tuple(n for n in names if letter in n)}, letter) for letter in letters))


def decide(groups: Sequence[Given]) -> tuple[Bucketized, ValidValues]:
    release, background = release_of(groups)
    exclusions = exclude(background, release.quasi, release.values, Budget(1e12))
    return release, find_valid(release, exclusions, Budget(1e12))


def decided_by_row(release: Bucketized, found: ValidValues) -> list[list[set[str]]]:
    """The valid values of every row of every group."""
    names = release.values.to_pylist()
    by_kind = [
        {names[int(release.bucket_values[entry])] for entry in found.entries(release, kind)}
        for kind in range(len(found.number))
    ]
    bounds = release.group_offsets.tolist()
    return [[by_kind[int(found.kinds.row_kind[row])] for row in range(start, end)] for start, end in pairwise(bounds)]


def assert_as_oracle(groups: Sequence[Given]) -> None:
    release, found = decide(groups)
    answer = decided_by_row(release, found)
    for number, (excluded, values) in enumerate(groups):
        expected = oracle.valid_values(excluded, values)
        assert answer[number] == expected, (excluded, values)
        rows = range(*release.group_offsets[number : number + 2].tolist())
        assert [int(found.number[found.kinds.row_kind[row]]) for row in rows] == [len(valid) for valid in expected]
        assert (number in found.unassignable) == (not expected[0])


def given_groups(counts: Sequence[int]) -> Iterator[Given]:
    """All groups with values that occur so often, in letters."""
    letters = "abcdef"[: len(counts)]
    values = [letter for letter, count in zip(letters, counts, strict=True) for _ in range(count)]
    for sets in every_group(counts).tolist():
        yield [frozenset(x for bit, x in enumerate(letters) if cannot >> bit & 1) for cannot in sets], values


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_group_up_to_names(size: int) -> None:
    for counts in partitions(size):
        groups = list(given_groups(counts))
        assert_as_oracle(groups)
        assert_chances(groups[:: 1 + len(groups) // 3_000])


def test_the_numbers_of_small_groups_are_those_of_binary_matrices() -> None:
    """Binary matrices of n by n up to rows and columns: 2, 7, 36, 317, 5,624 (every row with its own value)."""
    assert [len(every_group([1] * size)) for size in range(1, 6)] == [2, 7, 36, 317, 5624]


def random_groups(seed: int, number: int, most: int) -> list[Given]:
    chance = random.Random(seed)
    groups = []
    for _ in range(number):
        size = chance.randint(1, most)
        letters = "abcdefg"[: chance.randint(1, 7)]
        density = chance.choice([0.05, 0.2, 0.4, 0.6])
        values = sorted(chance.choice(letters) for _ in range(size))
        groups.append(([frozenset(x for x in letters if chance.random() < density) for _ in range(size)], values))
    return groups


def test_thousands_of_random_groups() -> None:
    assert_as_oracle(random_groups(1, 4_000, 7))


@given(st.integers(0, 2**32), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_random_groups_one_by_one(seed: int, number: int) -> None:
    groups = random_groups(seed, number, 6)
    assert_as_oracle(groups)
    assert_chances(groups)


def test_the_papers_figure_1_is_wrong() -> None:
    """It never asks whether the row can take the value; on many groups in which each own value is possible it shows."""
    chance = random.Random(7)
    wrong = 0
    for _ in range(300):
        values = [chance.choice("abcde") for _ in range(5)]
        excluded = [frozenset(x for x in "abcde" if x != own and chance.random() < 0.3) for own in values]
        wrong += oracle.valid_as_printed(excluded, values) != oracle.valid_values(excluded, values)
    assert wrong > 150
    simple = [frozenset(), frozenset("a"), frozenset()]
    assert oracle.valid_values(simple, ["a", "b", "c"]) == [{"a", "b", "c"}, {"b", "c"}, {"a", "b", "c"}]
    assert oracle.valid_as_printed(simple, ["a", "b", "c"])[1] == {"a", "b", "c"}
    assert_as_oracle([(simple, ["a", "b", "c"])])


def assert_chances(groups: Sequence[Given]) -> None:
    release, found = decide(groups)
    chances = count_chances(release, found)
    assert len(chances.uncounted) == 0
    for number, (excluded, values) in enumerate(groups):
        expected = [max(row.values(), default=None) for row in oracle.posteriors(excluded, values)]
        rows = range(*release.group_offsets[number : number + 2].tolist())
        assert [chances.largest[int(found.kinds.row_kind[row])] for row in rows] == expected, (excluded, values)


def test_one_woman_among_men() -> None:
    """Section V.A: l men and a woman, ovarian cancer and l common diseases: she has ovarian cancer, for certain."""
    men, woman = frozenset(["ovarian"]), frozenset[str]()
    for l in (2, 3, 5):  # noqa: E741
        values = ["ovarian", *(f"common {number}" for number in range(l))]
        excluded = [woman, *[men] * l]
        release = bucketized([([("F",), *[("M",)] * l], dict.fromkeys(values, 1))], ["sex"], anatomized(2), sort=False)
        background = rules(({"sex": "M"}, "ovarian"))
        exclusions = exclude(background, release.quasi, release.values, Budget(1e9))
        found = find_valid(release, exclusions, Budget(1e9))
        answer = decided_by_row(release, found)[0]
        assert answer == oracle.valid_values(excluded, values)
        assert answer[0] == {"ovarian"}
        assert all(len(values) == l for values in answer[1:])
        chances = count_chances(release, found)
        by_row = [chances.largest[int(kind)] for kind in found.kinds.row_kind]
        assert by_row == [Fraction(1), *[Fraction(1, l)] * l]


def test_large_groups_are_not_weighed_but_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = random_groups(3, 200, 6)
    release, found = decide(groups)
    whole = count_chances(release, found)
    monkeypatch.setattr(assignments, "MOST_STEPS", 40)
    part = count_chances(release, found)
    assert 0 < len(part.uncounted) < release.n_groups
    _agree_where_counted(found, whole, part)


def _agree_where_counted(found: ValidValues, whole: Chances, part: Chances) -> None:
    skipped = set(part.uncounted.tolist())
    for kind, group in enumerate(found.kinds.group.tolist()):
        assert part.largest[kind] == (None if group in skipped else whole.largest[kind])


def test_a_pattern_with_many_equal_rows_is_counted_in_closed_form() -> None:
    """500 rows that cannot have one of 1,000 values, 500 that can have all: the value is 1 in 500 for the latter."""
    limited, others = likeliest(Pattern(((500, (0,)),), 500, ((1, 1), (999, 1))))
    assert limited == [Fraction(1, 999)]
    assert others == Fraction(1, 500)
    # A million rows that can have all are no more work than one.
    limited, others = likeliest(Pattern(((2, (0,)),), 1_000_000, ((2, 1), (1_000_000, 1))))
    assert limited == [Fraction(1, 1_000_000)]
    assert others == Fraction(1, 1_000_000)


def test_work_is_bounded() -> None:
    release, background = release_of(random_groups(5, 50, 6))
    with pytest.raises(OutOfBudget):
        exclude(background, release.quasi, release.values, Budget(100))
    exclusions = exclude(background, release.quasi, release.values, Budget(1e9))
    with pytest.raises(OutOfBudget):
        find_valid(release, exclusions, Budget(100))


def test_the_order_of_values_and_rows_does_not_matter() -> None:
    groups = random_groups(11, 60, 6)
    release, found = decide(groups)
    _, again = decide([(excluded[::-1], values) for excluded, values in groups])
    for number in range(release.n_groups):
        rows = np.arange(*release.group_offsets[number : number + 2])
        one = found.number[found.kinds.row_kind[rows]]
        assert one.tolist() == again.number[again.kinds.row_kind[rows]][::-1].tolist()
