"""Recodings of one table, played together, against all tables of these people that both may be of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.attack.generalized import attack, second_release
from shoal.errors import InputError
from shoal.release.generalized import Generalized
from tests.making.generalized_releases import flat_tree, generalized, table
from tests.oracles import several_releases as oracle

NAME = "second release"
TREE = {"*": None, "L": "*", "R": "*", "a": "L", "b": "L", "c": "R", "d": "R"}
ACROSS = {"*": None, "E": "*", "O": "*", "a": "E", "c": "E", "b": "O", "d": "O"}
ILL = flat_tree("xyz")
Row = tuple[str, str]


def released(rows: Sequence[Row], tree: dict[str, str | None], suppressed: int = 0) -> Generalized:
    return generalized(rows, {"q": tree, "ill": ILL}, 1, suppressed=suppressed, cut=False)


def recode(rows: Sequence[Row], tree: dict[str, str | None], up: Sequence[int], hidden: Sequence[bool]) -> list[Row]:
    """Each row with its description taken up so many steps, and its value hidden or not."""
    shown = []
    for (who, value), steps, hide in zip(rows, up, hidden, strict=True):
        node = who
        for _ in range(steps):
            node = tree[node] or node
        shown.append((node, "*" if hide else value))
    return shown


def played(rows: Sequence[Row], *releases: tuple[Sequence[Row], int, dict[str, str | None]]) -> dict[str, Any]:
    found = attack(
        released(releases[0][0], releases[0][2], releases[0][1]),
        others=[released(shown, tree, suppressed) for shown, suppressed, tree in releases[1:]],
        original=table(rows, ["q", "ill"], 1),
    )[NAME]
    people = [who for who, _ in rows]
    values = sorted({value for _, value in rows})
    possible = oracle.recoded_values(people, values, [(shown, n, [tree, ILL]) for shown, n, tree in releases])
    times = Counter(people)
    unique, everybody = found.numbers["descriptions"]
    for row, who in ((unique, [w for w in times if times[w] == 1]), (everybody, list(times))):
        assert row["people"] == sum(times[w] for w in who)
        assert row["one_value_and_right"] == row["one_value"] <= sum(times[w] for w in who if len(possible[w]) == 1)
        if row["people"]:
            assert row["values_by_all_releases"] >= sum(times[w] * len(possible[w]) for w in who) / row["people"] - 1e-9
    return {"found": unique, "possible": sum(len(possible[w]) == 1 for w in times if times[w] == 1)}


ROWS = [("a", "x"), ("b", "y"), ("c", "y"), ("d", "z")]


def test_two_groups_leave_the_value_that_both_hold() -> None:
    one = recode(ROWS, TREE, [1] * 4, [False] * 4)
    other = recode(ROWS, ACROSS, [1] * 4, [False] * 4)
    found = played(ROWS, (one, 0, TREE), (other, 0, ACROSS))
    # L holds x and y, E holds x and y: a is left with both; d has y or z in R and in O.
    assert found["found"]["one_value_by_one_release"] == 0
    swapped = [("a", "x"), ("b", "y"), ("c", "z"), ("d", "x")]
    one, other = (recode(swapped, tree, [1] * 4, [False] * 4) for tree in (TREE, ACROSS))
    found = played(swapped, (one, 0, TREE), (other, 0, ACROSS))
    # Both have x in common for a and for d. That b and c must then have the rest, a cleverer adversary finds.
    assert (found["found"]["one_value"], found["possible"]) == (2, 4)
    alone = attack(released(one, TREE), others=[released(one, TREE)], original=table(swapped, ["q", "ill"], 1))[NAME]
    assert alone.numbers["descriptions"][0]["one_value"] == 0
    assert alone.sentence.startswith("Of the 4 people with a unique description, 0.0% have one possible value")


def test_who_may_be_suppressed_may_have_any_value() -> None:
    rows = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")]
    # Of L only one row is published: either of both people may be the suppressed one, who may have any value.
    shown = [("L", "x"), ("R", "y"), ("R", "z")]
    found = played(rows, (shown, 1, TREE), (shown, 1, TREE))
    assert found["found"]["one_value"] == 0
    assert found["found"]["values_by_the_first_release"] == (3 + 3 + 2 + 2) / 4
    # Of a group with all people that fit it, none is.
    found = played(rows, ([("L", "x"), ("L", "x"), ("R", "y")], 1, TREE), ([("*", v) for _, v in rows], 0, TREE))
    assert found["found"]["one_value"] == found["possible"] == 2


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=2, max_size=4), st.data())
def test_nothing_that_is_possible_is_excluded(rows: list[Row], data: st.DataObject) -> None:
    releases = []
    for tree in (TREE, data.draw(st.sampled_from([TREE, ACROSS]))):
        size = len(rows)
        up = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
        hidden = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
        shown = recode(rows, tree, up, hidden)
        left = data.draw(st.integers(0, 1))
        releases.append((shown[left:], left, tree))
    played(rows, *releases)


def test_each_sensitive_column_is_told_by_itself() -> None:
    rows = [("L", "x", "z"), ("L", "y", "z")]
    trees = {"q": TREE, "ill": ILL, "sad": flat_tree("xyz")}
    release = generalized(rows, trees, 1, cut=False)
    found = attack(release, others=[release], original=table([("a", "x", "z"), ("b", "y", "z")], list(trees), 1))
    assert found[f"{NAME}: ill"].numbers["descriptions"][0]["one_value"] == 0
    assert found[f"{NAME}: sad"].numbers["descriptions"][0]["one_value"] == 2


def test_releases_of_different_tables_are_refused() -> None:
    first = released(recode(ROWS, TREE, [1] * 4, [False] * 4), TREE)
    with pytest.raises(InputError, match="has 3 rows, suppressed ones included, and the first 4"):
        attack(first, others=[released([("L", "x"), ("L", "y"), ("R", "y")], TREE)])
    with pytest.raises(InputError, match="has no quasi-identifier 'q'"):
        attack(first, others=[generalized([("L", "x")] * 4, {"age": TREE, "ill": ILL}, 1)])
    with pytest.raises(InputError, match="has a sensitive column 'sad', which the first one lacks"):
        attack(first, others=[generalized([("L", "x", "x")] * 4, {"q": TREE, "ill": ILL, "sad": ILL}, 1)])
    other = released([("L", "z"), ("L", "z"), ("R", "y"), ("R", "z")], TREE)
    with pytest.raises(InputError, match="the other release was not made from this original: a person has a ill"):
        attack(first, others=[other], original=table(ROWS, ["q", "ill"], 1))


def test_what_cannot_be_tried_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    release = released(recode(ROWS, TREE, [1] * 4, [False] * 4), TREE)

    def why(**options: Any) -> str:
        return next(entry.why for entry in attack(release, **options).left_out if entry.name == NAME)

    assert "--other RELEASE" in why()
    assert "only the original shows" in why(others=[release])
    bare = generalized([("L",)] * 2, {"q": TREE}, 1)
    left = attack(bare, others=[bare], original=table([("a",), ("b",)], ["q"], 1)).left_out
    assert left[-1].why == "the releases have no sensitive column"
    monkeypatch.setattr(second_release, "_LARGEST", 3)
    assert "too much work" in why(others=[release], original=table(ROWS, ["q", "ill"], 1))
