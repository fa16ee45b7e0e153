"""The audit of generalized releases: what holds, what was left out, and every kind of damage with its witness."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit.generalized import audit
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Role, Table
from shoal.errors import InputError
from shoal.promises import HiddenAssociations, KAnonymity
from shoal.release.generalized import Generalized
from shoal.run import Run
from tests.making.bucketized_releases import failing
from tests.making.generalized_releases import flat_tree, generalized, node_tree, table
from tests.oracles.associations import completions

AGE = {"*": None, "young": "*", "21": "young", "22": "young", "old": "*", "41": "old", "42": "old"}
WORK = {"*": None, "public": "*", "state": "public", "city": "public", "own": "*"}
TREES = {"age": AGE, "sex": flat_tree("fm"), "work": WORK, "ill": flat_tree(("cold", "flu", "gout"))}
NAMES = list(TREES)
ROWS = [
    ("young", "f", "state", "flu"),
    ("young", "f", "public", "cold"),
    ("young", "f", "own", "*"),
    ("young", "m", "city", "flu"),
    ("young", "m", "own", "gout"),
    ("old", "*", "public", "cold"),
    ("old", "*", "own", "flu"),
    ("old", "*", "own", "*"),
]
PEOPLE = [
    (21, "f", "state", "flu"),
    (22, "f", "city", "cold"),
    (22, "f", "own", "gout"),
    (21, "m", "city", "flu"),
    (21, "m", "own", "gout"),
    (41, "f", "state", "cold"),
    (42, "m", "own", "flu"),
    (42, "f", "own", "flu"),
    (42, "m", "state", "gout"),
]
"""The last one is suppressed."""
HIERARCHIES = {
    "age": Hierarchy.from_rows(
        [("21", "young", "*"), ("22", "young", "*"), ("41", "old", "*"), ("42", "old", "*")], name="age"
    ),
    "work": Hierarchy.from_rows([("state", "public", "*"), ("city", "public", "*"), ("own", "own", "*")], name="work"),
}
CHECKS = [
    "columns",
    "trees",
    "cells",
    "unused nodes",
    "groups",
    "agreement",
    "order",
    "group size",
    "suppressed rows",
]


def good(rows: Sequence[Sequence[str]] = ROWS, **options: Any) -> Generalized:
    return generalized(rows, TREES, 2, **{"suppressed": 1, **options})


def people(rows: Sequence[Sequence[Any]] = PEOPLE) -> Table:
    return table(rows, NAMES, 2)


def test_a_good_release_holds_with_and_without_its_original() -> None:
    verdict = audit(good())
    assert verdict.confirmed, str(verdict)
    assert [check.name for check in verdict.checks] == CHECKS
    seen: list[tuple[str, int, int]] = []
    verdict = audit(
        good(), original=people(), hierarchies=HIERARCHIES, run=Run(progress=lambda *step: seen.append(step))
    )
    assert verdict.confirmed, str(verdict)
    assert [check.name for check in verdict.checks][len(CHECKS) :] == [
        "rows of the original",
        "trees of the original",
        "cells of the original",
        "values of suppressed rows",
    ]
    assert seen[-1] == ("original", 5, 5)
    assert json.loads(json.dumps(verdict.as_dict()))["figures"][0]["name"] == "distinct l-diversity"
    whole = audit(good(cut=False))
    assert whole.confirmed
    assert "unused nodes" not in [check.name for check in whole.checks]


def test_a_release_without_sensitive_columns_or_groups_holds() -> None:
    bare = generalized([row[:2] for row in ROWS], {"age": AGE, "sex": TREES["sex"]}, 2)
    assert audit(bare).confirmed
    assert not audit(bare).figures
    original = people(PEOPLE[:-1])
    assert audit(bare, original=original, hierarchies={"age": HIERARCHIES["age"]}).confirmed
    lost = audit(replace(bare, suppressed=1), original=people(), hierarchies={"age": HIERARCHIES["age"]})
    assert lost.confirmed
    empty = replace(
        bare,
        columns=tuple(
            replace(column, nodes=column.nodes[:0], tree=column.tree.cut(np.zeros(len(column.tree), bool))[0])
            for column in bare.columns
        ),
        group_offsets=np.zeros(1, np.int64),
        suppressed=9,
    )
    assert audit(empty, original=people()).confirmed, str(audit(empty))


def set_cells(release: Generalized, name: str, changes: dict[int, str]) -> Generalized:
    """Other labels in some rows of a column."""
    columns = []
    for column in release.columns:
        if column.name == name:
            nodes = column.nodes.copy()
            for row, label in changes.items():
                nodes[row] = column.tree.labels.index(label)
            column = replace(column, nodes=nodes)
        columns.append(column)
    return replace(release, columns=tuple(columns))


def set_tree(release: Generalized, name: str, **fields: Any) -> Generalized:
    return replace(
        release,
        columns=tuple(replace(c, tree=replace(c.tree, **fields)) if c.name == name else c for c in release.columns),
    )


def reorder(release: Generalized, order: Sequence[int]) -> Generalized:
    columns = tuple(replace(column, nodes=column.nodes[list(order)]) for column in release.columns)
    return replace(release, columns=columns)


def offsets(*numbers: int) -> np.ndarray[Any, Any]:
    return np.array(numbers, np.int64)


# In a good release: groups (young, f), (young, m), (old, *) of 3, 2 and 3 rows; trees are cut.
DAMAGES: dict[str, tuple[Callable[[Generalized], Generalized], str, str]] = {
    "a group below k": (
        lambda r: replace(r, promise=KAnonymity(3, ("age", "sex"))),
        "group size",
        "group 1 (age young, sex m) has 2 rows",
    ),
    "k beyond everything": (
        lambda r: replace(r, promise=KAnonymity(10**12, ("age", "sex"))),
        "group size",
        "group 0 (age young, sex f) has 3 rows (and 2 more groups)",
    ),
    "merged groups": (
        lambda r: replace(r, group_offsets=offsets(0, 5, 8)),
        "agreement",
        "group 0: row 3 has sex m, and the first row of the group f (and 1 more rows)",
    ),
    "a group cut in two": (
        lambda _: replace(good(ROWS * 2), group_offsets=offsets(0, 6, 10, 12, 16)),
        "order",
        "groups 2 and 3 have the same quasi-identifiers",
    ),
    "groups in another order": (
        lambda r: replace(reorder(r, [5, 6, 7, 0, 1, 2, 3, 4]), group_offsets=offsets(0, 3, 6, 8)),
        "order",
        "group 1 should come before group 0",
    ),
    "rows in the order of the original": (
        lambda r: reorder(r, [0, 1, 2, 4, 3, 5, 6, 7]),
        "order",
        "group 1: row 4 should come before row 3",
    ),
    "an empty group": (
        lambda r: replace(r, group_offsets=offsets(0, 3, 3, 5, 8)),
        "groups",
        "group 1 has no row",
    ),
    "rows in no group": (
        lambda r: replace(r, group_offsets=offsets(0, 3, 5)),
        "groups",
        "the groups hold the rows 0 to 5 of 8",
    ),
    "no groups": (lambda r: replace(r, group_offsets=offsets()), "groups", "the release has no groups"),
    "suppressed below none": (lambda r: replace(r, suppressed=-1), "groups", "-1 rows are suppressed"),
    "a node that there is not": (
        lambda r: replace(r, columns=(*r.columns[:3], replace(r.columns[3], nodes=r.columns[3].nodes + 2))),
        "cells",
        "column 'ill': row 1 holds the node 4, of 4 (and 3 more rows)",
    ),
    "a node below none": (
        lambda r: replace(r, columns=(replace(r.columns[0], nodes=r.columns[0].nodes - 3), *r.columns[1:])),
        "cells",
        "column 'age': row 0 holds the node -2, of 3",
    ),
    "two nodes of one label": (
        lambda r: set_tree(r, "ill", labels=("*", "cold", "cold", "gout")),
        "trees",
        "column 'ill': two nodes have the label cold",
    ),
    "a tree without a root": (
        lambda r: set_tree(r, "ill", parents=np.array([1, 0, 0, 0], np.int32)),
        "trees",
        "the first node, *, is not the root",
    ),
    "two roots": (
        lambda r: set_tree(r, "ill", parents=np.array([-1, -1, 0, 0], np.int32)),
        "trees",
        "cold does not follow its parent in depth-first order",
    ),
    "a child before its parent": (
        lambda r: set_tree(r, "ill", parents=np.array([-1, 2, 0, 0], np.int32)),
        "trees",
        "cold does not follow its parent in depth-first order",
    ),
    "a child of a branch that has ended": (
        lambda r: set_tree(r, "work", parents=np.array([-1, 0, 1, 0, 1], np.int32)),
        "trees",
        "does not follow its parent in depth-first order",
    ),
    "a parent that there is not": (
        lambda r: set_tree(r, "ill", parents=np.array([-1, 0, 0, 9], np.int32)),
        "trees",
        "gout does not follow its parent in depth-first order",
    ),
    "a node of fewer values than below it": (
        lambda r: set_tree(r, "ill", leaves=offsets(2, 1, 1, 1)),
        "trees",
        "* represents 2 values, and the nodes below it 3",
    ),
    "values that overflow": (
        lambda r: set_tree(r, "ill", leaves=offsets(2**62, 2**62, 2**62, 1)),
        "trees",
        "and the nodes below it 9,223,372,036,854,775,809",
    ),
    "a node of no values": (
        lambda r: set_tree(r, "ill", leaves=offsets(3, 0, 1, 1)),
        "trees",
        "cold represents 0 values",
    ),
    "a value under another name": (
        lambda _: generalized(
            ROWS,
            {**TREES, "work": node_tree({"*": None, "public": "*", "state": "public", "city": "*", "own": "*"})},
            2,
        ),
        "trees",
        "public represents the same values as the only node below it",
    ),
    "parents missing": (
        lambda r: set_tree(r, "ill", parents=np.array([-1, 0, 0], np.int32)),
        "trees",
        "4 labels, 3 parents and 4 counts of values",
    ),
    "a whole tree that lacks values": (
        lambda r: replace(r, discloses_hierarchies=True),
        "trees",
        "column 'age': young represents 2 values that are not disclosed",
    ),
    "a whole tree that lacks some of a node's values": (
        lambda _: generalized(ROWS, {**TREES, "work": node_tree(WORK, {"public": 3, "*": 4})}, 2, cut=False),
        "trees",
        "column 'work': public represents 3 values, and the nodes below it 2",
    ),
    "a node published for nothing": (
        lambda _: replace(generalized(ROWS, TREES, 2, cut=False), discloses_hierarchies=False),
        "unused nodes",
        "column 'age': 21 is published, but no row holds it or a node below it (and 3 more nodes)",
    ),
    "suppressed rows posing as a class": (
        lambda _: good([*ROWS, ("*", "*", "*", "*"), ("*", "*", "*", "*")]),
        "suppressed rows",
        "the 2 rows of group 0 show only roots: they are suppressed ones",
    ),
    "no columns": (lambda r: replace(r, columns=()), "columns", "the release has no columns"),
    "two columns of one name": (
        lambda r: replace(r, columns=(*r.columns, r.columns[-1])),
        "columns",
        "two columns are called 'ill'",
    ),
    "a column of another role": (
        lambda r: replace(r, columns=(*r.columns[:3], replace(r.columns[3], role=Role.PLAIN))),
        "columns",
        "the columns are not quasi-identifiers, then sensitive ones",
    ),
    "columns in another order": (
        lambda r: replace(r, columns=r.columns[::-1]),
        "columns",
        "the columns are not quasi-identifiers, then sensitive ones",
    ),
    "quasi-identifiers that nothing is promised of": (
        lambda r: replace(r, promise=KAnonymity(2, ("age",))),
        "columns",
        "the quasi-identifiers are age, sex, and those of the promise age",
    ),
    "sensitive columns that nothing is promised of": (
        lambda r: replace(r, hidden=HiddenAssociations(("ill",), 0.9, 0.9)),
        "columns",
        "the sensitive columns are work, ill, those of the promise ill",
    ),
    "columns of different lengths": (
        lambda r: replace(r, columns=(*r.columns[:3], replace(r.columns[3], nodes=r.columns[3].nodes[:-1]))),
        "columns",
        "columns have 8, 8, 8, 7 rows",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_caught_with_a_witness(damage: str) -> None:
    change, name, witness = DAMAGES[damage]
    verdict = audit(change(good()))
    found = failing(verdict)
    assert witness in found[name], found
    # Nothing else is called wrong; what makes no sense then is said not to be checked.
    assert [check.name for check in verdict.failures if not check.refused] == [name]


def test_one_class_of_nothing_but_roots_is_a_class_where_there_is_no_other() -> None:
    assert audit(generalized([("*", "*")] * 3, {"sex": flat_tree("fm"), "ill": flat_tree("ab")}, 1)).confirmed


ORIGINALS: dict[str, tuple[list[tuple[Any, ...]], str, str]] = {
    "a row lost": (
        [*PEOPLE, (21, "f", "own", "flu")],
        "rows of the original",
        "8 rows are published and 1 suppressed, and the original has 10",
    ),
    "a row invented": (
        PEOPLE[:-1],
        "rows of the original",
        "8 rows are published and 1 suppressed, and the original has 8",
    ),
    "a cell that is no ancestor": (
        [(21, "f", "own", "flu"), *PEOPLE[1:]],
        "cells of the original",
        "no row of the original matches 1 of the published rows, for example work state, ill flu in group 0 "
        "(age young, sex f); 2 rows of the original are left over, but 1 are suppressed; one left over is age 22, "
        "sex f, work own, ill gout",
    ),
    "a quasi-identifier that is no ancestor": (
        [*PEOPLE[:3], (41, "m", "city", "flu"), *PEOPLE[4:]],
        "cells of the original",
        "for example work city, ill flu in group 1 (age young, sex m)",
    ),
    "another row suppressed": (
        [*PEOPLE[:7], (42, "f", "state", "gout"), (42, "m", "state", "gout")],
        "cells of the original",
        "no row of the original matches 1 of the published rows, for example work own, ill ",
    ),
}


@pytest.mark.parametrize("damage", ORIGINALS)
def test_an_original_that_is_another_one(damage: str) -> None:
    rows, name, witness = ORIGINALS[damage]
    found = failing(audit(good(), original=people(rows), hierarchies=HIERARCHIES))
    assert witness in found[name], found


def test_trees_of_another_hierarchy() -> None:
    def of(*rows: tuple[str, ...]) -> str:
        tree = {"work": Hierarchy.from_rows(rows, name="work"), "age": HIERARCHIES["age"]}
        verdict = audit(good(), original=people(), hierarchies=tree)
        assert verdict["cells of the original"].refused
        return failing(verdict)["trees of the original"]

    assert "the hierarchy has no node public" in of(("state", "*"), ("city", "*"), ("own", "*"))
    army = ("army", "public", "*")
    assert "* represents 3 values in the release, and 4 in the hierarchy" in of(
        ("state", "public", "*"), ("city", "public", "*"), army, ("own", "own", "*")
    )
    assert "state is below public in the release, and below * in the hierarchy" in of(
        ("state", "land", "*"), ("city", "public", "*"), ("own", "public", "*")
    )


def test_without_a_hierarchy_what_can_be_told_is() -> None:
    """States and cities are shown somewhere; ages are not, and may be below any range."""
    verdict = audit(good(), original=people())
    assert verdict.holds
    assert not verdict.confirmed
    (entry,) = verdict.left_out
    assert "age: only the hierarchy shows whether generalized cells are above values like 21" in entry.why
    assert "--hierarchy age=FILE" in entry.why
    # A visible value that no row of the original has is told all the same, and so is a hidden one.
    rows = [(21, "f", "own", "flu"), *PEOPLE[1:]]
    assert "work state, ill flu" in failing(audit(good(), original=people(rows)))["cells of the original"]
    # Where nothing but the root is above, a value that is nowhere shown is below that.
    one = generalized([("f", "flu"), ("f", "*")], {"sex": flat_tree("fm"), "ill": flat_tree(("flu", "cold"))}, 1)
    original = table([("f", "flu"), ("f", "cold")], ["sex", "ill"], 1)
    assert audit(one, original=original).confirmed
    assert not audit(one, original=table([("f", "gout"), ("f", "cold")], ["sex", "ill"], 1)).holds


def test_ranges_that_a_release_is_made_with_by_itself_are_known() -> None:
    from shoal.publish.k_anonymity import k_anonymity

    rows = [(age, "fm"[age % 2], ("flu", "cold")[age // 3 % 2]) for age in range(20, 52)]
    original = table(rows, ["age", "sex", "ill"], 2)
    release = k_anonymity(original, k=4)
    assert audit(release, original=original).confirmed
    other = table([(20, *row[1:]) for row in rows], ["age", "sex", "ill"], 2)
    assert not audit(release, original=other).confirmed


def test_what_is_not_about_the_release_is_refused() -> None:
    with pytest.raises(InputError, match="no such column: 'ill'"):
        audit(good(), original=table([row[:3] for row in PEOPLE], NAMES[:3], 2))
    with pytest.raises(InputError, match="give the original, too"):
        audit(good(), hierarchies=HIERARCHIES)
    with pytest.raises(InputError, match="no such column: 'shoe'"):
        audit(good(), original=people(), hierarchies={"shoe": HIERARCHIES["age"]})
    with pytest.raises(InputError, match="without a place"):
        audit(good(), original=people([(99, "f", "own", "flu"), *PEOPLE[1:]]), hierarchies=HIERARCHIES)


ILL = flat_tree("abcdef")


def hiding(rows: Sequence[Sequence[str]], hide: tuple[float, float], **options: Any) -> Generalized:
    trees = {"sex": flat_tree("fm"), "s": ILL, "t": ILL}
    return generalized([("f", *row) for row in rows], trees, 1, hide=hide, **options)


def test_an_association_that_is_left_is_named() -> None:
    rule = hiding([("a", "b"), ("a", "b"), ("c", "d"), ("e", "f"), ("d", "e")], (0.3, 0.5))
    found = failing(audit(rule))["associations"]
    assert found == "group 0 (sex f): knowing t b, an adversary infers s a with 100% (2 of 2 rows)" or (
        found == "group 0 (sex f): knowing s a, an adversary infers t b with 100% (2 of 2 rows)"
    )
    value = hiding([("a", "b"), ("a", "c"), ("c", "d"), ("e", "f")], (0.75, 0.5))
    assert failing(audit(value)) == {"associations": "group 0 (sex f): an adversary infers s a with 50% (2 of 4 rows)"}
    absent = hiding([("a", "b"), ("a", "c"), ("d", "e"), ("c", "e"), ("b", "d")], (0.4, 0.6))
    assert failing(audit(absent)) == {
        "associations": "group 0 (sex f): knowing not s a, an adversary infers t e with 67% (2 of 3 rows)"
    }
    # What may hold the antecedent, and need not hold the consequent, counts with it: 2 of 4 rows.
    held = hiding([("a", "b"), ("a", "b"), ("*", "d"), ("*", "f"), ("d", "*"), ("e", "*")], (0.3, 0.6))
    assert audit(held).holds, str(audit(held))


def old_measure(release: Generalized, knowing: tuple[str, str], inferred: tuple[str, str]) -> tuple[int, int]:
    """Rows that surely hold both, by rows that may hold what is known: what the paper and Shoal once took for it."""
    cells = [[release.column(name).tree.labels[node] for node in release.column(name).nodes] for name in "st"]
    rows = [dict(zip("st", row, strict=True)) for row in zip(*cells, strict=True)]
    sure = [row for row in rows if row[knowing[0]] == knowing[1] and row[inferred[0]] == inferred[1]]
    return len(sure), sum(row[knowing[0]] in (knowing[1], "*") for row in rows)


def test_a_release_that_is_hidden_by_the_old_measure_only_is_rejected() -> None:
    """A row that hides what is known, and shows what follows, never speaks against a rule."""
    left = hiding([("*", "b"), ("a", "b"), ("a", "b"), ("c", "d"), ("d", "e"), ("e", "f")], (0.3, 0.7))
    assert old_measure(left, ("s", "a"), ("t", "b")) == old_measure(left, ("t", "b"), ("s", "a")) == (2, 3)
    assert failing(audit(left)) == {
        "associations": "group 0 (sex f): knowing s a, an adversary infers t b with 100% (2 of 2 rows)"
    }
    right = hiding([("a", "*"), ("a", "b"), ("a", "b"), ("c", "d"), ("d", "e"), ("e", "f")], (0.3, 0.7))
    assert failing(audit(right)) == {
        "associations": "group 0 (sex f): knowing t b, an adversary infers s a with 100% (2 of 2 rows)"
    }
    # Both have to be weakened: each by a row in which what follows is hidden.
    both = hiding([("*", "*"), ("a", "b"), ("a", "b"), ("c", "d"), ("d", "e"), ("e", "f")], (0.3, 0.7))
    assert audit(both).confirmed, str(audit(both))


def test_several_values_on_the_left_and_absence_are_measured_alike() -> None:
    trees = {"sex": flat_tree("fm"), "s": ILL, "t": ILL, "u": ILL}
    rows = [("f", *row) for row in ("abd", "abd", "*bd", "a*d", "ccd", "aee", "aff", "ebe", "fbf")]
    found = failing(audit(generalized(rows, trees, 1, hide=(0.2, 0.7))))
    # Four rows may hold a and b; the two of them that need not show d.
    rule = "group 0 (sex f): knowing s a and t b, an adversary infers u d with 100% (2 of 2 rows)"
    assert found == {"associations": rule}
    rows[3] = ("f", "a", "*", "*")
    assert failing(audit(generalized(rows, trees, 1, hide=(0.2, 0.7)))) == {}
    absent = [("a", "b"), ("a", "c"), ("*", "e"), ("*", "e"), ("b", "*")]
    assert failing(audit(hiding(absent, (0.4, 0.7)))) == {}
    assert failing(audit(hiding([*absent[:4], ("*", "e")], (0.4, 0.7)))) == {
        "associations": "group 0 (sex f): knowing not s a, an adversary infers t e with 100% (3 of 3 rows)"
    }


def test_an_association_that_only_filling_brings_back() -> None:
    rows = [("a", "b"), ("a", "c"), ("*", "d"), ("*", "e"), ("b", "f")]
    assert audit(hiding(rows, (0.3, 0.6))).confirmed
    found = failing(audit(hiding(rows, (0.3, 0.6), resists=True)))
    assert found == {"associations after filling": "group 0 (sex f): an adversary infers s a with 80% (4 of 5 rows)"}


def test_more_work_than_an_audit_may_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.audit import generalized as door
    from shoal.audit.budget import Budget

    monkeypatch.setattr(door, "allowance", lambda _: Budget(10))
    release = replace(good(), hidden=HiddenAssociations(("work", "ill"), 0.9, 0.9, resists_filling=True))
    verdict = audit(release, original=people(), hierarchies=HIERARCHIES)
    assert {check.name for check in verdict.failures if check.refused} == {
        "associations",
        "associations after filling",
        "cells of the original",
    }


numbers = st.integers(-3, 8) | st.sampled_from([2**31 - 1, -(2**31)])
many = st.integers(-3, 9) | st.sampled_from([2**62, -(2**63), 2**63 - 1])


@given(
    st.lists(many, max_size=5),
    st.lists(numbers, min_size=8, max_size=8),
    st.lists(numbers, min_size=8, max_size=8),
    st.lists(numbers, min_size=4, max_size=5),
    st.lists(many, min_size=4, max_size=4),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_whatever_the_arrays_hold_there_is_a_verdict(
    groups: list[int], sex: list[int], ill: list[int], parents: list[int], leaves: list[int], whole: bool
) -> None:
    release = good()
    tree = NodeTree(release.columns[3].tree.labels, np.array(parents, np.int32), np.array(leaves, np.int64))
    columns = (
        release.columns[0],
        replace(release.columns[1], nodes=np.array(sex, np.int32)),
        release.columns[2],
        replace(release.columns[3], nodes=np.array(ill, np.int32), tree=tree),
    )
    broken = replace(
        release,
        columns=columns,
        group_offsets=np.array(groups, np.int64),
        hidden=HiddenAssociations(("work", "ill"), 0.5, 0.5, resists_filling=True),
        discloses_hierarchies=whole,
    )
    verdict = audit(broken, original=people(), hierarchies=HIERARCHIES)
    json.dumps(verdict.as_dict())
    assert str(verdict)


@pytest.mark.parametrize("resists", [False, True])
@pytest.mark.parametrize("cells", [("*", "*"), ("flu", "*"), ("flu", "flu")])
def test_one_value_is_known_whatever_is_hidden(cells: tuple[str, str], resists: bool) -> None:
    """Everybody reads off the hierarchy what a hidden cell stands for."""
    trees = {"age": AGE, "ill": {"*": None, "flu": "*"}}
    rows = [("young", cell) for cell in cells]
    assert {values for cell in cells for values in completions((cell,), [trees["ill"]])} == {("flu",)}
    found = audit(generalized(rows, trees, 1, hide=(0.5, 1.0), resists=resists))
    wrong = {check.name: check.witness for check in found.failures}
    assert set(wrong) == {"associations"} | ({"associations after filling"} if resists else set())
    assert set(wrong.values()) == {"ill: there is only one value, so every hidden cell has it"}
