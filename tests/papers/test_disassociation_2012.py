"""Terrovitis, Mamoulis, Liagouris, Skiadopoulos: Privacy Preservation by Disassociation, VLDB 2012.

The worked examples, and the smallest inputs on which the printed algorithms break the promise, each failing under the
printed rule (the oracle) and passing under ours.
"""

import numpy as np
import pytest

from shoal import Transactions, disassociate
from shoal.audit.disassociated import audit
from shoal.data.transactions import vocabulary_order
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.making.given_clusters import publish_given
from tests.oracles import disassociation as oracle
from tests.oracles import refinement

FIGURE_2A = [
    {"itunes", "flu", "madonna", "ikea", "ruby"},
    {"madonna", "flu", "viagra", "ruby", "audi a4", "sony tv"},
    {"itunes", "madonna", "audi a4", "ikea", "sony tv"},
    {"itunes", "flu", "viagra"},
    {"itunes", "flu", "madonna", "audi a4", "sony tv"},
    {"madonna", "digital camera", "panic disorder", "playboy"},
    {"iphone sdk", "madonna", "ikea", "ruby"},
    {"iphone sdk", "digital camera", "madonna", "playboy"},
    {"iphone sdk", "digital camera", "panic disorder"},
    {"iphone sdk", "digital camera", "madonna", "ikea", "ruby"},
]
FIGURE_2B = [
    (
        5,
        [
            [
                {"itunes", "flu", "madonna"},
                {"madonna", "flu"},
                {"itunes", "madonna"},
                {"itunes", "flu"},
                {"itunes", "flu", "madonna"},
            ],
            [{"audi a4", "sony tv"}] * 3,
        ],
        {"ikea", "viagra", "ruby"},
    ),
    (
        5,
        [
            [
                {"madonna", "digital camera"},
                {"iphone sdk", "madonna"},
                {"iphone sdk", "digital camera", "madonna"},
                {"iphone sdk", "digital camera"},
                {"iphone sdk", "digital camera", "madonna"},
            ]
        ],
        {"panic disorder", "playboy", "ikea", "ruby"},
    ),
]


def plainly(nodes):
    """Nodes whose chunks are sorted lists of sorted lists, in a list that is sorted itself."""

    def plain(node):
        if len(node) == 3:
            return node[0], sorted(sorted(map(sorted, chunk)) for chunk in node[1]), sorted(node[2])
        return sorted(map(plain, node[0]), key=str), sorted(sorted(map(sorted, chunk)) for chunk in node[1])

    return sorted(map(plain, nodes), key=str)


def test_figure_2b_comes_out_of_the_two_clusters_of_figure_2a():
    release = publish_given([FIGURE_2A[:5], FIGURE_2A[5:]], k=3, m=2, rounds=0)
    assert plainly(nodes_of(release)) == plainly(FIGURE_2B)
    assert audit(release).holds
    assert all(oracle.guarantee1(cluster, 3, 2) for cluster in as_sets(FIGURE_2B))


def test_figure_2b_promises_nothing_for_k_4():
    assert not audit(disassociated(as_sets(FIGURE_2B), k=4, m=2)).holds


def as_sets(clusters):
    return [
        (size, [[frozenset(row) for row in chunk] for chunk in chunks], frozenset(t)) for size, chunks, t in clusters
    ]


FIGURE_4A = [set("a"), set("a"), set("bc"), set("bc"), set("abc")]


def test_figure_4_is_refused_by_the_auditor_and_not_made_by_us():
    """Example 1: both chunks are 3^2-anonymous, yet only one original has five non-empty records."""
    printed = oracle.verpart_literal(FIGURE_4A_SETS, 3, 2)
    assert sorted(sorted(map(sorted, filter(None, chunk))) for chunk in printed[1]) == [[["a"]] * 3, [["b", "c"]] * 3]
    assert not printed[2]
    assert not oracle.guarantee1(printed, 3, 2)
    verdict = audit(disassociated([printed], k=3, m=2))
    assert [check.name for check in verdict.failures] == ["Lemma 2"]

    ours = publish_given([FIGURE_4A], k=3, m=2)
    assert audit(ours).holds
    assert plainly(nodes_of(ours)) == [(5, [[["a"]] * 3, [["b"]] * 3], ["c"])]
    assert oracle.guarantee1(nodes_of(ours)[0], 3, 2)


