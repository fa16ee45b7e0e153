"""With the original at hand: nothing invented and nothing lost, as far as it can be seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.disassociated import audit, original_itemsets
from shoal.data.transactions import Transactions
from shoal.release.manifest import Dropped
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import Published, publications

RECORDS = ["abcx", "abc", "ab", "abcy", "c"]
CLUSTER = (5, [["abc", "abc", "abc", "ab", "c"]], "xy")


def originals(records: Iterable[Iterable[str]]) -> Transactions:
    return Transactions.from_records(list(record) for record in records)


def failures(
    nodes: list[Any], records: Iterable[Iterable[str]], k: int = 2, m: int = 2, **options: Any
) -> dict[str, str]:
    verdict = audit(disassociated(nodes, k, m, **options), original=originals(records))
    return {check.name: check.witness or "" for check in verdict.failures}


def test_its_own_original() -> None:
    assert not failures([CLUSTER], RECORDS)


def test_vocabularies_of_another_order() -> None:
    """Whole numbers sort by value in one and, beside a word, as text in the other."""
    cluster = (2, [[("10", "9")] * 2], ())
    assert not failures([cluster], [("9", "10"), ("9", "10")])
    assert not failures([(2, [[("10", "9")] * 2], ("x",))], [("9", "10", "x"), ("9", "10")])


def test_a_lost_record() -> None:
    found = failures([CLUSTER], [*RECORDS, "ab"])
    assert found["records of the original"] == (
        "the release has 5 records and states that 0 were dropped; the original has 6"
    )


def test_a_lost_item() -> None:
    found = failures([CLUSTER], ["abcxd", *RECORDS[1:]])
    assert found == {"items of the original": "1 item is missing, such as 'd'; 0 are stated to be dropped as rare"}


def test_an_invented_item() -> None:
    found = failures([CLUSTER], ["abc", *RECORDS[1:]])
    assert found["items of the original"] == "x is not in the original"


def test_an_invented_occurrence() -> None:
    found = failures([CLUSTER], ["abx", *RECORDS[1:]])
    assert found["supports in the original"] == (
        "c occurs at least 4 times in the release, but only 3 times in the original"
    )


def test_lost_occurrences() -> None:
    found = failures([CLUSTER], [*RECORDS[:4], "ca"])
    assert found["supports in the original"] == ("a occurs 5 times in the original, but at most 4 times in the release")


def test_an_invented_pair() -> None:
    nodes = [(4, [["ab", "ab", "c", "c"]], "z")]
    found = failures(nodes, ["abz", "ac", "bc", "z"])
    assert found == {"pairs in the original": "{a, b} is published 2 times, but only 1 original record holds it"}


def test_an_invented_triple() -> None:
    nodes = [(5, [["abc", "abc", "a", "b", "c"]], "z")]
    records = ["abc", "abz", "bc", "ac", "z"]
    assert failures(nodes, records) == {
        "subrecords in the original": (
            "the subrecord {a, b, c} is published 2 times, but only 1 original record contains it"
        )
    }


def test_subrecords_of_all_clusters_count_together() -> None:
    cluster = (3, [["abc", "abc"]], "z")
    records = ["abc", "abc", "abc", "abz", "ac", "bcz"]
    found = failures([cluster, cluster], records)
    assert "{a, b, c} is published 4 times, but only 3 original" in found["subrecords in the original"]


class TestDropped:
    nodes = ((3, [["ab"] * 3], "z"),)

    def test_said_and_true(self) -> None:
        dropped = Dropped(rare_items=2, emptied_records=1)
        assert not failures([*self.nodes], ["abr", "ab", "abz", "rt"], k=3, dropped=dropped)

    def test_too_many_items(self) -> None:
        found = failures([*self.nodes], ["abr", "abs", "abz"], k=3, dropped=Dropped(rare_items=1))
        assert found["items of the original"].startswith("2 items are missing")

    def test_not_rare(self) -> None:
        records = ["abr", "abr", "abrz"]
        found = failures([*self.nodes], records, k=3, dropped=Dropped(rare_items=1))
        assert found["items of the original"] == "'r' is in 3 records of the original and was lost"

    def test_records_that_were_not_empty(self) -> None:
        dropped = Dropped(rare_items=1, emptied_records=1)
        found = failures([*self.nodes], ["abr", "ab", "abz", "ab"], k=3, dropped=dropped)
        assert found["records of the original"] == (
            "1 record is stated to have been left empty, but 0 have no published item"
        )
        found = failures([*self.nodes], ["abr", "abz", "r"], k=3, dropped=Dropped(rare_items=1))
        assert found["records of the original"].startswith("1 record of the original has no published item")

    def test_suppressed_sensitive_items(self) -> None:
        nodes = [(3, [["ab"] * 3], "sz")]
        records = ["abst", "abst", "abzt"]
        dropped = Dropped(sensitive_instances=3)
        assert not failures(nodes, records, k=3, sensitive=["s", "t"], l=3, dropped=dropped)
        found = failures(nodes, records, k=3, sensitive=["s", "t"], l=3, dropped=Dropped(sensitive_instances=2))
        assert "2 occurrences are stated to be suppressed" in found["items of the original"]
        nodes = [(3, [["ab"] * 3], "sz"), (3, [["ab"] * 3], "z")]
        records = ["abs", "abs", "abs", "abs", "abz", "abz"]
        assert not failures(nodes, records, k=3, sensitive=["s"], dropped=Dropped(sensitive_instances=1))
        found = failures(nodes, records, k=3, sensitive=["s"])
        assert found["supports in the original"].startswith("s occurs 4 times in the original, but at most 3")
        records[3:5] = ["absz", "abs"]
        found = failures(nodes, records, k=3, sensitive=["s"], dropped=Dropped(sensitive_instances=1))
        assert found["supports in the original"].startswith("2 occurrences of sensitive items are lost")


def test_nothing_is_compared_with_a_broken_release() -> None:
    found = failures([(0, [["a"]], "z")], ["a"])
    assert found["records of the original"].startswith("not checked: ")


def test_beyond_the_limits_it_says_what_was_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(original_itemsets, "PAIR_TERMS", 30)
    monkeypatch.setattr(original_itemsets, "SUBRECORD_BYTES", 1)
    verdict = audit(disassociated([CLUSTER]), original=originals(RECORDS))
    assert verdict.holds
    assert "compared for the pairs with one of the 1 least costly of 3 items" in verdict["pairs in the original"].what
    assert "compared for the 0 most published of 1" in verdict["subrecords in the original"].what


@settings(max_examples=150, deadline=None)
@given(publications(), st.data())
def test_an_occurrence_that_the_original_lacks_is_caught(published: Published, data: st.DataObject) -> None:
    """Take one record's item away: the item was published once for each record, so that its support tells."""
    number = data.draw(st.integers(0, len(published.records) - 1))
    record = published.records[number]
    item = data.draw(st.sampled_from(sorted(record)))
    changed = [*published.records]
    changed[number] = record - {item}
    terms = {name for node in published.nodes for leaf in _leaves(node) for name in leaf[2]}
    verdict = audit(
        disassociated(published.nodes, published.k, published.m), original=Transactions.from_records(changed)
    )
    if len(record) == 1 or item not in terms:
        assert not verdict.holds


def _leaves(node: Any) -> list[Any]:
    return [node] if len(node) == 3 else [leaf for child in node[0] for leaf in _leaves(child)]


@settings(max_examples=60, deadline=None)
@given(publications())
def test_small_blocks_compare_the_same(published: Published) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    original = Transactions.from_records(published.records)
    before = original_itemsets.PAIR_CELLS, original_itemsets.FLAG_CELLS
    original_itemsets.PAIR_CELLS, original_itemsets.FLAG_CELLS = 1, 1
    try:
        small = audit(release, original=original)
    finally:
        original_itemsets.PAIR_CELLS, original_itemsets.FLAG_CELLS = before
    assert small == audit(release, original=original)


def test_bits_are_counted_without_the_newer_numpy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.array([[0, 2**64 - 1], [1, 2**63 + 1]], np.uint64)
    assert original_itemsets._ones(words).tolist() == [64, 3]
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert original_itemsets._ones(words).tolist() == [64, 3]
