"""Attacks on generalized releases: what groups give away, what filling brings back, and what a learner gets right."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.generalized import attack
from shoal.audit.attack.generalized.named_values import NAME as NAMED
from shoal.data.table import Table
from shoal.errors import InputError
from shoal.release.generalized import Generalized
from shoal.run import Run
from tests.making.generalized_releases import flat_tree, generalized, table
from tests.oracles import associations as oracle

TREE = flat_tree("abcd")
NAMES = ["q", "s", "t"]
Row = tuple[str, ...]


def released(rows: Sequence[Row], **options: Any) -> Generalized:
    return generalized(rows, {"q": flat_tree("xyz"), "s": TREE, "t": TREE}, 1, **options)


def people(rows: Sequence[Row]) -> Table:
    return table(rows, NAMES, 1)


def test_without_a_promise_what_groups_give_away_is_no_fault() -> None:
    found = attack(released([("x", "a", "b"), ("x", "a", "b"), ("x", "c", "d"), ("y", "a", "b"), ("y", "c", "d")]))
    finding = found["associations"]
    assert not found.breaks_promise
    assert "2 of 2 groups disclose an association" in finding.sentence
    assert "The release promises nothing about this." in finding.sentence
    strongest: Any = finding.numbers["strongest"]
    assert len(strongest) == 5
    assert strongest[0]["confidence_share"] == 1.0
    assert finding.numbers["rows_share"] == 1.0
    # Nothing is hidden; what needs the original or another release is said.
    assert [entry.name for entry in found.left_out] == [NAMED, "second release"]
    json.dumps(found.as_dict())
    assert "knowing" in str(found)


def test_with_a_promise_an_association_breaks_it() -> None:
    rows = [("x", "a", "b"), ("x", "a", "b"), ("x", "c", "d"), ("x", "d", "a"), ("x", "b", "c")]
    found = attack(released(rows, hide=(0.3, 0.5)))
    assert found.breaks_promise
    # Values reach 40 %; s a goes with t b in both rows, each way.
    numbers = found["associations"].numbers
    assert (numbers["values"], numbers["rules"], numbers["rules_from_absence"]) == (0, 2, 0)
    assert "with 100% (2 of 2 rows)" in found["associations"].sentence


FILLABLE = [("x", "a", "b"), ("x", "a", "c"), ("x", "*", "d"), ("x", "*", "a"), ("x", "b", "*")]
TRUE = [("x", "a", "b"), ("x", "a", "c"), ("x", "a", "d"), ("x", "a", "a"), ("x", "b", "b")]


def test_filling_breaks_a_promise_that_speaks_of_it_only() -> None:
    plain = attack(released(FILLABLE, hide=(0.3, 0.6)), fill=True)
    assert not plain.breaks_promise
    assert "The promise does not cover this." in plain["filling"].sentence
    assert plain["filling"].numbers["values"] == 1
    assert "right_share" not in plain["filling"].numbers
    assert plain["filling"].residual is None
    broken = attack(released(FILLABLE, hide=(0.3, 0.6), resists=True), fill=True)
    assert [finding.name for finding in broken.findings if finding.breaks_promise] == ["filling"]
    held = attack(
        released([("x", "a", "b"), ("x", "b", "c"), ("x", "*", "d")], hide=(0.9, 0.9), resists=True), fill=True
    )
    assert not held.breaks_promise
    assert "The promise covers this." in held["filling"].sentence


def test_with_the_original_guesses_are_counted() -> None:
    seen: list[tuple[str, int, int]] = []
    found = attack(
        released(FILLABLE, hide=(0.3, 0.6)),
        fill=True,
        original=people(TRUE),
        run=Run(progress=lambda *step: seen.append(step)),
    )
    numbers = found["filling"].numbers
    # s a twice; t: the first of a, b, c, d, which are shown once each, where it was b.
    assert (numbers["hidden_cells"], numbers["filled_cells"]) == (3, 3)
    assert numbers["right_share"] == pytest.approx(2 / 3)
    assert str(found["filling"].residual).startswith(
        "66.7 % of the hidden cells are right once each is filled with the most frequent value"
    )
    assert numbers["most_frequent_of_all_share"] == pytest.approx(2 / 3)
    # s is a in 4 of 5 rows; without s a there is t b, and without t b there is s a: b is guessed to be a.
    assert (numbers["associations_of_original"], numbers["associations_back"]) == (3, 1)
    assert seen[-1] == ("learnt filling", 4, 4)


@st.composite
def hidden_rows(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Rows of one to three groups, and the same with some sensitive cells hidden."""
    row = st.tuples(st.sampled_from("xyz"), st.sampled_from("abc"), st.sampled_from("abc"))
    rows = draw(st.lists(row, min_size=2, max_size=12))
    flags = [(draw(st.booleans()), draw(st.booleans())) for _ in rows]
    hidden = [
        (row[0], *("*" if flag else cell for cell, flag in zip(row[1:], cells, strict=True)))
        for row, cells in zip(rows, flags, strict=True)
    ]
    return rows, hidden


