"""Rows that are left over: each goes where it clashes with fewest rows; groups are merged only where it takes that."""

import numpy as np

from shoal.kernels.leftover_rows import place_leftovers

VALUES = 5


def placed(picks, leftovers, l, excluded=None):  # noqa: E741
    """Classes are values here, of one kind unless ``excluded`` says for each what it excludes for its kind."""
    flags = np.zeros((VALUES, VALUES), np.uint8)
    for kind, values in (excluded or {}).items():
        flags[kind, list(values)] = 1
    every = np.arange(VALUES)
    groups = place_leftovers(
        every, every, np.array(picks, np.int64), flags.ravel(), VALUES, l, np.array(leftovers, np.int64)
    )
    return groups.tolist()[len(picks) :], groups.tolist()[: len(picks)]


def test_rows_go_to_groups_without_their_value_and_are_spread():
    # Two groups have no 2 at first; the third one then clashes everywhere once, and the first group is the first.
    where, before = placed([0, 1, 0, 1, 0, 2], [2, 2, 2], 2)
    assert where == [0, 1, 0]
    assert before == [0, 0, 1, 1, 2, 2]


def test_a_row_goes_where_it_finds_values_that_it_can_have():
    # Who has 3 cannot have 0 or 1: there are two values for it in the group that has 2.
    where, before = placed([0, 1, 0, 1, 1, 2], [3], 2, {3: {0, 1}})
    assert where == [2]
    assert before == [0, 0, 1, 1, 2, 2]


def test_a_group_with_too_few_values_is_merged_with_what_is_new_to_it():
    # In each group one value remains for who has 3; it takes those of the last one, too.
    where, before = placed([0, 1, 2, 0, 1, 2, 0, 1, 4], [3], 3, {3: {0, 1}})
    assert where == [0]
    assert before == [0, 0, 0, 1, 1, 1, 0, 0, 0]


def test_a_value_that_nobody_else_can_have_is_no_exchange():
    # Who has 3 could have 0, 1 and 2, but none of these could have 3; only by way of who has 4 is it free to move.
    where, before = placed([0, 1, 2, 0, 1, 4], [3], 3, {0: {3}, 1: {3}, 2: {3}, 3: {4}})
    assert where == [0]
    assert before == [0] * 6
