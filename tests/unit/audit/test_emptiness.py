"""Total loss and empty promises: found in what is published, exactly where the oracle's words say, and refused."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal import Table, Transactions
from shoal.audit.emptiness import Emptiness
from shoal.data.item_hierarchies import neighbours
from shoal.data.node_tree import NodeTree
from shoal.errors import EmptyRelease, Infeasible
from shoal.promises import KmGeneralized, Randomization, UnboundedDifferentialPrivacy
from shoal.release.generalized_baskets import GeneralizedBaskets
from shoal.release.noisy_baskets import NoisyBaskets
from shoal.release.randomized import Randomized
from shoal.run import Run
from shoal.shapes import SHAPES
from tests.making.transaction_strategies import records
from tests.oracles import emptiness as oracle

LOSS, PROMISE = "total loss", "empty promise"
few = settings(max_examples=60, deadline=None)


def emptiness(release: Any) -> tuple[Emptiness, ...]:
    found: tuple[Emptiness, ...] = SHAPES[release.shape].load("emptiness")(release)
    return found


def kinds(release: Any) -> list[str]:
    return [one.kind for one in emptiness(release)]


def is_refused_unless(release: Any, empty: bool) -> None:
    """Writing refuses what is empty, and leaves nothing; with the option it appears; anything else always does."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        if empty:
            with pytest.raises(EmptyRelease) as refused:
                release.write(folder)
            assert isinstance(refused.value, Infeasible)
            assert list(Path(place).iterdir()) == []
        verdict = release.write(folder, even_if_empty=empty)
        assert verdict.holds
        assert bool(verdict.empty) == empty
        assert shoal.verify(folder).empty == verdict.empty
        assert (folder / "manifest.json").read_text().count('"empty"') == empty


# --- baskets ---------------------------------------------------------------------------------------------------------


@few
@given(
    records(4, 10),
    st.integers(2, 4),
    st.sampled_from(["greedy", "dls", "best"]),
    st.booleans(),
    st.booleans(),
)
def test_disassociation_is_empty_where_everything_is_in_term_chunks(rows, k, vertical, safe, sensitive):
    data = Transactions.from_records(rows)
    items = {"sensitive": data.words[:1], "l": 2} if sensitive else {}
    try:
        release = shoal.disassociate(data, k, 2, vertical=vertical, cover_safe=safe, **items)
    except Infeasible:
        assume(False)
    chunks = release.to_arrow()["subrecords"]["items"].to_pylist()
    empty = oracle.everything_in_term_chunks([chunks])
    assert kinds(release) == [LOSS] * empty
    is_refused_unless(release, empty)


def test_one_item_in_a_chunk_is_something():
    """The smallest release that keeps anything: k records share one item; and one record fewer."""
    both = [{"a", str(place)} for place in range(3)]
    assert not kinds(shoal.disassociate(Transactions.from_records(both), 3, 2))
    assert kinds(shoal.disassociate(Transactions.from_records([*both[:2], {"2"}]), 3, 2)) == [LOSS]


@few
@given(records(3, 10, "abcd"), st.integers(2, 3), st.integers(1, 2), st.integers(2, 4))
def test_generalized_baskets_are_empty_where_nothing_tells_rows_apart(rows, k, m, fanout):
    data = Transactions.from_records(rows)
    try:
        release = shoal.km_generalization(data, k, m, hierarchy=neighbours(data.words, fanout=fanout))
    except Infeasible:
        assume(False)
    empty = oracle.nothing_tells_baskets_apart(rows_of(release), set(data.words))
    assert kinds(release) == [LOSS] * empty
    is_refused_unless(release, empty)


def rows_of(release: GeneralizedBaskets) -> list[list[str]]:
    ends = zip(release.offsets[:-1].tolist(), release.offsets[1:].tolist(), strict=True)
    return [[release.tree.labels[node] for node in release.nodes[a:b].tolist()] for a, b in ends]


