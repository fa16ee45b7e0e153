"""Supports in closed form, against every reconstruction of small trees, and against drawn ones of larger releases."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.answers import Support
from shoal.analyse.disassociated.supports import estimate, support, supports
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records
from tests.oracles.reconstruction import distribution


def chunk_of(draw, domain, most):
    """A chunk of up to so many subrecords over the domain."""
    rows = draw(st.lists(st.frozensets(st.sampled_from(domain), min_size=1), min_size=1, max_size=most))
    return [frozenset(row) for row in rows]


@st.composite
def leaf(draw, most=3):
    size = draw(st.integers(1, most))
    names = draw(st.permutations("abcdef"))
    n_terms, first, second = draw(st.integers(0, 2)), draw(st.integers(0, 2)), draw(st.integers(0, 2))
    chunks = [chunk_of(draw, names[at : at + n], size) for at, n in ((0, first), (2, second)) if n]
    return size, chunks, frozenset(names[4 : 4 + n_terms])


def terms_below(node):
    return node[2] if len(node) == 3 else frozenset().union(*map(terms_below, node[0]))


@st.composite
def joint(draw, children):
    """Two shared chunks, of items that are in no term chunk below; they may be closed to some leaves."""
    free = sorted(set("abcdefgh") - terms_below((children, [])))
    names = draw(st.permutations(free))
    domains = [names[:2], names[2:3]]
    return children, [chunk_of(draw, domain, 2) for domain in domains if domain]


@st.composite
def trees(draw):
    """One leaf, or a joint of two, or a joint of such a joint and a third."""
    leaves = [draw(leaf(2 if number else 3)) for number in range(draw(st.integers(1, 3)))]
    if len(leaves) == 1:
        return leaves[0]
    lower = draw(joint(leaves[:2]))
    return lower if len(leaves) == 2 else draw(joint([lower, leaves[2]]))


NESTED = (
    [([(1, [["a"]], "x"), (2, [["ab"]], "y")], [["cd"], ["e"]]), (2, [["c"]], "z")],
    [["f", "fg"], ["h", "h"]],
)
# An item that is closed to one leaf, beside another that is closed to the other: no class lies inside another.
CROSSED = ([(2, [["a", "a"]], ""), (2, [["b", "b"]], ""), (2, [], "z")], [["a", "b", "c"]])
# One of the two subrecords with item c can go to all leaves, the other not to the one that has item a elsewhere.
HALF_CLOSED = ([(2, [["a", "a"]], ""), (2, [["b", "b"]], ""), (1, [["h"]], "z")], [["ac", "c", "f"]])


def as_sets(node):
    if len(node) == 3:
        return node[0], [[frozenset(row) for row in chunk] for chunk in node[1]], frozenset(node[2])
    return [as_sets(child) for child in node[0]], [[frozenset(row) for row in chunk] for chunk in node[1]]


def enumerated(worlds, wanted, unwanted=frozenset()):
    """The mean and variance of a support over all reconstructions, and its least and greatest value."""
    chances: Counter[int] = Counter()
    for world, chance in worlds.items():
        chances[sum(wanted <= row and not unwanted & row for row in world)] += chance
    mean = sum(count * chance for count, chance in chances.items())
    variance = sum((count - mean) ** 2 * chance for count, chance in chances.items())
    return mean, variance, min(chances), max(chances)


def check_against_all_reconstructions(node, k, term_items, queries):
    worlds = distribution(node, k=k if term_items == "uniform" else None, may_be_empty=True)
    worlds = {world: float(chance) for world, chance in worlds.items()}
    if not worlds:  # a chunk finds no room
        return
    release = disassociated([node], k=k)
    known = set(release.words)
    simple = len(node) == 3
    for have, lack in queries:
        wanted, unwanted = frozenset(have) & known, frozenset(lack) & known - frozenset(have)
        if not wanted | unwanted:
            continue
        found = support(release, wanted, without=unwanted, term_items=term_items)
        mean, variance, least, most = enumerated(worlds, wanted, unwanted)
        assert found.expected == pytest.approx(mean, abs=1e-9)
        assert found.deviation**2 == pytest.approx(variance, abs=1e-7)
        assert found.least <= least
        assert most <= found.most
        # The model has term items in all numbers of records that are possible, so that a leaf's bounds are attained.
        if simple and term_items == "uniform":
            assert (found.least, found.most) == (least, most)


queries = st.lists(
    st.tuples(
        st.frozensets(st.sampled_from("abcdefgh"), max_size=3), st.frozensets(st.sampled_from("abcdef"), max_size=2)
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=50)
@given(trees(), st.sampled_from(["once", "uniform"]), queries)
def test_mean_variance_and_bounds_are_those_of_all_reconstructions(node, term_items, asked):
    check_against_all_reconstructions(node, 3, term_items, asked)


@pytest.mark.parametrize("node", [NESTED, CROSSED, HALF_CLOSED], ids=["nested", "crossed", "half closed"])
@pytest.mark.parametrize("term_items", ["once", "uniform"])
def test_nested_joints_with_shared_chunks_and_terms(node, term_items):
    sets = as_sets(node)
    asked = [(set(pair), set()) for n in (1, 2, 3) for pair in combinations("acefhyz", n)]
    check_against_all_reconstructions(sets, 3, term_items, asked[::2])


def test_bounds_are_attained_in_a_simple_cluster():
    release = disassociated([(5, [["a"] * 4, ["b"] * 3], "xy")], k=3)
    assert support(release, "ab") == Support(2, 3, pytest.approx(12 / 5), pytest.approx(0.48989794))
    assert support(release, "ax").least == 0
    assert support(release, "ax").most == 2  # x is in at most k - 1 records
    assert support(release, "a", without="b").least == 1


@given(st.lists(records(3, 8, "abcde"), min_size=1, max_size=3), st.integers(1, 3))
def test_the_original_lies_within_the_bounds(parts, m):
    release = publish_given(parts, 2, m)
    rows = [row for part in parts for row in part]
    itemsets = [frozenset(pair) for n in (1, 2, 3) for pair in combinations(sorted(set().union(*rows)), n)]
    for items, found in zip(itemsets, supports(release, itemsets), strict=True):
        true = sum(items <= row for row in rows)
        assert found.least <= true <= found.most


@pytest.mark.parametrize("term_items", ["once", "uniform"])
def test_drawn_reconstructions_average_to_the_expectation(term_items):
    baskets = shoal.quest(600, mean_length=5, n_items=60, n_patterns=20, seed=3)
    release = shoal.disassociate(baskets, 3, 2)
    assert release.counts["joint_clusters"] > 0
    draws = 200
    counted = {}
    itemsets = [frozenset(pair) for pair in combinations(release.words[:25], 2)]
    for original in release.reconstruct(draws, run=Run(chance=5), term_items=term_items):
        for items in itemsets:
            counted.setdefault(items, [])
        rows = list(original)
        for items in itemsets:
            counted[items].append(sum(items <= row for row in rows))
    found = supports(release, itemsets, term_items=term_items)
    means = np.array([np.mean(counted[items]) for items in itemsets])
    deviations = np.array([np.std(counted[items]) for items in itemsets])
    # Reconstructions have no empty record, which shifts the mean a little: less than its own standard error here.
    error = np.maximum(found.deviation, 0.05) / np.sqrt(draws)
    assert np.abs(means - found.expected).max() <= 5 * error.max() + 0.05
    assert np.abs((means - found.expected) / error).mean() < 1.2
    assert np.abs(deviations - found.deviation).max() < 0.35
    assert (found.least <= np.array([min(counted[items]) for items in itemsets])).all()
    assert (found.most >= np.array([max(counted[items]) for items in itemsets])).all()


def test_many_at_once_are_the_same_as_one_by_one_and_threads_do_not_matter():
    baskets = shoal.quest(500, mean_length=5, n_items=40, n_patterns=10, seed=1)
    release = shoal.disassociate(baskets, 3, 2)
    pairs = np.array(list(combinations(range(release.counts["items"]), 2)), np.int32)
    offsets = np.arange(len(pairs) + 1) * 2
    together = estimate(release, offsets, pairs.ravel(), run=Run(engine=Threads(1)))
    apart = estimate(release, offsets, pairs.ravel(), run=Run(engine=Threads(3)))
    assert (together.expected == apart.expected).all()
    words = release.words
    for at in (0, 7, len(pairs) - 1):
        assert together[at] == support(release, [words[code] for code in pairs[at]])
    table = together.to_arrow()
    assert table.column_names == ["least", "most", "expected", "deviation"]
    assert table.num_rows == len(together) == len(pairs)


def test_what_cannot_be_asked_is_refused():
    release = disassociated([(3, [["a"] * 3], "x")], k=2)
    with pytest.raises(InputError, match="not in the release: 'tea'"):
        support(release, ["tea"])
    with pytest.raises(InputError, match="'a' is asked to be there and not to be there"):
        support(release, "a", without="a")
    with pytest.raises(InputError, match="must name 1 to 62 items"):
        support(release, [])
    with pytest.raises(InputError, match="choose one of once, uniform"):
        support(release, "a", term_items="twice")
    with pytest.raises(InputError, match="1 itemsets, but 0 collections"):
        supports(release, ["a"], without=[])
