"""What randomizing cost: sigma+, sigma- and the errors of supports, by hand and from their definitions."""

from __future__ import annotations

import json
import math
import statistics
from functools import partial
from itertools import combinations
from typing import Any

import pytest

import shoal
from shoal.analyse.randomized.itemsets import estimated_itemsets
from shoal.analyse.randomized.supports import estimated_supports
from shoal.errors import Infeasible, InputError
from shoal.measuring.baskets import randomized_utility as module
from shoal.measuring.baskets.randomized_utility import MIN_SUPPORTS
from shoal.promises import Randomization
from shoal.run import Run
from tests.making.randomized_releases import randomized

RECORDS = [{"a"}] * 6 + [{"b"}] * 4
BASKETS = [{"a", "b", "c"}] * 30 + [{"a", "b"}] * 25 + [{"c", "d"}] * 20 + [{"d"}] * 15 + [{"e", "a"}] * 10


def by_hand() -> shoal.Randomized:
    """Keep .9, seven rows with a and three with b: a is estimated at (.7 - .1) / .8 = .75 (it is .6), b at .25 (.4)."""
    return randomized([{"a"}] * 7 + [{"b"}] * 3, "ab", Randomization(0.9, 0))


def test_a_release_whose_numbers_are_known():
    found = shoal.measure(shoal.read(RECORDS), by_hand(), min_support=[0.5, 0.3, 0.1])
    assert (found["sigma+ at 0.5"].value, found["sigma- at 0.5"].value) == (0, 0)
    assert (found["sigma+ at 0.3"].value, found["sigma- at 0.3"].value) == (0, 0.5)  # b is missed
    assert (found["sigma+ at 0.1"].value, found["sigma- at 0.1"].value) == (0, 0)
    assert dict(found["sigma- at 0.3"].details) == {"frequent": 2, "missed": 1}
    assert found["support error at 0.5"].value == pytest.approx(0.15)
    assert found["support error at 0.3"].value == pytest.approx(0.15)
    # A row counts 1.125 where it has the item and -.125 where not: the sum of x^2 - x over ten rows is 1.40625.
    error = math.sqrt(1.40625) / 10
    assert found["standard errors at 0.3"].value == pytest.approx(0.15 / error)
    assert found["in interval at 0.3"].value == 1  # .15 is less than 1.96 errors
    assert (found.records, found.method, found.runs, found.min_supports) == (10, "mask", 0, (0.5, 0.3, 0.1))


def test_what_is_wrongly_found_is_a_share_of_what_is_frequent():
    """Nine rows with b: it is estimated at 1, a at 0, both together at -.14; in truth a is frequent and b is not."""
    release = randomized([{"a"}] + [{"b"}] * 9, "ab", Randomization(0.9, 0))
    found = shoal.measure(shoal.read(RECORDS), release, min_support=0.5)
    assert (found["sigma+ at 0.5"].value, found["sigma- at 0.5"].value) == (1, 1)
    assert found["in interval at 0.5"].value == 0


def every_set(names: str) -> list[frozenset[str]]:
    return [frozenset(part) for size in range(1, len(names) + 1) for part in combinations(names, size)]