@pytest.mark.parametrize(
    ("held", "empty"),
    [
        ([["*"], ["*"]], True),
        ([["a to b"], ["a to b"]], True),
        ([["a to b", "c to d"], ["a to b", "c to d"]], True),
        ([["a to b"], ["c to d"]], False),
        ([["a to b", "c to d"], ["a to b"]], False),
        ([["a"], ["a"]], False),
    ],
)
def test_baskets_of_other_tools_at_the_root_and_beside_it(held, empty):
    rows = [("a", "a to b", "*"), ("b", "a to b", "*"), ("c", "c to d", "*"), ("d", "c to d", "*")]
    tree = NodeTree.from_hierarchy(shoal.Hierarchy.from_rows(rows))
    nodes = [sorted(tree.labels.index(label) for label in row) for row in held]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in nodes])]).astype(np.int64)
    release = GeneralizedBaskets(
        KmGeneralized(2, 1), tree, offsets, np.array([node for row in nodes for node in row], np.int32)
    )
    assert oracle.nothing_tells_baskets_apart(held, "abcd") == empty
    assert kinds(release) == [LOSS] * empty


@pytest.mark.parametrize("rows", [[], [[]], [["a"]], [[], ["a"]]])
def test_rows_with_nothing_in_them(rows):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.zeros(int(offsets[-1]), np.int32)
    empty = oracle.nothing_published(rows)
    assert kinds(Randomized(Randomization(0.9, 0.0), pa.array(["a"]), offsets, items, len(rows))) == [LOSS] * empty
    if all(rows):
        tree = NodeTree.from_hierarchy(neighbours(["a", "b"]))
        bottom = np.full(len(items), int(np.flatnonzero(tree.is_bottom)[0]), np.int32)
        noisy = NoisyBaskets(UnboundedDifferentialPrivacy(1.0), tree, offsets, bottom, np.ones(len(rows), np.int64))
        assert kinds(noisy) == [LOSS] * empty


def test_noise_alone_decides_what_differential_privacy_refuses():
    """Two data sets, one noisy outcome: both are refused with the same words, or neither is."""
    one = Transactions.from_records([["a"]] * 3 + [["b"]])
    other = Transactions.from_records([["a"]] * 3)
    found = {}
    for name, data in (("one", one), ("other", other)):
        release = shoal.diffpart(data, 0.01, items=["a", "b"], run=Run(chance=1))
        if release.n_rows:
            continue
        with pytest.raises(EmptyRelease) as refused:
            release.write(Path(tempfile.gettempdir()) / "shoal-never-written")
        found[name] = str(refused.value)
        assert "This try has spent its epsilon. Another one spends its own in addition." in found[name]
    assert len(found) == 2
    assert len(set(found.values())) == 1


# --- tables ----------------------------------------------------------------------------------------------------------

people = st.lists(
    st.tuples(st.integers(20, 29), st.sampled_from("fm"), st.sampled_from(["x"]), st.integers(0, 12)),
    min_size=4,
    max_size=14,
)


def table_of(rows: list[tuple[Any, ...]], quasi: list[str] | None = None) -> Table:
    names = ["age", "sex", "land", "amount"]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return Table.from_arrow(pa.table(columns), quasi=quasi or names[:3], sensitive="amount")


@few
@given(
    people,
    st.integers(2, 4),
    st.sampled_from(["bottom-up", "mondrian"]),
    st.sampled_from([None, "greedy", "iga", "resistant"]),
    st.sampled_from([0.0, 0.3]),
)
def test_generalized_tables_are_empty_where_rows_are_alike_or_amounts_are_nearly_all_different(
    rows, k, strategy, hide, suppressed
):
    data = table_of(rows)
    try:
        release = shoal.k_anonymity(data, k, strategy=strategy, hide=hide, max_suppressed=suppressed)
    except Infeasible:
        assume(False)
    published = release.to_arrow()["rows"].to_pylist()
    published = [row for row in published if row["group"] is not None]
    exact = [{str(row[place]) for row in rows} for place in range(4)]
    quasi = [tuple(row[name] for name in ("age", "sex", "land")) for row in published]
    lost = oracle.nothing_tells_rows_apart(quasi, exact[:3])
    own = oracle.mostly_own_values([row["amount"] for row in published], exact[3])
    assert kinds(release) == [LOSS] * lost + [PROMISE] * (own and hide is not None)
    is_refused_unless(release, lost or (own and hide is not None))
    with tempfile.TemporaryDirectory() as place:
        release.write(f"{place}/release", even_if_empty=True)
        told = [one.words for one in shoal.verify(f"{place}/release").residuals]
        attacked = [finding.name for finding in shoal.attack(f"{place}/release").findings]
    assert ("show a value of amount that no other row shows" in told) == own, "a risk, also where nothing is promised"
    assert ("values of one row" in attacked) == own


