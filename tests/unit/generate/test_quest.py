"""Made-up baskets: the numbers asked for come out, the rule is the paper's, streaming changes nothing."""

from __future__ import annotations

import io
import tracemalloc
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.generate.quest import _bounds, _draw_patterns, quest, quest_blocks, write_quest
from shoal.generate.words import item_words

SMALL: dict[str, Any] = {"mean_length": 5, "n_items": 60, "n_patterns": 30, "mean_pattern": 3}
# A basket is one copy of a pattern: its length is reached with the first one, whatever that is.
ONE_PATTERN: dict[str, Any] = {"mean_length": 1, "correlation": 0, "corruption_variance": 0}


def _text(n_records: int, seed: int | None, **options: Any) -> bytes:
    file = io.BytesIO()
    write_quest(file, n_records, seed=seed, **options)
    return file.getvalue()


def test_equal_seeds_equal_bytes_and_others_differ() -> None:
    assert _text(300, 1, **SMALL) == _text(300, 1, **SMALL)
    assert _text(300, 1, **SMALL) != _text(300, 2, **SMALL)
    assert _text(300, None, **SMALL) != _text(300, None, **SMALL)


@pytest.mark.parametrize("options", [{}, SMALL])
def test_the_streamed_file_holds_what_is_made_in_memory(tmp_path: Path, options: dict[str, Any]) -> None:
    n_records = 150_000
    assert len(list(quest_blocks(n_records, seed=9, **options))) > 1  # or it proves little
    write_quest(tmp_path / "q.dat", n_records, seed=9, **options)
    lines = (tmp_path / "q.dat").read_text().splitlines()
    baskets = quest(n_records, seed=9, **options)
    streamed = Transactions.from_records(line.split(" ") for line in lines)
    assert streamed.merged == streamed.dropped == 0
    assert streamed.words == baskets.words
    np.testing.assert_array_equal(streamed.offsets, baskets.offsets)
    np.testing.assert_array_equal(streamed.items, baskets.items)


def test_a_dash_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_quest("-", 20, seed=1)
    assert capfdbinary.readouterr().out == _text(20, 1)


@pytest.mark.parametrize("n_records", [1, 2, 1_000, 30_001, 100_000])
def test_the_number_of_records_is_exact_and_none_is_empty(n_records: int) -> None:
    blocks = list(quest_blocks(n_records, seed=2))
    assert sum(len(offsets) - 1 for offsets, _ in blocks) == n_records
    for offsets, codes in blocks:
        assert offsets.dtype == np.int64
        assert codes.dtype == np.int32
        assert offsets[0] == 0
        assert offsets[-1] == len(codes)
        assert np.diff(offsets).min() >= 1
        assert codes.min() >= 0
        assert codes.max() < 1_000
        rising = np.diff(codes) > 0
        rising[offsets[1:-1] - 1] = True  # where one record ends and the next starts
        assert rising.all()


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    long = _text(80_000, 3).splitlines()
    assert len(list(quest_blocks(80_000, seed=3))) > 2
    assert _text(7, 3).splitlines() == long[:7]
    assert _text(70_000, 3).splitlines() == long[:70_000]


@pytest.mark.parametrize(
    ("mean_length", "mean_pattern", "tolerance"), [(10, 4, 0.02), (20, 4, 0.03), (10, 2, 0.02), (5, 2, 0.03)]
)
def test_the_mean_length_is_the_one_asked_for(mean_length: float, mean_pattern: float, tolerance: float) -> None:
    lengths = quest(50_000, mean_length=mean_length, mean_pattern=mean_pattern, seed=4).lengths
    assert lengths.mean() == pytest.approx(mean_length, rel=tolerance)
    assert lengths.std() > 0.8 * np.sqrt(mean_length - 1)


def test_patterns_are_really_there() -> None:
    baskets = [frozenset(basket) for basket in quest(20_000, seed=6)]
    single = Counter(item for basket in baskets for item in basket)
    pairs = Counter(pair for basket in baskets for pair in combinations(sorted(basket), 2))
    lifts = {pair: n * 20_000 / (single[pair[0]] * single[pair[1]]) for pair, n in pairs.items() if n >= 100}
    assert len(lifts) >= 200
    assert sum(lift > 10 for lift in lifts.values()) >= 50