@pytest.mark.parametrize("min_support", [0.4, 0.3, 25, 0.05])
@pytest.mark.parametrize(
    "release",
    [
        partial(shoal.mask, keep_prob=0.9),
        partial(shoal.fakes, fakes=1.5, fake_length=(1, 4)),
        partial(shoal.hybrid, keep_prob=0.95, fakes=0.5),
        partial(shoal.mask, keep_prob=0.95, items=["A", *"edcba", "bb"]),
    ],
)
def test_all_metrics_are_their_definitions(release: Any, min_support: float) -> None:
    baskets = shoal.read(BASKETS)
    made = release(baskets, run=Run(chance=3))
    least = min_support if isinstance(min_support, int) else min_support * len(BASKETS)
    counts = {items: sum(items <= record for record in BASKETS) for items in every_set("abcde")}
    true = {items for items, count in counts.items() if count >= least}
    reported = {items for items, _ in estimated_itemsets(made, min_support)}
    found = shoal.measure(baskets, made, min_support=min_support)
    at = f"at {min_support} records" if isinstance(min_support, int) else f"at {min_support}"
    assert found[f"sigma+ {at}"].value == len(reported - true) / len(true)
    assert found[f"sigma- {at}"].value == len(true - reported) / len(true)
    if len({len(items) for items in true | reported}) > 1:
        for size in {len(items) for items in true}:
            t, r = ({items for items in sets if len(items) == size} for sets in (true, reported))
            part = f"{at}, {size} item{'' if size == 1 else 's'}"
            assert found[f"sigma+ {part}"].value == len(r - t) / len(t)
            assert found[f"sigma- {part}"].value == len(t - r) / len(t)
    wanted = sorted(true, key=sorted)
    estimates = estimated_supports(made, wanted)
    off = [estimates[at].estimate - counts[items] / len(BASKETS) for at, items in enumerate(wanted)]
    errors = [estimates[at].error for at in range(len(wanted))]
    assert found[f"support error {at}"].value == pytest.approx(statistics.fmean(map(abs, off)))
    squares = [(o / e) ** 2 for o, e in zip(off, errors, strict=True) if e]
    assert found[f"standard errors {at}"].value == pytest.approx(math.sqrt(statistics.fmean(squares)))
    held = [abs(o) <= 1.959964 * e + 1e-12 for o, e in zip(off, errors, strict=True)]
    assert found[f"in interval {at}"].value == pytest.approx(statistics.fmean(held))


def test_runs_publish_the_same_way_again():
    """The same list of items, lengths and cuts, each by a seed of its own: mean and spread are those of the runs."""
    baskets = shoal.read(BASKETS)
    publish = partial(
        shoal.hybrid, baskets, 0.9, 1.5, fake_length={1: 0.25, 3: 0.75}, max_basket=2, items=[*"zyxedcba"]
    )
    one = publish(run=Run(chance=100))
    found = shoal.measure(baskets, one, min_support=[0.3, 0.2], runs=4, run=Run(chance=7))
    others = [shoal.measure(baskets, publish(run=Run(chance=7 + run)), min_support=[0.3, 0.2]) for run in range(4)]
    alone = shoal.measure(baskets, one, min_support=[0.3, 0.2])
    assert found.runs == 4
    assert [metric.value for metric in found] == [metric.value for metric in alone]
    for label in ("sigma+ at 0.2", "sigma- at 0.3", "support error at 0.2", "standard errors at 0.3"):
        values = [other[label].value for other in others]
        details = found[label].details
        assert details["mean"] == pytest.approx(statistics.fmean(values))
        assert details["deviation"] == pytest.approx(statistics.stdev(values))
        assert (details["least"], details["most"]) == (min(values), max(values))
    assert found["support error at 0.2"].details["least"] < found["support error at 0.2"].details["most"]


def test_one_run_has_no_deviation_and_other_chance_every_time():
    baskets = shoal.read(BASKETS)
    release = shoal.mask(baskets, 0.9, run=Run(chance=1))
    once, twice = (shoal.measure(baskets, release, min_support=0.3, runs=1) for _ in range(2))
    details = once["support error at 0.3"].details
    assert details["deviation"] is None
    assert details["mean"] == details["least"] == details["most"]
    assert details["mean"] != twice["support error at 0.3"].details["mean"]
    assert "published again 1 time" in str(once)


def test_nothing_is_frequent():
    found = shoal.measure(shoal.read(RECORDS), by_hand(), min_support=0.9)
    assert {metric.value for metric in found} == {None}
    assert "nothing" in str(found)


def test_plain_values_are_json_and_the_text_has_all_of_it():
    found = shoal.measure(shoal.read(RECORDS), by_hand(), min_support=[0.1, 4], runs=2, run=Run(chance=0))
    text = json.dumps(found.as_dict(), allow_nan=False)
    assert json.loads(text)["metrics"][0]["range"] == [0.0, None]
    shown = str(found)
    assert "10 records, mask; at 0.1, at 4 records; published again 2 times" in shown
    assert all(f"\n{metric.label} " in shown for metric in found)
    assert "0 on" in shown
    assert "note: at 0.1: single items: the standard error is" in shown.replace("\n  ", " ")