@given(hidden_rows())
@settings(max_examples=150, deadline=None)
def test_filling_by_definition(drawn: tuple[list[Row], list[Row]]) -> None:
    """Right guesses, and associations of the original that come back, as counted row by row in flat trees."""
    rows, hidden = drawn
    cells = sum(cell == "*" for row in hidden for cell in row[1:])
    found = attack(released(hidden), fill=True, original=people(rows))
    if not cells:
        assert [entry.name for entry in found.left_out] == ["filling", "learnt filling", "second release"]
        return
    tree = [{"*": None, "a": "*", "b": "*", "c": "*"}] * 2
    back = before = after = right = 0
    for group in sorted({row[0] for row in rows}):
        shown = [row[1:] for row in hidden if row[0] == group]
        true = [row[1:] for row in rows if row[0] == group]
        filled = oracle.fill(shown, tree)
        right += sum(
            was == "*" and guess == value
            for one, two, three in zip(shown, filled, true, strict=True)
            for was, guess, value in zip(one, two, three, strict=True)
        )
        ours = oracle.associations(filled, tree, 0.1, 0.5, filled=True)
        theirs = oracle.associations(true, tree, 0.1, 0.5, filled=True)
        before, after, back = before + len(theirs), after + len(ours), back + len(ours.keys() & theirs.keys())
    numbers = found["filling"].numbers
    assert numbers["associations"] == after
    assert numbers["associations_of_original"] == before
    assert numbers["associations_back"] == back
    assert numbers["right_share"] == pytest.approx(right / cells)


def crowd(telling: bool, seed: int = 3) -> tuple[list[Row], list[Row]]:
    """Groups in which s is any value, and t tells it, or is drawn by itself; some cells of s are hidden."""
    chance = random.Random(seed)
    rows = []
    for _ in range(1_500):
        value = chance.choice("abcd")
        rows.append((chance.choice("xyz"), value, value if telling else chance.choice("abcd")))
    hidden = [(row[0], "*" if chance.random() < 0.3 else row[1], row[2]) for row in rows]
    return rows, hidden


def test_the_learner_is_right_where_another_column_tells_and_at_the_base_rate_where_none_does() -> None:
    rows, hidden = crowd(telling=True)
    found = attack(released(hidden), fill=True, original=people(rows))
    assert found["learnt filling"].numbers["right_share"] == 1.0
    assert 0.15 < found["filling"].numbers["right_share"] < 0.4
    rows, hidden = crowd(telling=False)
    found = attack(released(hidden), fill=True, original=people(rows))
    learnt = found["learnt filling"].numbers["right_share"]
    base = found["learnt filling"].numbers["most_frequent_of_all_share"]
    assert abs(learnt - base) < 0.1
    assert 0.15 < learnt < 0.35
    assert not found.breaks_promise


def test_the_learner_learns_across_groups_and_stays_below_the_hidden_node() -> None:
    """Group (y, n) shows nothing below u, and c most often: what goes with n elsewhere is the guess."""
    tree = {"*": None, "u": "*", "a": "u", "b": "u", "c": "*"}
    trees = {"q": flat_tree("xy"), "r": flat_tree("mn"), "s": tree}
    rows = (
        [("x", "m", "a")] * 6
        + [("x", "n", "b")] * 6
        + [("y", "m", "c")] * 3
        + [("y", "n", "u")] * 3
        + [("y", "n", "c")] * 5
    )
    true = (
        [("x", "m", "a")] * 6
        + [("x", "n", "b")] * 6
        + [("y", "m", "c")] * 3
        + [("y", "n", "b")] * 3
        + [("y", "n", "c")] * 5
    )
    found = attack(generalized(rows, trees, 2), fill=True, original=table(true, ["q", "r", "s"], 2))
    assert found["learnt filling"].numbers["right_share"] == 1.0
    assert found["filling"].numbers["right_share"] == 0.0
    assert found["filling"].numbers["filled_cells"] == 0


def test_what_cannot_be_tried_is_said() -> None:
    release = released(FILLABLE)
    left = {entry.name: entry.why for entry in attack(release).left_out}
    assert list(left) == [NAMED, "filling", "second release"]
    assert "--fill" in left["filling"]
    assert "--other" in left["second release"]
    assert "filling" in {entry.name for entry in attack(release, original=people(TRUE)).left_out}
    bare = generalized([("x",), ("x",)], {"q": flat_tree("xy")}, 1)
    assert attack(bare, fill=True).left_out[1].why == "the release has no sensitive column"
    beside = attack(release, original=people(TRUE))
    assert beside[NAMED].numbers["named"] > 0
    with pytest.raises(InputError, match="not made from this original"):
        attack(release, fill=True, original=people([("x", "c", "b"), *TRUE[1:]]))
    with pytest.raises(InputError, match="not have the structure"):
        attack(replace(release, group_offsets=np.array([0, 2, 4], np.int64)))


def test_more_work_than_an_attack_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.audit.attack.generalized import filling, group_associations
    from shoal.audit.budget import Budget

    release = released([("x", "a", "b"), ("x", "a", "c"), ("x", "b", "*"), ("y", "a", "b"), ("y", "d", "*")])
    whole = attack(release)["associations"].numbers
    for allowed, least in ((230, True), (1, False)):
        monkeypatch.setattr(group_associations, "allowance", lambda _, allowed=allowed: Budget(allowed))
        found = attack(release)
        if least:
            assert "The strongest of at least " in found["associations"].sentence
            assert found["associations"].numbers["groups"] == whole["groups"]
        else:
            assert "associations" in {entry.name for entry in found.left_out}
    monkeypatch.setattr(filling, "allowance", lambda _: Budget(1))
    assert {entry.name for entry in attack(release, fill=True).left_out} == {
        NAMED,
        "second release",
        "associations",
        "filling",
        "learnt filling",
    }