def test_without_damage_baskets_are_the_patterns() -> None:
    baskets = quest(20_000, n_patterns=25, corruption=0, seed=7, **ONE_PATTERN)
    kinds = Counter(baskets)
    assert 20 <= len(kinds) <= 25
    # Weights are exponential: the mean of the largest of 25 is about 3.8 times the mean of all.
    assert 2 * 800 < max(kinds.values()) < 7 * 800


def test_patterns_have_the_mean_length_asked_for() -> None:
    baskets = quest(50_000, n_patterns=5_000, mean_pattern=6, corruption=0, seed=8, **ONE_PATTERN)
    sizes = [len(kind) for kind in set(baskets)]
    assert np.mean(sizes) == pytest.approx(6, rel=0.03)


@pytest.mark.parametrize("level", [0.25, 0.5, 1.0])
def test_damage_leaves_items_out_geometrically_and_evenly(level: float) -> None:
    n = 100_000

    def make(seed: int) -> Transactions:
        options = ONE_PATTERN | {"n_items": 4, "n_patterns": 1, "mean_pattern": 4, "corruption": level}
        return quest(n, seed=seed, **options)

    # The one pattern has at most all four items, but may have fewer: take the first seed with all.
    baskets = next(made for made in map(make, range(20)) if made.n_items == 4)
    chances = np.array([min(level, 0.999) ** lost for lost in range(4)])
    expected = chances / chances.sum()
    kinds = Counter(baskets)
    assert len(kinds) == 15
    for kind, count in kinds.items():
        ways = {1: 4, 2: 6, 3: 4, 4: 1}[len(kind)]
        mean = n * expected[4 - len(kind)] / ways
        assert abs(count - mean) < 5 * np.sqrt(mean)


@pytest.mark.parametrize("correlation", [0, 0.5, 1])
def test_no_pattern_has_an_item_twice(correlation: float) -> None:
    patterns = _draw_patterns(np.random.default_rng(1), 20, 400, 8, correlation, 0.5, 0.3)
    for start, end in pairwise(patterns.starts.tolist()):
        assert len(set(patterns.items[start:end].tolist())) == end - start
    assert patterns.items.min() >= 0
    assert patterns.items.max() < 20


def test_copies_stay_whole_from_one_block_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    # Blocks so small that baskets wait for the next block all the time.
    monkeypatch.setattr("shoal.generate.quest._BLOCK_ITEMS", 40)
    options = ONE_PATTERN | {"n_items": 20_000, "n_patterns": 8, "corruption": 0}
    patterns = set(quest(500, seed=15, **options))
    assert sum(map(len, patterns)) == len(frozenset().union(*patterns)), "take a seed with disjoint patterns"
    assert len({len(pattern) for pattern in patterns}) > 2
    for basket in quest(2_000, seed=15, **(options | {"mean_length": 10})):
        assert basket == frozenset().union(*(pattern for pattern in patterns if pattern & basket))


def test_no_block_repeats_another() -> None:
    blocks = [codes[:1_000].tobytes() for _, codes in quest_blocks(200_000, seed=16)]
    assert len(set(blocks)) == len(blocks) > 3


def test_successive_patterns_share_items_as_much_as_asked() -> None:
    def used(correlation: float) -> int:
        options = ONE_PATTERN | {"correlation": correlation}
        return quest(20_000, n_items=10_000, n_patterns=500, corruption=0, seed=10, **options).n_items

    assert used(0) > 1.3 * used(0.5) > 1.3 * 1.1 * used(1)


def test_frequent_items_have_plain_names() -> None:
    baskets = quest(20_000, seed=11)
    rank = {word: place for place, word in enumerate(item_words(1_000))}
    places = np.array([rank[word] for word in baskets.words])
    order = np.argsort(-baskets.supports)
    assert places[order[:50]].max() < 150
    assert np.corrcoef(places, -baskets.supports)[0, 1] > 0.7


