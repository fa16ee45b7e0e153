"""The publisher's own count of valid values, against all assignments."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.kernels.valid_values import valid_values
from tests.oracles import matching

NAMES = "abcde"


@st.composite
def groups(draw):
    """Rows with their values and what is excluded for each, which may be its own value."""
    values = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
    excluded = [draw(st.frozensets(st.sampled_from(NAMES), max_size=4)) for _ in values]
    if draw(st.booleans()):
        excluded = [e - {v} for e, v in zip(excluded, values, strict=True)]
    return excluded, values


def found(excluded, values):
    kinds = list(dict.fromkeys(excluded))
    shut = np.array([[name in kind for name in NAMES] for kind in kinds], np.uint8)
    held = np.zeros(shut.shape, np.int64)
    for e, v in zip(excluded, values, strict=True):
        held[kinds.index(e), NAMES.index(v)] += 1
    # A value that nobody holds is no value of the group.
    there = held.sum(axis=0) > 0
    held, shut = np.ascontiguousarray(held[:, there]), np.ascontiguousarray(shut[:, there])
    before = held.copy()
    valid = valid_values(held.ravel(), shut.ravel(), *held.shape).reshape(held.shape)
    names = [name for name, here in zip(NAMES, there, strict=True) if here]
    return [{name for name, ok in zip(names, valid[kinds.index(e)], strict=True) if ok} for e in excluded], before, held


@settings(max_examples=400)
@given(groups())
@example(([frozenset("a"), frozenset("a")], ["a", "b"]))  # nobody can have a
@example(([frozenset("a"), frozenset("b"), frozenset("c")], ["a", "b", "c"]))  # all must move on
@example(([frozenset("a"), frozenset("b"), frozenset("b")], ["b", "b", "a"]))
def test_valid_values_are_those_of_all_assignments(group):
    excluded, values = group
    valid, before, after = found(excluded, values)
    assert valid == matching.valid_values(excluded, values)
    if any(valid):
        assert before.sum(axis=0).tolist() == after.sum(axis=0).tolist()
        assert before.sum(axis=1).tolist() == after.sum(axis=1).tolist()
        assert (after >= 0).all()


def test_one_female_among_males_gives_her_away():
    # Li and Li, section V: l male rows and one female; one value is hers alone.
    excluded = [frozenset(), *[frozenset("a")] * 3]
    assert found(excluded, ["a", "b", "c", "d"])[0] == [{"a"}, *[set("bcd")] * 3]
