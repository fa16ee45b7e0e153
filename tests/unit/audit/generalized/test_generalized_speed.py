"""Large generalized releases are audited in a moment, with memory in proportion, and work is bounded."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pyarrow as pa

from shoal.audit.generalized import audit
from shoal.audit.verdict import Verdict
from shoal.data.hierarchy import Hierarchy
from shoal.data.node_tree import NodeTree
from shoal.data.table import Role, Table
from shoal.promises import HiddenAssociations, KAnonymity
from shoal.release.generalized import Generalized, GeneralizedColumn

VALUES = 12


def flat(labels: list[str], each: int) -> NodeTree:
    """Nodes of so many values each, directly below a root."""
    parents = np.array([-1] + [0] * len(labels), np.int32)
    return NodeTree(("*", *labels), parents, np.array([each * len(labels)] + [each] * len(labels), np.int64))


def made(n_groups: int, size: int) -> tuple[Generalized, Table, dict[str, Hierarchy]]:
    """Groups of like size, of whose cells of four columns one in six is hidden, and the table they are of."""
    chance = np.random.default_rng(3)
    rows = n_groups * size
    group = np.repeat(np.arange(n_groups), size)
    share = 1 / np.arange(2, VALUES + 2)
    true = [chance.choice(VALUES, rows, p=share / share.sum()) for _ in range(4)]
    shown = [np.where(chance.random(rows) < 1 / 6, 0, column + 1).astype(np.int32) for column in true]
    order = np.lexsort((*shown[::-1], group))
    names = [f"s{number}" for number in range(4)]
    towns, words = [f"town{number}" for number in range(n_groups)], [f"v{number}" for number in range(VALUES)]
    columns = [GeneralizedColumn("town", Role.QUASI, flat(towns, 3), (group[order] + 1).astype(np.int32))]
    columns += [
        GeneralizedColumn(name, Role.SENSITIVE, flat(words, 1), column[order])
        for name, column in zip(names, shown, strict=True)
    ]
    release = Generalized(
        "bottom-up",
        KAnonymity(size, ("town",)),
        tuple(columns),
        np.arange(0, rows + 1, size),
        hidden=HiddenAssociations(tuple(names), 0.1, 0.5, resists_filling=True),
    )
    streets = np.array([f"{town}-{street}" for town in towns for street in range(3)])
    data = {"town": streets[group * 3 + chance.integers(0, 3, rows)]}
    data |= {name: np.array(words)[column] for name, column in zip(names, true, strict=True)}
    mixed = chance.permutation(rows)
    table = Table.from_arrow(
        pa.table({name: column[mixed] for name, column in data.items()}), quasi="town", sensitive=names
    )
    paths = [(street, town, "*") for at, town in enumerate(towns) for street in streets[3 * at : 3 * at + 3].tolist()]
    return release, table, {"town": Hierarchy.from_rows(paths)}


def seconds(release: Generalized, table: Table, trees: dict[str, Hierarchy]) -> tuple[Verdict, float]:
    start = time.process_time()
    verdict = audit(release, original=table, hierarchies=trees)
    return verdict, time.process_time() - start


def test_two_hundred_thousand_rows_with_their_original() -> None:
    verdict, spent = seconds(*made(800, 250))
    assert {check.name for check in verdict.failures} <= {"associations after filling"}, str(verdict)
    assert verdict["cells of the original"].holds
    assert spent < 20  # about 1.5 s where nobody else works


def test_memory_grows_with_the_rows_only() -> None:
    peaks = []
    for n_groups in (80, 320):
        case = made(n_groups, 250)
        tracemalloc.start()
        seconds(*case)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]


def test_tiny_groups_that_give_everything_away_end_soon() -> None:
    """One row in ten of five is any row: every set of values of every row counts."""
    verdict, spent = seconds(*made(4_000, 5))
    assert "groups disclose an association" in (verdict["associations"].witness or "")
    assert spent < 20  # about 1 s
