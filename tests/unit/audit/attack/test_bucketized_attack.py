"""Attacks on bucketized releases: background knowledge, the most frequent value, and learning across groups."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.audit.attack.bucketized import attack, definetti
from shoal.audit.attack.bucketized.definetti import Guess, learn
from shoal.audit.attack.finding import Attacks, LeftOut
from shoal.data.hierarchy import Hierarchy
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release.bucketized import Bucketized
from shoal.run import Run
from tests.making.bucketized_releases import (
    PATIENTS,
    PATIENTS_COLUMNS,
    SEX_RULES,
    anatomized,
    bucketized,
    injected,
    patients,
    rules,
    table_of,
)

KNOWLEDGE = "background knowledge"


def test_section_2_of_the_paper() -> None:
    """Anatomy does not promise anything about Bob; matching 2-diversity would, and Table II does not keep it."""
    found = attack(patients(anatomized(2)), background=SEX_RULES)
    finding = found[KNOWLEDGE]
    assert not finding.breaks_promise
    assert finding.sentence.startswith(
        "3 of 9 rows have fewer than 2 values of disease left by the 2 negative rules that were given, such as row "
        "zip 47602, age 22, sex F of group 0, which must have Ovarian Cancer"
    )
    assert finding.sentence.endswith("Ovarian Cancer. The promise of this release does not cover this.")
    numbers = finding.numbers
    assert numbers["vulnerable_rows"] == numbers["certain_rows"] == 3
    assert numbers["largest_chance_share"] == 1
    assert numbers["rows_with_a_chance_above_one_in_l"] == 9
    assert numbers["distribution"] == [{"valid_values": 1, "rows": 3}, {"valid_values": 2, "rows": 6}]
    broken = attack(patients(injected(2)), background=SEX_RULES)
    assert broken[KNOWLEDGE].breaks_promise
    assert broken.breaks_promise
    json.dumps(broken.as_dict())


def test_the_share_of_a_value_breaks_one_promise_only() -> None:
    """Table II has a value in two of three rows of every group."""
    name = "most frequent value"
    assert attack(patients(anatomized(2)))[name].breaks_promise
    finding = attack(patients(injected(2)))[name]
    assert not finding.breaks_promise
    assert finding.numbers["rows_with_a_chance_above_one_in_l"] == 9
    assert finding.numbers["largest_chance_share"] == pytest.approx(2 / 3)


def people(*groups: tuple[str, str], promise: Any = None) -> Bucketized:
    """Groups of people by their sex, and values by their letters."""
    parts = [([(sex,) for sex in sexes], dict(Counter(values))) for sexes, values in groups]
    return bucketized(parts, ["sex"], promise or anatomized(2))


def test_chances_are_weighed() -> None:
    """Section V.A: the woman has the disease of women; the men share the others."""
    found = attack(people(("fmm", "abc"), ("mm", "bc")), background=rules(({"sex": "m"}, "a")))[KNOWLEDGE].numbers
    assert found["vulnerable_rows"] == found["certain_rows"] == 1
    assert found["rows_with_a_chance_above_one_in_l"] == 1
    assert found["rows_not_weighed"] == 0
    # All keep two values, and yet one is more likely: matching l-diversity counts.
    skewed = attack(people(("ffmm", "abcc")), background=rules(({"sex": "m"}, "a")))[KNOWLEDGE].numbers
    assert skewed["vulnerable_rows"] == 0
    # The women: a for one of them, then b or c for the other.
    assert skewed["largest_chance_share"] == pytest.approx(float(Fraction(2, 3)))


def test_rules_that_leave_no_assignment() -> None:
    found = attack(people(("mm", "ab")), background=rules(({"sex": "m"}, "a")))[KNOWLEDGE]
    assert found.numbers["rows_without_an_assignment"] == 2
    assert found.numbers["vulnerable_rows"] == 2
    assert found.numbers["certain_rows"] == 0
    assert found.numbers["largest_chance_share"] == 0


def test_rules_come_from_where_they_are() -> None:
    rows = [("f", "gout")] * 10 + [(sex, value) for sex in "fm" for value in ("cold", "flu") for _ in range(10)]
    table = table_of(rows, ("sex", "disease"))
    parts = [([row[:1] for row in rows[n::10]], dict(Counter(row[1] for row in rows[n::10]))) for n in range(10)]
    plain = bucketized(parts, ["sex"], anatomized(2))
    left = {entry.name: entry.why for entry in attack(plain).left_out}
    assert "--rules FILE" in left[KNOWLEDGE]
    assert "--original FILE" in left["deFinetti"]
    counted = attack(plain, original=table)[KNOWLEDGE]
    assert "by the 1 negative rule of the original (expectation at least 0.9)" in counted.sentence
    assert attack(plain, original=table, min_expectation=0.999999)[KNOWLEDGE].numbers["rules"] == 0
    assert attack(plain, original=table, min_confidence=0.6, min_expectation=0.5)[KNOWLEDGE].numbers["rules"] == 4
    disclosed = replace(plain, promise=injected(3), background=rules(({"sex": "f"}, "gout")), discloses_background=True)
    found = attack(disclosed)[KNOWLEDGE]
    assert "that the release discloses" in found.sentence
    assert found.breaks_promise
    # What the caller counts himself, beyond the promise, breaks none.
    own = attack(disclosed, original=table, min_expectation=0.5, min_confidence=0.1)[KNOWLEDGE]
    assert own.numbers["rows_without_an_assignment"] == 50
    assert not own.breaks_promise
    hidden = replace(disclosed, discloses_background=False)
    assert "by the 1 negative rule of the original, such as" in attack(hidden, original=table)[KNOWLEDGE].sentence
    tree = replace(hidden, promise=injected(2, generalized=("sex",)))
    missing = {entry.name: entry.why for entry in attack(tree, original=table).left_out}
    assert "--hierarchy sex=FILE" in missing[KNOWLEDGE]
    given = {"sex": Hierarchy.from_rows([("f", "*"), ("m", "*")])}
    assert attack(tree, original=table, hierarchies=given)[KNOWLEDGE]


def test_wrong_requests_are_refused() -> None:
    release = patients(anatomized(2))
    with pytest.raises(InputError, match="min_expectation: rules are counted in the original"):
        attack(release, min_expectation=0.5)
    table = table_of(PATIENTS, PATIENTS_COLUMNS)
    with pytest.raises(InputError, match="give only one of the two"):
        attack(release, background=SEX_RULES, original=table, max_attributes=2)
    with pytest.raises(InputError, match="rules are about 'income'"):
        attack(release, background=rules(sensitive="income"))
    broken = replace(release, bucket_counts=release.bucket_counts + 1)
    with pytest.raises(InputError, match="not have the structure of groups"):
        attack(broken)


LETTERS = "stuvwxyz"


def dealt(n_groups: int, depends: bool, seed: int = 1) -> tuple[Bucketized, Table]:
    """Groups of four people with four of eight values; two columns tell the value nine times in ten, or nothing.

    The grouping is by chance, as that of Anatomy is.
    """
    chance = np.random.default_rng(seed)
    per_value = n_groups // 2
    left = {value: list(chance.permutation(per_value)) for value in range(8)}
    people, parts = [], []
    for _ in range(2 * (n_groups // 2)):
        tie = chance.permutation(8)
        members = []
        for value in sorted(left, key=lambda value: (-len(left[value]), tie[value]))[:4]:
            serial = 8 * int(left[value].pop()) + value
            noise = chance.integers(0, 8, 2)
            told = np.where(chance.random(2) < 0.9, value, noise) if depends else noise
            members.append((f"a{told[0]}", f"b{told[1]}", serial, LETTERS[value]))
        people += members
        parts.append(([member[:3] for member in members], {member[3]: 1 for member in members}))
    release = bucketized(parts, ["a", "b", "serial"], anatomized(4))
    return release, table_of(people, ("a", "b", "serial", "disease"))


def test_what_goes_with_the_quasi_identifiers_is_learnt_across_groups() -> None:
    release, table = dealt(150, depends=True)
    finding = attack(release, original=table)["deFinetti"]
    assert float(finding.numbers["right_share"]) > 0.8  # type: ignore[arg-type]
    assert finding.numbers["one_in_l_share"] == finding.numbers["most_frequent_of_group_share"] == 0.25
    assert finding.numbers["most_frequent_of_all_share"] == 0.125
    assert not finding.breaks_promise
    assert finding.sentence.endswith("The promise does not cover this.")


def test_what_does_not_go_with_them_is_not() -> None:
    release, table = dealt(150, depends=False)
    right = attack(release, original=table)["deFinetti"].numbers["right_share"]
    assert 0.17 < float(right) < 0.33  # type: ignore[arg-type]


def test_the_soft_assignment_keeps_to_the_counts_of_groups() -> None:
    release, _ = dealt(30, depends=True)
    guess = learn(release)
    assert isinstance(guess, Guess)
    by_row = np.bincount(guess.row, guess.chance)
    assert by_row == pytest.approx(np.ones(release.n_rows))
    keys = release.row_groups[guess.row] * 8 + guess.value
    given = np.bincount(keys, guess.chance, minlength=8 * release.n_groups)
    there = np.zeros(8 * release.n_groups)
    there[release.bucket_groups * 8 + release.bucket_values] = 1
    assert given == pytest.approx(there, abs=0.1)


def test_nothing_to_learn_is_a_guess_of_equals() -> None:
    """All rows are alike: every value of the group is as likely, and the likeliest is right for one in three."""
    parts = [([("x",)] * 3, {"a": 1, "b": 1, "c": 1})] * 5
    release = bucketized(parts, ["q"], anatomized(3))
    table = table_of([("x", value) for value in "abc" for _ in range(5)], ("q", "disease"))
    assert attack(release, original=table)["deFinetti"].numbers["right_share"] == pytest.approx(1 / 3)


def test_rows_that_cannot_be_told_apart_count_as_expected() -> None:
    """Of two like rows one has a and one b: whoever says a for both is right once."""
    release = bucketized([([("x",), ("x",)], {"a": 1, "b": 1}), ([("y",)], {"a": 1})], ["q"], anatomized(2))
    table = table_of([("x", "a"), ("x", "b"), ("y", "a")], ("q", "disease"))
    assert attack(release, original=table)["deFinetti"].numbers["right_share"] == pytest.approx(2 / 3)


def test_another_original_is_left_out() -> None:
    release, table = dealt(10, depends=True)
    other = table.keep_rows(np.arange(len(table)) > 0)
    left = {entry.name: entry.why for entry in attack(release, original=other).left_out}
    assert left["deFinetti"] == "the original and the release have different rows or values"


def test_what_would_take_too_much_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    release, _ = dealt(10, depends=True)
    monkeypatch.setattr(definetti, "_PAIRS_A_ROW", 3)
    monkeypatch.setattr(definetti, "_LEAST_PAIRS", 3)
    assert isinstance(learn(release), LeftOut)
    monkeypatch.undo()
    monkeypatch.setattr(definetti, "_LARGEST_TABLE", 3)
    assert isinstance(learn(release), LeftOut)


def test_progress_is_told() -> None:
    release, table = dealt(10, depends=True)
    seen: list[str] = []
    found = attack(release, original=table, run=Run(progress=lambda name, _done, _total: seen.append(name)))
    assert isinstance(found, Attacks)
    assert set(seen) == {KNOWLEDGE, "deFinetti"}


def test_many_values_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long columns are cut into ranges and frequent words; a table of everything would not fit."""
    monkeypatch.setattr(definetti, "_WORDS", 3)
    column = Table.from_arrow(pa.table({"w": [*"aaabbcde"]})).column("w")
    codes, size = definetti._coarse(column)
    assert size == 3
    assert codes.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    numbers = Table.from_arrow(pa.table({"n": list(range(100))})).column("n")
    codes, size = definetti._coarse(numbers)
    assert size == 32
    assert np.all(np.diff(codes) >= 0)
    assert np.bincount(codes).max() <= 4
