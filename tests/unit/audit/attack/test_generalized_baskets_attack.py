"""Looking for people in generalized baskets: counts are those of the rows, broken promises are told."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from shoal import Hierarchy, Transactions, km_generalization
from shoal.audit.attack.generalized_baskets import CERTAIN, KNOWN, attack
from shoal.errors import InputError
from tests.making.km_generalized_baskets import DRINKS, generalized_baskets, rows_of

RECORDS = [["beer", "milk"], ["wine", "bread"], ["rum", "milk", "soap"], ["wine", "beer", "milk", "soap"], ["soap"]]
ORIGINAL = Transactions.from_records(RECORDS)
RELEASE = generalized_baskets([["alcohol", "food"]] * 2 + [["alcohol", "food", "soap"]] * 2 + [["soap"]])


def seeded(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def columns(attacks, name, numbers):
    return [dict(row) for row in attacks[name].numbers[numbers]]


def test_rows_of_the_release_are_looked_for_by_their_published_items() -> None:
    found = attack(RELEASE, generator=seeded())
    assert not found.breaks_promise
    one, two, three = columns(found, KNOWN, "random_items")
    assert [row["people"] for row in (one, two, three)] == [5, 4, 2]
    assert [row["covered_by_the_promise"] for row in (one, two, three)] == [True, True, False]
    assert (one["smallest_in_release"], three["smallest_in_release"], three["singled_out_share"]) == (3, 2, 0.0)
    assert "at least 2 candidate rows" in found[KNOWN].sentence
    assert columns(found, CERTAIN, "known_and_learnt")[2] == {"known_items": 3, "victims": 2, "learnt_of_share": 0.0}
    assert "does not cover this" in found[CERTAIN].sentence


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_brute_force_over_drawn_sets(seed: int) -> None:
    chance = np.random.default_rng(seed)
    words = DRINKS.leaves
    records = [chance.choice(words, chance.integers(1, 5), replace=False).tolist() for _ in range(40)]
    data = Transactions.from_records(records)
    release = km_generalization(data, 2, 2, hierarchy=DRINKS)
    rows = rows_of(release)
    path = {leaf: set(DRINKS.ancestors(leaf)) for leaf in words}
    held = {label for row in rows for label in row}
    became = {leaf: next(iter(path[leaf] & held)) for leaf in data.words}
    found = attack(release, generator=seeded(seed), original=data, hierarchy=DRINKS, knows=3, n_victims=1000)
    for known, row in enumerate(columns(found, KNOWN, "random_items"), start=1):
        able = [record for record in records if len(record) >= known]
        remaining = {
            sum({became[item] for item in items} <= other for other in rows)
            for record in able
            for items in combinations(record, known)
        }
        assert row["people"] == len(able)
        assert {row[f"{part}_in_release"] for part in ("smallest", "quarter", "median", "three_quarters")} <= remaining


def test_with_everything_known_there_is_no_chance_in_it() -> None:
    """Records of exactly two items each: who is drawn, and what is known with two, is certain."""
    records = [["beer", "milk"], ["beer", "milk"], ["wine", "soap"], ["rum", "soap"], ["beer", "soap"]]
    data = Transactions.from_records(records)
    release = generalized_baskets([["alcohol", "food"]] * 2 + [["alcohol", "soap"]] * 3)
    found = attack(release, generator=seeded(), original=data, hierarchy=DRINKS)
    two = columns(found, KNOWN, "random_items")[1]
    assert (two["below_k_in_original"], two["below_k_in_release"]) == (3, 0)
    assert [two[f"{part}_in_release"] for part in ("smallest", "quarter", "median", "three_quarters")] == [2, 2, 3, 3]
    assert columns(found, CERTAIN, "known_and_learnt")[1]["learnt_of_share"] == 0.0
    whole = generalized_baskets([["alcohol", "food"]] * 2 + [["alcohol", "soap"]] * 3, whole=True)
    same = attack(whole, generator=seeded(), original=data)
    assert columns(same, KNOWN, "random_items")[1] == two


def test_what_all_rows_have_in_common_is_learnt() -> None:
    """Whoever holds soap holds alcohol; who knows soap of a person learns it. Alike rows tell all but what is known."""
    alike = attack(generalized_baskets([["alcohol", "food", "soap"]] * 3), generator=seeded())
    assert [row["learnt_of_share"] for row in columns(alike, CERTAIN, "known_and_learnt")] == [1.0, 1.0, 0.0]
    records = [["soap", "beer"]] * 3 + [["wine"]] * 3
    release = generalized_baskets([["alcohol", "soap"]] * 3 + [["alcohol"]] * 3, m=1)
    found = attack(release, generator=seeded(), knows=1, n_victims=6)
    share = columns(found, CERTAIN, "known_and_learnt")[0]["learnt_of_share"]
    with_original = attack(
        release, generator=seeded(), original=Transactions.from_records(records), hierarchy=DRINKS, knows=2
    )
    assert columns(with_original, CERTAIN, "known_and_learnt")[1]["learnt_of_share"] == 0.0
    assert 0 < share <= 0.5
    assert "All 3 rows with {soap} hold {alcohol}." in found[CERTAIN].sentence


def test_a_broken_promise_is_told_with_the_set() -> None:
    broken = generalized_baskets([["alcohol", "food"]] * 4 + [["alcohol", "soap"], ["soap"], ["soap"]])
    found = attack(broken, generator=seeded())
    assert found.breaks_promise
    assert "{alcohol, soap} is held by 1 record" in found[KNOWN].sentence
    more = attack(replace(broken, promise=replace(broken.promise, m=1)), generator=seeded())
    assert not more.breaks_promise
    assert (
        "a single row remains for 1 of 5 with 2 random items known, 1 of 7 with their worst 2 items known"
        in more[KNOWN].sentence
    )


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="knows is 0"):
        attack(RELEASE, generator=seeded(), knows=0)
    with pytest.raises(InputError, match="victims is 0"):
        attack(RELEASE, generator=seeded(), n_victims=0)
    with pytest.raises(InputError, match="original="):
        attack(RELEASE, generator=seeded(), hierarchy=DRINKS)
    with pytest.raises(InputError, match="hierarchy="):
        attack(RELEASE, generator=seeded(), original=ORIGINAL)
    with pytest.raises(InputError, match="not made from this original"):
        attack(RELEASE, generator=seeded(), original=Transactions.from_records(RECORDS[1:]), hierarchy=DRINKS)
    other = Hierarchy.from_rows([(leaf, "*") for leaf in DRINKS.leaves])
    with pytest.raises(InputError, match="not made from this original"):
        attack(RELEASE, generator=seeded(), original=ORIGINAL, hierarchy=other)
    with pytest.raises(InputError, match="not have the structure"):
        attack(generalized_baskets([["alcohol"], ["beer"]]), generator=seeded())