FIGURE_4A_SETS = [frozenset(record) for record in FIGURE_4A]


def test_row_1_the_printed_split_publishes_single_records_and_ours_does_not():
    """HORPART splits down to anything; a cluster of fewer than k records breaks the guarantee in every case."""
    records = [frozenset(r) for r in ("ab", "ac", "ad", "bc", "e")]
    printed = oracle.horpart_literal(records, 2)
    assert min(map(len, printed)) == 1
    for part in printed:
        if len(part) < 2:
            cluster = oracle.verpart_literal([records[i] for i in part], 2, 2)
            assert not oracle.guarantee1(cluster, 2, 2)
    release = disassociate(Transactions.from_records(records), k=2, m=2, max_cluster_size=3)
    sizes = release.cluster_size[release.is_leaf]
    assert 2 <= sizes.min() <= sizes.max() <= 3
    assert audit(release).holds


def test_row_2_identical_records_have_no_unused_item_left_and_are_chopped():
    release = disassociate(Transactions.from_records([{"a", "b"}] * 100), k=3, m=2, max_cluster_size=7)
    assert release.cluster_size.min() >= 3
    assert release.cluster_size.max() <= 7
    assert release.cluster_size.sum() == 100
    assert audit(release).holds


def test_row_4_with_no_record_chunk_a_term_chunk_is_needed():
    """With v = 0 the printed bound s + k(h - 1) would be s - k, which no subrecords at all satisfy for s <= k."""
    verdict = audit(disassociated([(3, [], frozenset("a"))], k=3, m=2))
    assert verdict["Lemma 2"].holds
    release = disassociated([(3, [], frozenset())], k=3, m=2)
    assert not audit(release).holds


def test_dls_row_4_needs_lemma_2_as_well():
    """{a} {b} {ab} with k = 2: chunks {a}{a} and {b}{b}, no term chunk, and {a, b} occurs once in the only original."""
    records = [frozenset("a"), frozenset("b"), frozenset("ab")]
    printed = oracle.verpart_literal(records, 2, 2)
    assert not oracle.guarantee1(printed, 2, 2)
    release = disassociate(Transactions.from_records(records), k=2, m=2)
    assert audit(release).holds
    (cluster,) = nodes_of(release)
    assert oracle.guarantee1(cluster, 2, 2)


def test_row_10_a_cluster_of_nothing_but_a_sensitive_item_would_give_it_away():
    records = [{"hiv"}] * 4 + [{"tea"}, {"tea", "milk"}, {"milk"}, {"tea"}] * 6
    alone = disassociated([(4, [], frozenset({"hiv"}))], k=2, m=2, sensitive={"hiv"}, l=2)
    assert not audit(alone).holds
    release = disassociate(Transactions.from_records(records), k=2, m=2, sensitive=["hiv"], l=4)
    assert audit(release).holds
    words = release.words
    for _, chunks, terms in (leaf for node in nodes_of(release) for leaf in oracle.leaves(node)):
        assert not any("hiv" in row for chunk in chunks for row in chunk)
        assert terms != {"hiv"}
    assert "hiv" in words


@pytest.mark.parametrize("k", [2, 3, 5])
def test_row_11_there_is_no_order_left_to_leak(k):
    rng = np.random.default_rng(k)
    records = [set(rng.choice(list("abcdefghij"), size=rng.integers(1, 6))) for _ in range(80)]
    release = disassociate(Transactions.from_records(records), k=k, m=2, refine_rounds=0)
    keys = [published_key(release, p) for p in range(release.n_clusters)]
    flat = [terms + items for terms, items in keys]
    assert flat == sorted(flat)
    assert vocabulary_order(release.vocabulary).tolist() == list(range(len(release.vocabulary)))