def test_lengths_and_defaults():
    baskets = shoal.read(BASKETS)
    release = shoal.mask(baskets, 0.99, run=Run(chance=1))
    short = shoal.measure(baskets, release, max_length=1)
    assert not any("2 items" in metric.label for metric in short)
    assert short.min_supports == MIN_SUPPORTS
    assert any("--max-length is 1" in note for note in short.notes)
    assert any("2 items" in metric.label for metric in shoal.measure(baskets, release))


def test_what_is_too_long_to_be_estimated_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = shoal.read(BASKETS)
    release = shoal.mask(baskets, 0.99, run=Run(chance=1))
    whole = shoal.measure(baskets, release, min_support=0.3)["support error at 0.3"]
    assert dict(whole.details) == {"itemsets": 8}  # a, b, c, d, ab, ac, bc, abc
    monkeypatch.setattr(module, "MOST_ITEMS", 1)
    found = shoal.measure(baskets, release, min_support=0.3)["support error at 0.3"]
    assert dict(found.details) == {"itemsets": 4, "too_long_to_estimate": 4}


def test_supports_that_cannot_be_estimated_together_are_nothing_for_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise Infeasible("too many subsets")

    monkeypatch.setattr(module, "estimate", refuse)
    found = shoal.measure(shoal.read(RECORDS), by_hand(), min_support=0.3)
    assert (found["support error at 0.3"].value, found["support error at 0.3"].reason) == (None, "too many subsets")
    assert found["sigma- at 0.3"].value == 0.5


def test_runs_that_did_not_look_at_everything_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = shoal.read(BASKETS)
    release = shoal.mask(baskets, 0.99, run=Run(chance=1))
    monkeypatch.setattr(module, "estimated_itemsets", partial(estimated_itemsets, max_candidates=1))
    found = shoal.measure(baskets, release, min_support=0.3, runs=3, run=Run(chance=1))
    assert any(note.startswith("at 0.3: not examined:") for note in found.notes)
    assert found.notes[-1] == "in 3 of 3 runs not all candidates were examined"


@pytest.mark.parametrize(
    ("records", "release", "words"),
    [
        (RECORDS[:-1], by_hand(), "the original has 9 records, the release 10"),
        ([*RECORDS[:-1], {"c", "d"}], by_hand(), r"not in the list of items \(2\): 'c', 'd'"),
        (
            RECORDS,
            randomized([{"a"}] * 9 + [{"b"}] * 11, "ab", Randomization(1.0, 1, ((1, 1.0),)), n_records=10),
            None,
        ),
        (
            RECORDS,
            randomized([{"a"}] * 17 + [{"b"}] * 3, "ab", Randomization(1.0, 1, ((1, 1.0),)), n_records=10),
            "in more records of the original than rows of the release: 'b'",
        ),
    ],
)
def test_other_data_are_refused(records: list[set[str]], release: shoal.Randomized, words: str | None) -> None:
    if words is None:
        shoal.measure(shoal.read(records), release, min_support=0.5)
        return
    with pytest.raises(InputError, match=words):
        shoal.measure(shoal.read(records), release, min_support=0.5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_support": []}, "different thresholds, at least one"),
        ({"min_support": [0.1, 0.1]}, "different thresholds, at least one"),
        ({"min_support": 2.5}, "min_support is 2.5"),
        ({"min_support": 0}, "min_support is 0"),
        ({"max_length": 0}, "max_length"),
        ({"runs": -1}, "runs"),
        ({"runs": 1.5}, "runs"),
    ],
)
def test_arguments_out_of_range_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        shoal.measure(shoal.read(RECORDS), by_hand(), **options)


def test_the_other_way_round_is_refused():
    with pytest.raises(InputError, match="in this order"):
        shoal.measure(by_hand(), shoal.read(RECORDS))
    assert isinstance(shoal.measure(shoal.read(RECORDS), by_hand()), shoal.results.RandomizedUtility)
