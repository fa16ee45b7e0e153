"""Possible originals: each of them one, and as likely as the model says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import shoal
from shoal.analyse.disassociated import reconstruct as reconstructing
from shoal.analyse.disassociated import without_empty_records
from shoal.analyse.disassociated.reconstruct import reconstruct
from shoal.analyse.disassociated.supports import supports
from shoal.data.transactions import Transactions
from shoal.errors import DamagedRelease, InputError
from shoal.release.disassociated import Disassociated
from shoal.run import Run
from tests.making.cluster_trees import bag
from tests.making.disassociated_releases import disassociated, nodes_of
from tests.making.given_clusters import publish_given
from tests.making.transaction_strategies import Published, publications, records
from tests.oracles import disassociation as definitions
from tests.oracles import reconstruction as oracle


def impossible(release: Disassociated, original: Transactions) -> str | None:
    return oracle.why_impossible(nodes_of(release), list(original))


@pytest.fixture(params=["redrawn", "stirred"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to keep records from being empty."""
    if request.param == "stirred":
        monkeypatch.setattr(reconstructing, "_ROUNDS", 0)
    return str(request.param)


def stubbornly(release: Disassociated, **options: Any) -> Iterator[Transactions]:
    """Reconstructions in which no tree is drawn anew: all that could have an empty record are mended and stirred."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reconstructing, "_ROUNDS", 0)
        yield from release.reconstruct(**options)


# -- each is a possible original ---------------------------------------------------------------------------------------


@given(publications(), st.integers(0, 100), st.sampled_from(["once", "uniform"]))
def test_what_the_literal_publisher_made_is_reconstructed(published: Published, seed: int, terms: Any) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    for original in release.reconstruct(2, run=Run(chance=seed), term_items=terms):
        assert impossible(release, original) is None
    for original in stubbornly(release, run=Run(chance=seed), term_items=terms):
        assert impossible(release, original) is None


# With more than k records in each cluster, as certain links ask for.
@given(
    st.lists(records(4, 8, "abcdefghij"), min_size=1, max_size=6),
    st.integers(2, 3),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 100),
    st.sampled_from(["once", "uniform"]),
)
def test_what_shoal_makes_is_reconstructed(
    clusters: Any, k: int, m: int, cover_safe: bool, seed: int, terms: Any
) -> None:
    release = publish_given(clusters, k, m, cover_safe=cover_safe)
    for original in release.reconstruct(2, run=Run(chance=seed), term_items=terms):
        assert impossible(release, original) is None
    for original in stubbornly(release, run=Run(chance=seed), term_items=terms):
        assert impossible(release, original) is None


def test_a_release_with_deep_joints_and_restricted_chunks_is_reconstructed() -> None:
    release = shoal.disassociate(shoal.quest(3000, n_items=60, mean_length=6, seed=4), k=4, m=2, max_cluster_size=10)
    closed = [shut for node in nodes_of(release) for chunk, shut in restricted(node)]
    assert len(closed) > 5  # or this test says nothing
    for original in release.reconstruct(3, run=Run(chance=5)):
        assert impossible(release, original) is None


def restricted(node: Any) -> list[tuple[Any, set[Any]]]:
    """The shared chunks with an item that is closed to a cluster below, and these items."""
    if len(node) == 3:
        return []
    below = set().union(*(shut for child in node[0] for _, shut in definitions.closed_to(child)))
    own = [(chunk, set().union(*chunk) & below) for chunk in node[1]]
    return [found for found in own if found[1]] + [found for child in node[0] for found in restricted(child)]


# -- and as likely as it should be -------------------------------------------------------------------------------------

SIMPLE = (4, [bag("ab", "a", "c")], {"x", "y"})
TIGHT = (5, [bag("a", "a", "b"), bag("c", "cd", "d")], set())
TERMS_FILL = (4, [bag("a", "ab")], {"x", "y"})
TWO_LEAVES = ([(2, [bag("a")], {"x"}), (3, [bag("b", "bc")], {"z"})], [bag("s", "st")])
NESTED = (
    [([(2, [bag("a", "a")], set()), (2, [bag("b")], {"x"})], [bag("s")]), (1, [], {"y"})],
    [bag("t", "t"), bag("uv", "v")],
)
CLOSED = ([(2, [bag("a", "a")], set()), (2, [bag("b")], {"x"}), (1, [bag("c")], set())], [bag("as", "as"), bag("t")])
NESTED_CLOSED = (
    [([(2, [bag("a", "a")], set()), (2, [bag("b")], set())], [bag("s", "s")]), (2, [bag("c")], {"y"})],
    [bag("s", "s")],
)
TIGHT_JOINT = ([(3, [bag("a", "a")], set()), (3, [bag("b", "b")], set())], [bag("s"), bag("t")])
UNEVEN = ([(2, [bag("a")], set()), (4, [bag("b", "b")], set())], [bag("s", "s"), bag("t")])
"""Exactly as many pieces as records: no part can move alone, only pieces that change places lead from s to t."""
TWO_KINDS = ([(2, [bag("a", "a")], set()), (3, [bag("b")], {"x"})], [bag("as", "s", "s")])
"""{a, s} may go to the second leaf only, {s} anywhere: a mixed chunk whose sets of places lie inside one another."""

TREES = {
    "simple": SIMPLE,
    "tight": TIGHT,
    "terms fill": TERMS_FILL,
    "two leaves": TWO_LEAVES,
    "nested": NESTED,
    "closed": CLOSED,
    "closed in between": NESTED_CLOSED,
    "tight joint": TIGHT_JOINT,
    "tight and uneven": UNEVEN,
    "two kinds": TWO_KINDS,
}


def samples(tree: Any, copies: int, n: int, **options: Any) -> list[oracle.World]:
    """Reconstructions of one tree: of a release with many copies of it."""
    release = disassociated([tree] * copies, k=3, **options.pop("promise", {}))
    size = sum(leaf[0] for leaf in definitions.leaves(tree))
    found = []
    for original in release.reconstruct(n, **options):
        rows = list(original)
        found += [tuple(rows[start : start + size]) for start in range(0, len(rows), size)]
    return found


def unlikely(found: list[oracle.World], expected: dict[oracle.World, Any], key: Any, bins: int = 30) -> float:
    """The chance of such deviations from what is expected, of classes of worlds that are about equally likely."""
    assert set(found) <= set(expected)
    chances: Counter[Any] = Counter()
    for world, chance in expected.items():
        chances[key(world)] += float(chance)
    seen = Counter(map(key, found))
    observed, wanted = [0.0], [0.0]
    for name in sorted(chances):
        if wanted[-1] >= max(len(found) / bins, 8):
            observed.append(0)
            wanted.append(0)
        observed[-1] += seen[name]
        wanted[-1] += chances[name] * len(found)
    if len(wanted) == 1:
        return 1.0
    statistic = float((((np.array(observed) - wanted) ** 2) / wanted).sum())
    return float(chi2.sf(statistic, len(wanted) - 1))


def text(world: oracle.World) -> str:
    return " ".join("".join(sorted(row)) for row in world)


def shape(world: oracle.World) -> str:
    """What is left of a world when records have no order."""
    return text(tuple(sorted(world, key=sorted)))


def backwards(world: oracle.World) -> str:
    return text(world[::-1])


KEYS = [text, backwards, shape]


@pytest.mark.parametrize("name", TREES)
def test_every_possible_original_is_as_likely_as_the_model_says(name: str, path: str) -> None:
    expected = oracle.distribution(TREES[name])
    found = samples(TREES[name], 100, 40 if path == "redrawn" else 12, run=Run(chance=11))
    for key in KEYS:
        assert unlikely(found, expected, key) > 1e-3, key.__name__


@pytest.mark.parametrize("name", ["simple", "terms fill", "two leaves"])
def test_so_it_is_when_term_items_are_in_any_number_of_records(name: str, path: str) -> None:
    expected = oracle.distribution(TREES[name], k=3, sensitive=frozenset("x"))
    options = {"term_items": "uniform", "run": Run(chance=12), "promise": {"sensitive": ["x"]}}
    found = samples(TREES[name], 100, 40 if path == "redrawn" else 12, **options)
    for key in KEYS:
        assert unlikely(found, expected, key) > 1e-3, key.__name__


def test_stirring_forgets_where_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    mend = without_empty_records._Tree.mend

    def from_one_side(tree: Any) -> None:
        """Mended again and again until t, the only part of one piece for all six records, is in the second leaf."""
        (single,) = [part for part in tree.parts if (part.open, len(part.at)) == (6, 1)]
        mend(tree)
        while single.at[0] - single.first < 2:
            for part in tree.parts:
                tree._put(part, tree._somewhere(part, [], len(part.at)))
            mend(tree)

    monkeypatch.setattr(reconstructing, "_ROUNDS", 0)
    monkeypatch.setattr(without_empty_records._Tree, "mend", from_one_side)
    found = samples(UNEVEN, 100, 12, run=Run(chance=11))
    assert min(unlikely(found, oracle.distribution(UNEVEN), key) for key in KEYS) > 1e-3


def test_the_comparison_notices_a_wrong_distribution() -> None:
    expected = oracle.distribution(TIGHT)
    found = samples(TIGHT, 100, 20, run=Run(chance=11))
    first = [world for world in found if "a" in world[0] or "b" in world[0]]
    assert min(unlikely(first, expected, key) for key in KEYS) < 1e-6


@pytest.mark.usefixtures("path")
def test_a_chunk_whose_subrecords_have_overlapping_choices_is_placed_all_the_same() -> None:
    # {p, s} cannot go to the first leaf, {q, s} not to the second: neither set of places lies in the other.
    leaves = [(2, [bag("p", "p")], {"x"}), (2, [bag("q", "q")], {"y"}), (1, [bag("r")], {"z"})]
    release = disassociated([(leaves, [bag("ps", "ps", "qs", "qs", "s")])] * 20)
    for original in release.reconstruct(10, run=Run(chance=1)):
        assert impossible(release, original) is None


def test_dead_ends_are_mended() -> None:
    # {p, q} can go to the last leaf only, and each of the others needs a place of its own.
    leaves = [(1, [bag("p")], {"x"}), (1, [bag("q")], {"y"}), (1, [bag("r")], {"z"})]
    release = disassociated([(leaves, [bag("p", "q", "pq")])] * 20, k=2)
    for original in release.reconstruct(10, run=Run(chance=1)):
        assert impossible(release, original) is None


def test_term_items_go_to_more_records_where_nothing_else_fills_them() -> None:
    release = disassociated([(5, [], "q"), (6, [bag("a", "a", "a")], "xy")], k=3)
    for original in release.reconstruct(5, run=Run(chance=2)):
        assert impossible(release, original) is None
        supports = dict(zip(original.words, original.supports.tolist(), strict=True))
        assert supports["q"] == 5
        assert supports["x"] + supports["y"] == 3
    release = disassociated([(5, [], "q")], k=3)  # more than the k - 1 records that it is in otherwise
    assert [set(row) for row in next(release.reconstruct(term_items="uniform"))] == [{"q"}] * 5


def test_a_sensitive_item_is_not_the_one_that_fills_records() -> None:
    release = disassociated([(6, [], "vq")], k=3, sensitive=["v"])
    for original in release.reconstruct(20, run=Run(chance=2)):
        supports = dict(zip(original.words, original.supports.tolist(), strict=True))
        assert supports["v"] == 1
        assert supports["q"] >= 5


def test_how_often_term_items_occur() -> None:
    release = disassociated([(6, [["a"] * 6], "xv")] * 50, k=4, sensitive=["v"])
    assert {tuple(o.supports[1:].tolist()) for o in release.reconstruct(3, run=Run(chance=1))} == {(50, 50)}
    seen: dict[str, set[int]] = {"x": set(), "v": set()}
    for original in release.reconstruct(20, run=Run(chance=1), term_items="uniform"):
        rows = list(original)
        for start in range(0, len(rows), 6):
            for item in seen:
                seen[item].add(sum(item in row for row in rows[start : start + 6]))
    assert seen == {"x": {1, 2, 3}, "v": {1, 2, 3, 4, 5, 6}}


# -- chance, order, and what is refused --------------------------------------------------------------------------------


@given(publications(), st.integers(0, 2**64 - 1))
@settings(max_examples=20)
def test_a_seed_draws_the_same_again(published: Published, seed: int) -> None:
    release = disassociated(published.nodes, published.k, published.m)
    one, two = (list(map(list, release.reconstruct(3, run=Run(chance=seed)))) for _ in range(2))
    assert one == two
    assert list(map(list, release.reconstruct(2, run=Run(chance=seed)))) == one[:2]


def test_other_seeds_and_no_seed_draw_others() -> None:
    release = disassociated([TIGHT, SIMPLE] * 10)
    drawn = [list(next(release.reconstruct(run=Run(chance=seed)))) for seed in [1, 2, 3, None, None]]
    assert all(a != b for i, a in enumerate(drawn) for b in drawn[:i])
    assert list(drawn[0]) != list(list(release.reconstruct(2, run=Run(chance=1)))[1])


def test_a_seed_means_the_same_originals_everywhere() -> None:
    # Written down once: if this changes, every seeded experiment changes.
    release = disassociated([TIGHT, CLOSED])
    assert text(tuple(next(release.reconstruct(run=Run(chance=1994))))) == WRITTEN_DOWN


WRITTEN_DOWN = "b a c cd ad a a asx abst c"


def test_records_stand_in_the_order_of_the_leaves_even_if_these_are_not_numbered_depth_first() -> None:
    joint = ([(2, [bag("a", "a")], {"x"}), (3, [bag("b", "b", "b")], {"y"})], [bag("s", "s")])
    made = disassociated([joint, (2, [bag("c", "c")], {"z"})])
    # The same release with the single cluster between the joint's two leaves.
    order = [1, 3, 0, 2]
    changes: dict[str, Any] = {
        "cluster_size": made.cluster_size[order],
        "cluster_parent": np.array([2, -1, -1, 2]),
        "chunk_owner": np.array([0, 1, 2, 3]),
        "chunk_shared": np.array([False, False, True, False]),
        "chunk_offsets": np.array([0, 2, 4, 6, 9]),
        "subrecord_offsets": np.arange(10),
        "items": np.array([0, 0, 2, 2, 3, 3, 1, 1, 1], np.int32),
        "term_offsets": np.array([0, 1, 2, 2, 3]),
        "term_items": np.array([4, 6, 5], np.int32),
    }
    release = replace(made, **changes)
    for original in release.reconstruct(5, run=Run(chance=3)):
        rows = list(original)
        assert all("a" in row for row in rows[:2])
        assert all("c" in row for row in rows[2:4])
        assert all("b" in row for row in rows[4:])
        assert oracle.why_impossible([joint], rows[:2] + rows[4:]) is None
        assert oracle.why_impossible([(2, [bag("c", "c")], {"z"})], rows[2:4]) is None


def test_the_vocabulary_is_the_release_s_and_codes_ascend() -> None:
    release = disassociated([SIMPLE, NESTED])
    (original,) = release.reconstruct(run=Run(chance=1))
    assert original.vocabulary.equals(release.vocabulary)
    assert [list(row) for row in Transactions.from_records(list(original))] == [list(row) for row in original]
    again = Transactions.from_codes(original.offsets, original.items, original.vocabulary)
    assert np.array_equal(again.items, original.items)
    assert (again.merged, again.dropped) == (0, 0)


def test_progress_is_told() -> None:
    heard: list[tuple[str, int, int]] = []
    list(reconstruct(disassociated([SIMPLE]), 2, run=Run(progress=lambda *event: heard.append(event))))
    assert heard == [("reconstruct", 0, 2), ("reconstruct", 1, 2), ("reconstruct", 2, 2)]


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_a_number_of_originals_that_is_none_is_refused_at_once(n: Any) -> None:
    with pytest.raises(InputError, match=r"n is .* whole number from 1 on"):
        reconstruct(disassociated([SIMPLE]), n)


def test_term_items_that_are_neither_are_refused() -> None:
    with pytest.raises(InputError, match="choose one of once, uniform"):
        reconstruct(disassociated([SIMPLE]), term_items="twice")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "nodes",
    [
        [(3, [bag("a", "a")], set())],
        [SIMPLE, ([(2, [bag("a", "a")], set()), (3, [bag("b")], set())], [bag("s")])],
    ],
)
def test_a_release_of_nothing_is_infeasible_and_names_the_cluster(nodes: Any) -> None:
    with pytest.raises(DamagedRelease, match=rf"a record of cluster {3 if len(nodes) > 1 else 0} stays empty"):
        list(reconstruct(disassociated(nodes)))


def test_shared_subrecords_without_room_are_refused() -> None:
    leaves = [(2, [bag("a", "a")], {"x"}), (1, [bag("b")], {"y"})]
    with pytest.raises(DamagedRelease, match="2 subrecords of chunk 0 have only 1 records to go to"):
        reconstruct(disassociated([(leaves, [bag("a", "a")])]))
    with pytest.raises(DamagedRelease, match="subrecords of chunk 0 cannot all be placed"):
        supports(disassociated([(leaves, [bag("a", "a", "c")])]), [["a", "b"]])
    with pytest.raises(DamagedRelease, match="subrecords of chunk 0 cannot all be placed"):
        list(reconstruct(disassociated([(leaves, [bag("a", "a", "c")])])))


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"cluster_size": np.array([6, 2, 3])}, "cluster 0 has another number of records than the clusters below it"),
        ({"cluster_size": np.array([0, 2, -2])}, "cluster 0 has no records"),
        ({"cluster_parent": np.array([1, 2, 1])}, "cluster 1 has another number of records than the clusters below it"),
        (
            {
                "cluster_parent": np.array([1, 0, -1]),
                "cluster_size": np.array([5, 5, 3]),
                "chunk_owner": np.array([0, 2]),
                "term_offsets": np.array([0, 0, 0, 2]),
            },
            "from cluster 0 the joint clusters go round in a circle",
        ),
        ({"chunk_shared": np.array([False, False])}, "the owner of chunk 0 is a cluster of the other kind"),
        ({"chunk_offsets": np.array([0, 0, 4])}, "chunk 1 has more subrecords than its cluster has records"),
        ({"term_offsets": np.array([0, 1, 1, 2])}, "joint cluster 0 has a term chunk"),
    ],
)
def test_parts_that_do_not_fit_are_refused_with_their_place(changes: Any, place: str) -> None:
    made = disassociated([([(2, [bag("a", "a")], {"x"}), (3, [], {"y"})], [bag("s", "s")])])
    with pytest.raises(DamagedRelease, match=f"the release is damaged: .*{place}"):
        reconstruct(replace(made, **changes))


def test_an_item_in_two_parts_of_a_cluster_is_refused() -> None:
    sound = (1, [bag("b")], {"c"})
    with pytest.raises(DamagedRelease, match="'a' is in two parts that go to one record of cluster 1"):
        list(reconstruct(disassociated([sound, (2, [bag("a", "a"), bag("a", "a")], set()), sound])))


def test_records_by_the_billion_made_of_nothing_are_refused() -> None:
    with pytest.raises(InputError, match=r"claims 2,000,000,000 records, but holds only 1 subrecords and term-chunk"):
        reconstruct(disassociated([(2_000_000_000, [], "q")]))