def published_key(release, cluster):
    first, last = np.searchsorted(release.chunk_owner, [cluster, cluster + 1])
    start, end = release.subrecord_offsets[release.chunk_offsets[[first, last]]]
    terms = release.term_items[release.term_offsets[cluster] : release.term_offsets[cluster + 1]]
    return terms.tolist(), release.items[start:end].tolist()


# -- section 3: joint clusters ----------------------------------------------------------------------------------------

FIGURE_3 = [
    (
        [
            (5, FIGURE_2B[0][1], {"viagra"}),
            (5, FIGURE_2B[1][1], {"panic disorder", "playboy"}),
        ],
        [[{"ikea", "ruby"}] * 3 + [{"ikea"}, {"ruby"}]],
    )
]


def test_figure_3_comes_out_of_the_clusters_of_figure_2b():
    """{ikea, ruby} is shared: 4 + 4 instances over ten records, against 2 + 2 terms (equation 1)."""
    release = publish_given([FIGURE_2A[:5], FIGURE_2A[5:]], k=3, m=2)
    assert plainly(nodes_of(release)) == plainly(FIGURE_3)
    assert audit(release).holds
    assert audit(release, original=Transactions.from_records(FIGURE_2A)).holds


@pytest.mark.parametrize("rounds", [1, 2, 10])
def test_figure_3_is_what_refine_as_printed_makes_too(rounds):
    leaves = [
        refinement.Leaf([frozenset(r) for r in part], cluster[1], set(cluster[2]))
        for part, cluster in zip((FIGURE_2A[:5], FIGURE_2A[5:]), as_sets(FIGURE_2B), strict=True)
    ]
    printed = refinement.refine(leaves, 3, 2, rounds, printed=True)
    assert plainly(root.node for root in printed) == plainly(FIGURE_3)


# -- section 5: which shared chunks are safe ---------------------------------------------------------------------------


def chunk(*rows):
    return [frozenset(row) for row in rows]


def figure_5(*shared):
    """Three clusters, of which the first has x, always with a, and none of the others a; its drawing is not printed.

    The text says: T^r = {a, b, c, d, e, f, x}, x only in the first cluster and always with a, o in the shared chunk
    only, the shared chunk 3^2-anonymous but not 3-anonymous (a), or 3-anonymous (b).
    """
    first = (3, [chunk("ax", "ax", "ax"), chunk("b", "b", "b")], frozenset())
    second = (3, [chunk("cd", "cd", "cd")], frozenset("p"))
    third = (3, [chunk("ef", "ef", "ef")], frozenset("q"))
    inner = ([first, second], [])
    return ([inner, third], [chunk(*shared)])


def test_figure_5a_is_unsafe_and_refused():
    """{x, o}: of the subrecords with o only the one without a can meet x."""
    unsafe = figure_5("ao", "ao", "ao", "a", "o")
    assert oracle.is_km_anonymous(unsafe[1][0], 3, 2)
    assert not oracle.property1(unsafe, 3, 2)
    assert oracle.largest_supports(unsafe, 2)[frozenset("xo")] == 1
    verdict = audit(disassociated([unsafe], k=3, m=2))
    assert "shared chunks over T^r" in [check.name for check in verdict.failures]
    assert "occurs 1 times" in verdict["shared chunks over T^r"].witness


def test_figure_5b_is_safe_and_accepted():
    """With three of each subrecord, o meets x three times, or (without {o}) never."""
    for shared in (("ao", "ao", "ao", "o", "o", "o"), ("ao", "ao", "ao", "a", "a", "a")):
        safe = figure_5(*shared)
        assert oracle.keeps_promise([safe], 3, 2)
        assert oracle.largest_supports(safe, 2).get(frozenset("xo"), 3) >= 3
        verdict = audit(disassociated([safe], k=3, m=2))
        assert verdict.holds, str(verdict)


