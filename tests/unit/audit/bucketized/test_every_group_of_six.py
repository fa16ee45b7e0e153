"""Every group of six rows, up to names: valid values by the auditor, and by the publisher, against the definition."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.audit.bucketized.exclusions import exclude
from shoal.audit.bucketized.valid_values import find_valid
from shoal.audit.budget import Budget
from shoal.data.background import Background, Condition, NegativeRule
from shoal.data.table import Table
from shoal.kernels.valid_values import valid_values
from shoal.promises import FrequencyDiversity
from shoal.release.bucketized import Bucketized
from tests.making.all_groups import every_group, partitions
from tests.oracles import matching as oracle

SIZE = 6
LETTERS = np.array([*"abcdef"])


def by_the_auditor(groups: np.ndarray, counts: list[int]) -> np.ndarray:
    """How many values are valid for each row of each group, all groups in one release."""
    sets = np.arange(1 << len(counts))
    names = pa.array([f"{number:02}" for number in sets.tolist()]).take(pa.array(groups.ravel()))
    n_groups, width = len(groups), len(counts)
    release = Bucketized(
        method="anatomy",
        promise=FrequencyDiversity(2, "value"),
        quasi=Table.from_arrow(pa.table({"cannot": names}), quasi="cannot"),
        group_offsets=np.arange(n_groups + 1) * SIZE,
        values=pa.array(LETTERS[:width].tolist()),
        bucket_offsets=np.arange(n_groups + 1) * width,
        bucket_values=np.tile(np.arange(width, dtype=np.int32), n_groups),
        bucket_counts=np.tile(np.array(counts, np.int64), n_groups),
    )
    rules = [
        NegativeRule((Condition("cannot", letter, tuple(f"{n:02}" for n in sets.tolist() if n >> v & 1)),), letter)
        for v, letter in enumerate(LETTERS[:width].tolist())
    ]
    excluded = exclude(Background("value", tuple(rules)), release.quasi, release.values, Budget(1e12))
    found = find_valid(release, excluded, Budget(1e12))
    return found.number[found.kinds.row_kind].reshape(groups.shape)


def by_the_publisher(group: np.ndarray, counts: list[int]) -> list[int]:
    """The same of one group; which row has which value at first is nothing to it."""
    width = len(counts)
    kinds, kind = np.unique(group, return_inverse=True)
    held = np.zeros((len(kinds), width), np.int64)
    np.add.at(held, (kind, np.repeat(np.arange(width), counts)), 1)
    shut = (kinds[:, None] >> np.arange(width) & 1).astype(np.uint8)
    valid = valid_values(held.ravel(), shut.ravel(), len(kinds), width).reshape(held.shape)
    return valid.sum(axis=1)[kind].tolist()


@pytest.mark.parametrize("counts", list(partitions(SIZE)), ids=str)
def test_valid_values_of_every_group(counts: list[int]) -> None:
    groups = every_group(counts)
    # Binary matrices of six by six up to rows and columns, or of six by one; others are between.
    assert len(groups) == {1: 7, SIZE: 251_610}.get(len(counts), len(groups))
    expected = [oracle.count_valid(group, counts) for group in groups.tolist()]
    assert np.array_equal(by_the_auditor(groups, counts), expected)
    step = 1 + len(groups) // 20_000  # the other one takes groups one by one
    assert [by_the_publisher(group, counts) for group in groups[::step]] == expected[::step]


def test_the_count_is_that_of_all_assignments() -> None:
    for counts in partitions(4):
        letters = LETTERS[: len(counts)].tolist()
        values = [letter for letter, count in zip(letters, counts, strict=True) for _ in range(count)]
        for group in every_group(counts).tolist():
            cannot = [frozenset(x for bit, x in enumerate(letters) if number >> bit & 1) for number in group]
            assert oracle.count_valid(group, counts) == [len(valid) for valid in oracle.valid_values(cannot, values)]
