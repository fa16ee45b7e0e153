"""What ends at round numbers cost: NCP beside that of intervals that hold as equal numbers of rows as can be."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.data import balanced_intervals, hierarchy_builders
from shoal.data.table import Table


def ncp(table: Table, strategy: str) -> float:
    """The mean share of a column's values that a quasi-identifier cell stands for; a value alone is 0."""
    masks = {"postcode": hierarchy_builders.prefixes(table.column("postcode"))}
    release = shoal.k_anonymity(table, 10, hierarchies=masks, strategy=strategy)  # type: ignore[arg-type]
    parts = []
    for column in release.quasi:
        leaves = column.tree.leaves[column.nodes]
        parts.append(np.where(leaves > 1, (leaves - 1) / (column.tree.leaves[0] - 1), 0).mean())
    return float(np.mean(parts))


@pytest.mark.parametrize("strategy", ["bottom-up", "mondrian"])
def test_ends_at_round_numbers_cost_a_few_percent_at_most(strategy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.generate.people import people

    table = Table.from_arrow(people(20_000, seed=1), quasi=["age", "sex", "postcode"])
    rounded = ncp(table, strategy)
    monkeypatch.setattr(balanced_intervals, "_UNEVEN", 0.0)
    even = ncp(table, strategy)
    assert rounded <= 1.03 * even, (rounded, even)
