"""In how many records an item of a term chunk may be: against every small cluster, and what answers say of it."""

from collections import defaultdict
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.analyse.answers import Support
from shoal.analyse.disassociated.mine import expected_itemsets
from shoal.analyse.disassociated.supports import support, supports
from shoal.analyse.disassociated.term_chunks import model_words, most_possible
from shoal.promises import LDiversity
from shoal.release.manifest import Dropped
from shoal.run import Run
from tests.making.disassociated_releases import disassociated
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records

SETS = [frozenset(chosen) for n in (1, 2, 3) for chosen in combinations("abc", n)]


def real_numbers(rows, release):
    """In how many records each term-chunk item of a release of one cluster really is."""
    return [sum(release.words[code] in row for row in rows) for code in release.term_items.tolist()]


@pytest.mark.parametrize(("k", "m", "size"), [(2, 1, 4), (2, 2, 4), (2, 2, 5), (3, 2, 4), (3, 2, 5), (3, 3, 5)])
def test_the_most_records_of_a_term_item_are_those_over_all_originals_of_small_releases(k, m, size):
    """Every cluster of so many records over three items is published; those with the same release are compared."""
    told, reached = {}, defaultdict(int)
    for rows in combinations_with_replacement(SETS, size):
        release = publish_given([rows], k, m)
        arrays = (release.chunk_offsets, release.subrecord_offsets, release.items, release.term_items)
        form = str([release.words, *(part.tolist() for part in arrays)])
        for at, real in enumerate(real_numbers(rows, release)):
            told[form, at] = int(most_possible(release)[at])
            reached[form, at] = max(reached[form, at], real)
    assert told
    assert all(reached[case] <= most for case, most in told.items())
    # Neither "always fewer than k" nor "to all if it is alone" would do: the first is exceeded, the second too wide.
    assert any(reached[case] >= k for case in told) == (m > 1)  # for m = 1 Lemma 2 asks no more than is there
    assert any(most < size for most in told.values())


@settings(max_examples=60)
@given(
    st.lists(records(4, 8, "abcde"), min_size=1, max_size=3),
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from(["greedy", "dls", "best"]),
    st.booleans(),
    st.sampled_from(["", "e", "de"]),
)
def test_no_real_number_of_records_exceeds_the_most(parts, k, m, vertical, cover_safe, sensitive):
    """What was struck out of records is not counted: a release tells of that, and answers say so."""
    if cover_safe and min(map(len, parts)) <= k:
        return
    release = publish_given(parts, k, m, vertical=vertical, cover_safe=cover_safe, sensitive=sensitive)
    if sensitive:
        release = replace(release, diversity=LDiversity(2, tuple(sensitive)))
    rows = [row for part in parts for row in part]
    left_out = release.dropped.plain_instances + release.dropped.sensitive_instances
    for word, found in zip(release.words, supports(release, [[word] for word in release.words]), strict=True):
        true = sum(word in row for row in rows)
        assert found.least <= true <= found.most + left_out
        assert found.left_out == left_out


def test_an_item_that_cannot_have_been_moved_is_in_fewer_than_k_records():
    enough = disassociated([(6, [["a"] * 6], "x")], k=3)
    too_few = disassociated([(6, [["a"] * 5], "x")], k=3)
    assert [most_possible(release).tolist() for release in (enough, too_few)] == [[2], [6]]
    assert support(enough, "x") == Support(1, 2, 1.5, 0.5)
    assert support(too_few, "x") == Support(1, 6, 3.5, pytest.approx((35 / 12) ** 0.5))


def test_a_sensitive_item_may_be_in_all_records_of_its_cluster():
    release = disassociated([(6, [["a"] * 6], "xyv")] * 2, k=3, sensitive=["v"])
    assert most_possible(release).tolist() == [6, 2, 2] * 2  # v, x, y
    assert support(release, "v") == Support(2, 12, 7.0, pytest.approx((2 * 35 / 12) ** 0.5))


@pytest.mark.parametrize(
    ("nodes", "k", "sensitive", "once", "uniform"),
    [
        ([(3, [["a"] * 3], "")], 3, [], "", ""),
        ([(3, [["a"] * 3], "xy")], 2, [], "is in one record of its cluster", "is in one record of its cluster"),
        (
            [(4, [["a"] * 4], "xy")],
            4,
            [],
            "is in one record of its cluster",
            "is in 1 to 3 records of its cluster, every number as likely",
        ),
        (
            [(4, [["a"] * 4], "xv")],
            3,
            ["v"],
            "is in one record of its cluster",
            "is in 1 to 2 records of its cluster (in 1 to all, if it is sensitive or may have been moved there), every "
            "number as likely",
        ),
    ],
)
def test_a_model_is_named_in_words(nodes, k, sensitive, once, uniform):
    release = disassociated(nodes, k=k, sensitive=sensitive)
    for model, said in (("once", once), ("uniform", uniform)):
        words = "chunks are placed at random" + (f" and each term-chunk item {said}" if said else "")
        assert model_words(release, model) == words
        assert support(release, "a", term_items=model).model == words


def test_an_answer_says_what_is_certain_first_and_names_its_model():
    release = disassociated([(5, [["a"] * 4, ["b"] * 3], "xy")], k=3)
    placed = "if chunks are placed at random and each term-chunk item is in"
    assert str(support(release, "a")) == "4 for certain"
    assert str(support(release, "x")) == (
        f"between 1 and 2 for certain; about 1.5 +- 0.5 {placed} 1 to 2 records of its cluster, every number as likely"
    )
    assert str(release.support("x", term_items="once")) == (
        f"between 1 and 2 for certain; about 1.0 +- 0.0 {placed} one record of its cluster"
    )
    struck = disassociated([(5, [["a"] * 4], "xy")], k=3, dropped=Dropped(linking_instances=7))
    assert str(support(struck, "a")) == "4 for certain, but for 7 occurrences that publishing left out"
    assert (
        str(Support(1, 3, float("nan"), float("nan"), "anything"))
        == "between 1 and 3 for certain; no known expectation"
    )


def test_answers_to_analysts_are_uniform_and_what_is_drawn_and_measured_is_once():
    baskets = shoal.quest(300, mean_length=5, n_items=40, n_patterns=10, seed=3)
    release = shoal.disassociate(baskets, 4, 2)
    words = [[word] for word in release.words]
    once, uniform = (supports(release, words, term_items=model) for model in ("once", "uniform"))
    assert (uniform.expected > once.expected).any()
    assert (uniform.deviation > once.deviation).any()
    for found in (supports(release, words).expected, [release.support(word).expected for word in words]):
        assert list(found) == uniform.expected.tolist()
    mined = dict(expected_itemsets(release, 1, max_length=1))
    assert [mined[frozenset(word)] for word in words] == pytest.approx(uniform.expected.tolist())
    drawn = next(release.reconstruct(run=Run(chance=1)))
    assert np.array_equal(drawn.supports, once.expected)
