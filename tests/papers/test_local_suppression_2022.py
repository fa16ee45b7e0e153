"""Liu, Feng, Zhu: Transactional Data Anonymization ... via Disassociation and Local Suppression, Symmetry 14(3), 2022.

The worked examples, as far as the text gives them, and for each pitfall of docs/papers.md a cluster that the printed
rule publishes unsafely (the oracle) and ours does not.
"""

import pytest

from shoal.audit.disassociated import audit
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.making.given_clusters import publish_given
from tests.oracles import disassociation
from tests.oracles import local_suppression as oracle


def sets(*records):
    return [frozenset(record) for record in records]


def rows(chunk):
    return sorted("".join(sorted(row)) for row in chunk)


FIGURE_3A = sets("adef", "acf", "cef", "acdf", "cde", "ad")


def test_figure_3_greedily_e_goes_to_a_chunk_of_its_own():
    """Figure 3b, up to the order of the items: VERPART parts one item of {a, e} from the others."""
    ((size, chunks, terms),) = nodes_of(publish_given([FIGURE_3A], 2, 2))
    assert (size, terms) == (6, frozenset())
    assert sorted(map(rows, chunks)) == [["acdf", "acf", "ad", "adf", "cd", "cf"], ["e", "e", "e"]]


def test_figure_3_with_local_suppression_one_instance_of_a_goes_and_all_items_share_a_chunk():
    """Figure 3c: {a, e} is the only minimal problematic itemset; a can be suppressed in r1, e cannot."""
    assert oracle.problems(FIGURE_3A, "acdef", 2, 2) == sets("ae")
    assert oracle.may_be_suppressed("a", frozenset("ae"), FIGURE_3A, "acdef", 2, 2)
    assert not oracle.may_be_suppressed("e", frozenset("ae"), FIGURE_3A, "acdef", 2, 2)
    release = publish_given([FIGURE_3A], 2, 2, vertical="dls")
    ((size, chunks, terms),) = nodes_of(release)
    assert (size, terms, release.dropped.suppressed_instances) == (6, frozenset(), 1)
    assert list(map(rows, chunks)) == [rows(sets("def", "acf", "cef", "acdf", "cde", "ad"))]
    assert audit(release).holds
    # The promise is weaker than k^m-anonymity: {a, e} of an original record is in no possible original.
    assert not any(oracle.support("ae", world) for world in disassociation.worlds((size, chunks, terms)))


def test_figure_2_as_far_as_the_text_gives_it_the_choice_among_equals_decides_how_much_stays_together():
    """f is in one record; a and e come first; c and d are as frequent, and c leaves fewer items apart than d."""
    cluster = sets("ace", "ace", "aceg", "abdeg", "adef", "abd", "bg")
    counts = {item: oracle.support(item, cluster) for item in "abcdefg"}
    assert counts["f"] == 1
    assert counts["c"] == counts["d"] == 3
    for vertical in ("greedy", "dls", "best"):
        release = publish_given([cluster], 2, 2, vertical=vertical)
        assert audit(release).holds
        ((_, chunks, terms),) = nodes_of(release)
        assert "f" in terms
        assert {"a", "e"} <= frozenset().union(*chunks[0])


PITFALLS = {
    1: (2, 2, sets("ab", "a", "b", "a")),
    2: (2, 3, sets("ace", "ac", "ce", "ae")),
    3: (2, 2, sets("ae", "acd", "bd", "ce", "b")),
    4: (2, 2, sets("a", "b", "ab")),
    5: (2, 2, sets("cd", "acd", "b", "bc", "ad")),
}


@pytest.mark.parametrize("row", PITFALLS)
def test_each_pitfall_breaks_the_promise_as_printed_and_not_as_read_here(row):
    k, m, cluster = PITFALLS[row]
    printed = oracle.dls(cluster, k, m, {row})
    assert not oracle.is_safe(printed, k, m)
    assert not audit(disassociated([printed], k, m)).holds
    assert oracle.is_safe(oracle.dls(cluster, k, m), k, m)
    release = publish_given([cluster], k, m, vertical="dls")
    (made,) = nodes_of(release)
    assert oracle.is_safe(made, k, m)
    assert audit(release).holds
    assert sorted(map(rows, made[1])) == sorted(map(rows, oracle.dls(cluster, k, m)[1]))


def test_row_5_ties_go_to_the_item_in_fewer_records_then_to_the_first_item():
    """{a, b} once, both to be spared: with a in fewer records a goes; with as many of both, a again."""
    fewer_a = publish_given([sets("ab", "a", "a", "b", "b", "b")], 2, 2, vertical="dls")
    fewer_b = publish_given([sets("ab", "a", "a", "a", "b", "b")], 2, 2, vertical="dls")
    equal = publish_given([sets("ab", "a", "a", "b", "b")], 2, 2, vertical="dls")
    assert [rows(nodes_of(release)[0][1][0]) for release in (fewer_a, fewer_b, equal)] == [
        ["a", "a", "b", "b", "b", "b"],
        ["a", "a", "a", "a", "b", "b"],
        ["a", "a", "b", "b", "b"],
    ]
