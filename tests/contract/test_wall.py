"""The auditor finds what is wrong with code that the publisher works with, because it works with code of its own.

Each variant below breaks something that makes a tree of a hierarchy, finds a value in it, or writes a value as a text,
for everybody who uses it. The publisher does, and publishes what is not so; the auditor must say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal.data.table
from shoal.audit import generalized, generalized_baskets
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.publish.k_anonymity import k_anonymity
from shoal.publish.km_generalization import km_generalization

HIERARCHY = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")], name="letter")
Patch = pytest.MonkeyPatch
Checks = dict[str, bool]


LETTERS = "aaaaa" + "b" + "cccc" + "dd"
"""Letters that are rare, to be shown as x and as y: other ones if two letters stand in each other's place."""


def letters() -> Table:
    return Table.from_arrow(pa.table({"letter": list(LETTERS)}), quasi="letter")


def numbers() -> Table:
    return Table.from_arrow(pa.table({"age": [10] * 3 + [20] * 3}), quasi="age")


def baskets() -> Transactions:
    return Transactions.from_records([{letter} for letter in LETTERS])


def audit_letters() -> Checks:
    release = k_anonymity(letters(), 3, hierarchies={"letter": HIERARCHY})
    return checks(generalized.audit(release, original=letters(), hierarchies={"letter": HIERARCHY}))


def audit_numbers() -> Checks:
    return checks(generalized.audit(k_anonymity(numbers(), 3), original=numbers()))


def audit_baskets() -> Checks:
    release = km_generalization(baskets(), 3, 1, hierarchy=HIERARCHY)
    return checks(generalized_baskets.audit(release, original=baskets(), hierarchy=HIERARCHY))


def checks(verdict: Any) -> Checks:
    return {check.name: check.holds for check in verdict.checks}


def swapped_parents(patch: Patch) -> None:
    """Two values stand in each other's place in every tree that is made of a hierarchy."""
    made = NodeTree.from_hierarchy.__func__  # type: ignore[attr-defined]

    def broken(cls: type[NodeTree], hierarchy: Hierarchy) -> NodeTree:
        tree = made(cls, hierarchy)
        swap = {"b": "c", "c": "b"}
        return replace(tree, labels=tuple(swap.get(label, label) for label in tree.labels))

    patch.setattr(NodeTree, "from_hierarchy", classmethod(broken))


def swapped_values(patch: Patch) -> None:
    """Two values are taken for each other wherever a value is looked up in a hierarchy."""
    places = Hierarchy.places

    def broken(self: Hierarchy, column: Any) -> Any:
        found = places(self, column)
        if set("abcd") <= set(self.leaves):
            b, c = self.leaves.index("b"), self.leaves.index("c")
            found = np.select([found == b, found == c], [c, b], found).astype(np.int32)
        return found

    patch.setattr(Hierarchy, "places", broken)


def one_more(patch: Patch) -> None:
    """Whole numbers are written as the next one."""
    text_of = shoal.data.table.text_of
    patch.setattr(shoal.data.table, "text_of", lambda value: text_of(value + 1 if isinstance(value, int) else value))


VARIANTS: dict[str, tuple[Callable[[Patch], None], Callable[[], Checks], set[str]]] = {
    "a table, parents swapped": (swapped_parents, audit_letters, {"cells of the original"}),
    "a table, values swapped": (swapped_values, audit_letters, {"cells of the original"}),
    "a table, numbers written as the next one": (one_more, audit_numbers, {"cells of the original"}),
    "baskets, parents swapped": (swapped_parents, audit_baskets, {"hierarchy given"}),
    "baskets, values swapped": (swapped_values, audit_baskets, {"rows of the original"}),
}


@pytest.fixture(autouse=True)
def whole_code() -> None:
    """Without a variant everything holds."""
    for audited in (audit_letters, audit_numbers, audit_baskets):
        assert all(audited().values())


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_auditor_finds_what_broken_code_published(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it, audited, found_by = VARIANTS[variant]
    break_it(monkeypatch)
    wrong = {name for name, holds in audited().items() if not holds}
    assert wrong >= found_by
