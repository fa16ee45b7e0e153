"""Refining: against its naive twin, and for what it owes whatever the clusters."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal import Transactions, disassociate
from shoal.audit.disassociated import audit
from shoal.engine.threads import Threads
from shoal.errors import InputError
from shoal.publish.disassociation import refine as refining
from shoal.run import Run
from tests.making.disassociated_releases import nodes_of
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import records
from tests.oracles import disassociation as oracle
from tests.oracles import refinement

numbers = st.tuples(st.integers(2, 3), st.integers(1, 3))


@st.composite
def clusters(draw, least=2, most=7, items="abcdefgh"):
    """Clusters of at least three records, whose rare items have a chance to meet."""
    return draw(st.lists(records(3, 6, items), min_size=least, max_size=most))


def as_leaves(parts, k, m):
    """Each cluster as our vertical partitioning leaves it: what refining starts from."""
    leaves = []
    for part in parts:
        ((_, chunks, terms),) = nodes_of(publish_given([part], k, m, rounds=0))
        leaves.append(refinement.Leaf(part, chunks, set(terms)))
    return leaves


def canonical(node):
    """A node without the order of its parts."""
    if len(node) == 3:
        return node[0], sorted(sorted(map(sorted, chunk)) for chunk in node[1]), sorted(node[2])
    return sorted(map(canonical, node[0]), key=str), sorted(sorted(map(sorted, chunk)) for chunk in node[1])


def sets(*rows):
    return [frozenset(row) for row in rows]


# Two attempts of different rounds, which a number made of the two nodes once took for one.
@example(
    [
        sets("a", "a", "abcdef"),
        sets("a", "a", "abcde"),
        sets("a", "a", "f", "abcdef"),
        sets("f", "abcdef", "abcdefg"),
        sets("f", "abcdef", "abcdefg"),
    ],
    (3, 1),
    2,
)
@given(clusters(), numbers, st.integers(0, 6))
def test_it_does_what_its_naive_twin_does(parts, km, rounds):
    k, m = km
    ours = [canonical(node) for node in nodes_of(publish_given(parts, k, m, rounds=rounds))]
    twin = [canonical(root.node) for root in refinement.refine(as_leaves(parts, k, m), k, m, rounds, printed=False)]
    assert sorted(ours, key=str) == sorted(twin, key=str)


@given(clusters(2, 5), numbers)
def test_what_it_makes_verifies_and_meets_the_conditions(parts, km):
    k, m = km
    release = publish_given(parts, k, m, rounds=99)
    verdict = audit(release, original=Transactions.from_records([r for part in parts for r in part]))
    assert verdict.holds, str(verdict)
    assert oracle.keeps_promise(nodes_of(release), k, m)


@given(clusters(2, 4), numbers)
def test_no_instance_is_lost_or_invented(parts, km):
    k, m = km
    after = publish_given(parts, k, m, rounds=99)
    for item, word in enumerate(after.words):
        in_records = sum(word in record for part in parts for record in part)
        visible = int((after.items == item).sum())
        hidden = sum(
            sum(word in record for record in leaf.records) for leaf in as_leaves(parts, k, m) if word in leaf.terms
        )
        left = int((after.term_items == item).sum())
        assert visible <= in_records
        assert (visible == in_records) == (left == 0)
        assert visible >= in_records - hidden


@given(clusters(2, 5), numbers)
def test_sensitive_items_never_leave_term_chunks(parts, km):
    k, m = km
    parts = [[record | {"z"} for record in part] for part in parts]
    release = publish_given(parts, k, m, rounds=99, sensitive="ab")
    words = np.array(release.words)
    assert not set("ab") & set(words[release.items])
    for node in nodes_of(release):
        for size, chunks, terms in oracle.leaves(node):
            assert oracle.lemma2((size, chunks, terms - set("ab")), k, m)


@settings(max_examples=40)
@given(clusters(5, 9), numbers)
def test_neither_the_number_of_threads_nor_the_order_of_clusters_matters(parts, km):
    k, m = km
    data = Transactions.from_records([record for part in parts for record in part])
    one, three = (disassociate(data, k, m, max_cluster_size=5, run=Run(engine=Threads(n))) for n in (1, 3))
    for name, value in vars(one).items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(three, name)), name


def test_runs_end_where_they_end_whatever_the_threads(monkeypatch):
    """With runs of a few neighbours, joining goes on inside each, and the promise stays."""
    monkeypatch.setattr(refining, "SHORTEST_RUN", 3)
    monkeypatch.setattr(refining, "RUNS", 1000)
    rng = np.random.default_rng(3)
    data = Transactions.from_records([set(rng.choice(40, size=rng.integers(2, 9))) for _ in range(400)])
    one, four = (disassociate(data, 3, 2, run=Run(engine=Threads(n))) for n in (1, 4))
    assert (~one.is_leaf).sum() > 5
    assert np.array_equal(one.items, four.items)
    assert np.array_equal(one.cluster_parent, four.cluster_parent)
    assert audit(one, original=data).holds


def test_more_rounds_join_more_and_none_joins_nothing():
    rng = np.random.default_rng(4)
    data = Transactions.from_records([set(rng.choice(40, size=rng.integers(2, 9))) for _ in range(400)])
    joints = [disassociate(data, 3, 2, refine_rounds=n).counts["joint_clusters"] for n in (0, 1, 2, 1000)]
    assert joints[0] == 0
    assert all(a < b for a, b in pairwise(joints))
    in_chunks = [len(disassociate(data, 3, 2, refine_rounds=n).items) for n in (0, 1, 1000)]
    assert in_chunks[0] < in_chunks[1] < in_chunks[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [(lambda: {"refine_rounds": -1}, "refine_rounds"), (lambda: {"run": Run(engine=Threads(0))}, "threads")],
)
def test_impossible_numbers_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        disassociate(Transactions.from_records([{"a"}] * 4), 2, 2, **options())
