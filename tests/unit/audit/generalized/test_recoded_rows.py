"""Whether a release is one of a table, against all ways of dealing the table's rows to the published ones."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.generalized import audit
from shoal.data.hierarchy import Hierarchy
from tests.making.generalized_releases import generalized, table
from tests.oracles.recoding import at_or_above, is_recoded

Q = {"*": None, "x": "*", "a": "x", "b": "x", "y": "*", "c": "y", "d": "y"}
S = {"*": None, "u": "*", "p": "u", "q": "u", "r": "*"}
TREES = {"q1": Q, "q2": Q, "s1": S, "s2": S}
OF_Q = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")])
OF_S = Hierarchy.from_rows([("p", "u", "*"), ("q", "u", "*"), ("r", "r", "*")])
HIERARCHIES = {"q1": OF_Q, "q2": OF_Q, "s1": OF_S, "s2": OF_S}

people = st.lists(
    st.tuples(*(st.sampled_from(values) for values in ("abcd", "abcd", "pqr", "pqr"))), min_size=1, max_size=5
)


@given(people, st.integers(0, 2), st.data())
@settings(max_examples=500, deadline=None)
def test_the_same_as_by_trying_everything(rows: list[tuple[str, ...]], suppressed: int, data: st.DataObject) -> None:
    suppressed = min(suppressed, len(rows) - 1)
    trees = list(TREES.values())
    published = [
        tuple(
            data.draw(st.sampled_from(sorted(at_or_above(tree, value)))) for tree, value in zip(trees, row, strict=True)
        )
        for row in rows[suppressed:]
    ]
    if data.draw(st.booleans()):
        row, column = data.draw(st.integers(0, len(published) - 1)), data.draw(st.integers(0, 3))
        changed = list(published[row])
        changed[column] = data.draw(st.sampled_from(sorted(trees[column])))
        published[row] = tuple(changed)
    release = generalized(published, TREES, 2, suppressed=suppressed)
    verdict = audit(release, original=table(rows, list(TREES), 2), hierarchies=HIERARCHIES)
    wanted = is_recoded(published, suppressed, rows, trees)
    assert verdict["cells of the original"].holds == wanted
    # Without hierarchies less can be told, but never something wrong: what is refused is no release of these rows.
    blind = audit(release, original=table(rows, list(TREES), 2))
    assert blind["cells of the original"].holds or not wanted


def test_a_row_takes_its_own_place_only_where_it_fits_no_other_group() -> None:
    """Groups overlap: a's own row looks free, but b can go nowhere else."""
    tree = {"*": None, "x": "*", "a": "x", "b": "x", "c": "*"}
    ill = {"*": None, "p": "*", "q": "*"}
    rows = [("a", "p"), ("x", "*")]
    release = generalized(rows, {"q": tree, "s": ill}, 1)
    hierarchy = {"q": Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "c", "*")])}
    for people, fits in (
        ([("a", "p"), ("b", "q")], True),
        ([("a", "p"), ("a", "p")], True),
        ([("a", "q"), ("b", "p")], False),
        ([("a", "q"), ("a", "p")], True),
    ):
        verdict = audit(release, original=table(people, ["q", "s"], 1), hierarchies=hierarchy)
        assert verdict["cells of the original"].holds is fits, people