def refined(parts, k, m, *, printed):
    """Literal clusters, refined as printed or as we read it."""
    leaves = [
        refinement.Leaf(part, *oracle.repaired(part, oracle.verpart_literal(part, k, m), k, m)[1:]) for part in parts
    ]
    for leaf in leaves:
        leaf.terms = set(leaf.terms)
    return [root.node for root in refinement.refine(leaves, k, m, 99, printed=printed)]


def test_row_5_refine_as_printed_takes_what_lemma_2_relies_on():
    """P1 = {a}{ab}, P2 = {a}{a}{b} with k = 2: the shared chunk {b}{b} leaves no term chunk to fill P2 from."""
    parts = [chunk("a", "ab"), chunk("a", "a", "b")]
    (printed,) = refined(parts, 2, 2, printed=True)
    assert plainly([printed]) == [([(2, [[["a"]] * 2], []), (3, [[["a"]] * 2], [])], [[["b"]] * 2])]
    assert not oracle.guarantee1(printed, 2, 2)
    verdict = audit(disassociated([printed], k=2, m=2))
    assert [check.name for check in verdict.failures] == ["Lemma 2"]

    ours = publish_given(parts, 2, 2)
    assert audit(ours).holds
    assert all(oracle.guarantee1(node, 2, 2) for node in nodes_of(ours))
    assert sum("b" in leaf[2] for node in nodes_of(ours) for leaf in oracle.leaves(node)) == 2


ROW_6 = (
    [(3, [chunk("ab", "ab", "ab")], {"g"}), (3, [], {"e"}), (3, [], {"f"})],
    [chunk("ac", "ac", "ac", "c", *"ddd")],
)


def test_row_6_a_chunk_that_meets_t_r_must_be_k_anonymous_as_a_whole():
    """[abc abd abd][ac d e][ac ac f] with k = 3: {b, c} is possible once."""
    assert oracle.largest_supports(ROW_6, 2)[frozenset("bc")] == 1
    verdict = audit(disassociated([ROW_6], k=3, m=2))
    assert "shared chunks over T^r" in [check.name for check in verdict.failures]

    ours = publish_given([chunk("abc", "abd", "abd"), chunk("ac", "d", "e"), chunk("ac", "ac", "f")], 3, 2)
    assert (~ours.is_leaf).any()
    assert audit(ours).holds
    assert all(oracle.guarantee1(node, 3, 2) for node in nodes_of(ours))


ROOM = [
    chunk("aq0", "ab0", "a"),
    chunk("ay", "ay0", "byr"),
    chunk("aw", "aw", "bwt"),
]


def test_property_1_is_not_enough_where_restricted_subrecords_need_the_room():
    """k = 3: {a} is closed to the first cluster, so its four copies leave two of the other six records for {b}."""
    first, second, third = (
        (3, [chunk(*row)], frozenset(term)) for row, term in (("aaa", "q"), ("yyy", "r"), ("www", "t"))
    )
    joint = ([([first, second], [chunk(*"000")]), third], [chunk(*"aaaabbb")])
    assert oracle.property1(joint, 3, 2)
    assert all(oracle.lemma2(leaf, 3, 2) for leaf in oracle.leaves(joint))
    supports = oracle.largest_supports(joint, 2)
    assert {frozenset("by"), frozenset("bw")} <= {items for items, support in supports.items() if support == 2}
    verdict = audit(disassociated([joint], k=3, m=2))
    assert [check.name for check in verdict.failures] == ["room beside restricted subrecords"]
    assert plainly(refined(ROOM, 3, 2, printed=True)) == plainly([joint])
    assert "4 of its 7 subrecords" in verdict.failures[0].witness

    apart = (joint[0], [chunk(*"aaaa"), chunk(*"bbb")])
    assert oracle.keeps_promise([apart], 3, 2)
    assert oracle.guarantee1(apart, 3, 2)
    assert audit(disassociated([apart], k=3, m=2)).holds

    ours = publish_given(ROOM, 3, 2)
    assert plainly(nodes_of(ours)) == plainly([apart])
    assert audit(ours, original=Transactions.from_records([record for part in ROOM for record in part])).holds