def _bounds_one_by_one(left: list[int], wanted: list[int], anyway: list[bool]) -> list[int]:
    """The paper's rule, basket after basket, with the length and the coin of the copy it starts with."""
    bounds, start = [0], 0
    while start < len(left):
        size, here = 0, start
        while here < len(left) and size < wanted[start]:
            fits = size + left[here] <= wanted[start]
            if not fits and not anyway[start] and here > start:
                break
            size += left[here]
            here += 1
            if not fits:
                break
        else:
            if size < wanted[start]:
                break  # the copies at hand do not suffice: the basket is not complete
        bounds.append(here)
        start = here
    return bounds


def test_baskets_are_filled_by_the_papers_rule() -> None:
    rng = np.random.default_rng(12)
    for _ in range(500):
        n = int(rng.integers(1, 40))
        left = rng.integers(1, 6, n)
        wanted = rng.integers(1, 12, n)
        anyway = rng.random(n) < 0.5
        assert _bounds(left, wanted, anyway).tolist() == _bounds_one_by_one(
            left.tolist(), wanted.tolist(), anyway.tolist()
        )


def test_memory_does_not_grow_with_the_number_of_records(tmp_path: Path) -> None:
    def peak(n_records: int) -> int:
        tracemalloc.start()
        write_quest(tmp_path / "q.dat", n_records, seed=13)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1_000)
    assert peak(400_000) < 1.3 * peak(100_000)


@pytest.mark.parametrize(
    "options",
    [
        {"mean_length": 1, "n_items": 1, "n_patterns": 1, "mean_pattern": 1},
        {"mean_length": 30, "n_items": 30, "n_patterns": 2, "mean_pattern": 30},
        {"mean_length": 3, "n_items": 5, "n_patterns": 4, "mean_pattern": 5, "correlation": 1},
        {"mean_length": 400, "mean_pattern": 1, "n_patterns": 3},
        {"corruption": 1, "corruption_variance": 1},
        {"corruption": 0, "corruption_variance": 0, "correlation": 0},
    ],
)
def test_numbers_at_the_edge_of_their_range(options: dict[str, Any]) -> None:
    baskets = quest(200, seed=14, **options)
    assert len(baskets) == 200
    assert baskets.dropped == baskets.merged == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_records": 0}, "n_records is 0: .* from 1 on"),
        ({"n_records": -5}, "n_records is -5"),
        ({"n_records": 10.0}, "n_records is 10.0"),
        ({"n_records": True}, "n_records is True"),
        ({"n_items": 0}, "n_items is 0"),
        ({"n_items": 10**8}, "n_items is 100000000: .* to 10,000,000"),
        ({"n_patterns": 0}, "n_patterns is 0"),
        ({"mean_length": 0.5}, "mean_length is 0.5: .* from 1 to"),
        ({"mean_length": float("nan")}, "mean_length is nan"),
        ({"mean_length": "10"}, "mean_length is '10'"),
        ({"mean_length": 11, "n_items": 10}, r"mean_length is 11: .* to 10 \(n_items\)"),
        ({"mean_pattern": 0}, "mean_pattern is 0"),
        ({"mean_length": 2, "mean_pattern": 11, "n_items": 10}, r"mean_pattern is 11: .* to 10 \(n_items\)"),
        ({"correlation": 1.5}, "correlation is 1.5: .* from 0 to 1"),
        ({"corruption": -0.1}, "corruption is -0.1"),
        ({"corruption_variance": -0.1}, "corruption_variance is -0.1"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_numbers_out_of_their_range_are_refused_at_once(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    n_records = options.pop("n_records", 10)
    for refused in (
        lambda: quest(n_records, **options),
        lambda: quest_blocks(n_records, **options),
        lambda: write_quest(tmp_path / "q.dat", n_records, **options),
    ):
        with pytest.raises(InputError, match=message):
            refused()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*nowhere.*No such file"):
        write_quest(tmp_path / "nowhere" / "q.dat", 10)
