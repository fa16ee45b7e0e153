"""The audit of randomized releases: honest ones hold, and each way to break the promise is caught, with a witness."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.randomized import audit, flip_rate, published_rows
from shoal.audit.verdict import Verdict
from shoal.data.transactions import Transactions
from shoal.promises import DifferentialPrivacy, Randomization
from shoal.promises.randomized import epsilon_of
from shoal.publish.randomization import randomize
from shoal.release.randomized import Randomized
from shoal.run import Run
from tests.making.randomized_from_bits import NAMES, Bits, Chance, make_records, release_of, transactions_of

KEEP, FAKES = 0.95, 2
LENGTHS = tuple((length, 1 / 7) for length in range(1, 8))
HYBRID, FAKED, MASKED = Randomization(KEEP, FAKES, LENGTHS), Randomization(1, FAKES, LENGTHS), Randomization(KEEP, 0)
WITHOUT_FOUR = tuple((length, 3 / 14 if length in (3, 5) else 1 / 7) for length in (1, 2, 3, 5, 6, 7))
RECORDS = make_records(4_000, 1)
N = len(RECORDS)
ORIGINAL = transactions_of(RECORDS)
FLIPS, REAL = "flip rate", "real rows"
ITEMS, LONG = "frequencies in the original", "lengths in the original"


def chance(seed: int = 7) -> Chance:
    return Chance(np.random.default_rng(seed))


def failures(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.witness or "" for check in verdict.failures}


# Honest releases


def honest(method: str) -> Randomized:
    by = chance()
    fakes = by.make_up(FAKES * N, LENGTHS)
    if method == "mask":
        return release_of(by.flip(RECORDS, KEEP), MASKED, N)
    if method == "fakes":
        return release_of(np.vstack([RECORDS, fakes]), FAKED, N)
    return release_of(by.flip(np.vstack([RECORDS, fakes]), KEEP), HYBRID, N)


@pytest.mark.parametrize(
    ("method", "left_out"),
    [("mask", ["flip rate"]), ("fakes", ["fake transactions"]), ("hybrid", ["flip rate", "fake transactions"])],
)
def test_honest_releases_hold_and_say_what_the_folder_cannot_tell(method: str, left_out: list[str]) -> None:
    release = honest(method)
    alone = audit(release)
    assert alone.holds, str(alone)
    assert [entry.name for entry in alone.left_out] == left_out
    assert not alone.confirmed
    both = audit(release, original=ORIGINAL)
    assert both.confirmed, str(both)


def test_an_honest_release_of_many_flips_holds() -> None:
    """So many flips that wrong expectations of them would show."""
    promise = Randomization(0.7, 0)
    verdict = audit(release_of(chance().flip(RECORDS, 0.7), promise, N), original=ORIGINAL)
    assert verdict.confirmed, str(verdict)


def test_a_seed_is_never_confirmed() -> None:
    verdict = audit(replace(honest("mask"), reproducible=True), original=ORIGINAL)
    assert verdict.holds
    assert [entry.name for entry in verdict.left_out] == ["chance"]


SETTINGS: dict[str, dict[str, object]] = {
    "mask": {"keep_prob": 0.9},
    "mask, nearly no flips": {"keep_prob": 0.999},
    "mask, nearly lost": {"keep_prob": 0.52},
    "fakes": {"fakes": 2},
    "fewer fakes than records": {"fakes": 0.37},
    "lengths of the data": {"fakes": 3, "fake_length": "data"},
    "hybrid": {"keep_prob": 0.95, "fakes": 1.5},
    "all of one length": {"keep_prob": 0.8, "fakes": 1, "fake_length": 5},
    "cut": {"keep_prob": 0.9, "max_basket": 2},
    "cut, with fakes": {"keep_prob": 0.9, "max_basket": 3, "fakes": 2, "fake_length": (1, 4)},
    "a given list": {"keep_prob": 0.9, "fakes": 1, "items": [*NAMES[:12], "none of them"]},
}


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
def test_sixty_honest_releases_of_small_data_all_hold(options: dict[str, object]) -> None:
    """Each fails by accident with a chance below one in a billion; all of them together below one in a million."""
    for seed in range(60):
        bits = make_records(5 + 7 * seed, seed, n_items=12)
        data = transactions_of(bits)
        release = randomize(data, run=Run(chance=seed), **options)
        verdict = audit(release, original=data)
        assert verdict.holds, str(verdict)
        assert audit(release).holds


@pytest.mark.parametrize("n_items", [6, 24])
def test_a_looser_budget_is_kept_and_used(monkeypatch: pytest.MonkeyPatch, n_items: int) -> None:
    """With alarms allowed in half of all releases, a check that was not a bound would raise more, an idle one none.

    Of 200 independent releases with a chance of at most one half, 140 or more fail with a chance below 1e-8.
    """
    for module in (published_rows, flip_rate):
        monkeypatch.setattr(module, "FALSE_ALARM", 0.5)
    failing: dict[str, int] = {}
    for seed in range(200):
        by = chance(seed)
        bits = make_records(60, seed, n_items)
        fakes = by.make_up(60, ((1, 0.5), (2, 0.5)), n_items)
        rows = by.flip(np.vstack([bits, fakes]), 0.8)
        release = release_of(rows, Randomization(0.8, 1, ((1, 0.5), (2, 0.5)), "given"), 60)
        for name in failures(audit(release, original=transactions_of(bits))):
            failing[name] = failing.get(name, 0) + 1
    assert set(failing) <= {"frequencies", "lengths", FLIPS, ITEMS, LONG}
    assert all(times < 140 for times in failing.values()), failing
    if n_items == 6:  # with more, each single item must be all the more unlikely
        assert all(failing.get(name, 0) > 0 for name in (FLIPS, ITEMS, LONG)), failing


# Broken releases, with the original


def flips(keep: float, keep_zeros: float | None = None) -> Callable[[Chance], Randomized]:
    return lambda by: release_of(by.flip(RECORDS, keep, keep_zeros), MASKED, N)


def hybrid(real: Callable[[Chance], Bits], fakes: Callable[[Chance], Bits]) -> Callable[[Chance], Randomized]:
    return lambda by: release_of(np.vstack([real(by), fakes(by)]), HYBRID, N)


def faked(fakes: Callable[[Chance], Bits]) -> Callable[[Chance], Randomized]:
    return lambda by: release_of(np.vstack([RECORDS, fakes(by)]), FAKED, N)


def masked(by: Chance) -> Bits:
    return by.flip(RECORDS, KEEP)


def fakes(by: Chance) -> Bits:
    return by.make_up(FAKES * N, LENGTHS)


def lost_a_record(by: Chance) -> Randomized:
    rows = np.vstack([RECORDS[1:], by.make_up(FAKES * N + 1, LENGTHS)])
    return release_of(rows, FAKED, N)


def one_mask(by: Chance) -> Randomized:
    """The same items are flipped in every row."""
    return release_of(RECORDS ^ by.flip(np.zeros((1, RECORDS.shape[1]), bool), 0.9), replace(MASKED, keep_prob=0.9), N)


def as_many_flips(by: Chance) -> Randomized:
    """Every row has exactly two flips, as many as are expected."""
    mask = by.make_up(N, ((2, 1.0),))
    return release_of(RECORDS ^ mask, MASKED, N)


BROKEN: dict[str, tuple[Callable[[Chance], Randomized], str, str]] = {
    "fewer flips": (flips(0.97), FLIPS, "estimated: 0.0"),
    "a few more flips": (flips(0.94), FLIPS, "all items: "),
    "items are only put in": (flips(1, KEEP), FLIPS, "all items: "),
    "items are only taken out": (flips(KEEP, 1), FLIPS, "all items: "),
    "one mask for all rows": (one_mask, ITEMS, "the chance of so many is below 1e-300"),
    "equally many flips in each row": (as_many_flips, LONG, "rows have"),
    "real rows are not flipped": (hybrid(lambda _: RECORDS, lambda by: by.flip(fakes(by), KEEP)), FLIPS, "all items"),
    "only real rows are flipped": (hybrid(masked, fakes), FLIPS, "all items: "),
    "copies of real rows, flipped": (
        hybrid(masked, lambda by: by.flip(np.vstack([RECORDS, RECORDS]), KEEP)),
        ITEMS,
        "i39 is in",
    ),
    "half of the made-up rows are copies, flipped": (
        hybrid(masked, lambda by: by.flip(np.vstack([RECORDS, by.make_up(N, LENGTHS)]), KEEP)),
        ITEMS,
        "i39 is in",
    ),
    "made-up rows of one length, flipped": (
        hybrid(masked, lambda by: by.flip(by.make_up(FAKES * N, ((4, 1.0),)), KEEP)),
        LONG,
        "rows have",
    ),
    "longer made-up rows, flipped": (
        hybrid(masked, lambda by: by.flip(by.make_up(FAKES * N, ((5, 1.0),)), KEEP)),
        FLIPS,
        "all items: ",
    ),
    "uneven made-up rows, flipped": (
        hybrid(masked, lambda by: by.flip(by.make_up(FAKES * N, LENGTHS, uneven=2), KEEP)),
        ITEMS,
        "is in ",
    ),
    "copies of real rows": (faked(lambda _: np.vstack([RECORDS, RECORDS])), ITEMS, "i39 is in"),
    "half of the made-up rows are copies": (
        faked(lambda by: np.vstack([RECORDS, by.make_up(N, LENGTHS)])),
        ITEMS,
        "i39 is in",
    ),
    "made-up rows of one length": (faked(lambda by: by.make_up(FAKES * N, ((4, 1.0),))), LONG, "rows have"),
    "lengths a little off": (
        faked(lambda by: by.make_up(FAKES * N, ((1, 0.2), *((length, 0.8 / 6) for length in range(2, 8))))),
        LONG,
        "1 items, and at",
    ),
    "uneven made-up rows": (faked(lambda by: by.make_up(FAKES * N, LENGTHS, uneven=1.5)), ITEMS, "is in "),
    "a record is lost": (lost_a_record, REAL, "is a record of the original"),
}


@pytest.mark.parametrize(("broken", "check", "witness"), BROKEN.values(), ids=BROKEN)
def test_broken_releases_are_caught_with_the_original(
    broken: Callable[[Chance], Randomized], check: str, witness: str
) -> None:
    found = failures(audit(broken(chance()), original=ORIGINAL))
    assert witness in found[check], found


def test_the_record_that_is_lost_is_named() -> None:
    held = ", ".join(np.array(NAMES)[RECORDS[0]])
    found = failures(audit(lost_a_record(chance()), original=ORIGINAL))
    assert set(found) == {REAL}
    assert found[REAL].startswith(f"{{{held}}} is a record of the original ")
    assert "and is in" in found[REAL]


def test_fewer_made_up_rows_with_a_manifest_that_agrees() -> None:
    """One for each record, and fewer records said: only the original shows it."""
    by = chance()
    rows = by.flip(np.vstack([RECORDS[:3_999], by.make_up(3_999, LENGTHS)]), KEEP)
    data = transactions_of(RECORDS[:3_999])
    assert "7,998 rows" in failures(audit(release_of(rows, HYBRID, 3_999)))["sizes"]
    forged = release_of(rows, HYBRID, 2_666)
    assert audit(forged).holds
    found = failures(audit(forged, original=data))
    assert found["records of the original"] == "it states 2,666 records, and the original has 3,999"
    assert found[FLIPS].startswith("not checked")


def cut_release(rows: Bits, by: Chance) -> Randomized:
    privacy = DifferentialPrivacy(epsilon_of(KEEP, 2, RECORDS.shape[1]), 2)
    return release_of(by.flip(rows, KEEP), MASKED, N, privacy=privacy)


def test_records_that_were_not_cut_by_chance() -> None:
    by = chance()
    good = cut_release(by.cut(RECORDS, 2), by)
    assert audit(good, original=ORIGINAL).confirmed
    whole = audit(cut_release(RECORDS, by), original=ORIGINAL)
    assert {FLIPS, ITEMS, LONG} <= set(failures(whole))
    # Always the first two items: as many, but others.
    first = RECORDS & (np.cumsum(RECORDS, axis=1) <= 2)
    assert ITEMS in failures(audit(cut_release(first, by), original=ORIGINAL))
    # From the folder alone: rows are longer than records of two items become.
    assert "rows have more than" in failures(audit(cut_release(RECORDS, by)))["lengths"]


def test_frequent_items_show_flips_that_all_items_together_do_not() -> None:
    """Five frequent items of 200: nothing was taken out, which is lost in the noise of what was put in."""
    by = chance()
    bits = np.zeros((N, 200), bool)
    bits[:, ::40] = by.generator.random((N, 5)) < 0.4
    bits[:, 1] |= ~bits.any(axis=1)
    names = [f"i{number:03}" for number in range(200)]
    data = transactions_of(
        bits[:, bits.any(axis=0)], [name for name, used in zip(names, bits.any(axis=0), strict=True) if used]
    )
    for keep, caught in ((KEEP, set()), (1.0, {FLIPS})):
        release = release_of(by.flip(bits, keep, KEEP), replace(MASKED, item_list="given"), N, names=names)
        found = failures(audit(release, original=data))
        assert set(found) == caught
    assert found[FLIPS].startswith("items weighed by their frequency: ")


def test_another_original() -> None:
    release = honest("hybrid")
    found = failures(audit(release, original=transactions_of(make_records(N, 2)[:, ::-1])))
    assert {FLIPS, ITEMS} <= set(found)
    named = transactions_of(RECORDS, ["other", *NAMES[1:]])
    found = failures(audit(release, original=named))
    assert found["items of the original"] == "other is not in it"
    assert all(found[name].startswith("not checked") for name in (FLIPS, ITEMS, LONG))


def test_a_list_that_sorts_otherwise_than_the_data() -> None:
    """Numbers sort as numbers in the data, and as text where the list has words, too."""
    data = Transactions.from_records([["2", "10"], ["2"], ["10"], ["2", "10"]])
    bits = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], bool)
    release = release_of(bits, Randomization(1, 0.25, ((1, 1.0),), "given"), 4, names=["10", "2", "word"])
    assert audit(release, original=data).confirmed
    found = failures(audit(release, original=Transactions.from_records([["2", "10"]] * 3 + [["2"]])))
    assert found[REAL] == "{10, 2} is a record of the original 3 times, and is in 2 rows"


def test_a_list_that_was_given_is_not_one_of_the_data() -> None:
    """Said to be read off the data, it has an item that nobody holds."""
    data = Transactions.from_records([["a", "b"], ["b"], ["a"], ["a", "b"]])
    bits = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]], bool)
    given = release_of(bits, Randomization(1, 0.25, ((1, 1.0),), "given"), 4, names=["a", "b", "c", "d"])
    assert audit(given, original=data).confirmed
    read_off = audit(replace(given, promise=replace(given.promise, item_list="data")), original=data)
    assert failures(read_off)["items of the original"] == "c is in it, and in no record (and 1 more items)"
    assert "the promise says that it was taken from the data" in read_off["items of the original"].what


# Broken releases, from the folder alone


def test_two_promises_that_disagree_about_the_list_of_items() -> None:
    good = release_of(RECORDS, MASKED, N, privacy=DifferentialPrivacy(1e6, 2))
    assert audit(good)["list of items"].holds
    for promise in (
        replace(good, promise=replace(MASKED, item_list="given")),
        replace(good, privacy=DifferentialPrivacy(1e6, 2, "given")),
    ):
        assert not audit(promise)["list of items"].holds
    assert failures(audit(promise))["list of items"] == "the first promise says 'data', the second 'given'"


def test_rows_in_the_order_of_the_original() -> None:
    by = chance()
    found = failures(audit(release_of(by.flip(RECORDS, KEEP), MASKED, N, in_order=False)))
    assert set(found) == {"order"}
    assert " comes after row " in found["order"]
    assert "more such pairs" in found["order"]


def test_real_rows_before_made_up_ones() -> None:
    """Each part in the right order: the one pair between them gives it away."""
    bits = np.array([[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]], bool)
    rows = release_of(bits, Randomization(1, 1, ((1, 0.5), (2, 0.5))), 2)
    assert audit(rows).holds
    mixed_up = release_of(bits[[1, 0, 3, 2]], rows.promise, 2, in_order=False)
    assert failures(audit(mixed_up))["order"] == "row 2, {i00, i01}, comes after row 1, {i01, i02}"


@pytest.mark.parametrize("rows", [[[0, 1], [0]], [[0, 1, 2], [0, 1]], [[0], []]])
def test_a_longer_row_before_a_shorter_one_that_it_begins_with(rows: list[list[int]]) -> None:
    for order, names in ((rows, {"order"}), (rows[::-1], set())):
        items = np.array([item for row in order for item in row], np.int32)
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in order])]).astype(np.int64)
        release = replace(honest("mask"), offsets=offsets, items=items, n_records=2)
        assert set(failures(audit(release))) == names


@given(st.lists(st.frozensets(st.integers(0, 5)), min_size=1, max_size=8))
def test_rows_are_in_order_or_not(rows: list[frozenset[int]]) -> None:
    bits = np.array([[item in row for item in range(6)] for row in rows])
    release = release_of(bits, MASKED, len(rows), in_order=False)
    ordered = sorted(map(sorted, rows)) == list(map(sorted, rows))
    assert audit(release)["order"].holds == ordered
    assert audit(release_of(bits, MASKED, len(rows)))["order"].holds


def test_long_rows_that_agree_are_compared_in_a_moment() -> None:
    """Two rows of 200,000 items, the last of which is another one."""
    items = np.tile(np.arange(200_000, dtype=np.int32), 2)
    names = Transactions.from_records([range(200_001)]).vocabulary
    release = replace(honest("mask"), vocabulary=names, offsets=np.array([0, 200_000, 400_000]), n_records=2)
    start = time.process_time()
    for last, holds in ((200_000, False), (199_999, True)):
        items[199_999] = last
        assert audit(replace(release, items=items))["order"].holds is holds
    assert time.process_time() - start < 3


def test_an_item_twice_in_a_row() -> None:
    release = honest("mask")
    items = release.items.copy()
    row = int(np.flatnonzero(release.lengths >= 2)[5])
    items[release.offsets[row] + 1] = items[release.offsets[row]]
    found = failures(audit(replace(release, items=items)))
    assert found["rows"].startswith(f"row {row} is {{")
    assert found["frequencies"].startswith("not checked")


def test_sizes() -> None:
    release = honest("hybrid")
    assert "would be 12,003" in failures(audit(replace(release, n_records=N + 1)))["sizes"]
    assert "of 0 records" in failures(audit(replace(release, n_records=0)))["sizes"]
    long = replace(HYBRID, fake_lengths=((41, 1.0),))
    assert "up to 41 items" in failures(audit(replace(release, promise=long)))["sizes"]


def test_epsilon_must_be_what_flips_promise() -> None:
    by = chance()
    good = cut_release(by.cut(RECORDS, 2), by)
    assert good.privacy is not None
    assert audit(good).holds
    exact = 4 * np.log(0.95 / 0.05)
    for epsilon, fails in ((exact * 1.001, False), (exact * 0.999, True), (exact / 2, True)):
        verdict = audit(replace(good, privacy=replace(good.privacy, epsilon=epsilon)))
        assert (not verdict["differential privacy"].holds) is fails
    assert "and is 11.7" in failures(verdict)["differential privacy"]
    # Two records differ in no more items than there are.
    most = replace(good, privacy=DifferentialPrivacy(40 * float(np.log(19)), 30))
    assert audit(most)["differential privacy"].holds
    without_flips = replace(honest("fakes"), privacy=DifferentialPrivacy(1e6, 2))
    assert "is inf" in failures(audit(without_flips))["differential privacy"]


@pytest.mark.parametrize(
    ("rows", "promise", "check", "witness"),
    [
        (lambda _: RECORDS, MASKED, "frequencies", "the chance of so few"),
        (lambda by: by.flip(RECORDS, KEEP, 1), MASKED, "frequencies", "so few"),
        (lambda by: by.make_up(N, ((0, 0.5), (6, 0.5))), MASKED, "lengths", "rows have at most 0 items"),
        (lambda _: ~np.zeros_like(RECORDS), MASKED, "frequencies", "so many"),
        (lambda by: by.flip(RECORDS, KEEP), replace(MASKED, keep_prob=0.9), "frequencies", "so few"),
        (lambda _: np.vstack([RECORDS] * 3), FAKED, "frequencies", "so few"),
        (
            lambda by: np.vstack([RECORDS, by.make_up(FAKES * N, ((1, 0.5), (3, 0.5)))]),
            FAKED,
            "lengths",
            "rows have",
        ),
        (
            lambda by: np.vstack([RECORDS, by.make_up(FAKES * N, WITHOUT_FOUR)]),
            FAKED,
            "lengths",
            "rows have 4 items, and at least 1,143 are expected",
        ),
        (
            lambda by: np.vstack([RECORDS, np.zeros((1, 40), bool), by.make_up(FAKES * N - 1, LENGTHS)]),
            FAKED,
            "lengths",
            "1 of 12,000 rows have at most 0 items",
        ),
    ],
    ids=[
        "nothing flipped",
        "no item put in",
        "half of the rows empty",
        "everything",
        "too few put in",
        "no fakes",
        "other lengths",
        "one length left out",
        "empty row",
    ],
)
def test_what_is_caught_from_the_folder_alone(
    rows: Callable[[Chance], Bits], promise: Randomization, check: str, witness: str
) -> None:
    found = failures(audit(release_of(rows(chance()), promise, N)))
    assert witness in found[check], found


def test_so_many_lengths_of_so_many_items_are_refused() -> None:
    names = [f"{number}" for number in range(60_000)]
    share = 1 / 30_000
    promise = Randomization(0.6, 1, tuple((length, share) for length in range(1, 30_001)))
    release = release_of(np.zeros((2, 1), bool), promise, 1)
    vocabulary = Transactions.from_records([names]).vocabulary
    verdict = audit(replace(release, vocabulary=vocabulary))
    assert verdict["lengths"].refused


def test_the_estimated_rates_are_right() -> None:
    """Within six standard errors, which fails by accident less than once in a hundred million times."""
    by = chance(3)
    rows = np.vstack([RECORDS, by.make_up(FAKES * N, LENGTHS)])
    release = release_of(by.flip(rows, 0.9, 0.97), HYBRID, N)
    rates = flip_rate.estimated_rates(release, release.supports, RECORDS.sum(axis=0).astype(float))
    assert rates is not None
    (there, error), (others, others_error) = rates
    assert abs(there - 0.1) < 6 * error < 0.15
    assert abs(others - 0.03) < 6 * others_error < 0.02


def test_no_rates_are_estimated_where_all_items_are_equally_frequent() -> None:
    bits = np.eye(6, dtype=bool)
    release = release_of(chance().flip(bits, 0.9), Randomization(0.9, 0), 6)
    assert flip_rate.estimated_rates(release, release.supports, np.ones(6)) is None
    assert audit(release, original=transactions_of(bits)).confirmed
