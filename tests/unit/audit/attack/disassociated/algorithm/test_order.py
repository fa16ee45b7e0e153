"""Order that leaks: planted inside chunks, across chunks and among clusters; and none in what we publish."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from shoal.audit.attack.disassociated.algorithm.order import attack_order, clusters_in_order
from shoal.audit.attack.disassociated.people.known_items import people_in
from shoal.audit.attack.finding import Finding
from shoal.data.transactions import Transactions
from shoal.publish.disassociation import disassociate
from shoal.release.disassociated import Disassociated
from tests.making.disassociated_releases import disassociated
from tests.making.transaction_strategies import transactions


def against(release: Disassociated, rows: list[Any]) -> Finding:
    people = people_in(release, Transactions.from_records(rows))
    return attack_order(release, people, np.random.default_rng(1))


def shop(seed: int, number: int) -> list[set[str]]:
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 31)
    lengths = generator.integers(1, 6, size=number)
    return [
        {f"{item:02d}" for item in generator.choice(30, size=length, replace=False, p=weights / weights.sum())}
        for length in lengths
    ]


@given(transactions(min_size=4, max_size=40))
def test_what_we_publish_is_in_an_order_computed_from_what_is_published(data: Transactions) -> None:
    release = disassociate(data, 2, 2, max_cluster_size=4)
    assert clusters_in_order(release)
    finding = attack_order(release)
    assert not finding.breaks_promise
    assert finding.numbers["items_and_subrecords_in_sorted_order"] is True
    assert finding.numbers["clusters_in_an_order_computed_from_what_is_published"] is True


def test_a_large_release_with_joints_is_in_order_and_tells_nothing_of_the_original() -> None:
    rows = shop(3, 1500)
    release = disassociate(Transactions.from_records(rows), 3, 2)
    assert release.chunk_shared.any()
    finding = against(release, rows)
    assert finding.numbers["clusters_in_an_order_computed_from_what_is_published"] is True
    chance = finding.numbers["chance_of_such_a_correlation"]
    assert isinstance(chance, float)
    assert chance > 0.001
    assert "says nothing measurable" in finding.sentence


@pytest.mark.parametrize(
    "node", [(2, [["ba", "ba"]], ""), (2, [["b", "a"]], ""), (2, [["a", "a"]], "cb")], ids=["items", "rows", "terms"]
)
def test_an_order_inside_chunks_that_is_not_the_sorted_one_breaks_the_promise(node: Any) -> None:
    finding = attack_order(disassociated([node], sort=False))
    assert finding.breaks_promise
    assert "may be the original's" in finding.sentence
    assert not attack_order(disassociated([node])).breaks_promise


def test_rows_that_were_left_side_by_side_are_found_in_the_original() -> None:
    generator = np.random.default_rng(5)
    rows = [
        {one, other} for one, other in zip(generator.permutation([*"abcdefgh"] * 5), [*"ijklmnop"] * 5, strict=True)
    ]
    first = [row & set("abcdefgh") for row in rows]
    second = [row & set("ijklmnop") for row in rows]
    finding = against(disassociated([(40, [first, second], "")], sort=False), rows)
    assert finding.breaks_promise
    assert finding.numbers["rows_put_together_across_chunks"] == 40
    assert finding.numbers["found_in_the_original_share"] == 1.0
    moved = finding.numbers["found_if_moved_on_by_one_share"]
    assert isinstance(moved, float)
    assert moved < 0.8


def test_clusters_in_the_order_of_the_original_show_as_a_correlation() -> None:
    rows = [{f"{cluster:03d}", f"{900 - cluster:03d}"} for cluster in range(60) for _ in range(3)]
    nodes = [(3, [[{f"{c:03d}", f"{900 - c:03d}"}] * 3], "") for c in range(60)]
    shuffled = [rows[number] for number in np.random.default_rng(2).permutation(len(rows))]
    told = against(disassociated(nodes), rows)
    rho = told.numbers["rank_correlation_of_clusters_with_the_original"]
    assert isinstance(rho, float)
    assert rho > 0.99
    assert told.numbers["chance_of_such_a_correlation"] == pytest.approx(0, abs=1e-9)
    # The original was in an order of content here: no alarm, but a word about it.
    assert told.numbers["rank_correlation_of_the_original_with_its_own_content"] > 0.99
    assert "any order by content is correlated with it" in told.sentence
    assert not told.breaks_promise
    silent = against(disassociated(nodes), shuffled)
    assert abs(silent.numbers["rank_correlation_of_clusters_with_the_original"]) < 0.5  # type: ignore[arg-type]
    assert "says nothing measurable" in silent.sentence


def test_clusters_out_of_order_are_seen() -> None:
    one, two, three = (2, [["a", "a"]], ""), (2, [["b", "b"]], ""), (2, [["c", "c"]], "")
    assert clusters_in_order(disassociated([one, one, two, three]))
    assert not clusters_in_order(disassociated([two, one]))
    joint = ([one, two], [["x", "x"]])
    assert clusters_in_order(disassociated([three, joint]))
    assert not clusters_in_order(disassociated([joint, three]))  # simple ones come first
    assert not clusters_in_order(disassociated([([two, one], [["x", "x"]])]))
    higher = ([one, ([two, three], [["y", "y"]])], [["x", "x"]])
    assert clusters_in_order(disassociated([joint, higher]))
    assert not clusters_in_order(disassociated([higher, joint]))
    assert "the order of clusters is unknown" in attack_order(disassociated([two, one])).sentence
    release = disassociated([one, two])
    assert not clusters_in_order(replace(release, chunk_owner=release.chunk_owner[::-1].copy()))


def test_without_anybody_to_compare_there_is_no_correlation() -> None:
    finding = against(disassociated([(2, [["a", "a"]], "")]), [{"a"}, {"a"}])
    assert finding.numbers["rank_correlation_of_clusters_with_the_original"] is None
    assert finding.numbers["chance_of_such_a_correlation"] is None


def test_a_long_chain_of_joints_takes_no_time() -> None:
    length = 20_000
    release = disassociated([(2, [["a", "a"]], "")])
    chain = replace(
        release,
        cluster_size=np.full(length, 2, np.int64),
        cluster_parent=np.arange(-1, length - 1, dtype=np.int64),
        chunk_owner=np.array([length - 1], np.int64),
        term_offsets=np.zeros(length + 1, np.int64),
    )
    started = time.process_time()
    assert clusters_in_order(chain)
    assert time.process_time() - started < 10