@few
@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=12),
    st.sampled_from([shoal.anatomy, shoal.injector]),
)
def test_groups_are_empty_where_more_than_half_of_the_rows_have_a_value_of_their_own(values, publish):
    data = table_of([(20 + place % 3, "f", "x", value) for place, value in enumerate(values)])
    try:
        release = publish(data, 2, run=Run(chance=1))
    except Infeasible:
        assume(False)
    empty = oracle.mostly_own_values(values, set(values))
    assert kinds(release) == [PROMISE] * empty
    is_refused_unless(release, empty)


@pytest.mark.parametrize(("values", "empty"), [([1, 1, 2, 3], False), ([1, 1, 2, 3, 4], True), ([1, 1, 2, 2], False)])
def test_half_of_the_rows_may_have_a_value_of_their_own(values, empty):
    release = shoal.anatomy(table_of([(20, "f", "x", value) for value in values]), 2)
    assert oracle.mostly_own_values(values, set(values)) == empty
    assert kinds(release) == [PROMISE] * empty


def test_rows_that_were_alike_are_no_loss():
    """One group, and nothing generalized: the release is the data."""
    release = shoal.k_anonymity(table_of([(20, "f", "x", 1)] * 4), 2)
    assert release.n_groups == 1
    assert not kinds(release)


def test_a_constant_column_saves_nothing():
    """All that was not the same is gone; what is left is the same in every row."""
    release = shoal.k_anonymity(table_of([(20 + place, "f", "x", place % 2) for place in range(3)]), 2)
    assert kinds(release) == [LOSS]
    (found,) = emptiness(release)
    assert "(age: *, sex: f, land: x)" in found.words


def test_releases_of_other_tools_are_told_too(tmp_path):
    """A folder without the entry in its manifest: the auditor's own count says it, and the promise holds as before."""
    release = shoal.anatomy(table_of([(20, "f", "x", value) for value in range(4)]), 2)
    release.write(tmp_path / "release", even_if_empty=True)
    manifest = tmp_path / "release" / "manifest.json"
    text = manifest.read_text()
    begins, ends = text.index('  "empty"'), text.index('  "promises"')
    manifest.write_text(text[:begins] + text[ends:])
    verdict = shoal.verify(tmp_path / "release")
    assert verdict.holds
    assert str(verdict).splitlines()[0].startswith("empty promise: 4 of 4 rows (100.0 %) have a value of amount")
    assert str(verdict).splitlines()[1] == verdict.head
    assert next(iter(verdict.as_dict())) == "empty"


@pytest.mark.parametrize("said", ["[]", '["total loss: nothing is left"]', '"no"'])
def test_a_manifest_that_says_something_else_of_what_is_empty_is_caught(tmp_path, said):
    release = shoal.anatomy(table_of([(20, "f", "x", value) for value in range(4)]), 2)
    release.write(tmp_path / "release", even_if_empty=True)
    manifest = tmp_path / "release" / "manifest.json"
    text = manifest.read_text()
    begins, ends = text.index('  "empty"'), text.index('  "promises"')
    manifest.write_text(f'{text[:begins]}  "empty": {said},\n{text[ends:]}')
    verdict = shoal.verify(tmp_path / "release")
    assert not verdict.holds
    (failed,) = verdict.failures
    assert failed.name == "manifest says what is empty"
    assert "the files show: empty promise: 4 of 4 rows" in (failed.witness or "")
