"""Injector's groups, step by step: each seed and each class that joins is one that the rule allows."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data.frozen import frozen
from shoal.kernels.compatible_groups import DONE, LEFT, PICKED, STATE, Classes, Rows, form_groups

NONE, TWO = frozenset(), frozenset({2})


def formed(classes, counts, n_values, l, printed, limit=3):  # noqa: E741
    """The groups, and how many rows of each class were stranded, or are left."""
    kinds = sorted({excluded for _, excluded in classes}, key=sorted)
    excluded = np.array([[v in kind for v in range(n_values)] for kind in kinds], np.uint8)
    value = np.array([v for v, _ in classes], np.int64)
    kind = np.array([kinds.index(e) for _, e in classes], np.int64)
    left = np.array(counts, np.int64)
    barring = np.zeros((n_values, n_values), np.int64)
    for c in range(len(classes)):
        barring[value[c]] += excluded[kind[c]] * left[c]
    order = np.lexsort((-left, value))
    frequency = np.bincount(value, left, minlength=n_values).astype(np.int64)
    rows = Rows(left, frequency, barring.ravel(), order, np.argsort(order))
    offsets = np.searchsorted(value, np.arange(n_values + 1))
    state = np.zeros(STATE, np.int64)
    state[LEFT] = left.sum()
    ranking, stranded, picks = np.empty(len(value), np.int64), np.zeros_like(left), np.empty(left.sum(), np.int64)
    while not state[DONE]:
        form_groups(
            Classes(*map(frozen, (value, kind, offsets, excluded.ravel()))),
            *(rows, l, int(printed), limit, ranking, stranded, picks, state),
        )
    groups = picks[: state[PICKED]].reshape(-1, l).tolist()
    return groups, stranded.tolist(), left.tolist()


def clash(one, other):
    return one[0] == other[0] or other[0] in one[1] or one[0] in other[1]


def attempts(classes, left, group, l, printed):  # noqa: E741
    """All groups that one that was begun may become; shorter than l where it cannot be filled."""
    allowed = joiners(classes, left, group, printed) if len(group) < l else []
    if not allowed:
        yield group
    for chosen in allowed:
        fewer = [n - (c == chosen) for c, n in enumerate(left)]
        yield from attempts(classes, fewer, [*group, chosen], l, printed)


def is_possible(classes, counts, l, groups, printed, end):  # noqa: E741
    """Whether the groups may have been made as the rules say, with these rows stranded and left in the end.

    Where several classes are as good, any of them may join; of groups that could not be filled nothing is on record.
    """
    states = {(tuple(counts), (0,) * len(counts), 0)}
    ends = set()
    while states:
        left, stranded, done = states.pop()
        if sum(left) < l:
            ends.add((stranded, left, done))
            continue
        clashing = [sum(left[o] for o in range(len(left)) if clash(one, classes[o])) for one in classes]
        seed = min((c for c in range(len(left)) if left[c]), key=lambda c: (-clashing[c], c))
        without = tuple(n - (c == seed) for c, n in enumerate(left))
        for group in attempts(classes, without, [seed], l, printed):
            if len(group) < l:
                states.add((without, tuple(n + (c == seed) for c, n in enumerate(stranded)), done))
            elif done < len(groups) and group == groups[done]:
                states.add((tuple(n - (c in group) for c, n in enumerate(left)), stranded, done + 1))
    return (*map(tuple, end), len(groups)) in ends


def joiners(classes, left, group, printed):
    fits = [c for c in range(len(left)) if left[c] and not any(clash(classes[c], classes[member]) for member in group)]
    if not fits:
        return []
    if printed:
        lost = {c: sum(left[o] for o in fits if clash(classes[c], classes[o])) for c in fits}
        return [min(c for c in fits if lost[c] == min(lost.values()))]
    frequency = {v: sum(n for (w, _), n in zip(classes, left, strict=True) if w == v) for v, _ in classes}
    value = min({classes[c][0] for c in fits}, key=lambda v: (-frequency[v], v))
    most = max(left[c] for c in fits if classes[c][0] == value)
    return [c for c in fits if classes[c][0] == value and left[c] == most]


@st.composite
def tables(draw):
    n_values = draw(st.integers(2, 5))
    kinds = st.frozensets(st.integers(0, n_values - 1), max_size=2)
    found = draw(st.sets(st.tuples(st.integers(0, n_values - 1), kinds), min_size=1, max_size=7))
    classes = sorted(((v, e - {v}) for v, e in found), key=lambda c: (c[0], sorted(c[1])))
    classes = list(dict.fromkeys(classes))
    counts = [draw(st.integers(1, 5)) for _ in classes]
    return classes, counts, n_values


@given(tables(), st.integers(2, 4), st.booleans())
@example(([(0, frozenset()), (1, frozenset({2})), (2, frozenset())], [3, 2, 2], 3), 2, False)
@example(([(1, NONE), (1, TWO), (2, NONE), (3, NONE), (3, frozenset({1})), (4, NONE)], [1, 1, 3, 1, 1, 1], 5), 4, False)
def test_seeds_and_joiners_are_what_the_rules_say(table, l, printed):  # noqa: E741
    classes, counts, n_values = table
    groups, stranded, left = formed(classes, counts, n_values, l, printed)
    assert is_possible(classes, counts, l, groups, printed, (stranded, left))


def test_the_printed_rule_spends_rare_values_first_and_strands_the_frequent_ones():
    classes = [(v, frozenset()) for v in range(4)]
    assert formed(classes, [1, 1, 2, 2], 4, 3, printed=False) == ([[2, 3, 0], [1, 2, 3]], [0] * 4, [0] * 4)
    groups, stranded, left = formed(classes, [1, 1, 2, 2], 4, 3, printed=True)
    assert groups == [[2, 0, 1]]
    assert sum(stranded) + sum(left) == 3


def test_a_thousand_rows_with_a_stale_ranking_are_still_compatible():
    rng = np.random.default_rng(3)
    classes = list(dict.fromkeys((v, frozenset(rng.choice(8, 2).tolist()) - {v}) for v in range(8) for _ in range(6)))
    classes.sort(key=lambda c: (c[0], sorted(c[1])))
    counts = rng.integers(1, 60, len(classes)).tolist()
    groups, stranded, left = formed(classes, counts, 8, 3, printed=False, limit=1000)
    for group in groups:
        assert not any(clash(classes[a], classes[b]) for i, a in enumerate(group) for b in group[:i])
    used = np.bincount(np.ravel(groups), minlength=len(classes))
    assert (used + stranded + left).tolist() == counts
