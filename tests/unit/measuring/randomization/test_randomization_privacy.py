"""Privacy of randomized baskets in numbers: of settings, of releases, and of what reaches a target."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.analyse.randomized.supports import estimated_supports
from shoal.measuring.randomization.frontier import KEEP_PROBS, privacy_frontier, privacy_settings
from shoal.measuring.randomization.privacy import randomization_privacy, release_privacy
from shoal.measuring.randomization.reconstruction_chances import chance_of_cells, chance_of_ones, chance_of_zeros
from shoal.promises.randomized import epsilon_of
from shoal.run import Run

DATA = {"mean_support": 0.01, "items": 1000, "records": 100_000, "min_support": 0.005}


def test_the_hybrid_is_the_product():
    found = randomization_privacy(keep_prob=0.9, fakes=3, mean_support=0.02, filtered=0.25, records=50)
    assert found.flips.worst == pytest.approx(0.9 * found.ones + 0.1 * found.zeros)
    assert found.rows.worst == pytest.approx(1 / (1 + 0.75 * 3))
    assert found.both.worst == pytest.approx(found.flips.worst / (1 + 0.75 * 3))  # equation 14, with a filter
    assert found.both.average == pytest.approx(found.flips.average * found.rows.average)
    assert found.rows.average < found.rows.worst
    assert found.both.as_dict()["privacy_worst"] == 1 - found.both.worst


def test_one_scheme_alone():
    flips = randomization_privacy(keep_prob=0.9, mean_support=0.02)
    assert (flips.rows.worst, flips.rows.average, flips.size_rows) == (1, 1, 1)
    assert flips.both == flips.flips
    rows = randomization_privacy(fakes=4, mean_support=0.02)
    assert (rows.ones, rows.zeros, rows.flips.worst) == (1, 1, 1)
    assert rows.both == rows.rows
    assert "all of it is known" in str(rows)


def test_fake_transactions_that_a_target_takes():
    found = randomization_privacy(keep_prob=0.9, mean_support=0.01, targets=(0.5, 0.95))
    easy, hard = found.needed
    assert (easy.fakes_alone, easy.with_flips) == (pytest.approx(1), 0)
    assert hard.fakes_alone == pytest.approx(19)
    reached = randomization_privacy(keep_prob=0.9, fakes=hard.with_flips, mean_support=0.01)
    assert 1 - reached.both.worst == pytest.approx(0.95, abs=1e-12)


def test_nothing_is_said_of_what_is_not_known():
    found = randomization_privacy(keep_prob=0.9, mean_support=0.01)
    assert found.size_ones is None
    assert found.errors == ()
    assert found.differential_privacy is None
    assert randomization_privacy(keep_prob=0.9, fakes=1, mean_support=0.01, records=9, min_support=0.1).errors == ()
    known = randomization_privacy(keep_prob=0.9, **DATA)
    assert known.size_ones == pytest.approx((1000 * 0.1 + 0.8 * 10) / 10)
    assert [one.size for one in known.errors] == [1, 2, 3]
    assert known.errors[0].standard_error == pytest.approx(math.sqrt(0.09 / 0.64 / 100_000))
    assert known.errors[0].of_threshold == pytest.approx(known.errors[0].standard_error / 0.005)


def test_differential_privacy_only_with_a_length_that_is_enforced():
    found = randomization_privacy(keep_prob=0.75, mean_support=0.01, max_basket=2, items=100)
    assert found.differential_privacy.epsilon == epsilon_of(0.75, 2, 100) == 4.39445
    few = randomization_privacy(keep_prob=0.75, mean_support=0.01, max_basket=2, items=3)
    assert few.differential_privacy.epsilon < found.differential_privacy.epsilon
    assert randomization_privacy(keep_prob=0.75, mean_support=0.1, max_basket=2).differential_privacy.epsilon == 4.39445
    with pytest.raises(shoal.errors.InputError, match="nothing is flipped"):
        randomization_privacy(fakes=1, mean_support=0.01, max_basket=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"keep_prob": 0.5}, "keep_prob is 0.5"),
        ({"keep_prob": 0.05}, "did you mean 0.95"),
        ({"fakes": -1}, "fakes is -1"),
        ({"fakes": 0}, "nothing is randomized"),
        ({"weight": 1.1}, "weight is 1.1"),
        ({"filtered": -0.1}, "filtered is -0.1"),
        ({"mean_support": 0}, "mean_support is 0"),
        ({"records": 0}, "records is 0"),
        ({"items": 0}, "items is 0"),
        ({"min_support": 0}, "min_support is 0"),
        ({"max_basket": 0}, "max_basket is 0"),
        ({"targets": (1,)}, "target is 1: no finite number"),
    ],
)
def test_numbers_out_of_range_are_refused(wrong, message):
    with pytest.raises(shoal.errors.InputError, match=message):
        randomization_privacy(**{"fakes": 1, "mean_support": 0.1, **wrong})


def baskets():
    rng = np.random.default_rng(1)
    shares = np.array([0.6, 0.3, 0.1, 0.05, 0.02, 0.4])
    cells = rng.random((4000, len(shares))) < shares
    return shoal.read([[f"i{item}" for item in np.flatnonzero(row)] for row in cells if row.any()])


def test_a_release_is_looked_at_item_by_item():
    """Supports are within 6 standard errors: by chance off once in some hundred million times."""
    data = baskets()
    release = shoal.hybrid(data, 0.9, 1.5, run=Run(chance=2))
    found = release_privacy(release, weight=0.8, filtered=0.5, min_support=0.05)
    said = found.items.to_arrow().to_pydict()
    order = [data.words.index(name) for name in said["item"]]
    true = data.supports[order] / len(data)
    spread = math.sqrt(0.09 / 0.64 * 2.5 + 1.5 / 4) / math.sqrt(len(data))
    assert np.abs(np.array(said["support"]) - true).max() < 6 * spread
    supports = np.array(said["support"])
    mined = estimated_supports(release, [[name] for name in said["item"]])
    assert supports == pytest.approx(mined.estimate)  # what shoal query says
    ones, zeros = chance_of_ones(supports, 0.9), chance_of_zeros(supports, 0.9)
    assert said["ones"] == pytest.approx(ones)
    assert said["zeros"] == pytest.approx(zeros)
    assert said["reconstruction"] == pytest.approx(0.8 * ones + 0.2 * zeros)
    assert said["reconstruction"] == sorted(said["reconstruction"], reverse=True)
    assert found.ones == pytest.approx((supports * ones).sum() / supports.sum())
    assert found.zeros == pytest.approx(((1 - supports) * zeros).sum() / (1 - supports).sum())
    assert found.flips.worst == pytest.approx(0.8 * found.ones + 0.2 * found.zeros)
    assert found.mean_support == pytest.approx(supports.mean())  # none is clamped here
    at_mean = chance_of_cells(chance_of_ones(found.mean_support, 0.9), chance_of_zeros(found.mean_support, 0.9), 0.8)
    assert found.flips_at_mean == pytest.approx(at_mean) != found.flips.worst
    assert found.rows.worst == pytest.approx(1 / 1.75)
    assert found.records == len(data)
    assert len(found.errors) == 3


def test_estimates_below_nothing_are_counted_as_nothing_and_said():
    release = shoal.mask(shoal.read([["a"]] * 60 + [["b"]]), 0.7, items=["a", "b", *"cdefgh"], run=Run(chance=1))
    found = release_privacy(release)
    supports = found.items.supports
    assert found.clamped > 0
    assert supports.min() == 0
    assert supports.max() <= 1
    assert found.ones <= 1


def test_a_release_says_itself_whether_it_promises_differential_privacy():
    data = baskets()
    assert release_privacy(shoal.mask(data, 0.9, run=Run(chance=1))).differential_privacy is None
    cut = shoal.mask(data, 0.9, max_basket=2, run=Run(chance=1))
    assert release_privacy(cut).differential_privacy == cut.privacy
    assert cut.privacy is not None


def test_all_of_it_is_ready_for_json():
    release = shoal.hybrid(baskets(), 0.9, 1.5, max_basket=3, fake_length=(1, 3), run=Run(chance=2))
    told = json.loads(json.dumps(release_privacy(release, filtered=1, min_support=0.1).as_dict(limit=2)))
    assert len(told["items"]) == 2
    assert told["needed"][0]["fakes_alone"] is None  # infinitely many
    assert told["differential_privacy"]["max_basket"] == 3
    json.dumps(privacy_frontier(**DATA).as_dict())


def test_settings_reach_the_target_within_the_size_and_are_ranked():
    found = privacy_settings(0.95, max_size=3, **DATA)
    errors = [one.error for one in found.settings]
    assert errors == sorted(errors)
    for one in found.settings:
        assert one.privacy >= 0.95 - 1e-12
        assert one.rows <= 3 + 1e-9
        again = randomization_privacy(keep_prob=one.keep_prob, fakes=one.fakes, **DATA)
        assert 1 - again.both.worst == pytest.approx(one.privacy)
        assert again.size_ones == pytest.approx(one.ones)
        assert [error.of_threshold for error in again.errors] == pytest.approx(one.errors)
        assert one.error == max(one.errors)
    assert {one.keep_prob for one in found.settings} < set(KEEP_PROBS)


def test_a_filter_changes_which_settings_are_best():
    often = {**DATA, "mean_support": 0.3}
    found = privacy_settings(0.5, filtered=0.9, **often)
    errors = [one.error for one in found.settings]
    assert errors == sorted(errors)
    assert privacy_settings(0.5, **often).settings[0].keep_prob == 1
    assert found.settings[0].keep_prob == 0.77  # fake transactions alone would be too many
    for one in found.settings:
        again = randomization_privacy(keep_prob=one.keep_prob, fakes=one.fakes, filtered=0.9, **often)
        assert one.privacy == pytest.approx(1 - again.both.worst)
        assert one.privacy == pytest.approx(0.5) or one.fakes == 0


def test_fewer_fake_transactions_would_not_do():
    for one in privacy_settings(0.9, max_size=5, **DATA).settings:
        if one.fakes:
            less = randomization_privacy(keep_prob=one.keep_prob, fakes=one.fakes * 0.99, mean_support=0.01)
            assert 1 - less.both.worst < 0.9


def test_without_a_bound_fake_transactions_alone_are_among_the_settings():
    found = privacy_settings(0.95, **DATA)
    alone = next(one for one in found.settings if one.keep_prob == 1)
    assert alone.fakes == pytest.approx(19)
    smallest = min(found.settings, key=lambda one: one.rows)
    assert smallest.keep_prob == min(KEEP_PROBS)
    assert smallest.error > 100 * found.settings[0].error  # small errors and small releases do not go together


def test_an_impossible_target_names_the_nearest():
    with pytest.raises(shoal.errors.Infeasible) as rows:
        privacy_settings(0.95, max_size=2, **DATA)
    said = str(rows.value)
    assert "at most 2 times the rows" in said
    best = 1 - chance_of_cells(chance_of_ones(0.01, 0.51), chance_of_zeros(0.01, 0.51), 0.9) / 2
    assert f"the most at that size is {best:.4f} (keep_prob 0.51, fakes 1)" in said
    least = (1 - best) * 2 / 0.05
    assert f"the least size for that privacy is {least:.4g} (keep_prob 0.51" in said
    privacy_settings(math.floor(best * 1e4) / 1e4, max_size=2, **DATA)  # and the nearest is possible
    privacy_settings(0.95, max_size=least * 1.0001, **DATA)
    with pytest.raises(shoal.errors.Infeasible, match="times the items in rows"):
        privacy_settings(0.95, max_size=2, size_in="ones", **DATA)
    with pytest.raises(shoal.errors.Infeasible, match=r"no setting reaches a privacy of 0\.95; the most is"):
        privacy_settings(0.95, filtered=1, **DATA)


def test_in_items_stored_flips_cost_what_they_save_in_rows():
    cheapest = min(privacy_settings(0.95, size_in="ones", **DATA).settings, key=lambda one: one.ones)
    assert cheapest.keep_prob == 1


@given(
    st.lists(st.sampled_from(KEEP_PROBS), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.95, 0.99]), min_size=1, max_size=4, unique=True),
    st.sampled_from(["rows", "ones"]),
)
def test_nothing_on_the_frontier_is_beaten_and_all_that_is_not_is_there(keeps, targets, size_in):
    from shoal.measuring.randomization.reconstruction_chances import fakes_needed

    tried = {}
    for keep in keeps:
        for target in targets:
            cells = randomization_privacy(keep_prob=keep, fakes=1, mean_support=0.01).flips.worst
            needed = fakes_needed(target, cells)
            if keep < 1 or needed:
                one = randomization_privacy(keep_prob=keep, fakes=needed, **DATA)
                size = one.size_rows if size_in == "rows" else one.size_ones
                tried[keep, needed] = (-(1 - one.both.worst), size, max(error.of_threshold for error in one.errors))
    beaten = {
        at
        for at, cost in tried.items()
        if any(other != cost and all(x <= y for x, y in zip(other, cost, strict=True)) for other in tried.values())
    }
    found = privacy_frontier(size_in=size_in, keep_probs=keeps, targets=targets, **DATA)
    assert {(one.keep_prob, one.fakes) for one in found.settings} == set(tried) - beaten


def test_the_frontier_as_rows_for_a_plot():
    found = privacy_frontier(**DATA)
    rows = found.to_arrow()
    assert rows.column_names == ["keep_prob", "fakes", "privacy", "rows", "ones", "error_1", "error_2", "error_3"]
    assert len(rows) == len(found)
    assert rows["privacy"].to_pylist() == sorted(rows["privacy"].to_pylist())
    best = found.best(0.9, 3)
    assert best == min(privacy_settings(0.9, max_size=3, **DATA).settings, key=lambda one: one.error)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"keep_probs": ()}, "keep_probs is empty"),
        ({"keep_probs": (0.4,)}, "keep_prob is 0.4"),
        ({"size_in": "bytes"}, "must be rows or ones"),
        ({"targets": (2,)}, "target is 2"),
        ({"weight": -1}, "weight is -1"),
        ({"records": 0}, "records is 0"),
    ],
)
def test_the_frontier_refuses_numbers_out_of_range(wrong, message):
    with pytest.raises(shoal.errors.InputError, match=message):
        privacy_frontier(**{**DATA, **wrong})


def test_a_size_below_the_original_is_refused():
    with pytest.raises(shoal.errors.InputError, match="max_size is"):
        privacy_settings(0.9, max_size=0.5, **DATA)
