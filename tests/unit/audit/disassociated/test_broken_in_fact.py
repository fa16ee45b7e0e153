"""Where the promise could not be shown: whether it is broken, against all possible originals; it fails either way."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit.disassociated import audit
from shoal.audit.disassociated.broken_in_fact import ENOUGH
from shoal.audit.verdict import Check, InFact, Verdict
from shoal.io.release_folder import write_release
from shoal.promises import KmAnonymity, SuppressedKm
from shoal.release.disassociated import Disassociated
from tests.making.cluster_trees import NO_ROOM, PRINTED, trees
from tests.making.disassociated_releases import disassociated
from tests.oracles import disassociation as oracle
from tests.running.commands import shoal

BROKEN = (3, [["a", "a"], ["b", "b"]], "")
"""{a, b} is in one record at most, since no record may be empty."""
HELPED = [BROKEN, (2, [["ab", "ab"]], "")]
"""Lemma 2 fails as before, and another cluster has two records with {a, b}."""


def is_kept(nodes: list[Any], k: int, m: int) -> bool:
    """The promise itself, over all possible originals of trees that do not depend on each other."""
    together: Counter[frozenset[str]] = Counter()
    for node in nodes:
        together.update(oracle.largest_supports(node, m))
    return all(most >= k for most in together.values())


def test_a_promise_that_is_broken_is_called_so_with_the_set() -> None:
    verdict = audit(disassociated([BROKEN], 2, 2))
    check = verdict["Lemma 2"]
    assert not check.holds
    assert check.in_fact is not None
    assert check.in_fact.outcome == "broken"
    assert "a record may hold {a, b}, below root cluster 0" in check.in_fact.words
    assert "no possible original has more than 1 record with it" in check.in_fact.words
    assert verdict.head.endswith("checks fail: the promise is broken")
    assert "\n          could not be shown: cluster 0 has no term chunk" in str(check)
    assert "\n          in fact broken: a record may hold {a, b}" in str(check)


def test_a_promise_that_is_kept_all_the_same_fails_too_and_says_so() -> None:
    verdict = audit(disassociated(HELPED, 2, 2))
    assert not verdict.holds
    (check,) = verdict.failures
    assert check.name == "Lemma 2"
    assert check.in_fact is not None
    assert check.in_fact.outcome == "kept"
    assert "the promise could not be shown, but is kept" in verdict.head
    assert "in fact kept: for every set of up to 2 items" in str(check)
    assert check.as_dict()["in_fact"] == {"outcome": "kept", "words": check.in_fact.words}


def test_where_more_fails_the_first_line_calls_nothing_kept() -> None:
    kept = Check("Lemma 2", "there are enough", 1, False, "cluster 0", InFact("kept", "all of them"))
    other = Check("sets", "has an item twice", 1, False, "cluster 1")
    assert Verdict((kept, other)).head == "2 of 2 checks fail"
    assert "but is kept" in Verdict((kept,)).head


@pytest.mark.parametrize(
    ("node", "k", "name"),
    [(PRINTED, 2, "Lemma 2"), (NO_ROOM, 3, "room beside restricted subrecords")],
    ids=["refined as printed", "no room"],
)
def test_joints_of_the_paper_that_break_the_promise(node: Any, k: int, name: str) -> None:
    check = audit(disassociated([node], k, 2))[name]
    assert check.in_fact is not None
    assert check.in_fact.outcome == "broken"


@given(st.lists(trees(), min_size=1, max_size=2), st.integers(2, 3), st.integers(1, 2))
def test_what_is_said_is_so_over_all_possible_originals(nodes: list[Any], k: int, m: int) -> None:
    verdict = audit(disassociated(nodes, k, m))
    possible = all(next(oracle.worlds(node), None) is not None for node in nodes)
    for check in verdict.failures:
        if check.in_fact is not None:
            assert check.name in ENOUGH
            if check.in_fact.outcome != "undecided":
                assert (check.in_fact.outcome == "kept") == (possible and is_kept(nodes, k, m))


@pytest.mark.parametrize(
    ("clusters", "why"),
    [(20_000, "root clusters are too large, or too many"), (600_000, "the release is too large")],
)
def test_what_would_take_too_much_work_is_undecided(clusters: int, why: str) -> None:
    """Each cluster fails, and looking at one of them does not tell: others may make up for it."""
    release = Disassociated(
        promise=KmAnonymity(2, 2),
        vocabulary=pa.array(["a", "b", "z"]),
        cluster_size=np.full(clusters, 2),
        cluster_parent=np.full(clusters, -1),
        chunk_owner=np.arange(clusters),
        chunk_shared=np.zeros(clusters, bool),
        chunk_offsets=np.arange(clusters + 1),
        subrecord_offsets=np.arange(clusters + 1) * 2,
        items=np.tile(np.array([0, 1], np.int32), clusters),
        term_offsets=np.arange(clusters + 1),
        term_items=np.full(clusters, 2, np.int32),
    )
    verdict = audit(release)
    assert not verdict.holds
    assert "could not be shown, and it is unknown whether it is broken" in verdict.head
    in_fact = verdict["record chunks"].in_fact
    assert in_fact is not None
    assert (in_fact.outcome, why in in_fact.words) == ("undecided", True)


def test_what_is_promised_word_for_word_is_broken_by_itself() -> None:
    """Of suppressed releases, that every set in a chunk occurs k times is the promise."""
    release = disassociated([(4, [["ab", "a", "a", "b"]], "z"), (2, [["ab", "ab"]], "z")], 2, 2)
    shown, suppressed = audit(release), audit(replace(release, promise=SuppressedKm(2, 2)))
    assert shown["record chunks"].in_fact is not None
    assert shown["record chunks"].in_fact.outcome == "kept"
    assert not suppressed["record chunks"].holds
    assert suppressed["record chunks"].in_fact is None


def test_a_release_that_is_no_release_gets_no_such_words() -> None:
    verdict = audit(disassociated([(3, [["a", "a"], ["a", "b"]], "")], 2, 2))
    assert not verdict.holds
    assert all(check.in_fact is None for check in verdict.failures)


@pytest.mark.parametrize(("nodes", "said"), [([BROKEN], "in fact broken"), (HELPED, "in fact kept")])
def test_the_command_says_no_either_way(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, nodes: list[Any], said: str
) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    write_release(disassociated(nodes, 2, 2), folder)
    code, out, _ = shoal(capfd, "verify", folder)
    assert code == 1
    assert "could not be shown" in out
    assert said in out
    code, out, _ = shoal(capfd, "verify", folder, "--json")
    assert code == 1
    (check,) = [one for one in json.loads(out)["checks"] if not one["holds"]]
    assert check["in_fact"]["outcome"] in ("broken", "kept")
