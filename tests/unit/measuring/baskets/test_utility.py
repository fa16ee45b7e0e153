"""The whole report: releases that lost nothing, data that are not the original, plain shares, and the value."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.transactions import Transactions
from shoal.errors import InputError
from shoal.release.manifest import Dropped
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import utility as oracle


@given(records(2, 10, "abcde"), st.integers(1, 30))
def test_a_release_that_is_its_original_lost_nothing(rows: list[Any], top: int) -> None:
    release = disassociated([(len(rows), [rows], "")], k=2)
    found = shoal.measure(Transactions.from_records(rows), release, top=top, ranges=[(0, 5)], reconstructions=2)
    for metric in found:
        best = 0 if metric.direction == "lower is better" else 1
        assert metric.value in (best, None), metric


@given(publications())
def test_tlost_and_plain_shares_are_their_definitions(published: Published) -> None:
    original, nodes = published.records, published.nodes
    release = disassociated(nodes, published.k, published.m)
    found = shoal.measure(Transactions.from_records(original), release, top=1, ranges=[], reconstructions=1)
    chunks = oracle.subrecords(nodes)
    items, kept = frozenset().union(*original), frozenset().union(*chunks)
    assert found["tlost"].value == oracle.tlost(original, nodes, published.k)
    assert found["pair instances kept"].value == oracle.pairs_kept(original, nodes)
    assert found["occurrences kept"].value == sum(map(len, chunks)) / sum(map(len, original))
    assert found["records kept"].value == found["items kept"].value == 1
    assert found["items in chunks"].value == len(kept) / len(items)
    assert found["items in chunks"].details["only_in_term_chunks"] == len(oracle.term_items(nodes) - kept)


def test_tlost_counts_items_in_more_than_k_records_that_are_in_no_chunk() -> None:
    original = Transactions.from_records([{"a", "b", "c"}] * 3 + [{"a", "b"}] * 2 + [{"a"}])
    release = disassociated([(3, [["a", "a", "a"]], "bc"), (3, [["a", "a", "a"]], "b")], k=3)
    tlost = shoal.measure(original, release, ranges=[], run=Run(chance=1))["tlost"]
    assert tlost.value == 0.5  # a and b are in more than 3 records, c in exactly 3; b is in no chunk
    assert dict(tlost.details) == {"items_in_more_than_k_records": 2, "lost": 1}


def test_what_was_dropped_stands_beside_what_was_kept() -> None:
    original = shoal.read([{"a", "b"}] * 4 + [{"rare"}, {"a", "other"}])
    found = shoal.measure(original, shoal.disassociate(original, k=3, m=2, drop_rare=True), run=Run(chance=1))
    assert dict(found["records kept"].details) == {"kept": 5, "of": 6, "emptied_records_dropped": 1}
    assert dict(found["items kept"].details) == {"kept": 2, "of": 4, "rare_items_dropped": 2}
    assert found["re-a 0-20"].details["items"] == 4  # ranks are the original's: what was dropped has no pairs left


def test_sensitive_and_linking_occurrences_that_were_dropped_are_said() -> None:
    original = Transactions.from_records([{"a", "b"}] * 3 + [{"a", "x"}])
    dropped = Dropped(sensitive_instances=1, linking_instances=2, linking_pairs=3)
    found = shoal.measure(
        original, disassociated([(4, [["ab"] * 2 + ["a"] * 2], "")], k=2, dropped=dropped), run=Run(chance=1)
    )
    assert found["occurrences kept"].details["sensitive_occurrences_dropped"] == 1
    assert found["occurrences kept"].details["linking_occurrences_dropped"] == 2
    assert found["pair instances kept"].details["linking_pairs_dropped"] == 3


ROWS = [{"a", "b"}] * 3 + [{"a", "c"}] * 3


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ROWS[1:], "the original has 5 records, the release 6"),
        ([*ROWS[1:], {"a", "d"}], r"in the original, but not in the release \(1\): 'd'"),
        ([{"a", "b"}] * 6, r"in the release, but not in the original \(1\): 'c'"),
        ([*ROWS[1:], {"b", "c"}], "'a' is 6 times in the release, but in 5 records here"),
        ([{"a", "b"}] * 5 + [{"b", "c"}], "'a' is 6 times .*, and so with 1 other item"),
    ],
)
def test_other_data_are_refused_with_what_does_not_fit(rows: list[set[str]], said: str) -> None:
    release = shoal.disassociate(shoal.read(ROWS), k=3, m=2)
    with pytest.raises(InputError, match=f"(?s)this is not the original of this release:.*{said}"):
        shoal.measure(shoal.read(rows), release)


def test_all_that_does_not_fit_is_said_at_once() -> None:
    release = shoal.disassociate(shoal.read(ROWS), k=3, m=2)
    with pytest.raises(InputError) as caught:
        shoal.measure(shoal.read([{str(number)} for number in range(20)]), release)
    assert str(caught.value).count("\n  ") == 3
    assert "(20): '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ..." in str(caught.value)


def test_items_may_be_missing_only_if_the_release_says_so() -> None:
    original = shoal.read([{"a", "b"}] * 4 + [{"a", "r"}, {"a", "s"}])
    nodes = [(6, [["ab"] * 4 + ["a"] * 2], "")]
    shoal.measure(original, disassociated(nodes, k=2, dropped=Dropped(rare_items=2)), run=Run(chance=1))
    with pytest.raises(InputError, match=r"\(2, of which at most 1 can have been dropped\): 'r', 's'"):
        shoal.measure(original, disassociated(nodes, k=2, dropped=Dropped(rare_items=1)), run=Run(chance=1))


def test_a_term_chunk_says_that_an_item_is_in_one_record_more() -> None:
    release = disassociated([(3, [["a"] * 3], "x"), (3, [["a"] * 3], "x")], k=3)
    shoal.measure(shoal.read([{"a", "x"}] * 2 + [{"a"}] * 4), release, run=Run(chance=1))
    with pytest.raises(InputError, match="'x' is 2 times in the release, but in 1 record here"):
        shoal.measure(shoal.read([{"a", "x"}] + [{"a"}] * 5), release)


def test_items_are_matched_by_name_where_the_release_has_other_codes() -> None:
    original = shoal.read([{"b", "c"}] * 4 + [{"a", "b"}])
    release = shoal.disassociate(original, k=3, m=2, drop_rare=True)
    assert release.words == ["b", "c"]
    found = shoal.measure(original, release, top=3, ranges=[(0, 2)], run=Run(chance=1))
    assert {metric.label: metric.value for metric in found if metric.name.startswith(("tKd", "re-", "re "))} == {
        **dict.fromkeys(["tKd", "tKd at most 2 items", "tKd-a", "tKd-a at most 2 items"], 0),
        **dict.fromkeys(["tKd more than 2 items", "tKd-a more than 2 items"]),
        **dict.fromkeys([f"{name} 0-2" for name in ("re-r2", "re-r5", "re-r10", "re-closed", "re-a")], 0),
    }
    assert found["re 0-2"].value == 0


def test_a_word_that_no_part_of_the_release_uses_is_no_item_of_it() -> None:
    release = disassociated([(4, [["ab"] * 4], "")], k=2)
    release = replace(release, vocabulary=pa.array(["a", "b", "c"]))
    with pytest.raises(InputError, match=r"in the original, but not in the release \(1\): 'c'"):
        shoal.measure(shoal.read([{"a", "b"}] * 3 + [{"a", "b", "c"}]), release)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"top": 0}, "top"),
        ({"top": 1.5}, "top"),
        ({"reconstructions": 0}, "reconstructions"),
        ({"run": Run(chance=-1)}, "seed"),
    ],
)
def test_numbers_out_of_range_are_refused(options: Any, named: str) -> None:
    original = shoal.read(ROWS)
    with pytest.raises(InputError, match=named):
        shoal.measure(original, shoal.disassociate(original, k=3, m=2), **options)


def test_a_seed_is_given_by_the_run() -> None:
    original = shoal.read(ROWS)
    wrong: Any = {"seed": 1}
    with pytest.raises(TypeError, match="unexpected keyword argument 'seed'"):
        shoal.measure(original, shoal.disassociate(original, k=3, m=2), **wrong)


def test_arguments_that_changed_places_are_refused() -> None:
    original = shoal.read(ROWS)
    with pytest.raises(InputError, match="in this order"):
        shoal.measure(shoal.disassociate(original, k=3, m=2), original)


@pytest.fixture(scope="module")
def found() -> shoal.results.Utility:
    original = shoal.quest(300, n_items=30, seed=1)
    return shoal.measure(
        original, shoal.disassociate(original, k=3, m=2), top=50, ranges=[(0, 20), (90, 99)], run=Run(chance=1)
    )


def test_the_value_is_sized_iterable_and_known_by_label(found: shoal.results.Utility) -> None:
    assert len(found) == len(list(found)) == len({metric.label for metric in found}) == 33
    assert found["re-r10 0-20"].part == "0-20"
    with pytest.raises(KeyError):
        found["anonymity"]
    with pytest.raises(FrozenInstanceError):
        found.metrics = ()
    with pytest.raises(TypeError):
        found["tKd"].details["kept"] = 0


def test_every_value_is_in_its_range_and_says_how_to_read_it(found: shoal.results.Utility) -> None:
    for metric in found:
        assert metric.value is None or metric.range[0] <= metric.value <= metric.range[1]
        assert metric.direction in ("lower is better", "higher is better")
        assert metric.meaning
        assert "nothing" in metric.edges
    for name in ("tKd", "tKd-a"):
        assert "ties" in found[name].edges
    assert "0/0" in found["re 0-20"].edges


def test_only_plain_values_leave(found: shoal.results.Utility) -> None:
    said = found.as_dict()
    assert json.loads(json.dumps(said)) == said
    for metric in found:
        assert type(metric.value) in (float, type(None)), metric
        assert {type(value) for value in metric.details.values()} <= {int, float, type(None)}, metric


def test_it_goes_to_arrow_and_into_text(found: shoal.results.Utility) -> None:
    table = pa.table(found)
    assert table.column("name").to_pylist() == [metric.name for metric in found]
    assert table.column("value").to_pylist() == [metric.value for metric in found]
    assert [json.loads(text) for text in table.column("details").to_pylist()] == [dict(m.details) for m in found]
    text = str(found)
    for metric in found:
        assert f"\n{metric.label} " in text
        assert metric.meaning in " ".join(text.split())
        assert metric.edges in " ".join(text.split())
    assert "re 90-99" in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_order_of_the_input_and_the_seed_decide_what_they_should() -> None:
    original = shoal.quest(200, n_items=25, seed=4)
    backwards = shoal.read(list(original)[::-1])
    release = shoal.disassociate(original, k=3, m=2)
    one, same, other = (
        shoal.measure(data, release, top=40, ranges=[(0, 20)], run=Run(chance=seed)).as_dict()
        for data, seed in ((original, 1), (backwards, 1), (original, 2))
    )
    assert one == same
    assert one != other


def test_progress_is_reported() -> None:
    stages: list[str] = []
    original = shoal.read(ROWS)
    release = shoal.disassociate(original, k=3, m=2)
    shoal.measure(
        original, release, reconstructions=3, run=Run(progress=lambda stage, _done, _total: stages.append(stage))
    )
    assert stages.count("reconstruct") == 4
